/* The results of a bench of measured times, as tables. */
#include "report/results/result.h"
#include "study/bench/measured_report.h"
#include "system/collectives/program.h"

struct orr_measured_run_row orr_measured_run_row(const struct orr_measured_bench *bench,
                                                 size_t index)
{
    const struct orr_measured_point *point = &bench->point[index];
    const struct orr_measured_row *row = point->row;
    return (struct orr_measured_run_row){
        .collective = orr_coll_kind_name(row->kind),
        .algorithm = point->algorithm,
        .npus = row->npus,
        .npus_per_node = row->npus_per_node,
        .bytes = row->bytes,
        .measured_us = row->time_us,
        .model_us = (double)point->wall_ps * 1e-6,
        .error = orr_measured_point_error(point),
        .measured_bandwidth = orr_measured_bus_bandwidth(row, row->time_us * 1e-6),
        .bandwidth = orr_measured_bus_bandwidth(row, (double)point->wall_ps * 1e-12),
        .file = bench->measured.file[row->file].path,
        .line = row->line};
}

struct orr_measured_block_row orr_measured_block_row(const struct orr_measured_bench *bench,
                                                     size_t index)
{
    const bool all = index >= bench->blocks;
    const struct orr_measured_block *block = all ? &bench->all : &bench->block[index];
    return (struct orr_measured_block_row){
        .collective = all ? "all" : orr_coll_kind_name(block->table->kind),
        .all = all,
        .npus = all ? 0 : block->table->npus,
        .npus_per_node = all ? 0 : block->table->npus_per_node,
        .rows = block->count,
        .skipped = block->skipped,
        .median_large = block->median_large,
        .median_small = block->median_small,
        .bytes = block->bytes,
        .measured_bandwidth = block->measured_bandwidth,
        .bandwidth = block->bandwidth,
        .gap = block->gap,
        .normal = block->normal,
        .ratio = {block->sizes[0].ratio, block->sizes[1].ratio, block->sizes[2].ratio},
        .cause = block->cause[0].text,
        .cause_bandwidth = block->cause[0].bandwidth};
}

/* ---- a row ---- */

#define AT(member) .offset = offsetof(struct orr_measured_run_row, member)
#define BANDWIDTH .type = ORR_RESULT_REAL, .unit = ORR_UNIT_BYTES_PER_S, .digits = 6
#define MICROSECONDS .type = ORR_RESULT_REAL, .unit = ORR_UNIT_US
#define COUNTED .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT

static const struct orr_result of_run[] = {
    {.name = "collective", ORR_TEXT_AT(collective), .meaning = "what was timed"},
    {.name = "npus", COUNTED, AT(npus), .meaning = "NPUs that did it"},
    {.name = "npus_per_node", COUNTED, AT(npus_per_node), .meaning = "of each node"},
    {.name = "bytes", ORR_BYTES_AT(bytes), .meaning = "size, as nccl-tests count it"},
    {.name = "measured_us", MICROSECONDS, AT(measured_us), .meaning = "the time that was measured"},
    {.name = "model_us", MICROSECONDS, AT(model_us), .meaning = "the simulated time"},
    {.name = "error", ORR_RATIO_AT(error), .meaning = "model / measured - 1"},
    {.name = "measured_busbw_bytes_per_s",
     BANDWIDTH,
     AT(measured_bandwidth),
     .meaning = "the minimum that each NPU has to send / measured time, as nccl-tests define it"},
    {.name = "busbw_bytes_per_s",
     BANDWIDTH,
     AT(bandwidth),
     .meaning = "the same by the simulated time"},
    {.name = "algorithm",
     ORR_TEXT_AT(algorithm),
     .meaning = "what ran here: of the dimensions, the innermost first, or of the platform's "
                "library, whose name precedes it"},
    {.name = "file", ORR_TEXT_AT(file), .meaning = "where the time is from"},
    {.name = "line", ORR_COUNT32_AT(line), .meaning = "its line, from 1"}};

const struct orr_result_table orr_measured_run_results = {
    .title = "A measured time of a bench",
    .place = "measured_runs",
    .meaning = "A line of `orrery bench-collective --measured FILE --csv FILE`: a row of measured "
               "times, by collective,\nNPUs and size.",
    ORR_RESULT_TABLE(of_run),
    .forms = ORR_IN_CSV | ORR_IN_JSON};

/* ---- a block ---- */

#define IN(member) .offset = offsetof(struct orr_measured_block_row, member)

static struct orr_value count_unless_all(const struct orr_measured_block_row *row, uint32_t count)
{
    return row->all ? (struct orr_value){.kind = ORR_VALUE_NONE} : orr_integer_value(count);
}

