/* Scatter plot of a completed sweep with a line for the front of each group, as SVG. */
#ifndef ORR_STUDY_RANKING_SWEEP_PLOT_H
#define ORR_STUDY_RANKING_SWEEP_PLOT_H

#include "study/ranking/sweep_quantity.h"

/* Maximum groups with a color; maximum texts on an axis. */
enum { ORR_SWEEP_PLOT_COLORS = 8, ORR_SWEEP_PLOT_TEXTS = 64 };

struct orr_sweep_plot_point {
    double x, y;
    uint32_t group;
};

struct orr_sweep_plot {
    const struct orr_sweep *sweep;
    struct orr_sweep_quantity x, y;
    /* what orr_sweep_plot_read finds */
    struct orr_sweep_plot_point *point; /* [points] with both values, by group, then x, then y */
    uint32_t points;
    uint32_t failed, without_value; /* points not drawn: failed, or lacking a value */
};

/* Selects the quantities of the axes: names as of orr_sweep_find_quantity; NULL: cost, time. Call
 * it before the sweep runs. Errors: those; both equal; an axis with more texts than
 * ORR_SWEEP_PLOT_TEXTS. */
enum orr_status orr_sweep_plot_choose(const struct orr_sweep *sweep, const char *x, const char *y,
                                      struct orr_sweep_plot *plot, struct orr_diag *diag);

/* Reads the points of a finished sweep. Errors: no point has both values; lines that cannot be
 * read; memory. Free it with orr_sweep_plot_fini, also after an error. O(n log n). */
enum orr_status orr_sweep_plot_read(struct orr_sweep_plot *plot, struct orr_sweep_store *store,
                                    struct orr_diag *diag);

/* Writer for struct orr_output; the context is the plot. Axes are logarithmic if values span a
 * factor of ten. Lines: if x is an axis, through the best y of each group at each value; else
 * through the Pareto front of each group. Groups beyond the ORR_SWEEP_PLOT_COLORS with the best y
 * are grey and have no line. O(n log n). */
int orr_sweep_plot_svg(FILE *out, const void *context);

void orr_sweep_plot_fini(struct orr_sweep_plot *plot);

#endif
