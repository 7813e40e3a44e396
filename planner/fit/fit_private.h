/* State of a fit, shared by the files of planner/fit/. Parameters that are not fixed are the
 * directions of the search. Along a direction u = (theta - mean) / std_dev of the prior. Items are
 * the terms whose squares are summed: one for each row, then one for the prior of each direction.
 */
#ifndef ORR_PLANNER_FIT_FIT_PRIVATE_H
#define ORR_PLANNER_FIT_FIT_PRIVATE_H

#include <string.h>

#include "planner/fit/least_squares.h"

struct fit_job {
    const struct fit_problem *problem;
    size_t directions, items; /* items x directions fits into an int (MINPACK) */
    size_t *param;            /* [directions] */
    double *theta;            /* [params]: the point at which the model is evaluated */
    double *residual_theta;   /* [params]: the point of `residual` */
    double *residual;         /* [rows] */
    double *shifted_residual; /* [rows]: residuals a finite difference away */
    double *jacobian;         /* [rows x params] */
    double *u;                /* [directions] */
    double *item;             /* [items] */
    double *matrix;           /* [items x directions], column by column */
    double *scratch;          /* [5 x directions + items] */
    double *scale;            /* [directions]: MINPACK's, all 1 */
    int *pivot;               /* [directions] */
    uint64_t evaluations;
    bool has_residual;      /* `residual` is valid at residual_theta */
    bool needs_finite;      /* an infinite or NaN residual is an error */
    enum orr_status status; /* why MINPACK was stopped */
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

/* Evaluates the residuals at theta, finite or not. (fit_residuals.c) */
enum orr_status orr_fit_residuals(struct fit_job *job);

/* Fails, naming the first row, if a residual is not finite. (fit_residuals.c) */
enum orr_status orr_fit_check_residuals(struct fit_job *job);

/* Evaluates residuals and their Jacobian at theta; fails if one is not finite. (fit_residuals.c) */
enum orr_status orr_fit_jacobian(struct fit_job *job);

/* Minimizes the cost from theta on; theta becomes the point found, *cost its cost. (fit_levmar.c)
 */
enum orr_status orr_fit_levmar(struct fit_job *job, double *cost, bool *converged);

/* Sets sigma, the posterior standard deviations and the correlations from residuals and Jacobian at
 * theta; the arrays of *out are allocated. (fit_covariance.c) */
void orr_fit_covariance(struct fit_job *job, struct fit_result *out);

#endif
