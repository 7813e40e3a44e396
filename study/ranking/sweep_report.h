/* What a sweep tells people: its points, and the best of them. */
#ifndef ORR_STUDY_RANKING_SWEEP_REPORT_H
#define ORR_STUDY_RANKING_SWEEP_REPORT_H

#include "study/ranking/sweep_table.h"

/* All points as CSV: their numbers and values. */
void orr_sweep_list(FILE *out, const struct orr_sweep *sweep);

struct orr_sweep_view {
    enum orr_sweep_goal goal;
    uint32_t top; /* how many of the best */
    const struct orr_sweep_table *table;
};

/* The best points by the goal, and those that no other one of their group beats in both time and
 * cost: of at most 10 groups, the fastest first. Errors: lines of results that cannot be read,
 * memory. */
enum orr_status orr_sweep_report(FILE *out, struct orr_sweep_store *store,
                                 const struct orr_sweep_view *view, struct orr_diag *diag);

#endif
