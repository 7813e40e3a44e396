/* Robust nonlinear least squares with priors: the parameters of a model for which it is nearest to
 * measurements, and how well these tell each of them (docs/models.md, section 18).
 *
 * COST. Residuals of rows are log(model / measured); parameters are logarithms of scales, each with
 * a prior (mean and standard deviation of the logarithm). What is least is
 *
 *     sum of w_i loss(r_i)  +  sum of loss(p (theta_k - mean_k) / spread_k)
 *     loss(r) = 2 c^2 (sqrt(1 + (r / c)^2) - 1)                               soft L1 at scale c
 *
 * with p = prior_weight; c = INFINITY: r^2. With prior_squared only rows have the loss, and priors
 * are squared. Both sums are what scipy.optimize.least_squares has twice of.
 *
 * SEARCH. Levenberg and Marquardt's method (MINPACK's lmder; Moré, 1978) on f_i = sign(r_i)
 * sqrt(w_i loss(r_i)), which is smooth in r_i; steps are in spreads of priors. BOUNDS are met by
 * projection: the model is only asked within them, a parameter at its bound that would go on
 * outwards stands still, and the search is begun anew from where it ended until that gains nothing,
 * so that such parameters come loose again. So a parameter at a bound has exactly its value.
 * Models that are minima over algorithms have kinks and local minima: STARTS are the means (or
 * `from`), then points around them (a Kronecker sequence of the square roots of primes; in each
 * direction uniform with the prior's standard deviation); the least cost is taken, of equal ones
 * the first.
 *
 * SPREAD afterwards: the covariance (J' W J / sigma^2 + diag(1 / spread^2))^-1 at the end, with J
 * the slopes of residuals, W = w_i / sqrt(1 + (r_i / c)^2), and sigma^2 = sum of W_i r_i^2 / sum of
 * w_i x N / (N - gamma), at least FIT_MIN_SIGMA^2, of N rows that have a weight. gamma = sum of
 * (1 - variance afterwards / before) is how many parameters the rows tell (MacKay, Bayesian
 * Interpolation, 1992). A parameter that no row depends on keeps its spread exactly.
 *
 * Nothing depends on time, threads or addresses: the same problem has the same answer, bit by bit.
 */
#ifndef ORR_PLANNER_FIT_LEAST_SQUARES_H
#define ORR_PLANNER_FIT_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

#define FIT_NONE SIZE_MAX
#define FIT_MIN_SIGMA 0.01 /* one percent */

/* One parameter: the logarithm of a scale (or whatever else has a mean and a spread). */
struct fit_param {
    const char *name; /* for messages */
    double mean;      /* before the fit; a fixed one has this value */
    double std_dev;   /* standard deviation before the fit; above 0, finite; fixed: not read */
    double low, high; /* low <= mean <= high, low < high; infinite: none; fixed: not read */
    bool fixed;
};

/* The model: residual[row] of all rows where parameters are theta[params]; where slopes is not
 * NULL also slopes[row x params + k] = d residual[row] / d theta[k] (those of fixed parameters are
 * not read). Same theta, same answer; called in the caller's thread, one call at a time, and only
 * with thetas within bounds. What it fails with ends the fit. */
typedef enum orr_status (*fit_model)(void *context, const double *theta, double *residual,
                                     double *jacobian, struct orr_diag *diag);

struct fit_options {
    double loss_scale;    /* c: above 0; INFINITY: squares */
    double prior_weight;  /* p: 0 or more */
    bool prior_squared;   /* priors without the loss */
    uint32_t starts;      /* 1 or more */
    double step;          /* of finite differences in theta, where the model has no slopes */
    uint32_t evaluations; /* at most so many steps of a start, beside those for slopes */
    double gain;          /* relative, of the cost, that is too small to go on for; steps of 100
                           * times as much, relative, are too small, and 1000 times as much to begin
                           * anew; above 0 */
};

/* What is usual: loss at 0.1, priors weigh 0.15 and have the loss, 8 starts, differences over 1e-6,
 * 1000 evaluations, a gain of 1e-12. */
struct fit_options orr_fit_default_options(void);

/* All of it must outlive the fit. */
struct fit_problem {
    const struct fit_param *param; /* [params] */
    size_t params, rows;
    const double *weight; /* w [rows], each 0 or more; NULL: 1 each */
    fit_model model;
    bool has_jacobian;  /* the model has slopes; else they are finite differences, one-sided */
    void *context;      /* the model's */
    const double *from; /* [params] where the first start is, within bounds; NULL: at the means */
    bool no_search;     /* no search: the least of the starts as they are */
    struct fit_options options;
};

enum fit_bound { FIT_INSIDE, FIT_AT_LOW, FIT_AT_HIGH };

/* What came out for a parameter. */
struct fit_value {
    double value;
    double std_dev; /* standard deviation afterwards; 0: fixed */
    enum fit_bound at_bound;
    bool identified;    /* spread afterwards < half of that before; fixed ones are not */
    size_t trades_with; /* the parameter with the largest |correlation|, of equal ones the first;
                         * FIT_NONE: fixed, or none of 0.01 or more */
    double correlation; /* with that; 0: none */
};

struct fit_result {
    struct fit_value *value; /* [params], as all arrays here in the arena */
    double *residual;        /* [rows] at the end, without weights and loss */
    double *correlation;     /* [params x params] afterwards; fixed ones: 0, 1 on the diagonal */
    double *start_cost;      /* [starts]: where each ended */
    uint32_t start;          /* the one taken */
    double cost;             /* of it */
    double sigma;            /* standard deviation of residuals, as above */
    bool converged;          /* before the evaluations ran out */
    uint64_t evaluations;    /* calls of the model, by all starts */
};

/* Fits. Everything in *out is the arena's. Errors: ORR_ERR_INPUT for parameters, weights and
 * options outside of what is said above, more rows and parameters than MINPACK counts, and
 * residuals or slopes that are not finite at a start or where slopes are taken (steps to where
 * residuals are not finite are not made); memory; the model's own. O(starts x steps x (evaluations
 * for slopes + rows x params^2)). */
enum orr_status orr_fit_solve(struct orr_arena *arena, const struct fit_problem *problem,
                              struct fit_result *out, struct orr_diag *diag);

/* What is to be least, at theta[params] where the model has residual[rows]. O(rows + params). */
double orr_fit_cost(const struct fit_problem *problem, const double *theta, const double *residual);

#endif
