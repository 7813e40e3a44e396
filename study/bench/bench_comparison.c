/* Old and new side by side; see bench_comparison.h. */
#include "study/bench/bench_comparison.h"

#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "system/collectives/program.h"

#include <inttypes.h>
#include <jansson.h>

/* The platform with the further assignments, which win. */
static enum orr_status set_inputs(struct orr_bench_comparison *bench, struct orr_diag *diag)
{
    const struct orrery_inputs *own = bench->own.platform;
    bench->all = orr_heap_calloc(own->set_count + bench->sets + 1, sizeof *bench->all);
    if (bench->all == NULL) {
        return orr_diag_no_memory(diag, "a bench");
    }
    for (size_t i = 0; i < own->set_count; i++) {
        bench->all[i] = own->set[i];
    }
    for (size_t i = 0; i < bench->sets; i++) {
        bench->all[own->set_count + i] = bench->set[i];
    }
    bench->inputs = *own;
    bench->inputs.set = bench->all;
    bench->inputs.set_count += bench->sets;
    return ORR_OK;
}

enum orr_status orr_bench_comparison_run(struct orr_bench_comparison *bench, struct orr_diag *diag)
{
    enum orr_status status = set_inputs(bench, diag);
    bench->own.only_own = true;
    bench->other = bench->own;
    bench->other.platform = &bench->inputs;
    if (status == ORR_OK) {
        status = orr_collective_bench_inspect(&bench->other, diag);
    }
    if (status == ORR_OK && bench->other.npus != bench->own.npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--compare: expected a platform of as many NPUs, %" PRIu32
                             ", got one of %" PRIu32,
                             bench->own.npus, bench->other.npus);
    }
    if (status == ORR_OK) {
        status = orr_collective_bench_run(&bench->own, diag);
    }
    return status == ORR_OK ? orr_collective_bench_run(&bench->other, diag) : status;
}

void orr_bench_comparison_fini(struct orr_bench_comparison *bench)
{
    orr_collective_bench_fini(&bench->own);
    orr_collective_bench_fini(&bench->other);
    orr_heap_free((void *)bench->all);
    bench->all = NULL;
}

struct orr_bench_comparison_row orr_bench_comparison_row(const struct orr_bench_comparison *bench,
                                                         unsigned size)
{
    const struct orr_collective_bench *own = &bench->own, *other = &bench->other;
    const int64_t wall_ps = orr_collective_bench_wall_ps(own, size, 0);
    const int64_t other_wall_ps = orr_collective_bench_wall_ps(other, size, 0);
    return (struct orr_bench_comparison_row){
        .bytes = own->size[size],
        .algorithm = own->point[size].algorithm,
        .other_algorithm = other->point[size].algorithm,
        .wall_ps = wall_ps,
        .other_wall_ps = other_wall_ps,
        .bandwidth = orr_collective_bench_bus_bandwidth(own, size, 0),
        .other_bandwidth = orr_collective_bench_bus_bandwidth(other, size, 0),
        .ratio = wall_ps > 0 ? (double)other_wall_ps / (double)wall_ps : 0};
}

/* ---- results ---- */

#define AT(member) .offset = offsetof(struct orr_bench_comparison_row, member)
#define BANDWIDTH(member) ORR_BYTES_PER_S_AT(member), .digits = 6

static const struct orr_result of_size[] = {
    {.name = "bytes", ORR_BYTES_AT(bytes), .meaning = "size of the collective, as in a trace"},
    {.name = "algorithm",
     ORR_TEXT_AT(algorithm),
     .meaning = "what the platform takes; of a library with its name and protocol"},
    {.name = "time_ps", ORR_PS_AT(wall_ps), .meaning = "the time that it takes"},
    {.name = "busbw_bytes_per_s",
     BANDWIDTH(bandwidth),
     .meaning = "the minimum that each NPU has to send / time, as nccl-tests define it"},
    {.name = "compared_algorithm",
     ORR_TEXT_AT(other_algorithm),
     .meaning = "the same, here and below, with the values of `--compare`"},
    {.name = "compared_time_ps", ORR_PS_AT(other_wall_ps), .meaning = "its time"},
    {.name = "compared_busbw_bytes_per_s",
     BANDWIDTH(other_bandwidth),
     .meaning = "its bus bandwidth"},
    {.name = "ratio", ORR_RATIO_AT(ratio), .meaning = "compared_time_ps / time_ps"}};

const struct orr_result_table orr_bench_comparison_results = {
    .title = "A size of a bench compared with another platform",
    .place = "compared_runs",
    .meaning = "A line of `orrery bench-collective --compare PATH=VALUE --csv`.",
    ORR_RESULT_TABLE(of_size),
    .forms = ORR_IN_CSV | ORR_IN_JSON};

void orr_bench_comparison_table(FILE *out, const struct orr_bench_comparison *bench)
{
    const struct orr_collective_bench *own = &bench->own;
    orr_print(out, "%s on %" PRIu32 " NPU%s; compared with:", orr_coll_kind_name(own->collective),
              own->npus, orr_plural(own->npus));
    for (size_t i = 0; i < bench->sets; i++) {
        orr_print(out, "%s %s", i > 0 ? "," : "", bench->set[i]);
    }
    orr_print(out, "\n\n%14s  %-20s %14s %14s  %-20s %14s %14s %10s\n", "size", "algorithm", "time",
              "busbw", "compared", "time", "busbw", "time");
    for (unsigned s = 0; s < own->sizes; s++) {
        const struct orr_bench_comparison_row row = orr_bench_comparison_row(bench, s);
        char size[64], time[2][64], bus[2][64];
        orr_print(out, "%14s  %-20s %14s %14s  %-20s %14s %14s %+8.1f %%\n",
                  orr_format_bytes(row.bytes, size, sizeof size), row.algorithm,
                  orr_format_time(row.wall_ps, time[0], sizeof time[0]),
                  orr_format_bandwidth(row.bandwidth, bus[0], sizeof bus[0]), row.other_algorithm,
                  orr_format_time(row.other_wall_ps, time[1], sizeof time[1]),
                  orr_format_bandwidth(row.other_bandwidth, bus[1], sizeof bus[1]),
                  100 * (row.ratio - 1));
    }
}

int orr_bench_comparison_csv(FILE *out, const void *context)
{
    const struct orr_bench_comparison *bench = context;
    orr_result_csv_head(out, &orr_bench_comparison_results);
    (void)fputc('\n', out);
    for (unsigned s = 0; s < bench->own.sizes; s++) {
        const struct orr_bench_comparison_row row = orr_bench_comparison_row(bench, s);
        orr_result_csv_line(out, &orr_bench_comparison_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}

int orr_bench_comparison_json(FILE *out, const void *context)
{
    const struct orr_bench_comparison *bench = context;
    json_t *root = json_object(), *runs = json_array(), *sets = json_array();
    for (size_t i = 0; i < bench->sets; i++) {
        (void)json_array_append_new(sets, json_string(bench->set[i]));
    }
    for (unsigned s = 0; s < bench->own.sizes; s++) {
        const struct orr_bench_comparison_row row = orr_bench_comparison_row(bench, s);
        orr_result_append_json(runs, &orr_bench_comparison_results, &row);
    }
    (void)json_object_set_new(root, "collective",
                              json_string(orr_coll_kind_name(bench->own.collective)));
    (void)json_object_set_new(root, "npus", json_integer(bench->own.npus));
    (void)json_object_set_new(root, "compare", sets);
    (void)json_object_set_new(root, "compared_runs", runs);
    return orr_json_write_and_free(root, out);
}
