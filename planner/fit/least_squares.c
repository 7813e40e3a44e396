/* The fit: checks the problem, generates the starts, and takes the best end. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/fit/fit_private.h"

struct fit_options orr_fit_default_options(void)
{
    return (struct fit_options){.loss_scale = 0.1,
                                .prior_weight = 0.15,
                                .starts = 8,
                                .step = 1e-6,
                                .evaluations = 1000,
                                .gain = 1e-12};
}

/* ---- the problem ---- */

static enum orr_status check_param(const struct fit_param *param, struct orr_diag *diag)
{
    if (!isfinite(param->mean)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a fit: %s: expected a finite mean, got %g",
                             param->name, param->mean);
    }
    if (param->fixed) {
        return ORR_OK;
    }
    if (!(param->std_dev > 0 && isfinite(param->std_dev))) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a fit: %s: expected a standard deviation above 0, got %g",
                             param->name, param->std_dev);
    }
    if (!(param->low <= param->mean && param->mean <= param->high && param->low < param->high)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a fit: %s: expected a mean within its bounds, which differ, got %g "
                             "in %g to %g",
                             param->name, param->mean, param->low, param->high);
    }
    return ORR_OK;
}

static enum orr_status check_options(const struct fit_options *options, struct orr_diag *diag)
{
    if (!(options->loss_scale > 0) ||
        !(options->prior_weight >= 0 && isfinite(options->prior_weight))) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "a fit: expected a scale of the loss above 0 and a weight of priors of "
            "0 or more, got %g and %g",
            options->loss_scale, options->prior_weight);
    }
    if (!(options->step > 0 && isfinite(options->step))) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a fit: expected a step of differences above 0, got %g",
                             options->step);
    }
    if (!(options->gain > 0 && isfinite(options->gain))) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a fit: expected a minimum gain above 0, got %g", options->gain);
    }
    if (options->starts == 0 || options->evaluations == 0 || options->evaluations > INT_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a fit: expected at least one start and evaluations from 1 to %d, got "
                             "%" PRIu32 " and %" PRIu32,
                             INT_MAX, options->starts, options->evaluations);
    }
    return ORR_OK;
}

static enum orr_status check_weights(const struct fit_problem *problem, struct orr_diag *diag)
{
    for (size_t row = 0; problem->weight != NULL && row < problem->rows; row++) {
        if (!(problem->weight[row] >= 0 && isfinite(problem->weight[row]))) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "a fit: row %zu: expected a weight of 0 or more, got %g", row,
                                 problem->weight[row]);
        }
    }
    return ORR_OK;
}

static enum orr_status check(const struct fit_problem *problem, struct orr_diag *diag)
{
    const size_t max = INT_MAX / 2; /* MINPACK counts numbers of a matrix by int */
    if (problem->rows > max || problem->params > max ||
        (problem->params != 0 && problem->rows + problem->params > max / problem->params)) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "a fit: expected at most %zu derivatives, got %zu rows of %zu parameters", max,
            problem->rows, problem->params);
    }
    enum orr_status status = check_options(&problem->options, diag);
    for (size_t k = 0; status == ORR_OK && k < problem->params; k++) {
        status = check_param(&problem->param[k], diag);
    }
    return status == ORR_OK ? check_weights(problem, diag) : status;
}

/* ---- arrays ---- */

static double *numbers(struct orr_arena *arena, size_t count)
{
    return orr_arena_array(arena, count + 1, sizeof(double)); /* an array of length 0 is not NULL */
}

static bool make_arrays(struct fit_job *job, struct orr_arena *arena)
{
    const size_t rows = job->problem->rows, params = job->problem->params;
    job->theta = numbers(arena, params);
    job->residual_theta = numbers(arena, params);
    job->residual = numbers(arena, rows);
    job->shifted_residual = numbers(arena, rows);
    job->jacobian = numbers(arena, rows * params);
    job->u = numbers(arena, params);
    job->item = numbers(arena, job->items);
    job->matrix = numbers(arena, job->items * job->directions);
    job->scratch = numbers(arena, 5 * params + job->items);
    job->scale = numbers(arena, params);
    job->pivot = orr_arena_array(arena, params + 1, sizeof *job->pivot);
    return job->theta != NULL && job->residual_theta != NULL && job->residual != NULL &&
           job->shifted_residual != NULL && job->jacobian != NULL && job->u != NULL &&
           job->item != NULL && job->matrix != NULL && job->scratch != NULL && job->scale != NULL &&
           job->pivot != NULL;
}

