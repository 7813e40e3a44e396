/* A fit under way: what its parts share. Parameters that are not fixed are counted as directions;
 * along each, u is how many spreads of its prior it is from its mean. Items are what is squared and
 * summed: those of rows, then one of each direction's prior. */
#ifndef ORR_PLANNER_FIT_FIT_PRIVATE_H
#define ORR_PLANNER_FIT_FIT_PRIVATE_H

#include <string.h>

#include "planner/fit/least_squares.h"

struct fit_job {
    const struct fit_problem *problem;
    size_t directions, items; /* fit into an int, and so does their product */
    size_t *param;            /* [directions] */
    double *theta;            /* [params]: where the model is asked */
    double *residual_theta;   /* [params]: where residual is of */
    double *residual;         /* [rows] */
    double *shifted_residual; /* [rows]: a step beside, of differences */
    double *jacobian;         /* [rows x params] */
    double *u;                /* [directions] */
    double *item;             /* [items] */
    double *matrix;           /* [items x directions], a direction behind the other */
    double *scratch;          /* [5 x directions + items] */
    double *scale;            /* [directions]: MINPACK's, all 1 */
    int *pivot;               /* [directions] */
    uint64_t evaluations;
    bool has_residual;      /* residual is of asked */
    bool needs_finite;      /* residuals have to be finite */
    enum orr_status status; /* what broke the search off */
    struct orr_diag *diag;
};

/* Parameter of a direction. */
static inline const struct fit_param *orr_fit_param(const struct fit_job *job, size_t direction)
{
    return &job->problem->param[job->param[direction]];
}

static inline double orr_fit_weight(const struct fit_problem *problem, size_t row)
{
    return problem->weight == NULL ? 1 : problem->weight[row];
}

/* Asks the model at theta for residuals, finite or not. (fit_residuals.c) */
enum orr_status orr_fit_residuals(struct fit_job *job);

/* The error that names the first row whose residual is not finite. (fit_residuals.c) */
enum orr_status orr_fit_check_residuals(struct fit_job *job);

/* Asks for residuals and slopes; what is not finite is an error. (fit_residuals.c) */
enum orr_status orr_fit_jacobian(struct fit_job *job);

/* Goes down from theta, which gets the place where it ended; *cost is there. (fit_levmar.c) */
enum orr_status orr_fit_levmar(struct fit_job *job, double *cost, bool *converged);

/* Sigma, and spreads and correlations afterwards, from residuals and slopes at theta; the arrays of
 * *out are there. (fit_covariance.c) */
void orr_fit_covariance(struct fit_job *job, struct fit_result *out);

#endif
