/* Pictures that gnuplot draws. */
#ifndef ORR_CLI_PLOT_OUTPUT_H
#define ORR_CLI_PLOT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether a picture can have this name: it goes into gnuplot's own text, so quotes are refused.
 * Says so on stderr; 0 or the exit status. NULL is fine. */
int orr_check_plot(const char *command, const char *file);

/* Starts gnuplot and has `draw` write its commands. Says on stderr when that fails; returns the
 * exit status. Nothing where the file is NULL. */
int orr_plot(const char *command, const char *file,
             void (*draw)(FILE *gnuplot, const void *context, const char *file, bool pdf),
             const void *context);

#endif
