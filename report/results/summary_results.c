/* The results of the summary of what was done, and of the critical path. */
#include <limits.h>

#include "report/results/results.h"

static const struct orr_value untold = {.kind = ORR_VALUE_NONE};

#define AT(member) .offset = offsetof(struct orr_work_row, member)

/* Results that collectives and operators share. Sums are over all NPUs, means are for tables. */
#define COUNT_OF(member) .name = "count", .label = "count", ORR_COUNT_AT(member), .width = 10
#define SUM_PS(key, member)                                                                        \
    .name = key, .type = ORR_RESULT_SUM, .unit = ORR_UNIT_PS, AT(of.member), .in_forms = ORR_IN_JSON
#define MEAN_PS(head, member)                                                                      \
    .name = #member, .label = head, ORR_PS_AT(member), .width = 14, .in_forms = ORR_IN_TABLE
#define TIMES                                                                                      \
    {MEAN_PS("mean", mean_ps), .meaning = "time of one, without waiting, the mean"},               \
        {SUM_PS("time_ps", time_ps),                                                               \
         .meaning = "from the end of their waiting for others to their ends, summed"},             \
        {SUM_PS("waiting_ps", waiting_ps), .meaning = "waiting before that, summed"},              \
        {.name = "shortest_ps",                                                                    \
         .type = ORR_RESULT_I64,                                                                   \
         .unit = ORR_UNIT_PS,                                                                      \
         AT(of.shortest_ps),                                                                       \
         .meaning = "the shortest, without waiting"},                                              \
        {.name = "longest_ps",                                                                     \
         .label = "longest",                                                                       \
         .type = ORR_RESULT_I64,                                                                   \
         .unit = ORR_UNIT_PS,                                                                      \
         AT(of.longest_ps),                                                                        \
         .width = 14,                                                                              \
         .meaning = "the longest, without waiting"},                                               \
        {SUM_PS("exposed_ps", exposed_ps), .compared = "", .meaning = "exposed time, summed"},     \
        {MEAN_PS("exposed", exposed_per_npu_ps),                                                   \
         .meaning = "exposed time, the mean over the NPUs"},                                       \
        {SUM_PS("exposed_waiting_ps", exposed_waiting_ps),                                         \
         .compared = "waiting: ", .meaning = "exposed waiting, summed"},                           \
    {                                                                                              \
        MEAN_PS("waiting", exposed_waiting_per_npu_ps),                                            \
            .needs_waiting_split = true, .meaning = "exposed waiting, the mean over the NPUs"      \
    }

/* ---- collectives ---- */

static struct orr_value bus_bandwidth(const void *of)
{
    const struct orr_work_row *row = of;
    return row->of.time_ps > 0 ? orr_real_value(row->bus_bandwidth_bytes_per_s) : untold;
}

static struct orr_value algorithms(const void *of)
{
    const struct orr_work_row *row = of;
    return row->choice_text[0] != '\0' ? orr_text_value(row->choice_text) : untold;
}

static const struct orr_result collective[] = {
    {.name = "kind",
     .label = "collectives",
     ORR_TEXT_AT(kind),
     .width = -24,
     .meaning = "all_reduce, all_gather, ..."},
    {.name = "npus",
     .label = "NPUs",
     ORR_COUNT32_AT(of.npus),
     .width = 6,
     .meaning = "NPUs of the group"},
    {.name = "bytes",
     .label = "bytes",
     ORR_BYTES_AT(of.bytes_each),
     .width = 14,
     .meaning = "size of one"},
    {COUNT_OF(collectives), .meaning = "how many, each once for all of its NPUs"},
    TIMES,
    {.name = "bus_bandwidth_bytes_per_s",
     ORR_BYTES_PER_S_AT(bus_bandwidth_bytes_per_s),
     .in_forms = ORR_IN_JSON,
     .meaning =
         "the minimum that each NPU has to send over the mean time, as nccl-tests define it"},
    {.name = "bus_bandwidth_bytes_per_s",
     .label = "bus bandwidth",
     ORR_BYTES_PER_S_OF(bus_bandwidth),
     .width = 14,
     .in_forms = ORR_IN_TABLE},
    {.name = "algorithms",
     .label = "algorithms",
     ORR_TEXT_OF(algorithms),
     .meaning = "of the dimensions that take part, and the scheduler, where they are known"}};

