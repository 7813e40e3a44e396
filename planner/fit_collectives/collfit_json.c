/* A fit as JSON. */
#include <jansson.h>

#include "planner/fit_collectives/collfit_private.h"
#include "report/report.h"

static json_t *add(json_t *list, const struct orr_result_table *table, const void *row)
{
    json_t *object = json_object();
    orr_result_add_json(object, table, row);
    (void)json_array_append_new(list, object);
    return list;
}

static json_t *rows_of(const struct collfit *fit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < fit->measured.rows; i++) {
        (void)add(list, &orr_fit_time_results, &fit->row[i]);
    }
    return list;
}

static json_t *errors_of(const struct collfit *fit, bool held_out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < fit->errors; i++) {
        if (fit->error[i].held_out == held_out) {
            (void)add(list, &orr_fit_error_results, &fit->error[i]);
        }
    }
    return list;
}

static json_t *parameters_of(const struct collfit *fit)
{
    json_t *list = json_array();
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        (void)add(list, &orr_fit_parameter_results, &fit->parameter[k]);
    }
    return list;
}

static json_t *texts(const char *const *text, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(list, orr_json_text(text[i]));
    }
    return list;
}

int orr_collfit_json(FILE *out, const void *context)
{
    const struct collfit *fit = context;
    json_t *root = json_object();
    orr_result_add_json(root, &orr_fit_head_results, &fit->head);
    (void)json_object_set_new(root, "parameters", parameters_of(fit));
    (void)json_object_set_new(root, "fitted", errors_of(fit, false));
    (void)json_object_set_new(root, "held_out", errors_of(fit, true));
    (void)json_object_set_new(root, "rows", rows_of(fit));
    (void)json_object_set_new(root, "warnings", texts(fit->warning, fit->warnings));
    (void)json_object_set_new(root, "notes", texts(fit->note, fit->notes));
    return orr_json_tell(root, out);
}
