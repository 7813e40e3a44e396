/* The results of a run of a bench, as a table. */
#include "study/bench/bench_results.h"

#include "report/results/result.h"
#include "system/collectives/program.h"
#include "system/sys_config.h"

#include <string.h>

static const char *algorithm_name(const struct orr_bench_point *point,
                                  const struct orr_bench_variant *variant)
{
    return point->algorithm[0] != '\0'                                          ? point->algorithm
           : strcmp(variant->algorithm, orr_sys_choice_name(SYS_BY_BLOCK)) != 0 ? variant->algorithm
                                                                                : "by block";
}

/* Bytes of a rank: what it gives of an all-gather; of a scatter what it gets, rounded up; else its
 * buffer. */
static uint64_t part_bytes(const struct orr_collective_bench *bench, uint64_t bytes)
{
    return bench->collective == COLL_REDUCE_SCATTER ? (bytes - 1) / bench->npus + 1 : bytes;
}

struct orr_bench_row orr_bench_row(const struct orr_collective_bench *bench, unsigned index)
{
    const unsigned s = index / bench->variants, v = index % bench->variants;
    const struct orr_bench_variant *variant = &bench->variant[v];
    const struct orr_bench_point *point = &bench->point[index];
    return (struct orr_bench_row){
        .bytes = bench->size[s],
        .algorithm = algorithm_name(point, variant),
        .scheduler = variant->scheduler != NULL ? variant->scheduler : "auto",
        .turns = bench->turnaround,
        .turnaround_ps = orr_collective_bench_turnaround_ps(bench, s, v),
        .wall_ps = orr_collective_bench_wall_ps(bench, s, v),
        .algorithm_bandwidth = orr_collective_bench_algorithm_bandwidth(bench, s, v),
        .bus_bandwidth = orr_collective_bench_bus_bandwidth(bench, s, v),
        .best = v == orr_collective_bench_best(bench, s),
        .idealised = bench->uses_ccl && point->algorithm[0] == '\0',
        .launch_ps = point->launch_ps,
        .rank_bytes = part_bytes(bench, bench->size[s]),
        .total_bytes =
            bench->collective == COLL_ALL_GATHER ? bench->size[s] * bench->npus : bench->size[s],
        .collective = orr_coll_kind_name(bench->collective),
        .npus = bench->npus,
        .npus_per_node =
            bench->dims > 0 && bench->dim_npus[0] > 0 ? bench->dim_npus[0] : bench->npus};
}

#define AT(member) .offset = offsetof(struct orr_bench_row, member)
#define BANDWIDTH(member) ORR_BYTES_PER_S_AT(member), .digits = 6

static struct orr_value turnaround(const void *of)
{
    const struct orr_bench_row *row = of;
    return row->turns ? orr_integer_value(row->turnaround_ps)
                      : (struct orr_value){.kind = ORR_VALUE_NONE};
}

/* The turnaround is the last: orr_bench_time_results omits it. */
static const struct orr_result of_run[] = {
    {.name = "bytes", ORR_BYTES_AT(bytes), .meaning = "size of the collective"},
    {.name = "algorithm",
     ORR_TEXT_AT(algorithm),
     .meaning = "of all dimensions; `by block`: of each dimension's block; `auto`: as selected; of "
                "a library with its name and protocol, `nccl ring LL`"},
    {.name = "scheduler",
     ORR_TEXT_AT(scheduler),
     .meaning = "in which order chunks visit the dimensions"},
    {.name = "time_ps", ORR_PS_AT(wall_ps), .meaning = "the time that it takes"},
    {.name = "algbw_bytes_per_s", BANDWIDTH(algorithm_bandwidth), .meaning = "bytes / time"},
    {.name = "busbw_bytes_per_s",
     BANDWIDTH(bus_bandwidth),
     .meaning = "the minimum that each NPU has to send / time, as nccl-tests define it"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "launch_ps",
     ORR_PS_AT(launch_ps),
     .meaning = "the launch by the host in `time_ps`; 0 if no library runs it"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "idealised",
     .type = ORR_RESULT_BOOL,
     AT(idealised),
     .meaning = "the platform's library runs collectives otherwise: messages alone, without its "
                "launch, protocols and shares of bandwidth"},
    {.name = "best",
     .type = ORR_RESULT_BOOL,
     AT(best),
     .meaning = "the fastest of its size; the library's if the platform has one"},
    {.name = "turnaround_ps",
     ORR_PS_OF(turnaround),
     .meaning = "until the first chunk is complete on every NPU; with `--turnaround` only"}};

const struct orr_result_table orr_bench_results = {
    .title = "A run of a bench",
    .place = "runs",
    .meaning = "A line of `orrery bench-collective --csv`: a size, run in one variant.",
    ORR_RESULT_TABLE(of_run),
    .forms = ORR_IN_CSV | ORR_IN_JSON};

const struct orr_result_table orr_bench_time_results = {.results = of_run,
                                                        .count = sizeof of_run / sizeof *of_run - 1,
                                                        .forms = ORR_IN_CSV | ORR_IN_JSON};

/* ---- as a measured table ---- */

static const struct orr_result of_parts[] = {
    {.name = "bytes_per_rank",
     ORR_BYTES_AT(rank_bytes),
     .meaning = "what a rank gives of an all-gather, or gets of a reduce-scatter; else its buffer"},
    {.name = "bytes_total",
     ORR_BYTES_AT(total_bytes),
     .meaning = "as nccl-tests count it: of gathers and scatters of all ranks, else the buffer"},
    {.name = "collective", ORR_TEXT_AT(collective), .meaning = "the collective"},
    {.name = "npus", ORR_COUNT32_AT(npus), .meaning = "NPUs that do it"},
    {.name = "npus_per_node",
     ORR_COUNT32_AT(npus_per_node),
     .meaning = "those of the first dimension"}};

const struct orr_result_table orr_bench_part_results = {
    .title = "Sizes of a bench",
    .place = "run_sizes",
    .meaning = "Further columns of `orrery bench-collective --csv`, which with them reads back as "
               "measured times.",
    ORR_RESULT_TABLE(of_parts),
    .forms = ORR_IN_CSV | ORR_IN_JSON};
