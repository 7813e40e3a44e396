/* The search for layouts for programs; see include/orrery/layouts.h. */
#include "orrery/layouts.h"

#include <errno.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "orrery/report.h"
#include "report/results/result_rows.h"
#include "study/job_page.h"
#include "study/job_source.h"
#include "study/layouts/layout_emit.h"
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

static size_t count_cases(const void *of)
{
    return ((const struct orr_layout_study *)of)->case_count;
}

static void get_case(const void *of, size_t index, void *row)
{
    *(struct orr_layout_case *)row = ((const struct orr_layout_study *)of)->cases[index];
}

static size_t count_limits(const void *of)
{
    return ((const struct orr_layout_study *)of)->limits;
}

static void get_limit(const void *of, size_t index, void *row)
{
    *(struct orr_layout_limit *)row = ((const struct orr_layout_study *)of)->limit[index];
}

static size_t count_cells(const void *of)
{
    return ((const struct orr_layout_study *)of)->cells;
}

static void get_cell(const void *of, size_t index, void *row)
{
    *(struct orr_best_layout *)row = ((const struct orr_layout_study *)of)->map[index];
}

static const struct orr_result_rows rows[] = {
    {&orr_layout_results, one, get_search, NULL},
    {&orr_best_layout_results, count_best, get_best, NULL},
    {&orr_layout_case_results, count_cases, get_case, NULL},
    {&orr_layout_limit_results, count_limits, get_limit, NULL},
    {&orr_layout_map_results, count_cells, get_cell, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {
    &orr_layout_results,       &orr_best_layout_results, &orr_layout_case_results,
    &orr_layout_limit_results, &orr_layout_map_results,  NULL};
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

/* ---- one layout ---- */

static enum orr_status write_job(const struct orr_layout_study *study,
                                 const struct orr_best_layout *layout, FILE *out,
                                 struct orr_diag *diag)
{
    struct orrery *job = orrery_new();
    enum orrery_status status =
        job != NULL ? orr_layout_load(study, layout, job) : ORRERY_ERROR_MEMORY;
    status = status == ORRERY_OK ? orrery_write_job(job, out) : status;
    if (status != ORRERY_OK) {
        (void)orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orr_job_error(job));
    }
    orrery_free(job);
    return diag->status;
}

/* The layout is run again, as only a page needs what each NPU did. */
static enum orr_status write_run(const struct orr_layout_study *study,
                                 const struct orr_best_layout *layout, FILE *out,
                                 struct orr_diag *diag)
{
    struct orrery *job = orrery_new();
    const struct orr_job_page page = {.job = job};
    enum orrery_status status = ORRERY_ERROR_MEMORY;
    if (job != NULL) {
        orrery_record(job, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH);
        status = orr_layout_load(study, layout, job);
        status = status == ORRERY_OK ? orrery_run(job) : status;
    }
    if (status != ORRERY_OK) {
        (void)orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orr_job_error(job));
    } else if (orr_job_page_json(out, &page) != 0) {
        (void)orr_diag_fail(diag, ORR_ERR_IO, NULL, "the run cannot be written: %s",
                            strerror(errno));
    }
    orrery_free(job);
    return diag->status;
}

static enum orr_status write_framework(const struct orr_layout_framework *framework,
                                       const struct orr_best_layout *layout, FILE *out,
                                       struct orr_diag *diag)
{
    const char *why;
    if (!framework->says(layout, &why)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s's file has no word for %s, of which %s has some", framework->name,
                             why, layout->layout);
    }
    return framework->write(out, layout) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the layout cannot be written: %s",
                               strerror(errno));
}

static enum orr_status write_layout(const struct orr_layout_study *study, size_t index,
                                    const char *form, FILE *out, struct orr_diag *diag)
{
    const struct orr_layout_framework *framework;
    if (index >= study->count || form == NULL || out == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected a layout below %u, a form and a file", study->count);
    }
    if (strcmp(form, "page") == 0) {
        return write_run(study, &study->best[index], out, diag);
    }
    if (strcmp(form, "job") == 0) {
        return write_job(study, &study->best[index], out, diag);
    }
    for (size_t i = 0; (framework = orr_layout_framework_at(i)) != NULL; i++) {
        if (strcmp(form, framework->name) == 0) {
            return write_framework(framework, &study->best[index], out, diag);
        }
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "form: expected job, megatron, deepspeed or torchtitan, got \"%s\"", form);
}

enum orrery_status orrery_write_layout(struct orrery_study *study, size_t index, const char *form,
                                       FILE *out)
{
    const void *of = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_study_results(study, &kind, &of, &diag) == ORR_OK) {
        (void)write_layout(of, index, form, out, &diag);
    }
    return orr_study_told(study, &diag);
}
