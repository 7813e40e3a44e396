/* A fit as JSON. */
#include "planner/fit_report/fit_report.h"
#include "report/json_text.h"
#include "report/results/fit_results.h"
#include "report/results/result.h"

void orr_fitrep_add_row(json_t *list, const struct orr_result_table *table, const void *row)
{
    json_t *object = json_object();
    orr_result_add_json(object, table, row);
    (void)json_array_append_new(list, object);
}

static json_t *errors_of(const struct fit_report *report, bool held_out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->errors; i++) {
        if (report->error[i].held_out == held_out) {
            orr_fitrep_add_row(list, &orr_fit_error_results, &report->error[i]);
        }
    }
    return list;
}

static json_t *parameters_of(const struct fit_report *report)
{
    json_t *list = json_array();
    for (size_t k = 0; k < report->parameters; k++) {
        orr_fitrep_add_row(list, &orr_fit_parameter_results, &report->parameter[k]);
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

int orr_fitrep_json(FILE *out, const struct fit_report *report, const struct orr_fit_head_row *head,
                    json_t *rows)
{
    json_t *root = json_object();
    orr_result_add_json(root, &orr_fit_head_results, head);
    (void)json_object_set_new(root, "parameters", parameters_of(report));
    (void)json_object_set_new(root, "fitted", errors_of(report, false));
    (void)json_object_set_new(root, "held_out", errors_of(report, true));
    (void)json_object_set_new(root, "rows", rows);
    (void)json_object_set_new(root, "warnings", texts(report->warning, report->warnings));
    (void)json_object_set_new(root, "notes", texts(report->note, report->notes));
    return orr_json_write_and_free(root, out);
}
