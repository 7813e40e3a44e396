/* Residuals of rows and their Jacobian. The time T of a job is homogeneous of degree one in the
 * times of its parts. So one run gives the sensitivity to every parameter on which parts of the
 * critical path depend: d log T / d log share = - part / T. Other parameters take one-sided finite
 * differences. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "planner/fit_compute/compfit_private.h"
#include "sim/sensitivity.h"

static const double theta_step = 1e-4;

bool orr_compfit_has_sensitivity(const struct compfit_param *param)
{
    return param->kind != COMPFIT_KEY;
}

/* Keys that the fit does not change. They are listed so that their parts do not count for a
 * parameter with the same value. */
static const char *const unfitted_key[] = {
    "compute.efficiency.gemm.bandwidth",       "compute.efficiency.attention.bandwidth",
    "compute.efficiency.attention.constant",   "compute.efficiency.elementwise.points",
    "compute.efficiency.elementwise.constant", "compute.efficiency.memory.points",
    "compute.efficiency.memory.constant",      "compute.efficiency.default.constant"};
/* The same of the platform's own default entry. */
static const char *const unfitted_default_key[] = {"compute.efficiency.default.points",
                                                   "compute.efficiency.default.bandwidth"};

enum {
    UNFITTED_KEYS = sizeof unfitted_key / sizeof *unfitted_key,
    UNFITTED_DEFAULT_KEYS = sizeof unfitted_default_key / sizeof *unfitted_default_key,
    MAX_KEYS = COMPFIT_EFFICIENCY_PARAMS + UNFITTED_KEYS + UNFITTED_DEFAULT_KEYS
};

void orr_compfit_read_sensitivities(const struct compfit *fit, const struct orrery *job,
                                    double *sensitivity)
{
    const char *key[MAX_KEYS];
    double found[MAX_KEYS];
    size_t of[MAX_KEYS], fitted = 0, keys;
    for (size_t k = 0; k < fit->params; k++) {
        sensitivity[k] = 0;
        if (orr_compfit_has_sensitivity(&fit->param[k])) {
            of[fitted] = k;
            key[fitted++] = fit->param[k].name;
        }
    }
    keys = fitted;
    for (size_t i = 0; i < UNFITTED_KEYS; i++) {
        key[keys++] = unfitted_key[i];
    }
    const bool has_operator_default =
        fit->efficiency.has_operator_default || fit->efficiency.layers != NULL;
    for (size_t i = 0; i < UNFITTED_DEFAULT_KEYS && has_operator_default; i++) {
        key[keys++] = unfitted_default_key[i];
    }
    orr_find_sensitivities(job, key, keys, found);
    for (size_t i = 0; i < fitted; i++) {
        sensitivity[of[i]] = found[i];
    }
}

/* ---- an evaluation ---- */

/* Runs of all rows at theta, and one step away for each parameter without a sensitivity: run[j x
 * count + i] of row i; j = 0 at theta. */
struct evaluation {
    const struct compfit *fit;
    const struct compfit_rows *rows;
    bool jacobian;
    size_t differenced;              /* number of parameters with finite differences */
    struct compfit_setting *setting; /* [differenced + 1] */
    struct compfit_run *run;         /* [(differenced + 1) x rows] */
    double *sensitivity;             /* [rows x params] sensitivities of the runs at theta */
};

static bool needs_difference(const struct compfit_param *param)
{
    return !param->fixed && !orr_compfit_has_sensitivity(param);
}

static void free_evaluation(struct evaluation *all)
{
    for (size_t j = 0; all->setting != NULL && j <= all->differenced; j++) {
        orr_compfit_setting_free(&all->setting[j]);
    }
    orr_heap_free(all->setting);
    orr_heap_free(all->run);
    orr_heap_free(all->sensitivity);
}

