/* Plots (--plot): charts as SVG. */
#ifndef ORR_CLI_PLOT_OUTPUT_H
#define ORR_CLI_PLOT_OUTPUT_H

/* Checks the name of a plot: its end says the format. NULL is fine. Prints errors on stderr;
 * returns 0 or the exit status. */
int orr_check_plot(const char *command, const char *file);

#endif
