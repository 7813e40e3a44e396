/* Robust nonlinear least squares with priors (maximum a posteriori): the parameters of a model that
 * is nearest to measurements, and their posterior covariance (docs/models.md, section 18).
 *
 * COST. Residuals of rows are log(model / measured). Parameters are logarithms of scales, each with
 * a prior (mean and standard deviation of the logarithm). Minimized is
 *
 *     sum of w_i loss(r_i)  +  sum of loss(p (theta_k - mean_k) / std_dev_k)
 *     loss(r) = 2 c^2 (sqrt(1 + (r / c)^2) - 1)                               soft L1 at scale c
 *
 * with p = prior_weight. c = INFINITY: loss(r) = r^2. With prior_squared only rows have the loss,
 * and priors are squared. Both sums are twice those of scipy.optimize.least_squares.
 *
 * SEARCH. Levenberg and Marquardt's method (MINPACK's lmder; Moré, 1978) on f_i = sign(r_i)
 * sqrt(w_i loss(r_i)), which is smooth in r_i; steps are in standard deviations of priors. BOUNDS
 * are met by projection: the model is only evaluated within them. A parameter at its bound whose
 * cost falls outwards is held there. The search restarts from where it ended until that gains
 * nothing, so that held parameters can leave their bounds. So a parameter at a bound has exactly
 * the bound's value. Models that are minima over algorithms have kinks and local minima. STARTS are
 * the means (or `from`), then points around them (a Kronecker sequence of the square roots of
 * primes; in each direction uniform with the prior's standard deviation). The least cost is taken,
 * of equal ones the first.
 *
 * POSTERIOR. The covariance at the end is (J' W J / sigma^2 + diag(1 / std_dev^2))^-1, with the
 * Jacobian J of the residuals, W = w_i / sqrt(1 + (r_i / c)^2), and sigma^2 = sum of W_i r_i^2 /
 * sum of w_i x N / (N - gamma), at least FIT_MIN_SIGMA^2, of N rows that have a weight. gamma = sum
 * of (1 - posterior variance / prior variance) is the number of well-determined parameters (MacKay,
 * Bayesian Interpolation, 1992). A parameter that no row depends on keeps its prior standard
 * deviation exactly.
 *
 * DETERMINISM. Nothing depends on time, threads or addresses: the same problem has the same result,
 * bit by bit. */
#ifndef ORR_PLANNER_FIT_LEAST_SQUARES_H
#define ORR_PLANNER_FIT_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

#define FIT_NONE SIZE_MAX
#define FIT_MIN_SIGMA 0.01 /* one percent */

/* A parameter: the logarithm of a scale, or any number with a mean and a standard deviation. */
struct fit_param {
    const char *name; /* for messages */
    double mean;      /* of the prior; the value of a fixed parameter */
    double std_dev;   /* standard deviation of the prior; above 0, finite; fixed: not read */
    double low, high; /* low <= mean <= high, low < high; infinite: none; fixed: not read */
    bool fixed;
};

/* The model. Sets residual[rows] at theta[params]. If jacobian is not NULL it also sets
 * jacobian[row x params + k] = d residual[row] / d theta[k] (those of fixed parameters are not
 * read). The same theta gives the same values. Called in the thread of the caller, one call at a
 * time, only with theta within bounds. An error ends the fit. */
typedef enum orr_status (*fit_model)(void *context, const double *theta, double *residual,
                                     double *jacobian, struct orr_diag *diag);

struct fit_options {
    double loss_scale;    /* c: above 0; INFINITY: squares */
    double prior_weight;  /* p: 0 or more */
    bool prior_squared;   /* priors are squared, without the loss */
    uint32_t starts;      /* 1 or more */
    double step;          /* of finite differences in theta, if the model has no Jacobian */
    uint32_t evaluations; /* maximum number of steps of a start, evaluations for the Jacobian not
                             counted */
    double gain; /* relative gain of the cost below which the search ends; above 0. Relative steps
                    of 100 times as much end it too; a restart needs 1000 times as much */
};

/* Defaults: loss at 0.1, prior weight 0.15 with the loss, 8 starts, differences over 1e-6, 1000
 * evaluations, a gain of 1e-12. */
struct fit_options orr_fit_default_options(void);

/* A problem. All of it must outlive the fit. */
struct fit_problem {
    const struct fit_param *param; /* [params] */
    size_t params, rows;
    const double *weight; /* w [rows], each 0 or more; NULL: 1 each */
    fit_model model;
    bool has_jacobian;  /* the model sets the Jacobian; else it is one-sided finite differences */
    void *context;      /* the model's */
    const double *from; /* [params] the first start, within bounds; NULL: the means */
    bool no_search;     /* no search: the start with the least cost is the result */
    struct fit_options options;
};

enum fit_bound { FIT_INSIDE, FIT_AT_LOW, FIT_AT_HIGH };

/* The result for a parameter. */
struct fit_value {
    double value;
    double std_dev; /* posterior standard deviation; 0: fixed */
    enum fit_bound at_bound;
    bool identified;    /* posterior standard deviation < half of the prior; false if fixed */
    size_t trades_with; /* the parameter with the largest |correlation|, of equal ones the first;
                           FIT_NONE: fixed, or no correlation of 0.01 or more */
    double correlation; /* with that parameter; 0: none */
};

struct fit_result {
    struct fit_value *value; /* [params]; all arrays are in the arena */
    double *residual;        /* [rows] at the end, without weights and loss */
    double *correlation;     /* [params x params] posterior; of fixed ones: 0, 1 on the diagonal */
    double *start_cost;      /* [starts]: the cost at the end of each */
    uint32_t start;          /* the start whose end is the result */
    double cost;             /* of the result */
    double sigma;            /* standard deviation of residuals, as above */
    bool converged;          /* false: the evaluations ran out */
    uint64_t evaluations;    /* calls of the model, by all starts */
};

/* Fits. Everything in *out is in the arena. Errors: ORR_ERR_INPUT for parameters, weights and
 * options outside of the ranges above, for more rows and parameters than MINPACK counts, and for
 * residuals or derivatives that are not finite at a start or at a point of the Jacobian (a step to
 * a point with infinite residuals is rejected); memory; those of the model. O(starts x steps x
 * (evaluations for the Jacobian + rows x params^2)). */
enum orr_status orr_fit_solve(struct orr_arena *arena, const struct fit_problem *problem,
                              struct fit_result *out, struct orr_diag *diag);

/* The cost at theta[params], where the model has residual[rows]. O(rows + params). */
double orr_fit_cost(const struct fit_problem *problem, const double *theta, const double *residual);

#endif
