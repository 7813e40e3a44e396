/* Repeats a fit with lighter priors if the model meets the rows nearly exactly (docs/models.md,
 * section 18). */
#ifndef ORR_PLANNER_FIT_FIT_REFINE_H
#define ORR_PLANNER_FIT_FIT_REFINE_H

#include "planner/fit/least_squares.h"

/* The solver: orr_fit_solve or one with the same contract. */
typedef enum orr_status (*fit_solver)(struct orr_arena *arena, const struct fit_problem *problem,
                                      struct fit_result *out, struct orr_diag *diag);

/* If the model meets the rows within FIT_MIN_SIGMA, as it meets its own times, they have next to no
 * noise. Then the priors weigh less, in proportion, so that the parameters that made the rows come
 * back. `result`: in, the solution of `solve` for the problem; out, the refined one. Errors: those
 * of `solve`. */
enum orr_status orr_fit_refine(struct orr_arena *arena, const struct fit_problem *problem,
                               fit_solver solve, struct fit_result *result, struct orr_diag *diag);

#endif
