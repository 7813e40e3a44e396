/* The search: loads the input, fits the rows that can run, and fixes the parameters that rows do
 * not identify. */
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "planner/fit/fit_refine.h"
#include "planner/fit/least_squares.h"
#include "planner/fit_compute/compfit_private.h"
#include "report/results/fit_results.h"

static const double loss_scale = 0.04, prior_weight = 0.06, min_gain = 1e-7;
static const double nearly_exact = 3 * FIT_MIN_SIGMA, max_std_devs = 2;

enum { CACHE_ENTRIES = 8 };

/* An evaluation of the model. */
struct cached_model {
    double *theta, *residual, *jacobian;
    bool is_valid;
};

struct job {
    struct compfit *fit;
    struct orr_arena *arena;
    struct fit_param *param;  /* [params] */
    struct compfit_rows rows; /* the fitted rows */
    struct cached_model cache[CACHE_ENTRIES];
    unsigned oldest;
};

/* ---- the model ---- */

static void mark_used(struct compfit *fit, const struct job *job, const double *jacobian)
{
    for (size_t i = 0; i < job->rows.count; i++) {
        for (size_t k = 0; k < fit->params; k++) {
            fit->parameter[k].used = fit->parameter[k].used || jacobian[i * fit->params + k] != 0;
        }
    }
}

static const struct cached_model *lookup(const struct job *job, const double *theta)
{
    const size_t bytes = job->fit->params * sizeof *theta;
    for (unsigned i = 0; i < CACHE_ENTRIES; i++) {
        const struct cached_model *cached_model = &job->cache[i];
        if (cached_model->is_valid && memcmp(cached_model->theta, theta, bytes) == 0) {
            return cached_model;
        }
    }
    return NULL;
}

/* The model, with a cache of the last evaluations. Both residuals and Jacobian are kept, because
 * the Jacobian costs next to nothing more. */
static enum orr_status model(void *context, const double *theta, double *residual, double *jacobian,
                             struct orr_diag *diag)
{
    struct job *job = context;
    const size_t rows = job->rows.count, params = job->fit->params;
    const struct cached_model *known = lookup(job, theta);
    if (known == NULL) {
        struct cached_model *cached_model = &job->cache[job->oldest];
        cached_model->is_valid = false;
        const enum orr_status status = orr_compfit_jacobian(
            job->fit, &job->rows, theta, cached_model->residual, cached_model->jacobian, diag);
        if (status != ORR_OK) {
            return status;
        }
        memcpy(cached_model->theta, theta, params * sizeof *theta);
        cached_model->is_valid = true;
        job->oldest = (job->oldest + 1) % CACHE_ENTRIES;
        mark_used(job->fit, job, cached_model->jacobian);
        known = cached_model;
    }
    memcpy(residual, known->residual, rows * sizeof *residual);
    if (jacobian != NULL) {
        memcpy(jacobian, known->jacobian, rows * params * sizeof *jacobian);
    }
    return ORR_OK;
}

static bool make_cache(struct job *job)
{
    const size_t rows = job->rows.count, params = job->fit->params;
    bool made = true;
    for (unsigned i = 0; i < CACHE_ENTRIES; i++) {
        struct cached_model *cached_model = &job->cache[i];
        cached_model->theta = orr_arena_array(job->arena, params + 1, sizeof(double));
        cached_model->residual = orr_arena_array(job->arena, rows + 1, sizeof(double));
        cached_model->jacobian = orr_arena_array(job->arena, rows * params + 1, sizeof(double));
        made = made && cached_model->theta != NULL && cached_model->residual != NULL &&
               cached_model->jacobian != NULL;
    }
    return made;
}

/* ---- the search ---- */

static double log_of(double value)
{
    return value > 0 ? log(value) : 0;
}

static void fill_param(const struct compfit_param *of, struct fit_param *out)
{
    *out = (struct fit_param){.name = of->name,
                              .mean = log_of(of->prior),
                              .std_dev = of->std_dev,
                              .low = log_of(of->low),
                              .high = log_of(of->high),
                              .fixed = of->fixed};
}

