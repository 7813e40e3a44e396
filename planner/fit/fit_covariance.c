/* Posterior covariance: sigma, standard deviations and correlations at the end of a fit. In units
 * of the prior standard deviations the covariance is (A' A)^-1, where A is sqrt(W) J std_dev /
 * sigma on top of the identity; by MINPACK's QR factorization. */
#include <math.h>

#include <cminpack.h>

#include "planner/fit/fit_private.h"

static const double min_correlation = 0.01; /* that is reported */

/* W of a row. */
static double robust_weight(const struct fit_problem *problem, const struct fit_job *job,
                            size_t row)
{
    return orr_fit_weight(problem, row) /
           hypot(1, job->residual[row] / problem->options.loss_scale);
}

/* Fills the corner of the matrix with the covariance. */
static void covariance(struct fit_job *job, double sigma)
{
    const struct fit_problem *problem = job->problem;
    const int items = (int)job->items, directions = (int)job->directions;
    double *norm = job->scratch;
    for (size_t i = 0; i < job->directions; i++) {
        double *column = job->matrix + i * job->items;
        memset(column, 0, job->items * sizeof *column);
        for (size_t row = 0; row < problem->rows; row++) {
            column[row] = sqrt(robust_weight(problem, job, row)) / sigma *
                          job->jacobian[row * problem->params + job->param[i]] *
                          orr_fit_param(job, i)->std_dev;
        }
        column[problem->rows + i] = 1;
    }
    qrfac(items, directions, job->matrix, items, 1, job->pivot, directions, norm, norm + directions,
          norm + 2 * directions);
    for (size_t i = 0; i < job->directions; i++) {
        job->matrix[i * job->items + i] = norm[i];
    }
    covar(directions, job->matrix, items, job->pivot, 0, norm);
}

static double variance(const struct fit_job *job, size_t direction)
{
    return job->matrix[direction * job->items + direction];
}

/* Mean square of residuals with W, and the number of rows that have a weight. */
static double mean_square(const struct fit_job *job, double *rows)
{
    const struct fit_problem *problem = job->problem;
    double sum = 0, weights = 0;
    *rows = 0;
    for (size_t row = 0; row < problem->rows; row++) {
        sum += robust_weight(problem, job, row) * job->residual[row] * job->residual[row];
        weights += orr_fit_weight(problem, row);
        *rows += orr_fit_weight(problem, row) > 0 ? 1 : 0;
    }
    return weights > 0 ? sum / weights : 0;
}

/* Sigma and the number of well-determined parameters depend on each other: fixed-point iteration.
 */
static double find_sigma(struct fit_job *job)
{
    double rows, sigma = 0;
    const double square = mean_square(job, &rows);
    double well_determined = 0;
    for (int turn = 0; turn < 20; turn++) {
        const double before = sigma;
        const double more = rows / fmax(rows - well_determined, 1);
        sigma = fmax(sqrt(square * more), FIT_MIN_SIGMA);
        if (fabs(sigma - before) <= 1e-12 * sigma) {
            break;
        }
        covariance(job, sigma);
        well_determined = 0;
        for (size_t i = 0; i < job->directions; i++) {
            well_determined += 1 - variance(job, i);
        }
    }
    return sigma;
}

static void fill_correlations(const struct fit_job *job, struct fit_result *out)
{
    const size_t params = job->problem->params;
    for (size_t k = 0; k < params; k++) {
        out->correlation[k * params + k] = 1;
    }
    for (size_t i = 0; i < job->directions; i++) {
        struct fit_value *value = &out->value[job->param[i]];
        double largest = min_correlation;
        for (size_t j = 0; j < job->directions; j++) {
            const double shared = job->matrix[j * job->items + i];
            const double size = sqrt(variance(job, i) * variance(job, j));
            if (i == j) {
                continue;
            }
            out->correlation[job->param[i] * params + job->param[j]] = shared / size;
            if (fabs(shared / size) > largest) {
                largest = fabs(shared / size);
                value->trades_with = job->param[j];
                value->correlation = shared / size;
            }
        }
    }
}

void orr_fit_covariance(struct fit_job *job, struct fit_result *out)
{
    out->sigma = find_sigma(job);
    for (size_t k = 0; k < job->problem->params; k++) {
        out->value[k].trades_with = FIT_NONE;
    }
    for (size_t i = 0; i < job->directions; i++) {
        struct fit_value *value = &out->value[job->param[i]];
        const double before = orr_fit_param(job, i)->std_dev;
        value->std_dev = before * sqrt(variance(job, i));
        value->identified = value->std_dev < before / 2;
    }
    fill_correlations(job, out);
}
