/* Prints a fit of compute: errors and parameters. */
#include <inttypes.h>

#include "planner/fit_compute/compfit_private.h"
#include "report/table_text.h"

static void print_errors(FILE *out, const struct compfit *fit)
{
    orr_print(out, "\n%-10s %6s %8s %8s %8s   %s\n", "iterations", "rows", "median", "p90", "bias",
              "worst");
    for (size_t i = 0; i < fit->errors; i++) {
        const struct orr_fit_error_row *error = &fit->error[i];
        orr_print(
            out, "%-10s %6" PRIu64 " %6.1f %% %6.1f %% %+6.1f %%  %+6.1f %%  %s (%s:%" PRIu32 ")\n",
            error->held_out ? "held out" : "fitted", error->count, 100 * error->median,
            100 * error->p90, 100 * error->bias, 100 * fit->iteration[error->worst_row].error,
            error->worst_name, error->worst_file, error->worst_line);
    }
}

int orr_compfit_text(FILE *out, const void *context)
{
    const struct compfit *fit = context;
    const struct fit_report report = orr_compfit_report(fit);
    orr_fitrep_print_head(out, &report, fit->input.workload_name);
    print_errors(out, fit);
    if (fit->params > 0) {
        orr_fitrep_print_parameters(out, &report, "parameter");
    }
    orr_fitrep_print_notes(out, &report);
    return ferror(out) != 0 ? 1 : 0;
}
