/* Implements include/orrery/fit.h: the handle, results by name and row, and views. */
#include "orrery/orrery.h"
#include "orrery/results.h"
#include "planner/fit_api_private.h"
#include "report/results/fit_results.h"

struct orrery_fit *orrery_fit_new(void)
{
    return orr_object_new(sizeof(struct orrery_fit));
}

void orrery_fit_free(struct orrery_fit *fit)
{
    if (fit != NULL) {
        orr_object_free(&fit->object);
    }
}

const char *orrery_fit_error(const struct orrery_fit *fit)
{
    return orr_object_error(fit != NULL ? &fit->object : NULL);
}

void orrery_fit_on_warning(struct orrery_fit *fit, void (*warn)(void *user, const char *text),
                           void *user)
{
    orr_object_on_warning(fit != NULL ? &fit->object : NULL, warn, user);
}

/* ---- results ---- */

static enum orr_status check_fitted(const struct orrery_fit *fit, struct orr_diag *diag)
{
    return fit->of != NULL ? ORR_OK
                           : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "nothing was fitted yet");
}

enum orrery_status orrery_fit_rows(struct orrery_fit *fit, const char *table, size_t *count)
{
    *count = 0;
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &fit->object.diag;
    enum orr_status status = check_fitted(fit, diag);
    if (status == ORR_OK) {
        const struct orr_result_query query = {&fit->kind->result_sources, fit->of, NULL};
        status = orr_result_count_rows(&query, table, count, diag);
    }
    return orr_object_finish(&fit->object, status);
}

enum orrery_status orrery_fit_result(struct orrery_fit *fit, const char *name, size_t row,
                                     struct orrery_value *value)
{
    union {
        struct orr_fit_head_row head;
        struct orr_fit_time_row time;
        struct orr_fit_iteration_row iteration;
        struct orr_fit_error_row error;
        struct orr_fit_parameter_row parameter;
    } storage;
    struct orr_value found = {.kind = ORR_VALUE_NONE};
    *value = (struct orrery_value){.kind = ORRERY_VALUE_NONE};
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &fit->object.diag;
    enum orr_status status = check_fitted(fit, diag);
    if (status == ORR_OK) {
        const struct orr_result_query query = {&fit->kind->result_sources, fit->of, &storage};
        status = orr_result_get(&query, name, row, &found, diag);
    }
    if (status == ORR_OK) {
        *value = orr_result_public_value(&found);
    }
    return orr_object_finish(&fit->object, status);
}

/* ---- views ---- */

struct view {
    struct orrery_fit *fit;
    enum orrery_fit_view which;
};

static enum orr_status write_view(FILE *out, void *context)
{
    const struct view *view = context;
    struct orr_diag *diag = &view->fit->object.diag;
    enum orr_status status = check_fitted(view->fit, diag);
    if (status == ORR_OK &&
        ((unsigned)view->which >= ORR_FIT_VIEWS || view->fit->kind->write[view->which] == NULL)) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "there is no view %d of a fit",
                               (int)view->which);
    }
    if (status == ORR_OK && view->fit->kind->write[view->which](out, view->fit->of) != 0) {
        status = orr_diag_fail(diag, ORR_ERR_IO, NULL, "the fit cannot be written");
    }
    return status == ORR_OK ? orr_check_written(out, diag) : status;
}

enum orrery_status orrery_fit_write(struct orrery_fit *fit, FILE *out, enum orrery_fit_view view)
{
    struct view of = {fit, view};
    if (fit == NULL || out == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    return orr_object_finish(&fit->object, write_view(out, &of));
}

const char *orrery_fit_text(struct orrery_fit *fit, enum orrery_fit_view view)
{
    struct view of = {fit, view};
    return fit != NULL ? orr_object_text(&fit->object, write_view, &of) : NULL;
}
