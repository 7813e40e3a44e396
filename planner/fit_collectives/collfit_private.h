/* What the parts of a fit of collectives share. */
#ifndef ORR_PLANNER_FIT_COLLECTIVES_COLLFIT_PRIVATE_H
#define ORR_PLANNER_FIT_COLLECTIVES_COLLFIT_PRIVATE_H

#include "planner/fit_collectives/fit_collectives.h"
#include "planner/fit_report/fit_report.h"

/* Where the classes of sizes meet, and what latencies are told by. */
#define COLLFIT_LARGE (UINT64_C(1) << 20)

/* ---- parameters (collfit_params.c) ---- */

/* Whether the parameter is the launch or a latency. */
bool orr_collfit_is_latency(size_t param);

/* Rows that were fitted and that the parameter is of; all rows have a launch. */
bool orr_collfit_row_uses(const struct collfit *fit, size_t row, size_t param);

/* Whether any fitted row is below COLLFIT_LARGE. */
bool orr_collfit_has_small(const struct collfit *fit);

/* Priors, bounds, and what is fixed; names and priors go to fit->parameter too. */
void orr_collfit_params(struct collfit *fit, struct fit_param param[COLLFIT_PARAMS]);

/* The library where parameters are theta; *launch_us beside it, not rounded. */
void orr_collfit_library(const struct collfit *fit, const double *theta, struct sys_ccl *out,
                         double *launch_us);

/* ---- what is said (collfit_advise.c) ---- */

/* What was to be measured for a parameter to be identified, by what was. */
const char *orr_collfit_advice(const struct collfit *fit, size_t param);

/* Fills in warnings and notes. */
enum orr_status orr_collfit_add_notes(struct collfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag);

/* ---- errors (collfit_errors.c) ---- */

/* What is told of it. */
struct fit_report orr_collfit_report(const struct collfit *fit);

/* Fills in the rows and errors, all parameters being there. */
enum orr_status orr_collfit_errors(struct collfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag);

#endif
