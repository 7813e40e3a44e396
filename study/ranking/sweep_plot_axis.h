/* Axis of a plot: unit, range, linear or logarithmic, ticks. */
#ifndef ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H
#define ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H

#include "study/ranking/sweep_quantity.h"

struct orr_plot_axis {
    const struct orr_sweep *sweep;
    const struct orr_sweep_quantity *quantity;
    double low, high; /* range of the values */
    bool log, texts;  /* texts: values are indices of the axis's texts */
    double size;      /* size of the unit */
    const char *unit; /* "" */
};

/* Fits an axis to values from `low` to `high`. */
void orr_plot_axis_fit(struct orr_plot_axis *axis, const struct orr_sweep *sweep,
                       const struct orr_sweep_quantity *quantity, double low, double high);

/* Position of a label on an axis of texts: the index of its first value with the label. O(values).
 */
double orr_plot_text_position(const struct orr_sweep_axis *axis, const char *label);

/* Writes gnuplot commands of the axis; `name` is 'x' or 'y'. */
void orr_plot_axis_write(FILE *gnuplot, const struct orr_plot_axis *axis, char name);

/* Writes a text in single quotes, escaped and truncated to `max` bytes: nothing in it is a command.
 */
void orr_plot_text(FILE *gnuplot, const char *text, size_t max);

#endif
