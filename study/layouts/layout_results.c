/* The results of a search for layouts, as tables; see layout_study.h. */
#include <math.h>

#include "report/results/result.h"
#include "study/layouts/layout_study.h"

static const struct orr_layout_case *first_case(const void *row)
{
    return &((const struct orr_layout_study *)row)->cases[0];
}

static struct orr_value first_npus(const void *row)
{
    return orr_integer_value((orr_sum)first_case(row)->npus);
}

static struct orr_value first_capacity(const void *row)
{
    return orr_integer_value((orr_sum)first_case(row)->capacity_bytes);
}

#define OF(member) .offset = offsetof(struct orr_layout_study, member)
#define AT(member) OF(member)

static const struct orr_result of_search[] = {
    {.name = "npus", ORR_COUNT32_OF(first_npus), .meaning = "NPUs of the job, of the first case"},
    {.name = "capacity_bytes",
     ORR_BYTES_OF(first_capacity),
     .meaning = "memory of an NPU that its layouts may need; 0: no limit"},
    {.name = "estimates",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     OF(estimates),
     .meaning = "layouts that fit: their time was estimated"},
    {.name = "estimate_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     OF(seconds),
     .meaning = "processor time of the whole search, its checks of layouts and of memory included"},
    {.name = "too_large",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     OF(too_large),
     .meaning = "layouts that need more memory"},
    {.name = "refused",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     OF(refused),
     .meaning = "layouts that the model, its batch or the schedule do not allow"},
    {.name = "low_ps",
     ORR_PS_AT(low_ps),
     .optional = true,
     .meaning = "lower end of the 80 % interval of the best layout's time, by the fit of "
                "the platform's compute; left out where that has none"},
    {.name = "high_ps", ORR_PS_AT(high_ps), .optional = true, .meaning = "its upper end"},
    {.name = "best",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_best_layout_results,
     .meaning = "the layouts that were simulated, the best first"},
    {.name = "cases",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_layout_case_results,
     .meaning = "the combinations of values of the axes; one without axes"},
    {.name = "limits",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_layout_limit_results,
     .meaning = "memory and the limits that are given, and what they cost"},
    {.name = "map",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_layout_map_results,
     .meaning = "for tensor-parallel ranks and pipeline stages the best, as estimated"}};

const struct orr_result_table orr_layout_results = {.title = "Search for layouts",
                                                    .place = "search",
                                                    .meaning =
                                                        "The object of `orrery plan llm --json`.",
                                                    ORR_RESULT_TABLE(of_search),
                                                    .forms = ORR_IN_JSON};
#undef OF

/* ---- a layout ---- */

static const struct orr_best_layout *layout_of(const void *row)
{
    return row;
}

static struct orr_value layout_text(const void *row)
{
    return orr_text_value(layout_of(row)->layout);
}

static struct orr_value why_text(const void *row)
{
    return orr_text_value(layout_of(row)->why);
}

/* A number that may not be known. */
static struct orr_value known_value(double number)
{
    return isnan(number) ? (struct orr_value){.kind = ORR_VALUE_NONE} : orr_real_value(number);
}

static struct orr_value get_memory_left_bytes(const void *row)
{
    return known_value(layout_of(row)->memory_left_bytes);
}

static struct orr_value get_network_dollars(const void *row)
{
    return known_value(layout_of(row)->network_dollars);
}

static struct orr_value get_network_watts(const void *row)
{
    return known_value(layout_of(row)->network_watts);
}

#define OF(member) .offset = offsetof(struct orr_best_layout, member)
#define DEGREE(member, what)                                                                       \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, OF(member),               \
        .in_forms = ORR_IN_JSON | ORR_IN_CSV, .meaning = (what)                                    \
    }

#define MONEY(member, what)                                                                        \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_REAL, OF(member), .optional = true,                    \
        .in_forms = ORR_IN_JSON | ORR_IN_CSV, .meaning = (what)                                    \
    }
#define NUMBER(member, units, what)                                                                \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_REAL, .unit = (units), OF(member),                     \
        .in_forms = ORR_IN_JSON | ORR_IN_CSV, .meaning = (what)                                    \
    }

