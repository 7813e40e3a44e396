/* A fit of collectives as JSON. */
#include "planner/fit_collectives/collfit_private.h"

int orr_collfit_json(FILE *out, const void *context)
{
    const struct collfit *fit = context;
    const struct fit_report report = orr_collfit_report(fit);
    json_t *rows = json_array();
    for (size_t i = 0; i < fit->measured.rows; i++) {
        orr_fitrep_add_row(rows, &orr_fit_time_results, &fit->row[i]);
    }
    return orr_fitrep_json(out, &report, &fit->head, rows);
}
