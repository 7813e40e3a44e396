/* Printing results: the table, and the reference's lines. */
#include "cli/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { CLASSES_SHOWN = 24, TEXT = 64, RANKS_TEXT = 40 };

int orr_exit_status(enum orrery_status status)
{
    switch (status) {
    case ORRERY_OK:
        return 0;
    case ORRERY_ERROR_INPUT:
    case ORRERY_ERROR_IO:
        return 2;
    case ORRERY_ERROR_DEADLOCK:
        return 3;
    default:
        return 1;
    }
}

void orr_report_astra(FILE *out, const struct orrery *job)
{
    const uint32_t *order = orrery_finish_order(job);
    for (uint32_t i = 0; i < orrery_npus(job); i++) {
        struct orrery_times times;
        (void)orrery_npu_times(job, order[i], &times);
        const int64_t finish = times.finish_ps / 1000;
        (void)fprintf(out,
                      "sys[%" PRIu32 "] finished, %" PRId64
                      " cycles, exposed communication %" PRId64 " cycles.\n",
                      order[i], finish, finish - times.accelerator_compute_ps / 1000);
    }
}

/* ---- classes of NPUs with equal times ---- */

struct row {
    struct orrery_times times;
    uint32_t rank;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    const int order = memcmp(&first->times, &second->times, sizeof first->times);
    return order != 0 ? order : (first->rank > second->rank) - (first->rank < second->rank);
}

static int compare_starts(const void *a, const void *b)
{
    const struct row *const *first = a, *const *second = b;
    return ((*first)->rank > (*second)->rank) - ((*first)->rank < (*second)->rank);
}

/* "0-511,1024": ranks of rows[0..count), ascending; "..." when it does not fit. */
static void format_ranks(const struct row *rows, uint32_t count, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = i;
        while (last + 1 < count && rows[last + 1].rank == rows[last].rank + 1) {
            last++;
        }
        char piece[TEXT];
        (void)snprintf(piece, sizeof piece, last > i ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                       used != 0 ? "," : "", rows[i].rank, rows[last].rank);
        if (used + strlen(piece) + 5 > bytes) {
            (void)snprintf(text + used, bytes - used, ",...");
            return;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s", piece);
        i = last;
    }
}

static void print_header(FILE *out)
{
    (void)fprintf(out, "%-24s %6s %14s %14s %14s %14s %14s %14s\n", "NPUs", "count", "finish",
                  "compute", "local mem", "remote mem", "communication", "idle");
}

static void print_row(FILE *out, const char *ranks, uint32_t count,
                      const struct orrery_times *times)
{
    char text[6][TEXT];
    (void)fprintf(out, "%-24s %6" PRIu32 " %14s %14s %14s %14s %14s %14s\n", ranks, count,
                  orr_format_time(times->finish_ps, text[0], TEXT),
                  orr_format_time(times->compute_ps, text[1], TEXT),
                  orr_format_time(times->exposed_local_memory_ps, text[2], TEXT),
                  orr_format_time(times->exposed_remote_memory_ps, text[3], TEXT),
                  orr_format_time(times->exposed_communication_ps, text[4], TEXT),
                  orr_format_time(times->idle_ps, text[5], TEXT));
}

static uint32_t class_end(const struct row *rows, uint32_t start, uint32_t count)
{
    uint32_t end = start + 1;
    while (end < count && memcmp(&rows[end].times, &rows[start].times, sizeof rows->times) == 0) {
        end++;
    }
    return end;
}

static void print_classes(FILE *out, struct row *rows, uint32_t count)
{
    qsort(rows, count, sizeof *rows, compare_rows);
    const struct row **starts = orr_heap_calloc(count, sizeof *starts);
    if (starts == NULL) {
        return;
    }
    uint32_t classes = 0;
    for (uint32_t i = 0; i < count; i = class_end(rows, i, count)) {
        starts[classes++] = &rows[i];
    }
    qsort(starts, classes, sizeof *starts, compare_starts);
    for (uint32_t c = 0; c < classes && c < CLASSES_SHOWN; c++) {
        const uint32_t first = (uint32_t)(starts[c] - rows);
        const uint32_t members = class_end(rows, first, count) - first;
        char ranks[RANKS_TEXT];
        format_ranks(&rows[first], members, ranks, sizeof ranks);
        print_row(out, ranks, members, &rows[first].times);
    }
    if (classes > CLASSES_SHOWN) {
        (void)fprintf(out, "... and %" PRIu32 " more classes; --per-npu shows every NPU\n",
                      classes - CLASSES_SHOWN);
    }
    orr_heap_free((void *)starts);
}

static void print_npus(FILE *out, const struct orrery *job, bool per_npu)
{
    const uint32_t count = orrery_npus(job);
    struct row *rows = orr_heap_calloc(count, sizeof *rows);
    if (rows == NULL) {
        return;
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        rows[rank].rank = rank;
        (void)orrery_npu_times(job, rank, &rows[rank].times);
        char text[TEXT];
        if (per_npu) {
            (void)snprintf(text, sizeof text, "%" PRIu32, rank);
            print_row(out, text, 1, &rows[rank].times);
        }
    }
    if (!per_npu) {
        print_classes(out, rows, count);
    }
    orr_heap_free(rows);
}

/* ---- dimensions ---- */

static void print_dims(FILE *out, const struct orrery *job)
{
    (void)fprintf(out, "\n%-4s %-16s %6s %14s %12s %12s %14s %12s\n", "dim", "block", "NPUs",
                  "bandwidth", "latency", "messages", "bytes", "utilization");
    for (unsigned d = 0; d < orrery_dims(job); d++) {
        struct orrery_dim_stats dim;
        char bandwidth[TEXT], latency[TEXT], bytes[TEXT], used[TEXT] = "-";
        if (orrery_dim(job, d, &dim) != ORRERY_OK) {
            continue;
        }
        const double offered = (double)dim.servers * (double)orrery_wall_ps(job);
        if (dim.busy_ps > 0 && offered > 0) {
            (void)snprintf(used, sizeof used, "%.1f %%", 100.0 * (double)dim.busy_ps / offered);
        }
        (void)fprintf(out, "%-4u %-16s %6" PRIu32 " %14s %12s %12" PRIu64 " %14s %12s\n", d + 1,
                      dim.block, dim.npus,
                      orr_format_bandwidth(dim.bandwidth_bytes_per_s, bandwidth, TEXT),
                      orr_format_time(dim.latency_ps, latency, TEXT), dim.messages,
                      orr_format_bytes(dim.bytes, bytes, TEXT), used);
    }
}

void orr_report_table(FILE *out, const struct orrery *job, bool per_npu)
{
    char wall[TEXT];
    (void)fprintf(out, "job time %s on %" PRIu32 " NPU%s\n\n",
                  orr_format_time(orrery_wall_ps(job), wall, TEXT), orrery_npus(job),
                  orrery_npus(job) == 1 ? "" : "s");
    print_header(out);
    print_npus(out, job, per_npu);
    print_dims(out, job);
    (void)fprintf(out, "\n%" PRIu64 " messages, %" PRIu64 " events\n", orrery_messages(job),
                  orrery_events(job));
}
