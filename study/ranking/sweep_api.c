/* The public API of sweeps; see include/orrery/study.h. */
#include "core/arena.h"
#include "orrery/orrery.h"
#include "orrery/study.h"
#include "report/results/results.h"
#include "study/ranking/sweep_values.h"
#include "study/study_call.h"
#include "study/study_ops.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"
#include "study/sweep/sweep_complete.h"
#include "study/sweep/sweep_ranks.h"
#include "study/sweep/sweep_store.h"

extern const struct orr_study_ops orr_study_sweep;

static void destroy(void *of)
{
    orr_sweep_values_fini(of);
    orr_heap_free(of);
}

static const struct orr_study_kind ran = {
    .count = orr_sweep_count_rows,
    .get_value = orr_sweep_get_value,
    .write = {orr_sweep_write_table, orr_sweep_write_json, orr_sweep_write_csv},
    .destroy = destroy};

static const struct orr_study_kind listed = {.count = orr_sweep_count_rows,
                                             .get_value = orr_sweep_get_value,
                                             .write = {NULL, NULL, orr_sweep_write_csv},
                                             .destroy = destroy};

/* ---- progress ---- */

static void step(void *context, const struct orr_sweep_store *store,
                 const struct orr_sweep_result *result)
{
    const struct orrery_sweep *given = context;
    const struct orrery_sweep_progress progress = {.points = store->sweep->points,
                                                   .done = store->done,
                                                   .failed = store->failed,
                                                   .point = result->point,
                                                   .error = result->ok ? NULL : result->error};
    if (given->progress != NULL) {
        given->progress(given->user, &progress);
    }
}

/* ---- running ---- */

static enum orr_status read_sweep(struct orr_sweep_values *values, const struct orrery_sweep *given,
                                  struct orr_diag *diag)
{
    struct orr_sweep *sweep = &values->sweep;
    if (orr_study_check_one((given->file != NULL ? 1u : 0u) + (given->text != NULL ? 1u : 0u),
                            "file and text", diag) != ORR_OK) {
        return diag->status;
    }
    values->arena = orr_arena_create();
    const char *file = values->arena != NULL && given->file != NULL
                           ? orr_arena_strdup(values->arena, given->file)
                           : NULL;
    if (values->arena == NULL || (given->file != NULL && file == NULL)) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    const enum orr_status status =
        file != NULL ? orr_sweep_read(values->arena, file, sweep, diag)
                     : orr_sweep_read_text(values->arena, given->text, sweep, diag);
    if (status == ORR_OK && given->output != NULL) {
        sweep->output = orr_arena_strdup(values->arena, given->output);
    }
    return status == ORR_OK && sweep->output == NULL ? orr_diag_no_memory(diag, "a sweep") : status;
}

static enum orr_status open_store(struct orr_sweep_values *values, const struct orrery_sweep *given,
                                  struct orr_diag *diag)
{
    const bool kept = given->keep || given->output != NULL;
    const enum orr_status status = given->threads ? orr_sweep_check_here(&values->sweep, diag)
                                                  : orr_sweep_check(&values->sweep, diag);
    return status != ORR_OK ? status
           : kept           ? orr_sweep_store_open(&values->store, &values->sweep, given->restart,
                                                   given->retry, diag)
                            : orr_sweep_store_in_memory(&values->store, &values->sweep, diag);
}

/* What has not run fails in memory; in files it is run when the sweep is started again. */
static enum orr_status end_early(struct orr_sweep_store *store, struct orr_diag *diag)
{
    struct orr_sweep_result result;
    const uint32_t points = store->sweep->points;
    enum orr_status status = ORR_OK;
    if (store->prefix != NULL && store->done < points) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "the sweep was stopped: %u of %u points are in %s.jsonl; started again, "
            "it goes on with the others",
            store->done, points, store->prefix);
    }
    for (uint32_t point = 0; point < points && status == ORR_OK; point++) {
        if (store->row[point].state == ORR_SWEEP_OPEN) {
            char *line =
                orr_sweep_lost_line(store->sweep, point, "the sweep was stopped before it");
            status = line != NULL ? orr_sweep_store_add(store, line, &result, diag)
                                  : orr_diag_no_memory(diag, "a point of a sweep");
            orr_heap_free(line);
        }
    }
    return status;
}

static enum orr_status run(struct orr_sweep_values *values, struct orrery_sweep given,
                           struct orr_diag *diag)
{
    const struct orr_sweep_ranks ranks =
        given.threads ? orr_sweep_ranks_threads(given.stop) : orr_sweep_ranks_single();
    const struct orr_sweep_listener listener = {step, &given};
    const unsigned jobs = given.jobs != 0 ? given.jobs : orr_sweep_default_threads(&ranks);
    enum orr_status status = open_store(values, &given, diag);
    if (status == ORR_OK) {
        status = orr_sweep_complete(&values->store, &ranks, jobs, &listener, diag);
    }
    if (status == ORR_OK && given.stop != NULL && *given.stop != 0) {
        status = end_early(&values->store, diag);
    }
    if (status == ORR_OK && !orr_sweep_mark(&values->store)) {
        status = orr_diag_no_memory(diag, "the best points of a sweep");
    }
    return status == ORR_OK ? orr_sweep_store_finish(&values->store, diag) : status;
}

enum orrery_status orrery_sweep(struct orrery_study *study, const struct orrery_sweep *given)
{
    struct orr_sweep_values *values = NULL;
    struct orr_diag diag;
    bool list = false;
    if (orr_study_begin(study, "orrery_sweep", given, sizeof *given, &diag) == ORR_OK) {
        values = orr_heap_calloc(1, sizeof *values);
        if (values == NULL) {
            (void)orr_diag_no_memory(&diag, "a sweep");
        }
    }
    if (values != NULL) {
        list = values->listed = given->list;
        values->store.lock = -1;
        if (read_sweep(values, given, &diag) == ORR_OK && !list) {
            (void)run(values, *given, &diag);
        }
    }
    return orr_study_end(study, list ? &listed : &ran, values, &diag);
}

static const struct orr_result_table *const tables[] = {&orr_sweep_results, NULL};

const struct orr_study_ops orr_study_sweep = {
    .name = "design-space-sweep",
    .summary = "a job at every point of a design space",
    .tables = tables,
    .kind = &ran,
};