#define KNOWN(member, units, what)                                                                 \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_REAL, .unit = (units), .value = get_##member,          \
        .in_forms = ORR_IN_JSON | ORR_IN_CSV, .meaning = (what)                                    \
    }

static const struct orr_result of_best[] = {
    {.name = "of",
     .type = ORR_RESULT_TEXT,
     OF(of),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "the values of the axes"},
    {.name = "layout",
     .label = "layout",
     .type = ORR_RESULT_TEXT,
     .value = layout_text,
     .width = -40,
     .meaning = "degrees: t tensor, c context, e expert, et expert tensor, p pipeline, v chunks, d "
                "data, r replicas; mb micro-batch"},
    DEGREE(npus, "NPUs of the job"),
    DEGREE(tensor, "tensor-parallel ranks"),
    DEGREE(context, "context-parallel ranks"),
    DEGREE(expert, "ranks among which experts are spread"),
    DEGREE(expert_tensor, "ranks that share each expert"),
    DEGREE(pipeline, "pipeline stages"),
    DEGREE(chunks, "parts of the model on each stage"),
    DEGREE(data, "data-parallel ranks"),
    DEGREE(replicas, "replicas that shard apart (HSDP)"),
    DEGREE(micro_batch, "samples of a micro-batch"),
    DEGREE(zero, "ZeRO stage"),
    {.name = "context_exchange",
     .type = ORR_RESULT_TEXT,
     OF(context_exchange),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "how context-parallel ranks share attention"},
    {.name = "recompute",
     .type = ORR_RESULT_TEXT,
     OF(recompute),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "activations recomputed in the backward pass"},
    NUMBER(batch, ORR_UNIT_COUNT, "samples of a step"),
    NUMBER(batch_tokens, ORR_UNIT_COUNT, "tokens of a step"),
    {.name = "estimated_ps",
     .label = "estimated",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     OF(estimated_ps),
     .width = 12,
     .meaning = "time of the job, estimated"},
    {.name = "simulated_ps",
     .label = "simulated",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     OF(simulated_ps),
     .width = 12,
     .meaning = "time of the job, simulated"},
    NUMBER(time_s, ORR_UNIT_S,
           "time of the job, simulated; in limits while layouts are estimated as estimated"),
    {.name = "error",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     OF(error),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "of the estimate, beside the simulation"},
    {.name = "memory_bytes",
     .label = "memory",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     OF(memory_bytes),
     .width = 12,
     .meaning = "of the NPU that needs the most"},
    {.name = "tokens_per_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PER_S,
     OF(tokens_per_s),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "tokens a second"},
    KNOWN(memory_left_bytes, ORR_UNIT_BYTES, "below the memory that layouts may need"),
    NUMBER(compute, ORR_UNIT_SHARE, "of the estimated time: computation"),
    NUMBER(recomputed, ORR_UNIT_SHARE, "of the estimated time: of this again"),
    NUMBER(exchange, ORR_UNIT_SHARE, "of the estimated time: communication beside no computation"),
    NUMBER(bubble, ORR_UNIT_SHARE, "of the estimated time: waiting for other stages"),
    NUMBER(weights, ORR_UNIT_SHARE,
           "of the estimated time: gradients and weights behind the last pass"),
    NUMBER(model_flops_utilization, ORR_UNIT_SHARE, "of the peak of all NPUs (MFU)"),
    MONEY(days, "until all tokens of the training are done; left out where they are not given"),
    MONEY(gpu_hours, "of the NPUs in these days"),
    MONEY(cost, "dollars of these hours; left out where the price is not given"),
    MONEY(kwh, "energy of the NPUs in these days; left out where their power is not given"),
    MONEY(energy_dollars, "price of this energy"),
    MONEY(dollars_per_million_tokens, "dollars of the NPUs for a million tokens"),
    KNOWN(network_dollars, ORR_UNIT_COUNT, "price of the network, where its parts have one"),
    KNOWN(network_watts, ORR_UNIT_COUNT, "power of the network, where its parts have one"),
    {.name = "on_front",
     .type = ORR_RESULT_BOOL,
     OF(on_front),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "no other that was simulated equals or beats it in all that --front names"},
    {.name = "within",
     .type = ORR_RESULT_BOOL,
     OF(within),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "within the limits, as simulated"},
    {.name = "why",
     .label = "time of a step, estimated",
     .type = ORR_RESULT_TEXT,
     .value = why_text,
     .meaning = "where the time of the last stage goes: computation, what is recomputed, exchanges "
                "beside no computation, the pipeline's bubble, gradients and weights behind the "
                "last pass; memory left"}};

