/* A fit of compute as JSON. */
#include "planner/fit_compute/compfit_private.h"

int orr_compfit_json(FILE *out, const void *context)
{
    const struct compfit *fit = context;
    const struct fit_report report = orr_compfit_report(fit);
    json_t *rows = json_array();
    for (size_t i = 0; i < fit->rows; i++) {
        orr_fitrep_add_row(rows, &orr_fit_iteration_results, &fit->iteration[i]);
    }
    return orr_fitrep_json(out, &report, &fit->head, rows);
}
