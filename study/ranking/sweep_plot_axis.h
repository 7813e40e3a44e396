/* Axis of the plot of a sweep: unit, range, linear or logarithmic, ticks. */
#ifndef ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H
#define ORR_STUDY_RANKING_SWEEP_PLOT_AXIS_H

#include "study/ranking/sweep_quantity.h"

struct orr_chart_axis;

/* Fits an axis with its ticks to values from `low` to `high`. Returns the size of its unit, by
 * which values are divided; those of an axis of texts are their positions. */
double orr_sweep_plot_axis(struct orr_chart_axis *axis, const struct orr_sweep *sweep,
                           const struct orr_sweep_quantity *quantity, double low, double high);

/* Position of a label on an axis of texts: the index of its first value with the label. O(values).
 */
double orr_sweep_plot_text_position(const struct orr_sweep_axis *axis, const char *label);

#endif
