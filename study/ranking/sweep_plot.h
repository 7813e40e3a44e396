/* A sweep that has run as a picture: a point for each of its points, and a line for the front of
 * each group, as commands for gnuplot. */
#ifndef ORR_STUDY_RANKING_SWEEP_PLOT_H
#define ORR_STUDY_RANKING_SWEEP_PLOT_H

#include "study/ranking/sweep_quantity.h"

/* Groups with a colour of their own; texts of an axis that find room. */
enum { ORR_SWEEP_PLOT_COLORS = 8, ORR_SWEEP_PLOT_TEXTS = 64 };

struct orr_sweep_plot_point {
    double x, y;
    uint32_t group;
};

struct orr_sweep_plot {
    const struct orr_sweep *sweep;
    struct orr_sweep_quantity x, y;
    /* what orr_sweep_plot_read finds */
    struct orr_sweep_plot_point *point; /* [points] with both values, by group, the best first */
    uint32_t points;
    uint32_t failed, without_value; /* points that are not drawn; untold: they lack a value */
};

/* What stands on the axes: names as of orr_sweep_find_quantity; NULL: cost, time. Errors: those,
 * both the same, an axis with more texts than ORR_SWEEP_PLOT_TEXTS. Before the sweep runs. */
enum orr_status orr_sweep_plot_choose(const struct orr_sweep *sweep, const char *x, const char *y,
                                      struct orr_sweep_plot *plot, struct orr_diag *diag);

/* Reads the points of a sweep that is finished. Errors: no point has both values; lines that cannot
 * be read; memory. To be freed with orr_sweep_plot_fini, also after an error. O(n log n). */
enum orr_status orr_sweep_plot_read(struct orr_sweep_plot *plot, struct orr_sweep_store *store,
                                    struct orr_diag *diag);

/* Commands for gnuplot, which draws into the file, whose name has no quotes. Logarithmic axes where
 * values span a factor of ten. Lines: where x is an axis through the best y of each group at each
 * value; else through the points that no other of the group is better than in both. Groups beyond
 * the ORR_SWEEP_PLOT_COLORS with the best y are grey and have no line. */
void orr_sweep_plot_write(FILE *gnuplot, const struct orr_sweep_plot *plot, const char *file,
                          bool pdf);

void orr_sweep_plot_fini(struct orr_sweep_plot *plot);

#endif
