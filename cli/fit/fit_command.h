/* Subcommands of orrery fit, and their common outputs. argv[0] is the subcommand's name; they
 * return the exit status. */
#ifndef ORR_CLI_FIT_FIT_COMMAND_H
#define ORR_CLI_FIT_FIT_COMMAND_H

#include "cli/page_output.h"
#include "orrery/fit.h"

/* Prints the --help of all of them. */
void orr_fit_print_help(void);

int orr_fit_collectives_command(int argc, char **argv);
int orr_fit_compute_command(int argc, char **argv);

/* ---- outputs of both (fit_outputs.c) ---- */

enum { ORR_FIT_MAX_REPORTS = 16, ORR_FIT_MAX_SETS = 256 };

struct orr_fit_outputs {
    const char *platform, *compute; /* files; NULL: none */
    const char *report[ORR_FIT_MAX_REPORTS];
    unsigned reports;
    char line[ORR_COMMAND_LINE_BYTES]; /* command line, for the page */
};

/* Values of a repeatable option. */
struct orr_fit_list {
    const char *text[ORR_FIT_MAX_SETS];
    size_t count;
};

/* Add a value; return 0, or the exit status of bad usage. */
int orr_fit_add_report(struct orr_fit_outputs *outputs, const char *path);
int orr_fit_add(struct orr_fit_list *list, const char *option, const char *text);

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
