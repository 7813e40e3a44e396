/* Lighter priors; see fit_refine.h. */
#include "planner/fit/fit_refine.h"

#include "core/arena.h"
#include "core/diag.h"

#include <math.h>

static size_t free_params(const struct fit_problem *problem)
{
    size_t count = 0;
    for (size_t k = 0; k < problem->params; k++) {
        count += problem->param[k].fixed ? 0 : 1;
    }
    return count;
}

/* Like the fit's sigma, but without its lower bound. One row is subtracted for each free parameter;
 * with too few rows left it is unknown (INFINITY). */
static double sigma_of(const struct fit_problem *problem, const struct fit_result *result)
{
    const double free_rows = (double)problem->rows - (double)free_params(problem);
    const double min = 3;
    double sum = 0;
    for (size_t i = 0; i < problem->rows; i++) {
        sum += result->residual[i] * result->residual[i] /
               hypot(1, result->residual[i] / problem->options.loss_scale);
    }
    return free_rows >= min ? sqrt(sum / free_rows) : INFINITY;
}

/* The next search starts where the previous one ended. */
static enum orr_status start_from(struct orr_arena *arena, const struct fit_result *previous,
                                  struct fit_problem *problem, struct orr_diag *diag)
{
    double *from = orr_arena_array(arena, problem->params + 1, sizeof *from);
    if (from == NULL) {
        return orr_diag_no_memory(diag, "fit");
    }
    for (size_t k = 0; k < problem->params; k++) {
        from[k] = previous->value[k].value;
    }
    problem->from = from;
    problem->options.starts = 1;
    return ORR_OK;
}

enum orr_status orr_fit_refine(struct orr_arena *arena, const struct fit_problem *problem,
                               fit_solver solve, struct fit_result *result, struct orr_diag *diag)
{
    const double default_weight = problem->options.prior_weight, negligible = 1e-6 * default_weight;
    double weight = default_weight, next = default_weight / 10; /* do priors hold the model off? */
    while (weight > negligible && next < 0.99 * weight) {
        struct fit_problem lighter = *problem;
        struct fit_result found;
        lighter.options.prior_weight = next;
        enum orr_status status = start_from(arena, result, &lighter, diag);
        status = status == ORR_OK ? solve(arena, &lighter, &found, diag) : status;
        if (status != ORR_OK) {
            return status;
        }
        const double sigma = sigma_of(problem, &found);
        if (!(sigma < FIT_MIN_SIGMA)) {
            break;
        }
        *result = found;
        weight = next;
        next = fmax(fmin(default_weight * sigma / FIT_MIN_SIGMA, weight / 10), negligible / 2);
    }
    return ORR_OK;
}