static struct orr_value npus(const void *of)
{
    const struct orr_measured_block_row *row = of;
    return count_unless_all(row, row->npus);
}

static struct orr_value npus_per_node(const void *of)
{
    const struct orr_measured_block_row *row = of;
    return count_unless_all(row, row->npus_per_node);
}

static struct orr_value median_value(double median)
{
    return median < 0 ? (struct orr_value){.kind = ORR_VALUE_NONE} : orr_real_value(median);
}

static struct orr_value median_large(const void *of)
{
    const struct orr_measured_block_row *row = of;
    return median_value(row->median_large);
}

static struct orr_value median_small(const void *of)
{
    const struct orr_measured_block_row *row = of;
    return median_value(row->median_small);
}

static struct orr_value ratio_value(double ratio)
{
    return ratio > 0 ? orr_real_value(ratio) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value latency_ratio(const void *of)
{
    return ratio_value(((const struct orr_measured_block_row *)of)->ratio[ORR_MEASURED_LATENCY]);
}

static struct orr_value middle_ratio(const void *of)
{
    return ratio_value(((const struct orr_measured_block_row *)of)->ratio[ORR_MEASURED_MIDDLE]);
}

static struct orr_value bandwidth_ratio(const void *of)
{
    return ratio_value(((const struct orr_measured_block_row *)of)->ratio[ORR_MEASURED_BANDWIDTH]);
}

static struct orr_value cause_bandwidth(const void *of)
{
    return ratio_value(((const struct orr_measured_block_row *)of)->cause_bandwidth);
}

#define RATIO .type = ORR_RESULT_REAL, .unit = ORR_UNIT_RATIO
#define NUMBER .type = ORR_RESULT_U64, .unit = ORR_UNIT_COUNT

static const struct orr_result of_block[] = {
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "collective",
     .type = ORR_RESULT_TEXT,
     IN(collective),
     .meaning = "`all`: all rows"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "npus",
     COUNTED,
     .value = npus,
     .meaning = "NPUs that did it; none of all rows"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "npus_per_node",
     COUNTED,
     .value = npus_per_node,
     .meaning = "of each node; none of all rows"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "rows",
     NUMBER,
     IN(rows),
     .meaning = "measured times that were run"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "skipped",
     NUMBER,
     IN(skipped),
     .meaning = "those of less than a byte for each NPU, which were not"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "median_large",
     RATIO,
     .value = median_large,
     .meaning = "median of |model / measured - 1| at 1 MiB and more; none without such sizes"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "median_small",
     RATIO,
     .value = median_small,
     .meaning = "the same below 1 MiB"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "bytes",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     IN(bytes),
     .meaning = "the largest size; of all rows, here and below: of the collective and NPUs "
                "with the largest gap"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "measured_busbw_bytes_per_s",
     BANDWIDTH,
     IN(measured_bandwidth),
     .meaning = "bus bandwidth at that size, of the median of its measured times"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "busbw_bytes_per_s",
     BANDWIDTH,
     IN(bandwidth),
     .meaning = "the same by the simulated time"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "gap",
     RATIO,
     IN(gap),
     .meaning = "measured_busbw_bytes_per_s / busbw_bytes_per_s - 1"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "normal",
     .type = ORR_RESULT_BOOL,
     IN(normal),
     .meaning = "the gap is from -0.15 to 0.15; of all rows: every gap is"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "latency_ratio",
     RATIO,
     .value = latency_ratio,
     .meaning = "median of measured / simulated time up to 64 KiB; normal from 1/2 to 2; here and "
                "below none without such sizes, and of all rows"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "middle_ratio",
     RATIO,
     .value = middle_ratio,
     .meaning = "the same above 64 KiB and below 64 MiB; normal from 1/2.5 to 2.5"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "bandwidth_ratio",
     RATIO,
     .value = bandwidth_ratio,
     .meaning = "the same from 64 MiB; normal from 1/1.25 to 1.25"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "cause",
     .type = ORR_RESULT_TEXT,
     IN(cause),
     .meaning = "the likeliest cause of what is not normal; none if all is, or none was found"},
    {.in_forms = ORR_BY_NAME | ORR_IN_JSON,
     .name = "cause_busbw_bytes_per_s",
     BANDWIDTH,
     .value = cause_bandwidth,
     .meaning = "bus bandwidth at the largest size by the simulated time with that cause"}};

const struct orr_result_table orr_measured_block_results = {
    .title = "Measured times of a collective of so many NPUs",
    .place = "measured",
    .meaning = "The summary of `orrery bench-collective --measured FILE`: a row for "
               "each collective, number of NPUs\nand number of nodes, and a last one for all.",
    ORR_RESULT_TABLE(of_block),
    .forms = ORR_IN_JSON};
