/* Prints the head, the parameters and the notes of a fit. */
#include <math.h>
#include <string.h>

#include "core/strings.h"
#include "planner/fit_report/fit_report.h"
#include "report/results/fit_results.h"
#include "report/table_text.h"

enum { VALUE_BYTES = 32 };

void orr_fitrep_print_head(FILE *out, const struct fit_report *report, const char *what)
{
    const size_t rows = report->keep ? report->tested : report->fitted;
    orr_print(out, "%s: %s, %s %zu row%s of %zu file%s", report->platform, what,
              report->keep ? "as it is, compared to" : "fitted to", rows, orr_plural(rows),
              report->files, orr_plural(report->files));
    if (report->tested > 0 && !report->keep) {
        orr_print(out, "; %zu held out (%s)", report->tested, report->holdout);
    }
    (void)fputc('\n', out);
}

static const char *value_text(double value, const char *unit, char text[VALUE_BYTES])
{
    (void)snprintf(text, VALUE_BYTES, "%.4g%s%s", value, unit[0] != '\0' ? " " : "", unit);
    return text;
}

/* The standard deviation of a logarithm as a percentage of the value. */
static const char *spread_text(double std_dev, char text[VALUE_BYTES])
{
    (void)snprintf(text, VALUE_BYTES, std_dev > 0 ? "%.1f %%" : "-", 100 * (exp(std_dev) - 1));
    return text;
}

static void print_parameter(FILE *out, const struct orr_fit_parameter_row *row, int width)
{
    char value[VALUE_BYTES], prior[VALUE_BYTES], std_dev[VALUE_BYTES];
    orr_print(out, "%-*s %10s %9s %9s  %-3s", width, row->name,
              value_text(row->value, row->unit, value), value_text(row->prior, row->unit, prior),
              spread_text(row->std_dev, std_dev),
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

void orr_fitrep_print_parameters(FILE *out, const struct fit_report *report, const char *head)
{
    int width = 21;
    for (size_t k = 0; k < report->parameters; k++) {
        const int length = (int)strlen(report->parameter[k].name);
        width = length > width ? length : width;
    }
    orr_print(out, "\n%-*s %10s %9s %9s  %s\n", width, head, "value", "prior", "std dev",
              "identified (-: kept as it was)");
    for (size_t k = 0; k < report->parameters; k++) {
        print_parameter(out, &report->parameter[k], width);
    }
}

void orr_fitrep_print_notes(FILE *out, const struct fit_report *report)
{
    (void)fputs(report->notes > 0 ? "\n" : "", out);
    for (size_t i = 0; i < report->notes; i++) {
        orr_print(out, "note: %s\n", report->note[i]);
    }
}
