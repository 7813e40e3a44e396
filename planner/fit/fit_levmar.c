/* Minimizes from one start: MINPACK's lmder (Levenberg and Marquardt's method) on items whose
 * squares add up to the cost, within bounds (least_squares.h has the rules). */
#include <math.h>

#include <cminpack.h>

#include "planner/fit/fit_private.h"

/* A parameter nearer to a bound than so many standard deviations is at it; the rest is rounding. */
static const double at_bound = 1e-10;

/* An item to which no step is ever taken; its square is still a finite number. */
static const double refused = 1e100;

/* r sqrt(loss(r) / r^2), where loss(r) = 2 r^2 / (1 + sqrt(1 + (r / c)^2)): sign and root. */
static double robust_residual(double r, double c)
{
    return r * sqrt(2 / (1 + hypot(1, r / c)));
}

static double robust_derivative(double r, double c)
{
    const double q = hypot(1, r / c);
    return sqrt((1 + q) / 2) / q;
}

static double prior_scale(const struct fit_problem *problem)
{
    return problem->options.prior_squared ? INFINITY : problem->options.loss_scale;
}

/* Sets theta to the point of u, projected onto the bounds. */
static void clamp_theta(struct fit_job *job, const double *u)
{
    for (size_t i = 0; i < job->directions; i++) {
        const struct fit_param *param = orr_fit_param(job, i);
        const double theta = param->mean + param->std_dev * u[i];
        const double near = at_bound * param->std_dev;
        job->theta[job->param[i]] = theta >= param->high - near  ? param->high
                                    : theta <= param->low + near ? param->low
                                                                 : theta;
    }
}

/* The coordinate of theta along a direction: its distance from the mean in standard deviations. */
static double distance(const struct fit_job *job, size_t direction)
{
    const struct fit_param *param = orr_fit_param(job, direction);
    return (job->theta[job->param[direction]] - param->mean) / param->std_dev;
}

static void fill_items(const struct fit_job *job, double *item)
{
    const struct fit_problem *problem = job->problem;
    const double p = problem->options.prior_weight;
    for (size_t row = 0; row < problem->rows; row++) {
        item[row] = sqrt(orr_fit_weight(problem, row)) *
                    robust_residual(job->residual[row], problem->options.loss_scale);
    }
    for (size_t i = 0; i < job->directions; i++) {
        item[problem->rows + i] = robust_residual(p * distance(job, i), prior_scale(problem));
    }
}

double orr_fit_cost(const struct fit_problem *problem, const double *theta, const double *residual)
{
    double sum = 0;
    for (size_t row = 0; row < problem->rows; row++) {
        const double item = robust_residual(residual[row], problem->options.loss_scale);
        sum += orr_fit_weight(problem, row) * item * item;
    }
    for (size_t k = 0; k < problem->params; k++) {
        const struct fit_param *param = &problem->param[k];
        if (!param->fixed) {
            const double far = (theta[k] - param->mean) / param->std_dev;
            const double item =
                robust_residual(problem->options.prior_weight * far, prior_scale(problem));
            sum += item * item;
        }
    }
    return sum;
}

/* Whether a direction is held: u is outside of its bounds, or at one where the cost falls outwards.
 */
static bool is_held_at_bound(const struct fit_job *job, size_t direction, double u, double rise)
{
    const struct fit_param *param = orr_fit_param(job, direction);
    const double theta = job->theta[job->param[direction]], beyond = u - distance(job, direction);
    const double far = 2 * at_bound;
    if (theta == param->high) { /* infinite bounds are never met */
        return beyond > far || rise < 0;
    }
    return theta == param->low && (beyond < -far || rise > 0);
}

