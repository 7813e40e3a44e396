/* A search with few runs, by a surrogate model. The time of a job is homogeneous of degree one in
 * the times of its parts. So one run at theta0 also gives its time nearby, with s_k = d log T / d
 * theta_k:
 *
 *     T0 (1 + sum of |s_k| (e^(sign(s_k) (theta_k - theta0_k)) - 1))
 *
 * exactly, as long as the critical path stays the same. A fit to this surrogate takes no run. At
 * its end the jobs run again, and give the next surrogate, until nothing is gained. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "planner/fit/least_squares.h"
#include "planner/fit_compute/compfit_private.h"

/* Steps in standard deviations of priors: where nothing is left to gain, and that need no run. */
static const double converged_step = 1e-7, small_step = 0.05;
static const double surrogate_gain = 1e-12;

enum { ROUNDS = 12, HALVINGS = 4 };

/* The point of the last runs, with residuals and Jacobian. */
struct anchor {
    const struct fit_problem *problem;
    double *theta, *residual, *jacobian;
    double cost;
};

static enum orr_status evaluate_surrogate(void *context, const double *theta, double *residual,
                                          double *jacobian, struct orr_diag *diag)
{
    const struct anchor *anchor = context;
    const size_t rows = anchor->problem->rows, params = anchor->problem->params;
    (void)diag;
    for (size_t i = 0; i < rows; i++) {
        const double *sensitivity = &anchor->jacobian[i * params];
        double time = 1;
        for (size_t k = 0; k < params; k++) {
            const double step = theta[k] - anchor->theta[k];
            time += fabs(sensitivity[k]) * expm1(sensitivity[k] > 0 ? step : -step);
        }
        residual[i] = anchor->residual[i] + log(time); /* not finite if time <= 0 */
        for (size_t k = 0; jacobian != NULL && k < params; k++) {
            const double step = theta[k] - anchor->theta[k];
            jacobian[i * params + k] =
                sensitivity[k] * exp(sensitivity[k] > 0 ? step : -step) / time;
        }
    }
    return ORR_OK;
}

/* Runs the jobs at theta. */
static enum orr_status run_at(const struct fit_problem *problem, const double *theta,
                              struct anchor *out, struct orr_diag *diag)
{
    memcpy(out->theta, theta, problem->params * sizeof *theta);
    const enum orr_status status =
        problem->model(problem->context, out->theta, out->residual, out->jacobian, diag);
    out->cost = orr_fit_cost(problem, out->theta, out->residual);
    return status;
}

static bool make_anchor(struct orr_arena *arena, const struct fit_problem *problem,
                        struct anchor *out)
{
    out->problem = problem;
    out->theta = orr_arena_array(arena, problem->params + 1, sizeof(double));
    out->residual = orr_arena_array(arena, problem->rows + 1, sizeof(double));
    out->jacobian = orr_arena_array(arena, problem->rows * problem->params + 1, sizeof(double));
    return out->theta != NULL && out->residual != NULL && out->jacobian != NULL;
}

/* The largest step between two points, in standard deviations. */
static double step_between(const struct fit_problem *problem, const double *from, const double *to)
{
    double max = 0;
    for (size_t k = 0; k < problem->params; k++) {
        if (!problem->param[k].fixed) {
            max = fmax(max, fabs(to[k] - from[k]) / problem->param[k].std_dev);
        }
    }
    return max;
}

/* Backtracking line search from `at` towards `to`, the end of the fit to the surrogate: halves the
 * step while the runs show no gain. *improved: whether the cost fell. */
static enum orr_status backtrack(struct anchor *at, struct anchor *trial, double *to,
                                 bool *improved, struct orr_diag *diag)
{
    const struct fit_problem *problem = at->problem;
    enum orr_status status = ORR_OK;
    *improved = false;
    for (unsigned half = 0; half < HALVINGS && status == ORR_OK && !*improved; half++) {
        if (step_between(problem, at->theta, to) < converged_step) {
            return ORR_OK;
        }
        status = run_at(problem, to, trial, diag);
        *improved = status == ORR_OK && trial->cost < at->cost;
        for (size_t k = 0; k < problem->params && !*improved; k++) {
            to[k] = (to[k] + at->theta[k]) / 2;
        }
    }
    if (*improved) {
        const struct anchor before = *at;
        *at = *trial;
        *trial = before;
    }
    return status;
}

