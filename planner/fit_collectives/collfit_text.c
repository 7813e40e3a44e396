/* Prints a fit of collectives: errors by class, and parameters. */
#include <inttypes.h>

#include "core/strings.h"
#include "core/units.h"
#include "planner/fit_collectives/collfit_private.h"
#include "report/table_text.h"

/* ---- errors ---- */

static void print_worst(FILE *out, const struct orr_fit_time_row *row)
{
    const uint32_t nodes = row->npus / row->npus_per_node;
    char size[ORR_FORMAT_BYTES];
    orr_print(out, "  %+6.1f %%  %s, %" PRIu32 " NPUs on %" PRIu32 " node%s, %s (%s:%" PRIu32 ")\n",
              100 * row->error, row->collective, row->npus, nodes, orr_plural(nodes),
              orr_format_bytes(row->bytes, size, sizeof size), row->file, row->line);
}

static void print_errors(FILE *out, const struct collfit *fit, bool held_out)
{
    orr_print(out, "\n%-15s %-8s %6s %8s %8s %8s   %s\n", held_out ? "held out" : "fitted", "sizes",
              "rows", "median", "p90", "bias", "worst");
    for (size_t i = 0; i < fit->errors; i++) {
        const struct orr_fit_error_row *error = &fit->error[i];
        if (error->held_out == held_out) {
            orr_print(out, "%-15s %-8s %6" PRIu64 " %6.1f %% %6.1f %% %+6.1f %%", error->collective,
                      error->sizes, error->count, 100 * error->median, 100 * error->p90,
                      100 * error->bias);
            print_worst(out, &fit->row[error->worst_row]);
        }
    }
}

/* ---- all of it ---- */

int orr_collfit_text(FILE *out, const void *context)
{
    const struct collfit *fit = context;
    const struct fit_report report = orr_collfit_report(fit);
    char what[128];
    (void)snprintf(what, sizeof what, "%s on %s", fit->library.ops->name, fit->library.gpu->name);
    orr_fitrep_print_head(out, &report, what);
    if (fit->split.fitted > 0) {
        print_errors(out, fit, false);
    }
    if (fit->split.tested > 0) {
        print_errors(out, fit, true);
    }
    orr_fitrep_print_parameters(out, &report, "system.library");
    if (fit->platform_library->gpu->nvls_from != 0) {
        orr_print(out, "%-21s %10s\n", "nvls_tree", fit->library.nvls_tree ? "true" : "false");
    }
    orr_fitrep_print_notes(out, &report);
    return ferror(out) != 0 ? 1 : 0;
}
