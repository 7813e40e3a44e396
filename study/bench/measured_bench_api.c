/* A bench of measured times for programs; see include/orrery/study.h. */
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/results/result_rows.h"
#include "study/bench/measured_report.h"
#include "study/measured/measured.h"
#include "study/study_call.h"
#include "study/study_ops.h"

extern const struct orr_study_ops orr_study_measured;

_Static_assert(sizeof(struct orr_measured_run_row) <= ORR_STUDY_ROW_BYTES, "a row fits");
_Static_assert(sizeof(struct orr_measured_block_row) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t count_runs(const void *of)
{
    return ((const struct orr_measured_bench *)of)->points;
}

static void get_run(const void *of, size_t index, void *row)
{
    *(struct orr_measured_run_row *)row = orr_measured_run_row(of, index);
}

static size_t count_blocks(const void *of)
{
    return ((const struct orr_measured_bench *)of)->blocks + 1;
}

static void get_block(const void *of, size_t index, void *row)
{
    *(struct orr_measured_block_row *)row = orr_measured_block_row(of, index);
}

static int write_table(FILE *out, const void *of)
{
    orr_measured_bench_table(out, of);
    return ferror(out) != 0 ? 1 : 0;
}

static void destroy(void *of)
{
    orr_measured_bench_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_measured_run_results, count_runs, get_run, NULL},
    {&orr_measured_block_results, count_blocks, get_block, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_sources result_sources = {rows, "a bench of measured times"};
static const struct orr_study_kind kind = {.result_sources = &result_sources,
                                           .write = {write_table, NULL, orr_measured_bench_csv},
                                           .destroy = destroy};

/* ---- the request ---- */

/* Copies the names of files, because the results outlive the call. */
static enum orr_status set_input(struct orr_measured_bench *bench,
                                 struct orr_measured_source *source,
                                 const struct orrery_bench_measured *given, struct orr_diag *diag)
{
    *bench = (struct orr_measured_bench){.platform = given->files,
                                         .parts = given->parts,
                                         .data = {.source = source,
                                                  .sources = given->sources,
                                                  .collective = given->collective,
                                                  .npus = given->npus,
                                                  .npus_per_node = given->npus_per_node},
                                         .threads = given->threads};
    if (orr_study_check_one((given->files != NULL ? 1u : 0u) + (given->parts != NULL ? 1u : 0u),
                            "files and parts", diag) != ORR_OK) {
        return diag->status;
    }
    if (given->data == NULL || given->sources == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "data: expected measured times, got none");
    }
    bench->arena = orr_arena_create();
    for (size_t i = 0; bench->arena != NULL && i < given->sources; i++) {
        const struct orrery_measured *data = &given->data[i];
        if (data->path == NULL) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "data[%zu].path: expected a path or a name, got NULL", i);
        }
        source[i] = (struct orr_measured_source){orr_arena_strdup(bench->arena, data->path),
                                                 data->data, data->bytes};
        if (source[i].path == NULL) {
            return orr_diag_no_memory(diag, "measured times");
        }
    }
    return bench->arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "measured times");
}

enum orrery_status orrery_bench_measured(struct orrery_study *study,
                                         const struct orrery_bench_measured *given)
{
    struct orr_measured_bench *bench = NULL;
    struct orr_measured_source *source = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_bench_measured", given, sizeof *given, &diag) == ORR_OK) {
        diag.warn = given->warn;
        diag.warn_user = given->user;
        bench = orr_heap_calloc(1, sizeof *bench);
        source = orr_heap_calloc(given->sources + 1, sizeof *source);
        (void)(bench != NULL && source != NULL ? set_input(bench, source, given, &diag)
                                               : orr_diag_no_memory(&diag, "a bench"));
    }
    if (diag.status == ORR_OK && orr_measured_bench_open(bench, &diag) == ORR_OK) {
        (void)orr_measured_bench_run(bench, &diag);
    }
    orr_heap_free(source);
    return orr_study_end(study, &kind, bench, &diag);
}

static const struct orr_result_table *const tables[] = {&orr_measured_run_results,
                                                        &orr_measured_block_results, NULL};

const struct orr_study_ops orr_study_measured = {
    .name = "measured-bench",
    .summary = "measured times of collectives beside simulated ones",
    .tables = tables,
    .kind = &kind,
};