static enum orr_status make_settings(struct evaluation *all, const double *theta,
                                     struct orr_diag *diag)
{
    const struct compfit *fit = all->fit;
    enum orr_status status =
        orr_compfit_setting(fit, theta, COMPFIT_ALL_DIGITS, &all->setting[0], diag);
    double *other = orr_heap_alloc((fit->params + 1) * sizeof *other);
    if (other == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    memcpy(other, theta, fit->params * sizeof *other);
    for (size_t k = 0, j = 1; k < fit->params && j <= all->differenced && status == ORR_OK; k++) {
        if (needs_difference(&fit->param[k])) {
            other[k] =
                theta[k] - theta_step; /* downwards, because bandwidths have a bound upwards */
            status = orr_compfit_setting(fit, other, COMPFIT_ALL_DIGITS, &all->setting[j++], diag);
            other[k] = theta[k];
        }
    }
    orr_heap_free(other);
    return status;
}

static enum orr_status init_evaluation(struct evaluation *all, const double *theta,
                                       struct orr_diag *diag)
{
    const struct compfit *fit = all->fit;
    const size_t count = all->rows->count;
    for (size_t k = 0; k < fit->params && all->jacobian; k++) {
        all->differenced += needs_difference(&fit->param[k]) ? 1 : 0;
    }
    all->setting = orr_heap_calloc(all->differenced + 1, sizeof *all->setting);
    all->run = orr_heap_calloc((all->differenced + 1) * count + 1, sizeof *all->run);
    all->sensitivity = orr_heap_calloc(count * fit->params + 1, sizeof *all->sensitivity);
    if (all->setting == NULL || all->run == NULL || all->sensitivity == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t j = 0; j <= all->differenced; j++) {
        for (size_t i = 0; i < count; i++) {
            all->run[j * count + i] =
                (struct compfit_run){.fit = fit,
                                     .row = &fit->row[all->rows->row[i]],
                                     .setting = &all->setting[j],
                                     .jacobian = all->jacobian && j == 0,
                                     .sensitivity = all->sensitivity + i * fit->params};
        }
    }
    return make_settings(all, theta, diag);
}

/* An error of a run is an error of the fit: rows that ran at the priors run with other values as
 * well. */
static enum orr_status check_runs(const struct evaluation *all, struct orr_diag *diag)
{
    for (size_t i = 0; i < (all->differenced + 1) * all->rows->count; i++) {
        const struct compfit_run *run = &all->run[i];
        if (run->error[0] != '\0') {
            const struct orr_location location = orr_compfit_location(all->fit, run->row);
            return run->no_memory ? orr_diag_no_memory(diag, "a run of a measured iteration")
                                  : orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s",
                                                  run->row->name, run->error);
        }
    }
    return ORR_OK;
}

static void fill_outputs(const struct evaluation *all, double *residual, double *jacobian)
{
    const struct compfit *fit = all->fit;
    const size_t count = all->rows->count;
    for (size_t i = 0; i < count; i++) {
        const struct compfit_run *run = &all->run[i];
        residual[i] = log(run->time_s / run->row->time_s);
        for (size_t k = 0, j = 1; k < fit->params && jacobian != NULL; k++) {
            double *sensitivity = &jacobian[i * fit->params + k];
            if (needs_difference(&fit->param[k])) {
                *sensitivity = log(run->time_s / all->run[j++ * count + i].time_s) / theta_step;
            } else {
                *sensitivity = run->sensitivity[k];
            }
        }
    }
}

enum orr_status orr_compfit_jacobian(const struct compfit *fit, const struct compfit_rows *rows,
                                     const double *theta, double *residual, double *jacobian,
                                     struct orr_diag *diag)
{
    struct evaluation all = {.fit = fit, .rows = rows, .jacobian = jacobian != NULL};
    enum orr_status status = init_evaluation(&all, theta, diag);
    if (status == ORR_OK) {
        orr_compfit_run_all(all.run, (all.differenced + 1) * rows->count);
        status = check_runs(&all, diag);
    }
    if (status == ORR_OK) {
        fill_outputs(&all, residual, jacobian);
    }
    free_evaluation(&all);
    return status;
}