const struct orr_result_table orr_collective_results = {
    .title = "Collectives",
    .place = "collectives",
    .meaning = "A row of `collectives` in tables, an entry of `collectives`: those of a kind, a "
               "number of NPUs and a size.",
    ORR_RESULT_TABLE(collective),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};

/* ---- operators ---- */

static struct orr_value name_or_none(const void *of)
{
    const struct orr_work_row *row = of;
    return orr_text_value(row->of.name[0] != '\0' ? row->of.name : "(no name)");
}

static const struct orr_result operators[] = {
    {.name = "name",
     .label = "operators",
     ORR_TEXT_OF(name_or_none),
     .width = -31,
     .truncate = true,
     .in_forms = ORR_IN_TABLE},
    {.name = "kind",
     .label = "kind",
     ORR_TEXT_AT(kind),
     .width = -14,
     .meaning = "compute, CPU, local load, send, ..."},
    {.name = "name",
     ORR_TEXT_AT(of.name),
     .in_forms = ORR_IN_JSON,
     .meaning = "of the nodes, with # for numbers in which they differ"},
    {COUNT_OF(of.count), .meaning = "nodes"},
    {.name = "bytes",
     .label = "bytes",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_BYTES,
     AT(of.bytes),
     .width = 14,
     .meaning = "bytes that they move, summed"},
    {.name = "flops",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_FLOPS,
     AT(of.flops),
     .meaning = "operations, summed"},
    TIMES};

const struct orr_result_table orr_operator_results = {
    .title = "Operators",
    .place = "operators",
    .meaning = "A row of `operators` in tables, an entry of `operators`: the nodes of a kind and a "
               "name.",
    ORR_RESULT_TABLE(operators),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
#undef AT

/* ---- the critical path ---- */

static struct orr_value dim_of_part(const void *of)
{
    const struct orrery_path_part *part = of;
    return part->dim != UINT_MAX ? orr_integer_value((orr_sum)part->dim + 1) : untold;
}

static const struct orr_result path_part[] = {
    {.name = "what",
     .type = ORR_RESULT_TEXT,
     .offset = offsetof(struct orrery_path_part, what),
     .meaning = "compute, local memory, dimension 2 bandwidth, ..."},
    {.name = "dim",
     .type = ORR_RESULT_U32,
     .value = dim_of_part,
     .meaning = "the dimension, from 1, where there is one"},
    {.name = "ps",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     .offset = offsetof(struct orrery_path_part, ps),
     .compared = "",
     .meaning = "the time that the path spent on it; all of them are the job's time"}};

const struct orr_result_table orr_path_part_results = {
    .title = "A part of the critical path",
    .place = "critical_path.parts",
    .meaning = "An entry of `critical_path.parts`, with `--why`; `orrery diff` compares them.",
    ORR_RESULT_TABLE(path_part),
    .forms = ORR_IN_JSON};

#define AT(member) .offset = offsetof(struct orr_path_step_row, member)

static const struct orr_result path_step[] = {
    {.name = "npu",
     .type = ORR_RESULT_U32,
     AT(of.rank),
     .meaning = "rank of the NPU, or of its representative where NPUs are folded"},
    {.name = "node", .type = ORR_RESULT_U64, AT(of.id), .meaning = "id of the node in its trace"},
    {.name = "name", ORR_TEXT_AT(of.name), .meaning = "name of the node"},
    {.name = "start_ps", ORR_PS_AT(of.start_ps), .meaning = "when the path came to it"},
    {.name = "duration_ps", ORR_PS_AT(duration_ps), .meaning = "until the next step"}};

const struct orr_result_table orr_path_step_results = {
    .title = "A step of the critical path",
    .place = "critical_path.steps",
    .meaning = "An entry of `critical_path.steps`, with `--why`, in order of time.",
    ORR_RESULT_TABLE(path_step),
    .forms = ORR_IN_JSON};
