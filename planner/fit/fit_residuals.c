/* What the model says: residuals, and their slopes, its own or finite differences. */
#include <math.h>

#include "planner/fit/fit_private.h"

static enum orr_status ask(struct fit_job *job, double *residual, double *slopes)
{
    const struct fit_problem *problem = job->problem;
    job->evaluations++;
    return problem->model(problem->context, job->theta, residual, slopes, job->diag);
}

enum orr_status orr_fit_residuals(struct fit_job *job)
{
    const enum orr_status status = ask(job, job->residual, NULL);
    job->is_asked = status == ORR_OK;
    memcpy(job->asked, job->theta, job->problem->params * sizeof *job->theta);
    return status;
}

/* The error of a row, with the place where it is. */
static enum orr_status not_finite(struct fit_job *job, const char *what, size_t row)
{
    const struct fit_problem *problem = job->problem;
    const enum orr_status status = orr_diag_fail(
        job->diag, ORR_ERR_INPUT, NULL, "a fit: expected finite %s, which row %zu of %zu has not",
        what, row, problem->rows);
    for (size_t k = 0; k < problem->params; k++) {
        orr_diag_append(job->diag, "%s %s = %g", k == 0 ? " where" : ",", problem->param[k].name,
                        job->theta[k]);
    }
    return status;
}

enum orr_status orr_fit_check_residuals(struct fit_job *job)
{
    for (size_t row = 0; row < job->problem->rows; row++) {
        if (!isfinite(job->residual[row])) {
            return not_finite(job, "residuals", row);
        }
    }
    return ORR_OK;
}

static enum orr_status check_slopes(struct fit_job *job)
{
    const size_t params = job->problem->params;
    for (size_t row = 0; row < job->problem->rows; row++) {
        for (size_t i = 0; i < job->directions; i++) {
            if (!isfinite(job->slopes[row * params + job->param[i]])) {
                return not_finite(job, "slopes of residuals", row);
            }
        }
    }
    return ORR_OK;
}

/* The other end of a difference, within bounds: upwards where there is room. */
static double step_from(const struct fit_param *param, double theta, double step)
{
    if (theta + step <= param->high) {
        return theta + step;
    }
    if (theta - step >= param->low) {
        return theta - step;
    }
    return param->high - theta > theta - param->low ? param->high : param->low;
}

static enum orr_status difference(struct fit_job *job, size_t k)
{
    const struct fit_problem *problem = job->problem;
    const double here = job->theta[k];
    const double there = step_from(&problem->param[k], here, problem->options.step);
    job->theta[k] = there;
    const enum orr_status status = ask(job, job->beside, NULL);
    job->theta[k] = here;
    for (size_t row = 0; status == ORR_OK && row < problem->rows; row++) {
        job->slopes[row * problem->params + k] =
            (job->beside[row] - job->residual[row]) / (there - here);
    }
    return status;
}

/* Residuals at theta, asked for again only where they are of another place. */
static enum orr_status be_there(struct fit_job *job)
{
    const size_t bytes = job->problem->params * sizeof *job->theta;
    const bool is_there = job->is_asked && memcmp(job->asked, job->theta, bytes) == 0;
    return is_there ? ORR_OK : orr_fit_residuals(job);
}

static enum orr_status take_differences(struct fit_job *job)
{
    enum orr_status status = be_there(job);
    for (size_t i = 0; status == ORR_OK && i < job->directions; i++) {
        status = difference(job, job->param[i]);
    }
    return status;
}

enum orr_status orr_fit_slopes(struct fit_job *job)
{
    enum orr_status status;
    if (job->problem->has_slopes) {
        job->is_asked = false;
        status = ask(job, job->residual, job->slopes);
    } else {
        status = take_differences(job);
    }
    if (status == ORR_OK) {
        status = orr_fit_check_residuals(job);
    }
    return status == ORR_OK ? check_slopes(job) : status;
}