const struct orr_result_table orr_best_layout_results = {
    .title = "A layout",
    .place = "best",
    .meaning = "An entry of `best` of `orrery plan llm --json`, a line of its table and its CSV.",
    ORR_RESULT_TABLE(of_best),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

static const struct orr_result of_cell[] = {
    {.name = "of", .type = ORR_RESULT_TEXT, OF(of), .meaning = "the values of the axes"},
    DEGREE(tensor, "tensor-parallel ranks"),
    DEGREE(pipeline, "pipeline stages"),
    {.name = "layout",
     .type = ORR_RESULT_TEXT,
     .value = layout_text,
     .meaning = "the best of them"},
    NUMBER(time_s, ORR_UNIT_S, "its estimated time"),
    NUMBER(tokens_per_s, ORR_UNIT_PER_S, "its tokens a second"),
    {.name = "memory_bytes",
     ORR_BYTES_AT(memory_bytes),
     .meaning = "of the NPU that needs the most"}};

const struct orr_result_table orr_layout_map_results = {
    .title = "A cell of a search",
    .place = "map",
    .meaning = "An entry of `map` of `orrery plan llm --json`: some degrees, and the best layout "
               "that has them.",
    ORR_RESULT_TABLE(of_cell),
    .forms = ORR_IN_JSON};
#undef OF
#undef DEGREE

/* ---- a case ---- */

#define OF(member) .offset = offsetof(struct orr_layout_case, member)
#define COUNTED(member, what)                                                                      \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_U64, .unit = ORR_UNIT_COUNT, OF(member),               \
        .meaning = (what)                                                                          \
    }

static const struct orr_result of_case[] = {
    {.name = "of", .type = ORR_RESULT_TEXT, OF(name), .meaning = "the values of the axes"},
    {.name = "npus",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(npus),
     .meaning = "NPUs of the job"},
    {.name = "capacity_bytes",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     OF(capacity_bytes),
     .meaning = "memory of an NPU that layouts may need; 0: no limit"},
    COUNTED(estimates, "layouts that fit"),
    COUNTED(too_large, "layouts that need more memory"),
    COUNTED(refused, "layouts that cannot be run")};

const struct orr_result_table orr_layout_case_results = {
    .title = "A case of a search",
    .place = "cases",
    .meaning = "An entry of `cases` of `orrery plan llm --json`: one combination of the values of "
               "the axes.",
    ORR_RESULT_TABLE(of_case),
    .forms = ORR_IN_JSON};
#undef OF

/* ---- a limit ---- */

static struct orr_value limit_layout(const void *row)
{
    const struct orr_layout_limit *limit = row;
    return orr_text_value(limit->has ? limit->layout.layout : NULL);
}

static struct orr_value limit_time(const void *row)
{
    const struct orr_layout_limit *limit = row;
    return limit->has ? orr_real_value(limit->layout.time_s)
                      : (struct orr_value){.kind = ORR_VALUE_NONE};
}

#define OF(member) .offset = offsetof(struct orr_layout_limit, member)

static const struct orr_result of_limit[] = {
    {.name = "limit", .type = ORR_RESULT_TEXT, OF(text), .meaning = "as given; memory"},
    COUNTED(excluded, "layouts that are beyond it; of memory those up to a tenth"),
    {.name = "layout",
     ORR_TEXT_OF(limit_layout),
     .meaning = "the best of those that only this limit excludes"},
    {.name = "time_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     .value = limit_time,
     .meaning = "its estimated time"},
    {.name = "gain",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     OF(gain),
     .meaning = "by how much it ranks better than the best within the limits, as estimated"}};

const struct orr_result_table orr_layout_limit_results = {
    .title = "A limit of a search",
    .place = "limits",
    .meaning = "An entry of `limits` of `orrery plan llm --json`.",
    ORR_RESULT_TABLE(of_limit),
    .forms = ORR_IN_JSON};
