/* Report of a sweep for people: best points and Pareto fronts. */
#ifndef ORR_STUDY_RANKING_SWEEP_REPORT_H
#define ORR_STUDY_RANKING_SWEEP_REPORT_H

#include "study/ranking/sweep_table.h"

/* Lists all points as CSV: numbers and values. */
void orr_sweep_list(FILE *out, const struct orr_sweep *sweep);

struct orr_sweep_view {
    enum orr_sweep_goal goal;
    uint32_t top; /* number of best points */
    const struct orr_sweep_table *table;
};

/* Prints the best points by the goal, and the Pareto front (time, cost) of each group: at most 10
 * groups, the fastest first. Errors: lines of results that cannot be read; memory. */
enum orr_status orr_sweep_report(FILE *out, struct orr_sweep_store *store,
                                 const struct orr_sweep_view *view, struct orr_diag *diag);

#endif
