/* The report of a bench of measured times; see measured_report.h. */
#include "study/bench/measured_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/bench/measured_statistics.h"
#include "system/collectives/program.h"

enum { TEXT_BYTES = 64 };

/* ---- the table ---- */

/* "all_reduce on 16 NPUs of 2 nodes" */
const char *orr_measured_block_name(const struct orr_measured_block *block,
                                    char text[ORR_MEASURED_BLOCK_BYTES])
{
    const uint32_t nodes = block->table->npus / block->table->npus_per_node;
    (void)snprintf(text, ORR_MEASURED_BLOCK_BYTES, "%s on %" PRIu32 " NPUs of %" PRIu32 " node%s",
                   orr_coll_kind_name(block->table->kind), block->table->npus, nodes,
                   orr_plural(nodes));
    return text;
}

static void print_run(FILE *out, const struct orr_measured_bench *bench, size_t index)
{
    const struct orr_measured_run_row row = orr_measured_run_row(bench, index);
    char size[TEXT_BYTES], measured[TEXT_BYTES], ours[TEXT_BYTES], bus[2][TEXT_BYTES];
    orr_print(
        out, "%14s %14s %14s %+8.1f %% %14s %14s  %s\n",
        orr_format_bytes(row.bytes, size, sizeof size),
        orr_format_time(orr_time_of_seconds(row.measured_us * 1e-6), measured, sizeof measured),
        orr_format_time(bench->point[index].wall_ps, ours, sizeof ours), 100 * row.error,
        orr_format_bandwidth(row.measured_bandwidth, bus[0], sizeof bus[0]),
        orr_format_bandwidth(row.bandwidth, bus[1], sizeof bus[1]), row.algorithm);
}

static void print_median(FILE *out, const char *sizes, double median, size_t rows)
{
    if (rows > 0) {
        orr_print(out, " %.2f %% %s (%zu row%s)", 100 * median, sizes, rows, orr_plural(rows));
    }
}

static void print_medians(FILE *out, const struct orr_measured_block *block)
{
    orr_print(out, "median error:");
    print_median(out, "at >= 1 MiB", block->median_large, block->large);
    (void)fputs(block->large > 0 && block->small > 0 ? "," : "", out);
    print_median(out, "below", block->median_small, block->small);
    (void)fputc('\n', out);
}

static const char *expecting(const struct orr_measured_bench *bench)
{
    return bench->uses_ccl ? "what the platform's library gives" : "what the platform gives";
}

/* "1.4 % below" */
static const char *gap_text(double gap, char text[TEXT_BYTES])
{
    (void)snprintf(text, TEXT_BYTES, "%.1f %% %s", fabs(100 * gap), gap < 0 ? "below" : "above");
    return text;
}

static void print_verdict(FILE *out, const struct orr_measured_bench *bench,
                          const struct orr_measured_block *block)
{
    char size[TEXT_BYTES], measured[TEXT_BYTES], ours[TEXT_BYTES], gap[TEXT_BYTES];
    const enum orr_measured_class size_class = orr_measured_class_of(block->bytes);
    orr_print(out, "bus bandwidth at %s: measured %s, expected %s: %s%s%s%s%s\n",
              orr_format_bytes(block->bytes, size, sizeof size),
              orr_format_bandwidth(block->measured_bandwidth, measured, sizeof measured),
              orr_format_bandwidth(block->bandwidth, ours, sizeof ours),
              block->normal ? "normal (" : "", gap_text(block->gap, gap), block->normal ? ")" : " ",
              block->normal ? "" : expecting(bench),
              size_class == ORR_MEASURED_BANDWIDTH ? "" : "; sizes from 64 MiB tell the bandwidth");
}

/* "latency (to 64 KiB) 1.45 x the expected time, normal; ..."; nothing for a single class. */
static void print_sizes(FILE *out, const struct orr_measured_block *block)
{
    static const char *const names[ORR_MEASURED_CLASSES] = {"latency (to 64 KiB)", "middle sizes",
                                                            "bandwidth (from 64 MiB)"};
    const char *before = "";
    if (block->sizes[ORR_MEASURED_LATENCY].rows == block->count ||
        block->sizes[ORR_MEASURED_MIDDLE].rows == block->count ||
        block->sizes[ORR_MEASURED_BANDWIDTH].rows == block->count) {
        return;
    }
    for (unsigned c = 0; c < ORR_MEASURED_CLASSES; c++) {
        const struct orr_measured_sizes *sizes = &block->sizes[c];
        if (sizes->rows > 0) {
            orr_print(out, "%s%s %.2f x the expected time, %s", before, names[c], sizes->ratio,
                      sizes->normal      ? "normal"
                      : sizes->ratio > 1 ? "too long"
                                         : "too short");
            before = "; ";
        }
    }
    (void)fputc('\n', out);
}

