/* A fit again with lighter priors, where rows are met nearly exactly (docs/models.md, section 18).
 */
#ifndef ORR_PLANNER_FIT_FIT_REFINE_H
#define ORR_PLANNER_FIT_FIT_REFINE_H

#include "planner/fit/least_squares.h"

/* What searches: orr_fit_solve, or what stands for it. */
typedef enum orr_status (*fit_solver)(struct orr_arena *arena, const struct fit_problem *problem,
                                      struct fit_result *out, struct orr_diag *diag);

/* Rows that the model meets within FIT_MIN_SIGMA, as it does its own times, have next to no
 * noise: priors weigh less, in proportion, so that these come back. `result` is what
 * `solve` made of the problem, and what comes out. Errors: those of `solve`. */
enum orr_status orr_fit_refine(struct orr_arena *arena, const struct fit_problem *problem,
                               fit_solver solve, struct fit_result *result, struct orr_diag *diag);

#endif
