/* Shared by the files of planner/fit_collectives/. */
#ifndef ORR_PLANNER_FIT_COLLECTIVES_COLLFIT_PRIVATE_H
#define ORR_PLANNER_FIT_COLLECTIVES_COLLFIT_PRIVATE_H

#include "planner/fit_collectives/fit_collectives.h"
#include "planner/fit_report/fit_report.h"

/* The limit between small and large rows, in bytes. Only small rows determine latencies. */
#define COLLFIT_LARGE (UINT64_C(1) << 20)

/* ---- parameters (collfit_params.c) ---- */

/* Whether the parameter is the launch or a latency. */
bool orr_collfit_is_latency(size_t param);

/* Whether a row is fitted and uses the parameter; all rows use the launch. */
bool orr_collfit_row_uses(const struct collfit *fit, size_t row, size_t param);

/* Whether any fitted row is below COLLFIT_LARGE. */
bool orr_collfit_has_small(const struct collfit *fit);

/* Sets priors, bounds and which parameters are fixed; writes names and priors to fit->parameter
 * too. */
void orr_collfit_params(struct collfit *fit, struct fit_param param[COLLFIT_PARAMS]);

/* The library at theta; *launch_us is its launch, not rounded. */
void orr_collfit_library(const struct collfit *fit, const double *theta, struct sys_ccl *out,
                         double *launch_us);

/* ---- advice, warnings and notes (collfit_advise.c) ---- */

/* What to measure so that a parameter is identified, given the measurements there are. */
const char *orr_collfit_advice(const struct collfit *fit, size_t param);

/* Fills in warnings and notes. */
enum orr_status orr_collfit_add_notes(struct collfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag);

/* ---- errors (collfit_errors.c) ---- */

/* The fit as a report. */
struct fit_report orr_collfit_report(const struct collfit *fit);

/* Fills rows and errors; requires all parameters. */
enum orr_status orr_collfit_errors(struct collfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag);

#endif
