/* Imports for programs; see include/orrery/import.h. */
#include "orrery/import.h"

#include "core/arena.h"
#include "core/diag.h"
#include "report/results/result_rows.h"
#include "study/import/import_study.h"
#include "study/study_call.h"
#include "study/study_ops.h"

_Static_assert(sizeof(struct orr_import_study) <= ORR_STUDY_ROW_BYTES, "a row fits");

static void get_model(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_import_study *)row = *(const struct orr_import_study *)of;
}

static size_t count_models(const void *of)
{
    return ((const struct orr_import_study *)of)->launch.has_shape ? 1 : 0;
}

static size_t count_values(const void *of)
{
    return ((const struct orr_import_study *)of)->launch.values;
}

static void get_value(const void *of, size_t index, void *row)
{
    *(struct orr_launch_value *)row = ((const struct orr_import_study *)of)->launch.value[index];
}

static void destroy(void *of)
{
    orr_import_study_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_import_model_results, count_models, get_model, NULL},
    {&orr_import_value_results, count_values, get_value, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {&orr_import_model_results,
                                                        &orr_import_value_results, NULL};
static const struct orr_result_sources result_sources = {rows, "an import"};
static const struct orr_study_kind kind = {
    .result_sources = &result_sources,
    .write = {orr_import_text, orr_import_json, orr_import_csv},
    .destroy = destroy};

const struct orr_study_ops orr_study_import = {
    .name = "launch-files",
    .summary = "what launch files say of a model and its training",
    .tables = tables,
    .kind = &kind,
};

enum orrery_status orrery_import(struct orrery_study *study, const struct orrery_import *given)
{
    struct orr_import_study *of = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_import", given, sizeof *given, &diag) == ORR_OK) {
        of = orr_heap_calloc(1, sizeof *of);
        if (of == NULL) {
            (void)orr_diag_no_memory(&diag, "an import");
        }
    }
    if (of != NULL) {
        of->file = given->file;
        of->files = given->files;
        of->sequence = given->sequence;
        of->npus = given->npus;
        of->warn_not_understood = given->warn_not_understood;
        diag.warn = given->warn;
        diag.warn_user = given->user;
        (void)orr_import_study_run(of, &diag);
    }
    return orr_study_end(study, &kind, of, &diag);
}

static const char *not_generated(const void *of)
{
    return orr_import_not_generated(of);
}

enum orrery_status orrery_import_workload(struct orrery_study *study, FILE *out)
{
    const struct orr_study_form form = {orr_import_workload, not_generated};
    return orr_study_write_form(study, &kind, &form, out);
}
