/* A fit for people: errors by class, and parameters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "planner/fit_collectives/collfit_private.h"
#include "report/report.h"

enum { VALUE_BYTES = 32 };

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
            print_worst(out, error->worst_row);
        }
    }
}

/* ---- parameters ---- */

static const char *value_text(double value, const char *unit, char text[VALUE_BYTES])
{
    (void)snprintf(text, VALUE_BYTES, "%.4g%s%s", value, unit[0] != '\0' ? " " : "", unit);
    return text;
}

/* A spread of a logarithm, as people say it. */
static const char *spread_text(double spread, char text[VALUE_BYTES])
{
    (void)snprintf(text, VALUE_BYTES, spread > 0 ? "%.1f %%" : "-", 100 * (exp(spread) - 1));
    return text;
}

static void print_parameter(FILE *out, const struct orr_fit_parameter_row *row)
{
    char value[VALUE_BYTES], prior[VALUE_BYTES], spread[VALUE_BYTES];
    orr_print(out, "%-21s %10s %9s %9s  %-3s", row->name, value_text(row->value, row->unit, value),
              value_text(row->prior, row->unit, prior), spread_text(row->spread, spread),
              row->identified ? "yes"
              : row->fixed    ? "-"
                              : "no");
    if (row->at_bound != NULL) {
        orr_print(out, "  at its bound (%s)", row->at_bound);
    }
    if (row->trades_with != NULL && fabs(row->correlation) >= 0.5) {
        orr_print(out, "  trades with %s (%+.2f)", row->trades_with, row->correlation);
    }
    if (row->would_identify != NULL) {
        orr_print(out, "  needs: %s", row->would_identify);
    }
    (void)fputc('\n', out);
}

static void print_parameters(FILE *out, const struct collfit *fit)
{
    orr_print(out, "\n%-21s %10s %9s %9s  %s\n", "system.library", "value", "prior", "spread",
              "identified (-: kept as it was)");
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        print_parameter(out, &fit->parameter[k]);
    }
    if (fit->given->gpu->nvls_from != 0) {
        orr_print(out, "%-21s %10s\n", "nvls_tree", fit->library.nvls_tree ? "true" : "false");
    }
}

/* ---- all of it ---- */

static void print_head(FILE *out, const struct collfit *fit)
{
    const size_t files = fit->measured.files;
    const size_t rows = fit->input.keep ? fit->measured.rows : fit->split.fitted;
    orr_print(out, "%s: %s on %s, %s %zu row%s of %zu file%s", fit->input.platform,
              fit->library.ops->name, fit->library.gpu->name,
              fit->input.keep ? "as it is, beside" : "fitted to", rows, orr_plural(rows), files,
              orr_plural(files));
    if (fit->split.tested > 0 && !fit->input.keep) {
        orr_print(out, "; %zu held out (%s)", fit->split.tested, fit->input.holdout);
    }
    (void)fputc('\n', out);
}

int orr_collfit_text(FILE *out, const void *context)
{
    const struct collfit *fit = context;
    print_head(out, fit);
    if (fit->split.fitted > 0) {
        print_errors(out, fit, false);
    }
    if (fit->split.tested > 0) {
        print_errors(out, fit, true);
    }
    print_parameters(out, fit);
    (void)fputs(fit->notes > 0 ? "\n" : "", out);
    for (size_t i = 0; i < fit->notes; i++) {
        orr_print(out, "note: %s\n", fit->note[i]);
    }
    return ferror(out) != 0 ? 1 : 0;
}
