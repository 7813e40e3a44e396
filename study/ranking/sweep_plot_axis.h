/* An axis of a picture: its unit, its range, linear or logarithmic, and where it has ticks. */
#ifndef ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H
#define ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H

#include "study/ranking/sweep_quantity.h"

struct orr_plot_axis {
    const struct orr_sweep *sweep;
    const struct orr_sweep_quantity *quantity;
    double low, high; /* of the values */
    bool log, texts;  /* texts: values are numbers of the axis's values */
    double size;      /* of the unit */
    const char *unit; /* "" */
};

/* Fits an axis to values from `low` to `high`. */
void orr_plot_axis_fit(struct orr_plot_axis *axis, const struct orr_sweep *sweep,
                       const struct orr_sweep_quantity *quantity, double low, double high);

/* Where an axis of texts has this one: the number of its first value with the label. O(values). */
double orr_plot_text_position(const struct orr_sweep_axis *axis, const char *label);

/* Its commands for gnuplot; `name` is 'x' or 'y'. */
void orr_plot_axis_write(FILE *gnuplot, const struct orr_plot_axis *axis, char name);

/* A text in single quotes, cleaned and cut to so many bytes: nothing in it is a command. */
void orr_plot_text(FILE *gnuplot, const char *text, size_t max);

#endif
