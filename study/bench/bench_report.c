/* The report of a bench of a collective; see bench_report.h. */
#include "study/bench/bench_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/bench/bench_results.h"
#include "system/collectives/program.h"

/* The cell of the last column, if it was requested; `head`: its label, or NULL. */
static const char *turnaround_cell(const struct orr_bench_row *row, const char *head, char *text,
                                   size_t bytes)
{
    char time[64];
    text[0] = '\0';
    if (row->turns) {
        (void)snprintf(text, bytes, " %14s",
                       head != NULL ? head
                                    : orr_format_time(row->turnaround_ps, time, sizeof time));
    }
    return text;
}

/* "92.3 %": bound / time; empty if it was not requested. */
static const char *bound_cell(const struct orr_collective_bench *bench, unsigned i, char *text,
                              size_t bytes)
{
    const unsigned size = i / bench->variants;
    const struct orr_bench_row row = orr_bench_row(bench, i);
    text[0] = '\0';
    if (bench->bound) {
        (void)snprintf(text, bytes, " %9.1f %%",
                       row.wall_ps > 0 ? 100.0 * (double)bench->bound_ps[size] / (double)row.wall_ps
                                       : 100.0);
    }
    return text;
}

static void print_bounds(FILE *out, const struct orr_collective_bench *bench)
{
    char size[64], time[64];
    if (bench->bound) {
        (void)fputs("\nat least, latency not counted\n", out);
    }
    for (unsigned i = 0; i < bench->sizes && bench->bound; i++) {
        orr_print(out, "%14s  %s%s\n", orr_format_bytes(bench->size[i], size, sizeof size),
                  orr_format_time(bench->bound_ps[i], time, sizeof time),
                  bench->optimum_ps[i] == bench->bound_ps[i] ? ", the optimum" : "");
    }
}

static void print_legend(FILE *out, const struct orr_collective_bench *bench)
{
    const struct orr_bench_row first = orr_bench_row(bench, 0);
    char launch[64];
    if (!bench->uses_ccl) {
        (void)fputs("\n* the fastest of its size\n", out);
        return;
    }
    orr_print(out,
              "\n* what the platform's library takes, with its launch of %s (system.library)\n",
              orr_format_time(first.launch_ps, launch, sizeof launch));
    if (!bench->only_platform_variant) {
        (void)fputs("idealised: messages alone, without the library's launch, protocols and shares "
                    "of bandwidth;\n           what no library runs is no time to expect\n",
                    out);
    }
}

void orr_bench_table(FILE *out, const struct orr_collective_bench *bench)
{
    const struct orr_bench_row head = {.turns = bench->turnaround};
    char turnaround[80], bound[32];
    orr_print(out, "%s on %" PRIu32 " NPU%s%s\n\n%14s  %-20s %-10s %14s %14s %14s%s%s\n",
              orr_coll_kind_name(bench->collective), bench->npus, orr_plural(bench->npus),
              bench->dims == 1 ? "; one dimension: there is nothing to schedule" : "", "size",
              "algorithm", "scheduler", "time", "algbw", "busbw",
              turnaround_cell(&head, "turnaround", turnaround, sizeof turnaround),
              bench->bound ? "    of bound" : "");
    for (unsigned i = 0; i < bench->sizes * bench->variants; i++) {
        const struct orr_bench_row row = orr_bench_row(bench, i);
        char size[64] = "", time[64], algorithm[64], bus[64];
        if (i % bench->variants == 0) {
            (void)orr_format_bytes(row.bytes, size, sizeof size);
        }
        orr_print(out, "%14s  %-20s %-10s %14s %14s %14s%s%s%s\n", size, row.algorithm,
                  row.scheduler, orr_format_time(row.wall_ps, time, sizeof time),
                  orr_format_bandwidth(row.algorithm_bandwidth, algorithm, sizeof algorithm),
                  orr_format_bandwidth(row.bus_bandwidth, bus, sizeof bus),
                  turnaround_cell(&row, NULL, turnaround, sizeof turnaround),
                  bound_cell(bench, i, bound, sizeof bound),
                  row.best        ? "  *"
                  : row.idealised ? "  idealised"
                                  : "");
    }
    print_bounds(out, bench);
    print_legend(out, bench);
}

int orr_bench_csv(FILE *out, const void *context)
{
    const struct orr_collective_bench *bench = context;
    const struct orr_result_table *table =
        bench->turnaround ? &orr_bench_results : &orr_bench_time_results;
    orr_result_csv_head(out, table);
    (void)fputc(',', out);
    orr_result_csv_head(out, &orr_bench_part_results);
    (void)fputc('\n', out);
    for (unsigned i = 0; i < bench->sizes * bench->variants; i++) {
        const struct orr_bench_row row = orr_bench_row(bench, i);
        orr_result_csv_line(out, table, &row);
        (void)fputc(',', out);
        orr_result_csv_line(out, &orr_bench_part_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}

int orr_bench_json(FILE *out, const void *context)
{
    const struct orr_collective_bench *bench = context;
    json_t *root = json_object(), *runs = json_array();
    (void)json_object_set_new(root, "collective",
                              json_string(orr_coll_kind_name(bench->collective)));
    (void)json_object_set_new(root, "npus", json_integer(bench->npus));
    for (unsigned i = 0; i < bench->sizes * bench->variants; i++) {
        const struct orr_bench_row row = orr_bench_row(bench, i);
        orr_result_append_json(
            runs, bench->turnaround ? &orr_bench_results : &orr_bench_time_results, &row);
        json_t *more = json_array();
        orr_result_append_json(more, &orr_bench_part_results, &row);
        (void)json_object_update(json_array_get(runs, i), json_array_get(more, 0));
        json_decref(more);
        if (bench->bound) {
            const unsigned size = i / bench->variants;
            json_t *run = json_array_get(runs, i);
            (void)json_object_set_new(run, "bound_ps", json_integer(bench->bound_ps[size]));
            (void)json_object_set_new(
                run, "optimum_ps",
                bench->optimum_ps[size] < 0 ? json_null() : json_integer(bench->optimum_ps[size]));
        }
    }
    (void)json_object_set_new(root, "runs", runs);
    return orr_json_write_and_free(root, out);
}
