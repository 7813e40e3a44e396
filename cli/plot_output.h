/* Plots by gnuplot. */
#ifndef ORR_CLI_PLOT_OUTPUT_H
#define ORR_CLI_PLOT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Checks the name of a plot; names with quotes are rejected, because they become part of gnuplot's
 * commands. NULL is fine. Prints errors on stderr; returns 0 or the exit status. */
int orr_check_plot(const char *command, const char *file);

/* Starts gnuplot, to which `draw` writes its commands. No effect if `file` is NULL. Prints errors
 * on stderr; returns the exit status. */
int orr_plot(const char *command, const char *file,
             void (*draw)(FILE *gnuplot, const void *context, const char *file, bool pdf),
             const void *context);

#endif
