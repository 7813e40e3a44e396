/* A search with few runs. As a job's time is homogeneous of degree one in what its parts take, one
 * run tells its time nearby too: T0 (1 + sum of |s_k| (e^(sign(s_k) (theta_k - theta0_k)) - 1))
 * with the slopes s_k = d log T / d theta_k there, exactly as long as the critical path stays the
 * same. The fit to that model takes no run; where it ends the jobs run again, until nothing is
 * gained. */
#include <math.h>
#include <string.h>

#include "planner/fit_compute/compfit_private.h"

/* Steps, in spreads of priors: where nothing is left to gain, and that need no run. */
static const double near_enough = 1e-7, small_step = 0.05;
static const double near_gain = 1e-12;

enum { ROUNDS = 12, HALVINGS = 4 };

/* Where the jobs ran last, and what they told. */
struct anchor {
    const struct fit_problem *problem;
    double *theta, *residual, *slopes;
    double cost;
};

static enum orr_status ask_near(void *context, const double *theta, double *residual,
                                double *slopes, struct orr_diag *diag)
{
    const struct anchor *anchor = context;
    const size_t rows = anchor->problem->rows, params = anchor->problem->params;
    (void)diag;
    for (size_t i = 0; i < rows; i++) {
        const double *slope = &anchor->slopes[i * params];
        double time = 1;
        for (size_t k = 0; k < params; k++) {
            const double step = theta[k] - anchor->theta[k];
            time += fabs(slope[k]) * expm1(slope[k] > 0 ? step : -step);
        }
        residual[i] = anchor->residual[i] + log(time); /* not finite where time is not above 0 */
        for (size_t k = 0; slopes != NULL && k < params; k++) {
            const double step = theta[k] - anchor->theta[k];
            slopes[i * params + k] = slope[k] * exp(slope[k] > 0 ? step : -step) / time;
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
        problem->model(problem->context, out->theta, out->residual, out->slopes, diag);
    out->cost = orr_fit_cost(problem, out->theta, out->residual);
    return status;
}

static bool make_anchor(struct orr_arena *arena, const struct fit_problem *problem,
                        struct anchor *out)
{
    out->problem = problem;
    out->theta = orr_arena_array(arena, problem->params + 1, sizeof(double));
    out->residual = orr_arena_array(arena, problem->rows + 1, sizeof(double));
    out->slopes = orr_arena_array(arena, problem->rows * problem->params + 1, sizeof(double));
    return out->theta != NULL && out->residual != NULL && out->slopes != NULL;
}

/* The longest step between two places, in spreads. */
static double step_between(const struct fit_problem *problem, const double *from, const double *to)
{
    double max = 0;
    for (size_t k = 0; k < problem->params; k++) {
        if (!problem->param[k].fixed) {
            max = fmax(max, fabs(to[k] - from[k]) / problem->param[k].spread);
        }
    }
    return max;
}

/* From `at` towards where the fit ended, `to`, by halves while the runs say that it gains nothing.
 * *moved: whether it gained something. */
static enum orr_status move(struct anchor *at, struct anchor *trial, double *to, bool *moved,
                            struct orr_diag *diag)
{
    const struct fit_problem *problem = at->problem;
    enum orr_status status = ORR_OK;
    *moved = false;
    for (unsigned half = 0; half < HALVINGS && status == ORR_OK && !*moved; half++) {
        if (step_between(problem, at->theta, to) < near_enough) {
            return ORR_OK;
        }
        status = run_at(problem, to, trial, diag);
        *moved = status == ORR_OK && trial->cost < at->cost;
        for (size_t k = 0; k < problem->params && !*moved; k++) {
            to[k] = (to[k] + at->theta[k]) / 2;
        }
    }
    if (*moved) {
        const struct anchor before = *at;
        *at = *trial;
        *trial = before;
    }
    return status;
}

static void take_values(const struct fit_result *result, size_t params, double *theta)
{
    for (size_t k = 0; k < params; k++) {
        theta[k] = result->value[k].value;
    }
}

/* Spreads and residuals where the jobs ran last, `at`, and a last step from there: one that is not
 * small has to be run, and where it gains nothing, as one does that was refused before, is not
 * made. */
static enum orr_status tell_last(struct orr_arena *arena, struct anchor *at, struct anchor *trial,
                                 struct fit_result *out, struct orr_diag *diag)
{
    const struct fit_problem *problem = at->problem;
    struct fit_problem near = *problem;
    double *to = orr_arena_array(arena, problem->params + 1, sizeof *to);
    if (to == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    near.model = ask_near;
    near.context = at;
    near.options.gain = near_gain;
    near.from = at->theta;
    enum orr_status status = orr_fit_solve(arena, &near, out, diag);
    if (status != ORR_OK) {
        return status;
    }
    take_values(out, problem->params, to);
    if (step_between(problem, at->theta, to) < small_step) {
        return ORR_OK;
    }
    status = run_at(problem, to, trial, diag);
    if (status == ORR_OK && !(trial->cost <= at->cost)) {
        near.stay = true;
        near.options.starts = 1;
        status = orr_fit_solve(arena, &near, out, diag);
    }
    return status;
}

enum orr_status orr_compfit_search_surrogate(struct orr_arena *arena,
                                             const struct fit_problem *problem,
                                             struct fit_result *out, struct orr_diag *diag)
{
    struct anchor at, trial;
    struct fit_problem near = *problem;
    double *to = orr_arena_array(arena, problem->params + 1, sizeof *to);
    if (to == NULL || !make_anchor(arena, problem, &at) || !make_anchor(arena, problem, &trial)) {
        return orr_diag_no_memory(diag, "a fit");
    }
    near.model = ask_near;
    near.context = &at;
    near.options.gain = near_gain;
    for (size_t k = 0; k < problem->params; k++) {
        to[k] = problem->from != NULL ? problem->from[k] : problem->param[k].mean;
    }
    enum orr_status status = run_at(problem, to, &at, diag);
    bool moved = true;
    for (unsigned round = 0; round < ROUNDS && moved && status == ORR_OK; round++) {
        const double before = at.cost;
        near.from = at.theta;
        status = orr_fit_solve(arena, &near, out, diag);
        if (status == ORR_OK) {
            take_values(out, problem->params, to);
        }
        status = status == ORR_OK ? move(&at, &trial, to, &moved, diag) : status;
        moved = moved && before - at.cost > problem->options.gain * before;
    }
    return status == ORR_OK ? tell_last(arena, &at, &trial, out, diag) : status;
}

enum orr_status orr_compfit_sigma_surrogate(struct orr_arena *arena,
                                            const struct fit_problem *problem,
                                            const struct fit_result *there, double *sigma,
                                            struct orr_diag *diag)
{
    struct anchor at;
    struct fit_problem near = *problem;
    struct fit_result lighter;
    double *from = orr_arena_array(arena, problem->params + 1, sizeof *from);
    if (from == NULL || !make_anchor(arena, problem, &at)) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t k = 0; k < problem->params; k++) {
        from[k] = there->value[k].value;
    }
    enum orr_status status = run_at(problem, from, &at, diag);
    near.model = ask_near;
    near.context = &at;
    near.from = at.theta;
    near.options.prior_weight /= 100;
    if (status == ORR_OK) {
        status = orr_fit_solve(arena, &near, &lighter, diag);
    }
    *sigma = status == ORR_OK ? lighter.sigma : INFINITY;
    return status;
}
