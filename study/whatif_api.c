/* What-if for programs; see include/orrery/study.h. */
#include <math.h>

#include "core/arena.h"
#include "report/results/result_rows.h"
#include "study/study_call.h"
#include "study/study_ops.h"
#include "study/whatif_report.h"
#include "study/whatif_results.h"

extern const struct orr_study_ops orr_study_whatif;

_Static_assert(sizeof(struct orr_whatif_row) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t count_changes(const void *of)
{
    return ((const struct orr_whatif *)of)->changes;
}

static void get_change(const void *of, size_t index, void *row)
{
    const struct orr_whatif *whatif = of;
    *(struct orr_whatif_row *)row = orr_whatif_row(whatif, &whatif->change[index]);
}

static int write_table(FILE *out, const void *of)
{
    orr_whatif_table(out, of);
    return ferror(out) != 0 ? 1 : 0;
}

static void destroy(void *of)
{
    orr_whatif_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_whatif_results, count_changes, get_change, NULL}, {NULL, NULL, NULL, NULL}};
static const struct orr_result_sources result_sources = {rows, "a what-if"};
static const struct orr_study_kind kind = {.result_sources = &result_sources,
                                           .write = {write_table, orr_whatif_json, orr_whatif_csv},
                                           .destroy = destroy};

static enum orr_status check(const struct orrery_whatif *given, struct orr_diag *diag)
{
    const unsigned jobs = (given->files != NULL ? 1u : 0u) + (given->astra_sim != NULL ? 1u : 0u) +
                          (given->parts != NULL ? 1u : 0u);
    if (orr_study_check_one(jobs, "files, astra_sim and parts", diag) != ORR_OK) {
        return diag->status;
    }
    if (!(given->factor >= 0) || !isfinite(given->factor)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "factor: expected a number above 0, got %g",
                             given->factor);
    }
    if (given->changes > ORR_WHATIF_MAX_GIVEN) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "changes: expected at most %d, got %zu",
                             ORR_WHATIF_MAX_GIVEN, given->changes);
    }
    return given->changes == 0 || given->astra_sim == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "changes of values do not go with files of ASTRA-sim");
}

enum orrery_status orrery_whatif(struct orrery_study *study, const struct orrery_whatif *given)
{
    struct orr_whatif *whatif = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_whatif", given, sizeof *given, &diag) == ORR_OK &&
        check(given, &diag) == ORR_OK) {
        whatif = orr_heap_calloc(1, sizeof *whatif);
        if (whatif == NULL) {
            (void)orr_diag_no_memory(&diag, "a what-if");
        }
    }
    if (whatif != NULL) {
        whatif->own = given->files;
        whatif->astra_sim = given->astra_sim;
        whatif->parts = given->parts;
        whatif->given = given->change;
        whatif->givens = (unsigned)given->changes;
        whatif->factor = given->factor > 0 ? given->factor : 2;
        whatif->threads = given->threads;
        whatif->warn = given->warn;
        whatif->warn_user = given->user;
        (void)orr_whatif_run(whatif, &diag);
    }
    return orr_study_end(study, &kind, whatif, &diag);
}

static const struct orr_result_table *const tables[] = {&orr_whatif_results, NULL};

const struct orr_study_ops orr_study_whatif = {
    .name = "what-if",
    .summary = "a job again with one thing changed at a time",
    .tables = tables,
    .kind = &kind,
};
