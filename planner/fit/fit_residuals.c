/* Evaluates the model: residuals and their Jacobian, by the model or by finite differences. */
#include <math.h>

#include "core/diag.h"
#include "planner/fit/fit_private.h"

static enum orr_status evaluate_model(struct fit_job *job, double *residual, double *jacobian)
{
    const struct fit_problem *problem = job->problem;
    job->evaluations++;
    return problem->model(problem->context, job->theta, residual, jacobian, job->diag);
}

enum orr_status orr_fit_residuals(struct fit_job *job)
{
    const enum orr_status status = evaluate_model(job, job->residual, NULL);
    job->has_residual = status == ORR_OK;
    memcpy(job->residual_theta, job->theta, job->problem->params * sizeof *job->theta);
    return status;
}

/* The error of a row, with the values of all parameters. */
static enum orr_status fail_not_finite(struct fit_job *job, const char *what, size_t row)
{
    const struct fit_problem *problem = job->problem;
    const enum orr_status status =
        orr_diag_fail(job->diag, ORR_ERR_INPUT, NULL, "a fit: row %zu of %zu: expected finite %s",
                      row, problem->rows, what);
    for (size_t k = 0; k < problem->params; k++) {
        orr_diag_append(job->diag, "%s %s = %g", k == 0 ? " at" : ",", problem->param[k].name,
                        job->theta[k]);
    }
    return status;
}

enum orr_status orr_fit_check_residuals(struct fit_job *job)
{
    for (size_t row = 0; row < job->problem->rows; row++) {
        if (!isfinite(job->residual[row])) {
            return fail_not_finite(job, "residuals", row);
        }
    }
    return ORR_OK;
}

static enum orr_status check_jacobian(struct fit_job *job)
{
    const size_t params = job->problem->params;
    for (size_t row = 0; row < job->problem->rows; row++) {
        for (size_t i = 0; i < job->directions; i++) {
            if (!isfinite(job->jacobian[row * params + job->param[i]])) {
                return fail_not_finite(job, "derivatives of residuals", row);
            }
        }
    }
    return ORR_OK;
}

/* The other point of a one-sided difference within bounds: upwards if that fits. */
static double difference_point(const struct fit_param *param, double theta, double step)
{
    if (theta + step <= param->high) {
        return theta + step;
    }
    if (theta - step >= param->low) {
        return theta - step;
    }
    return param->high - theta > theta - param->low ? param->high : param->low;
}

static enum orr_status differentiate(struct fit_job *job, size_t k)
{
    const struct fit_problem *problem = job->problem;
    const double here = job->theta[k];
    const double there = difference_point(&problem->param[k], here, problem->options.step);
    job->theta[k] = there;
    const enum orr_status status = evaluate_model(job, job->shifted_residual, NULL);
    job->theta[k] = here;
    for (size_t row = 0; status == ORR_OK && row < problem->rows; row++) {
        job->jacobian[row * problem->params + k] =
            (job->shifted_residual[row] - job->residual[row]) / (there - here);
    }
    return status;
}

/* Residuals at theta; evaluated only if those at hand are of another point. */
static enum orr_status ensure_residuals(struct fit_job *job)
{
    const size_t bytes = job->problem->params * sizeof *job->theta;
    const bool is_current =
        job->has_residual && memcmp(job->residual_theta, job->theta, bytes) == 0;
    return is_current ? ORR_OK : orr_fit_residuals(job);
}

static enum orr_status fill_differences(struct fit_job *job)
{
    enum orr_status status = ensure_residuals(job);
    for (size_t i = 0; status == ORR_OK && i < job->directions; i++) {
        status = differentiate(job, job->param[i]);
    }
    return status;
}

enum orr_status orr_fit_jacobian(struct fit_job *job)
{
    enum orr_status status;
    if (job->problem->has_jacobian) {
        job->has_residual = false;
        status = evaluate_model(job, job->residual, job->jacobian);
    } else {
        status = fill_differences(job);
    }
    if (status == ORR_OK) {
        status = orr_fit_check_residuals(job);
    }
    return status == ORR_OK ? check_jacobian(job) : status;
}