/* The Jacobian of the items along u. The matrix is overwritten. */
static void fill_matrix(const struct fit_job *job, const double *u, const double *item,
                        double *matrix)
{
    const struct fit_problem *problem = job->problem;
    const double p = problem->options.prior_weight;
    for (size_t i = 0; i < job->directions; i++) {
        double *column = matrix + i * job->items;
        double rise = 0;
        memset(column, 0, job->items * sizeof *column);
        for (size_t row = 0; row < problem->rows; row++) {
            column[row] = sqrt(orr_fit_weight(problem, row)) *
                          robust_derivative(job->residual[row], problem->options.loss_scale) *
                          job->jacobian[row * problem->params + job->param[i]] *
                          orr_fit_param(job, i)->std_dev;
            rise += item[row] * column[row];
        }
        const size_t prior = problem->rows + i;
        column[prior] = p * robust_derivative(p * distance(job, i), prior_scale(problem));
        rise += item[prior] * column[prior];
        if (is_held_at_bound(job, i, u[i], rise)) {
            memset(column, 0, job->items * sizeof *column);
        }
    }
}

static bool all_finite(const double *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(number[i])) {
            return false;
        }
    }
    return true;
}

/* Items at theta. At a point without finite residuals they are so large that no step goes there. */
static int evaluate_items(struct fit_job *job, double *item)
{
    job->status = orr_fit_residuals(job);
    if (job->status == ORR_OK && job->needs_finite) {
        job->status = orr_fit_check_residuals(job);
    }
    if (job->status != ORR_OK) {
        return -1;
    }
    job->needs_finite = false;
    if (all_finite(job->residual, job->problem->rows)) {
        fill_items(job, item);
        return 0;
    }
    for (size_t i = 0; i < job->items; i++) {
        item[i] = refused;
    }
    return 0;
}

/* The callback of lmder: items (request 1), or their Jacobian at the last point with its items (2).
 */
static int lmder_callback(void *context, int items, int directions, const double *u, double *item,
                          double *matrix, int stride, int request)
{
    struct fit_job *job = context;
    (void)items, (void)directions, (void)stride;
    clamp_theta(job, u);
    if (request == 1) {
        return evaluate_items(job, item);
    }
    if (request == 2) {
        job->status = orr_fit_jacobian(job);
        if (job->status != ORR_OK) {
            return -1;
        }
        fill_matrix(job, u, item, matrix);
    }
    return 0;
}

/* One run of lmder from theta. False: it ran out of evaluations, or an evaluation failed. */
static bool run_lmder(struct fit_job *job, int max, int *used)
{
    const double gain = job->problem->options.gain, move = 100 * gain;
    const int items = (int)job->items, directions = (int)job->directions;
    double *scratch = job->scratch;
    int jacobian;
    for (size_t i = 0; i < job->directions; i++) {
        job->u[i] = distance(job, i);
    }
    const int end = lmder(lmder_callback, job, items, directions, job->u, job->item, job->matrix,
                          items, gain, move, 0, max, job->scale, 2, 1, 0, used, &jacobian,
                          job->pivot, scratch, scratch + directions, scratch + 2 * directions,
                          scratch + 3 * directions, scratch + 4 * directions);
    clamp_theta(job, job->u);
    return job->status == ORR_OK && end != 5;
}

static double squares(const double *number, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += number[i] * number[i];
    }
    return sum;
}

/* No free parameter, or no search: the cost at theta. */
static enum orr_status evaluate_once(struct fit_job *job, double *cost)
{
    const int failed = evaluate_items(job, job->item);
    *cost = failed ? 0 : squares(job->item, job->items);
    return job->status;
}

enum orr_status orr_fit_levmar(struct fit_job *job, double *cost, bool *converged)
{
    const double min_gain = 1000 * job->problem->options.gain, tiny_gain = 1e-20;
    int left = (int)job->problem->options.evaluations, used = 0;
    job->needs_finite = true;
    *converged = true;
    *cost = INFINITY;
    if (job->directions == 0 || job->problem->no_search) {
        return evaluate_once(job, cost);
    }
    while (*converged) {
        const double before = *cost;
        *converged = run_lmder(job, left, &used);
        if (job->status != ORR_OK) {
            return job->status;
        }
        *cost = squares(job->item, job->items);
        if (before - *cost <= min_gain * before + tiny_gain) {
            break;
        }
        left -= used;
        *converged = *converged && left > 0;
    }
    return ORR_OK;
}