static enum orr_status make_job(struct fit_job *job, struct orr_arena *arena)
{
    const struct fit_problem *problem = job->problem;
    job->param = orr_arena_array(arena, problem->params + 1, sizeof *job->param);
    if (job->param == NULL) {
        return orr_diag_no_memory(job->diag, "fit");
    }
    for (size_t k = 0; k < problem->params; k++) {
        if (!problem->param[k].fixed) {
            job->param[job->directions++] = k;
        }
    }
    job->items = problem->rows + job->directions;
    if (!make_arrays(job, arena)) {
        return orr_diag_no_memory(job->diag, "fit");
    }
    for (size_t i = 0; i < job->directions; i++) {
        job->scale[i] = 1;
    }
    return ORR_OK;
}

static enum orr_status make_result(const struct fit_job *job, struct orr_arena *arena,
                                   struct fit_result *out)
{
    const struct fit_problem *problem = job->problem;
    *out = (struct fit_result){.cost = INFINITY};
    out->value = orr_arena_array(arena, problem->params + 1, sizeof *out->value);
    out->residual = numbers(arena, problem->rows);
    out->correlation = numbers(arena, problem->params * problem->params);
    out->start_cost = numbers(arena, problem->options.starts);
    if (out->value == NULL || out->residual == NULL || out->correlation == NULL ||
        out->start_cost == NULL) {
        return orr_diag_no_memory(job->diag, "fit");
    }
    return ORR_OK;
}

/* ---- the starts ---- */

static bool is_prime(unsigned number)
{
    for (unsigned i = 2; i * i <= number; i++) {
        if (number % i == 0) {
            return false;
        }
    }
    return true;
}

static unsigned next_prime(unsigned number)
{
    do {
        number++;
    } while (!is_prime(number));
    return number;
}

/* The first start is at the means, or at `from`. The starts of a parameter do not depend on which
 * others are fixed. */
static void set_start(struct fit_job *job, uint32_t start)
{
    unsigned prime = 1;
    for (size_t k = 0; k < job->problem->params; k++) {
        const struct fit_param *param = &job->problem->param[k];
        prime = next_prime(prime);
        job->theta[k] = param->mean;
        if (!param->fixed && start == 0 && job->problem->from != NULL) {
            job->theta[k] = fmin(fmax(job->problem->from[k], param->low), param->high);
        }
        if (!param->fixed && start != 0) {
            const double turn = start * sqrt(prime);
            const double u = sqrt(12) * (turn - floor(turn) - 0.5);
            job->theta[k] = fmin(fmax(param->mean + param->std_dev * u, param->low), param->high);
        }
    }
}

/* Costs that differ by rounding only are equal. */
static bool is_less(double cost, double than)
{
    return isinf(than) || than - cost > 1e-9 * than + 1e-18;
}

static enum orr_status search_all(struct fit_job *job, struct fit_result *out)
{
    for (uint32_t start = 0; start < job->problem->options.starts; start++) {
        double cost;
        bool converged;
        set_start(job, start);
        const enum orr_status status = orr_fit_levmar(job, &cost, &converged);
        if (status != ORR_OK) {
            return status;
        }
        out->start_cost[start] = cost;
        if (is_less(cost, out->cost)) {
            out->cost = cost;
            out->start = start;
            out->converged = converged;
            for (size_t k = 0; k < job->problem->params; k++) {
                out->value[k].value = job->theta[k];
            }
        }
    }
    return ORR_OK;
}

static enum fit_bound bound_of(const struct fit_param *param, double value)
{
    if (param->fixed) {
        return FIT_INSIDE;
    }
    return value <= param->low ? FIT_AT_LOW : value >= param->high ? FIT_AT_HIGH : FIT_INSIDE;
}

/* Fills the result at the point that was taken. */
static enum orr_status finish_result(struct fit_job *job, struct fit_result *out)
{
    const struct fit_problem *problem = job->problem;
    for (size_t k = 0; k < problem->params; k++) {
        job->theta[k] = out->value[k].value;
        out->value[k].at_bound = bound_of(&problem->param[k], job->theta[k]);
    }
    const enum orr_status status = orr_fit_jacobian(job);
    if (status == ORR_OK) {
        memcpy(out->residual, job->residual, problem->rows * sizeof *out->residual);
        orr_fit_covariance(job, out);
    }
    out->evaluations = job->evaluations;
    return status;
}

enum orr_status orr_fit_solve(struct orr_arena *arena, const struct fit_problem *problem,
                              struct fit_result *out, struct orr_diag *diag)
{
    struct fit_job job = {.problem = problem, .diag = diag};
    enum orr_status status = check(problem, diag);
    if (status == ORR_OK) {
        status = make_job(&job, arena);
    }
    if (status == ORR_OK) {
        status = make_result(&job, arena, out);
    }
    if (status == ORR_OK) {
        status = search_all(&job, out);
    }
    return status == ORR_OK ? finish_result(&job, out) : status;
}