/* Whether rows push a parameter to a bound or two standard deviations from its prior. Then its
 * prior would be worse than its value. */
static bool is_pushed(const struct fit_param *param, const struct fit_value *value)
{
    return value->at_bound != FIT_INSIDE ||
           fabs(value->value - param->mean) > max_std_devs * value->std_dev;
}

/* The least identified parameter, by posterior over prior standard deviation; FIT_NONE: all are
 * identified. */
static size_t find_least_identified(const struct job *job)
{
    size_t min = FIT_NONE;
    double max = 0;
    for (size_t k = 0; k < job->fit->params; k++) {
        const struct fit_value *value = &job->fit->fit.value[k];
        const double share = value->std_dev / job->param[k].std_dev;
        if (!job->param[k].fixed && !value->identified && !is_pushed(&job->param[k], value) &&
            share > max) {
            max = share;
            min = k;
        }
    }
    return min;
}

/* Fixes a parameter at its prior, and keeps the correlations that it had. */
static void fix_at_prior(struct job *job, size_t k)
{
    struct compfit *fit = job->fit;
    orr_fitrep_set_parameter(&fit->fit.value[k], fit->parameter, k);
    fit->param[k].fixed = fit->param[k].unidentified = true;
    fit->parameter[k].fixed = true;
    fill_param(&fit->param[k], &job->param[k]);
}

/* Searches, with lighter priors if rows can be met nearly exactly: else the misfit that priors
 * cause would count as noise, and widen the posterior. */
static enum orr_status solve(struct job *job, const struct fit_problem *problem,
                             struct orr_diag *diag)
{
    struct fit_result *result = &job->fit->fit;
    double sigma = INFINITY;
    enum orr_status status = orr_compfit_search_surrogate(job->arena, problem, result, diag);
    if (status == ORR_OK) {
        status = orr_compfit_sigma_surrogate(job->arena, problem, result, &sigma, diag);
    }
    return status == ORR_OK && sigma < nearly_exact
               ? orr_fit_refine(job->arena, problem, orr_compfit_search_surrogate, result, diag)
               : status;
}

/* Searches and fixes the least identified parameter, until all are identified. */
static enum orr_status search_and_fix(struct job *job, struct fit_problem *problem, double *from,
                                      struct orr_diag *diag)
{
    struct compfit *fit = job->fit;
    for (size_t unidentified = 0; unidentified != FIT_NONE;) {
        const enum orr_status status = solve(job, problem, diag);
        if (status != ORR_OK) {
            return status;
        }
        unidentified = find_least_identified(job);
        if (unidentified != FIT_NONE) {
            fix_at_prior(job, unidentified);
        }
        for (size_t k = 0; k < fit->params; k++) {
            from[k] = job->param[k].fixed ? job->param[k].mean : fit->fit.value[k].value;
        }
        problem->from = from;
    }
    return ORR_OK;
}

static enum orr_status search_all(struct job *job, struct orr_diag *diag)
{
    struct compfit *fit = job->fit;
    double *from = orr_arena_array(job->arena, fit->params + 1, sizeof *from);
    struct fit_problem problem = {.param = job->param,
                                  .params = fit->params,
                                  .rows = job->rows.count,
                                  .model = model,
                                  .has_jacobian = true,
                                  .context = job,
                                  .options = orr_fit_default_options()};
    problem.options.loss_scale = loss_scale;
    problem.options.prior_weight = prior_weight;
    problem.options.starts = 1; /* times are nearly smooth in shares */
    problem.options.gain = min_gain;
    return from != NULL ? search_and_fix(job, &problem, from, diag)
                        : orr_diag_no_memory(diag, "a fit");
}

static enum orr_status list_rows(struct job *job, struct orr_diag *diag)
{
    const struct compfit *fit = job->fit;
    size_t *list = orr_arena_array(job->arena, fit->rows + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < fit->rows; i++) {
        if (!fit->split.held[i]) {
            list[job->rows.count++] = i;
        }
    }
    job->rows.row = list;
    return list != NULL && make_cache(job) ? ORR_OK : orr_diag_no_memory(diag, "a fit");
}

