/* The search for layouts for programs; see include/orrery/layouts.h. */
#include "orrery/layouts.h"

#include "core/arena.h"
#include "core/diag.h"
#include "report/results/result_rows.h"
#include "study/layouts/layout_study.h"
#include "study/study_call.h"
#include "study/study_ops.h"

_Static_assert(sizeof(struct orr_layout_study) <= ORR_STUDY_ROW_BYTES, "a row fits");
_Static_assert(sizeof(struct orr_best_layout) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t one(const void *of)
{
    (void)of;
    return 1;
}

static void get_search(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_layout_study *)row = *(const struct orr_layout_study *)of;
}

static size_t count_best(const void *of)
{
    return ((const struct orr_layout_study *)of)->count;
}

static void get_best(const void *of, size_t index, void *row)
{
    *(struct orr_best_layout *)row = ((const struct orr_layout_study *)of)->best[index];
}

static const struct orr_result_rows rows[] = {
    {&orr_layout_results, one, get_search, NULL},
    {&orr_best_layout_results, count_best, get_best, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {&orr_layout_results,
                                                        &orr_best_layout_results, NULL};
static const struct orr_result_sources result_sources = {rows, "a search for layouts"};
static const struct orr_study_kind kind = {
    .result_sources = &result_sources,
    .write = {orr_layout_study_text, orr_layout_study_json, orr_layout_study_csv},
    .destroy = orr_layout_study_free};

const struct orr_study_ops orr_study_layouts = {
    .name = "layouts",
    .summary = "the best layouts of a language model on a platform",
    .tables = tables,
    .kind = &kind,
};

enum orrery_status orrery_search_layouts(struct orrery_study *study,
                                         const struct orrery_layout_search *search)
{
    struct orr_layout_study *of = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_search_layouts", search, sizeof *search, &diag) == ORR_OK) {
        of = orr_heap_calloc(1, sizeof *of);
        if (of == NULL) {
            (void)orr_diag_no_memory(&diag, "a search for layouts");
        }
    }
    if (of != NULL) {
        of->given = *search;
        (void)orr_layout_study_run(of, &diag);
    }
    return orr_study_end(study, &kind, of, &diag);
}