static void copy_values(const struct fit_result *result, size_t params, double *theta)
{
    for (size_t k = 0; k < params; k++) {
        theta[k] = result->value[k].value;
    }
}

/* The posterior and residuals at the point of the last runs, `at`, and a last step from there. A
 * step that is not small is run first; if it gains nothing, it is not made. */
static enum orr_status final_step(struct orr_arena *arena, struct anchor *at, struct anchor *trial,
                                  struct fit_result *out, struct orr_diag *diag)
{
    const struct fit_problem *problem = at->problem;
    struct fit_problem surrogate = *problem;
    double *to = orr_arena_array(arena, problem->params + 1, sizeof *to);
    if (to == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    surrogate.model = evaluate_surrogate;
    surrogate.context = at;
    surrogate.options.gain = surrogate_gain;
    surrogate.from = at->theta;
    enum orr_status status = orr_fit_solve(arena, &surrogate, out, diag);
    if (status != ORR_OK) {
        return status;
    }
    copy_values(out, problem->params, to);
    if (step_between(problem, at->theta, to) < small_step) {
        return ORR_OK;
    }
    status = run_at(problem, to, trial, diag);
    if (status == ORR_OK && !(trial->cost <= at->cost)) {
        surrogate.no_search = true;
        surrogate.options.starts = 1;
        status = orr_fit_solve(arena, &surrogate, out, diag);
    }
    return status;
}

enum orr_status orr_compfit_search_surrogate(struct orr_arena *arena,
                                             const struct fit_problem *problem,
                                             struct fit_result *out, struct orr_diag *diag)
{
    struct anchor at, trial;
    struct fit_problem surrogate = *problem;
    double *to = orr_arena_array(arena, problem->params + 1, sizeof *to);
    if (to == NULL || !make_anchor(arena, problem, &at) || !make_anchor(arena, problem, &trial)) {
        return orr_diag_no_memory(diag, "a fit");
    }
    surrogate.model = evaluate_surrogate;
    surrogate.context = &at;
    surrogate.options.gain = surrogate_gain;
    for (size_t k = 0; k < problem->params; k++) {
        to[k] = problem->from != NULL ? problem->from[k] : problem->param[k].mean;
    }
    enum orr_status status = run_at(problem, to, &at, diag);
    bool improved = true;
    for (unsigned round = 0; round < ROUNDS && improved && status == ORR_OK; round++) {
        const double before = at.cost;
        surrogate.from = at.theta;
        status = orr_fit_solve(arena, &surrogate, out, diag);
        if (status == ORR_OK) {
            copy_values(out, problem->params, to);
        }
        status = status == ORR_OK ? backtrack(&at, &trial, to, &improved, diag) : status;
        improved = improved && before - at.cost > problem->options.gain * before;
    }
    return status == ORR_OK ? final_step(arena, &at, &trial, out, diag) : status;
}

enum orr_status orr_compfit_sigma_surrogate(struct orr_arena *arena,
                                            const struct fit_problem *problem,
                                            const struct fit_result *previous, double *sigma,
                                            struct orr_diag *diag)
{
    struct anchor at;
    struct fit_problem surrogate = *problem;
    struct fit_result lighter;
    double *from = orr_arena_array(arena, problem->params + 1, sizeof *from);
    if (from == NULL || !make_anchor(arena, problem, &at)) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t k = 0; k < problem->params; k++) {
        from[k] = previous->value[k].value;
    }
    enum orr_status status = run_at(problem, from, &at, diag);
    surrogate.model = evaluate_surrogate;
    surrogate.context = &at;
    surrogate.from = at.theta;
    surrogate.options.prior_weight /= 100;
    if (status == ORR_OK) {
        status = orr_fit_solve(arena, &surrogate, &lighter, diag);
    }
    *sigma = status == ORR_OK ? lighter.sigma : INFINITY;
    return status;
}