static enum orr_status fit_parameters(struct job *job, struct orr_diag *diag)
{
    struct compfit *fit = job->fit;
    enum orr_status status = list_rows(job, diag);
    if (status == ORR_OK) {
        status = search_all(job, diag);
    }
    for (size_t k = 0; status == ORR_OK && k < fit->params; k++) {
        const bool unidentified = fit->param[k].unidentified;
        fit->theta[k] = fit->fit.value[k].value;
        fit->parameter[k].fixed = fit->param[k].fixed;
        if (!unidentified) {
            orr_fitrep_set_parameter(&fit->fit.value[k], fit->parameter, k);
        }
        fit->parameter[k].value = orr_compfit_value(&fit->param[k], fit->theta[k]);
        fit->parameter[k].std_dev = fit->param[k].fixed ? 0 : fit->parameter[k].std_dev;
    }
    return status == ORR_OK ? orr_compfit_last_run(fit, diag) : status;
}

/* ---- input ---- */

static enum orr_status make_parameters(struct job *job, struct orr_diag *diag)
{
    struct compfit *fit = job->fit;
    fit->theta = orr_arena_array(job->arena, fit->params + 1, sizeof *fit->theta);
    fit->parameter = orr_arena_array(job->arena, fit->params + 1, sizeof *fit->parameter);
    job->param = orr_arena_array(job->arena, fit->params + 1, sizeof *job->param);
    if (fit->theta == NULL || fit->parameter == NULL || job->param == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t k = 0; k < fit->params; k++) {
        const struct compfit_param *param = &fit->param[k];
        fill_param(param, &job->param[k]);
        fit->theta[k] = job->param[k].mean;
        fit->parameter[k] = (struct orr_fit_parameter_row){.name = param->name,
                                                           .unit = param->unit,
                                                           .value = param->prior,
                                                           .prior = param->prior,
                                                           .prior_std_dev = param->std_dev,
                                                           .fixed = param->fixed};
    }
    return ORR_OK;
}

static enum orr_status check_peak(const struct compfit *fit, struct orr_diag *diag)
{
    const struct orr_conf *compute = orr_conf_get(fit->input.platform, "compute");
    const bool map = compute != NULL && compute->kind == ORR_CONF_MAP;
    if ((map && orr_conf_get(compute, "peak") != NULL) ||
        orr_compfit_find_column(fit, "compute.peak") != SIZE_MAX) {
        return ORR_OK;
    }
    const struct orr_location location =
        orr_conf_location(compute != NULL ? compute : fit->input.platform);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "the platform has no compute.peak, of which shares are fitted; expected "
                         "compute: {peak: 312 TFLOP/s}, or --set 'compute.peak=312 TFLOP/s'");
}

enum orr_status orr_compfit_load(struct orr_arena *arena, const struct compfit_input *input,
                                 struct compfit *out, struct orr_diag *diag)
{
    *out = (struct compfit){.input = *input};
    enum orr_status status = orr_compfit_read(arena, out, diag);
    if (status == ORR_OK) {
        status = check_peak(out, diag);
    }
    if (status == ORR_OK) {
        status = orr_compfit_efficiency(arena,
                                        orr_compfit_find_key(input->platform, "compute.efficiency"),
                                        &out->efficiency, diag);
    }
    if (status == ORR_OK) {
        status = orr_compfit_params(arena, out, diag);
    }
    return status == ORR_OK ? orr_compfit_select(arena, out, diag) : status;
}

enum orr_status orr_compfit_solve(struct orr_arena *arena, struct compfit *fit,
                                  struct orr_diag *diag)
{
    struct job job = {.fit = fit, .arena = arena};
    enum orr_status status = make_parameters(&job, diag);
    if (status == ORR_OK) {
        status = orr_compfit_first_run(fit, arena, fit->theta, diag);
    }
    fit->fit = (struct fit_result){.converged = true};
    if (status == ORR_OK && !fit->input.keep) {
        status = fit_parameters(&job, diag);
    }
    if (status == ORR_OK) {
        status = orr_compfit_errors(fit, arena, diag);
    }
    return status == ORR_OK ? orr_compfit_add_notes(fit, arena, diag) : status;
}