static void print_causes(FILE *out, const struct orr_measured_block *block)
{
    char ours[TEXT_BYTES], gap[TEXT_BYTES];
    if (block->causes == 0 && !orr_measured_block_is_normal(block)) {
        (void)fputs("likely: none of the causes that were tried explains these times\n", out);
    }
    for (unsigned i = 0; i < block->causes; i++) {
        const struct orr_measured_cause *cause = &block->cause[i];
        orr_print(out, "%s: %s", i == 0 ? "likely" : "or", cause->text);
        if (cause->bandwidth > 0) {
            orr_print(out, "; expected then %s: %s%s",
                      orr_format_bandwidth(cause->bandwidth, ours, sizeof ours),
                      gap_text(cause->gap, gap), cause->is_setting ? ", normal for that" : "");
        }
        (void)fputc('\n', out);
    }
}

static void print_block(FILE *out, const struct orr_measured_bench *bench, size_t index)
{
    const struct orr_measured_block *block = &bench->block[index];
    char name[ORR_MEASURED_BLOCK_BYTES];
    orr_print(out, "%s\n\n%14s %14s %14s %10s %14s %14s  %s\n",
              orr_measured_block_name(block, name), "size", "measured", "expected", "error",
              "busbw", "expected", "algorithm");
    for (size_t i = block->first; i < block->first + block->count; i++) {
        print_run(out, bench, i);
    }
    (void)fputc('\n', out);
    print_medians(out, block);
    print_verdict(out, bench, block);
    print_sizes(out, block);
    print_causes(out, block);
    (void)fputc('\n', out);
}

/* Prints the statistics of all blocks; nothing for a single block. */
static void print_all(FILE *out, const struct orr_measured_bench *bench)
{
    char name[ORR_MEASURED_BLOCK_BYTES], gap[TEXT_BYTES];
    if (bench->blocks < 2) {
        return;
    }
    orr_print(out, "all %zu rows, ", bench->points);
    print_medians(out, &bench->all);
    orr_print(out, "bus bandwidth at the largest sizes: %zu of %zu normal; farthest off: %s, %s\n",
              bench->blocks - bench->abnormal, bench->blocks,
              orr_measured_block_name(&bench->block[bench->farthest], name),
              gap_text(bench->all.gap, gap));
}

static void print_notes(FILE *out, const struct orr_measured_bench *bench)
{
    char launch[TEXT_BYTES];
    if (bench->launch_ps > 0) {
        orr_print(out, "note: expected times include a launch of %s (system.library.launch)\n",
                  orr_format_time(bench->launch_ps, launch, sizeof launch));
    }
    for (size_t i = 0; i < bench->measured.notes; i++) {
        const struct orr_measured_note *note = &bench->measured.note[i];
        orr_print(out, "note: %" PRIu64 " row%s %s\n", note->count, orr_plural(note->count),
                  note->text);
    }
    if (bench->all.skipped > 0) {
        orr_print(out, "note: %" PRIu64 " row%s of less than a byte for each NPU left out\n",
                  bench->all.skipped, orr_plural(bench->all.skipped));
    }
}

void orr_measured_bench_table(FILE *out, const struct orr_measured_bench *bench)
{
    for (size_t b = 0; b < bench->blocks; b++) {
        print_block(out, bench, b);
    }
    print_all(out, bench);
    print_notes(out, bench);
}

/* ---- other forms ---- */

int orr_measured_bench_json(FILE *out, const void *context)
{
    const struct orr_measured_bench *bench = context;
    json_t *root = json_object(), *rows = json_array(), *tables = json_array();
    for (size_t i = 0; i < bench->points; i++) {
        const struct orr_measured_run_row row = orr_measured_run_row(bench, i);
        orr_result_append_json(rows, &orr_measured_run_results, &row);
    }
    for (size_t i = 0; i < bench->blocks; i++) {
        const struct orr_measured_block_row row = orr_measured_block_row(bench, i);
        orr_result_append_json(tables, &orr_measured_block_results, &row);
    }
    (void)json_object_set_new(root, "tables", tables);
    (void)json_object_set_new(root, "measured", rows);
    return orr_json_write_and_free(root, out);
}

int orr_measured_bench_csv(FILE *out, const void *context)
{
    const struct orr_measured_bench *bench = context;
    orr_result_csv_head(out, &orr_measured_run_results);
    (void)fputc('\n', out);
    for (size_t i = 0; i < bench->points; i++) {
        const struct orr_measured_run_row row = orr_measured_run_row(bench, i);
        orr_result_csv_line(out, &orr_measured_run_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
