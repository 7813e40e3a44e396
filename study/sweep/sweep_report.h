/* What a sweep tells people: its points, and the best of them. */
#ifndef ORR_STUDY_SWEEP_SWEEP_REPORT_H
#define ORR_STUDY_SWEEP_SWEEP_REPORT_H

#include "study/sweep/sweep_rank.h"

/* All points as CSV: their numbers and values. */
void orr_sweep_list(FILE *out, const struct orr_sweep *sweep);

/* The `top` best points by the goal, and the points that no other one beats in both time and cost.
 * False when memory is out. */
bool orr_sweep_report(FILE *out, const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                      uint32_t top);

#endif
