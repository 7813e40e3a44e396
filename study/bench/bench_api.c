/* A bench of a collective for programs; see include/orrery/study.h. */
#include <inttypes.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/results/result_rows.h"
#include "study/bench/bench_comparison.h"
#include "study/bench/bench_report.h"
#include "study/bench/bench_results.h"
#include "study/study_call.h"
#include "study/study_ops.h"

extern const struct orr_study_ops orr_study_bench;

_Static_assert(sizeof(struct orr_bench_row) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t count_runs(const void *of)
{
    const struct orr_collective_bench *bench = of;
    return (size_t)bench->sizes * bench->variants;
}

static void get_run(const void *of, size_t index, void *row)
{
    *(struct orr_bench_row *)row = orr_bench_row(of, (unsigned)index);
}

static int write_table(FILE *out, const void *of)
{
    orr_bench_table(out, of);
    return ferror(out) != 0 ? 1 : 0;
}

static void destroy(void *of)
{
    orr_collective_bench_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {{&orr_bench_results, count_runs, get_run, NULL},
                                              {NULL, NULL, NULL, NULL}};
static const struct orr_result_sources result_sources = {rows, "a bench"};
static const struct orr_study_kind kind = {.result_sources = &result_sources,
                                           .write = {write_table, NULL, orr_bench_csv},
                                           .destroy = destroy};

/* ---- the request ---- */

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
    return given != 0 ? given : otherwise;
}

static enum orr_status set_input(struct orr_collective_bench *bench,
                                 const struct orrery_bench *given, struct orr_diag *diag)
{
    const char *name = given->collective != NULL ? given->collective : "all_reduce";
    *bench = (struct orr_collective_bench){.platform = given->files,
                                           .parts = given->parts,
                                           .min = or_default(given->min_bytes, UINT64_C(1) << 20),
                                           .max = or_default(given->max_bytes, UINT64_C(1) << 30),
                                           .step = or_default(given->step, 4),
                                           .threads = given->threads,
                                           .turnaround = given->turnaround};
    if (orr_study_check_one((given->files != NULL ? 1u : 0u) + (given->parts != NULL ? 1u : 0u),
                            "files and parts", diag) != ORR_OK) {
        return diag->status;
    }
    if (given->step == 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "step: expected at least 2, got 1");
    }
    return orr_collective_bench_name(bench, name)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "collective: expected all_reduce, all_gather, reduce_scatter or "
                               "all_to_all, got \"%s\"",
                               name);
}

static enum orr_status list_sizes(struct orr_collective_bench *bench, struct orr_diag *diag)
{
    switch (orr_collective_bench_range(bench)) {
    case ORR_BENCH_RANGE_TOO_SMALL:
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "min_bytes: expected at least a byte for each of the %" PRIu32
                             " NPUs, got %" PRIu64,
                             bench->npus, bench->min);
    case ORR_BENCH_RANGE_EMPTY:
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "max_bytes is below min_bytes");
    case ORR_BENCH_RANGE_TOO_LONG:
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "more than %d sizes; take a larger step",
                             ORR_BENCH_MAX_SIZES);
    case ORR_BENCH_RANGE_FITS:
        break;
    }
    return ORR_OK;
}

enum orrery_status orrery_bench_collective(struct orrery_study *study,
                                           const struct orrery_bench *given)
{
    struct orr_collective_bench *bench = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_bench", given, sizeof *given, &diag) == ORR_OK) {
        bench = orr_heap_calloc(1, sizeof *bench);
        (void)(bench != NULL ? set_input(bench, given, &diag)
                             : orr_diag_no_memory(&diag, "a bench"));
    }
    if (diag.status == ORR_OK && orr_collective_bench_inspect(bench, &diag) == ORR_OK &&
        list_sizes(bench, &diag) == ORR_OK) {
        (void)orr_collective_bench_run(bench, &diag);
    }
    return orr_study_end(study, &kind, bench, &diag);
}

static const struct orr_result_table *const tables[] = {&orr_bench_results, &orr_bench_part_results,
                                                        &orr_bench_comparison_results, NULL};

const struct orr_study_ops orr_study_bench = {
    .name = "collective-bench",
    .summary = "one collective in many sizes, by every algorithm",
    .tables = tables,
    .kind = &kind,
};
