/* Actions of orrery fit, and their common outputs. */
#ifndef ORR_CLI_FIT_FIT_COMMAND_H
#define ORR_CLI_FIT_FIT_COMMAND_H

#include "cli/cli.h"
#include "cli/page_output.h"
#include "orrery/fit.h"

extern const struct orr_command orr_fit_collectives, orr_fit_compute;

/* ---- outputs of both (fit_outputs.c) ---- */

enum { ORR_FIT_MAX_REPORTS = 16 };

struct orr_fit_outputs {
    const char *platform, *compute; /* files; NULL: none */
    const char *report[ORR_FIT_MAX_REPORTS];
    unsigned reports;
    char line[ORR_COMMAND_LINE_BYTES]; /* command line, for the page */
};

/* The rows of both: --output and --report, whose arguments are a struct orr_fit_outputs. */
extern const struct orr_option orr_fit_output_rows[];

#define ORR_FIT_HOLDOUT                                                                            \
    "rows that are not fitted but test the fit: every:N (of each table by size, of all "           \
    "iterations, all but each N-th) or column:NAME, column:NAME>VALUE, as in column:nodes>8"

/* Checks which arguments are missing or exclude each other. */
struct orr_fit_needs {
    int files;
    const char *platform, *holdout;
    int keep;
};
int orr_fit_check_needs(const struct orr_fit_outputs *outputs, const struct orr_fit_needs *needs);

/* Writes all files, and the text to standard output unless a file went there. Returns the exit
 * status. */
int orr_fit_write_all(const struct orr_fit_outputs *outputs, struct orrery_fit *fit);

/* Runs a fit of `files` files by calling `run_fit`, and writes its outputs. Returns the exit
 * status. */
int orr_fit_run(const struct orr_fit_outputs *outputs, char **file, size_t files,
                enum orrery_status (*run_fit)(struct orrery_fit *fit, void *context,
                                              const struct orrery_measured *data),
                void *context);

#endif
