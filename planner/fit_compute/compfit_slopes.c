/* Residuals of rows and their slopes. A job's time is homogeneous of degree one in what its parts
 * take, so one run tells the slope along every parameter that parts of the critical path are of:
 * d log T / d log share = - part / T. The others are differences over a step, one-sided. */
#include <math.h>
#include <string.h>

#include "planner/fit_compute/compfit_private.h"
#include "sim/sim.h"

static const double difference = 1e-4;

bool orr_compfit_has_part(const struct compfit_param *param)
{
    return param->kind != COMPFIT_KEY;
}

/* What a fit leaves as it is, and would otherwise go with a parameter of the same value. */
static const char *const kept[] = {
    "compute.efficiency.gemm.bandwidth",       "compute.efficiency.attention.bandwidth",
    "compute.efficiency.attention.constant",   "compute.efficiency.elementwise.points",
    "compute.efficiency.elementwise.constant", "compute.efficiency.memory.points",
    "compute.efficiency.memory.constant",      "compute.efficiency.default.constant"};
/* Of the platform's own entry for operations of no kind. */
static const char *const kept_of_default[] = {"compute.efficiency.default.points",
                                              "compute.efficiency.default.bandwidth"};

enum {
    KEPT = sizeof kept / sizeof *kept,
    KEPT_OF_DEFAULT = sizeof kept_of_default / sizeof *kept_of_default,
    MAX_KEYS = COMPFIT_OWN + KEPT + KEPT_OF_DEFAULT
};

void orr_compfit_take_slopes(const struct compfit *fit, const struct orrery *job, double *slope)
{
    const char *key[MAX_KEYS];
    double found[MAX_KEYS];
    size_t of[MAX_KEYS], own = 0, keys;
    for (size_t k = 0; k < fit->params; k++) {
        slope[k] = 0;
        if (orr_compfit_has_part(&fit->param[k])) {
            of[own] = k;
            key[own++] = fit->param[k].name;
        }
    }
    keys = own;
    for (size_t i = 0; i < KEPT; i++) {
        key[keys++] = kept[i];
    }
    const bool own_default = fit->efficiency.own_default || fit->efficiency.layers != NULL;
    for (size_t i = 0; i < KEPT_OF_DEFAULT && own_default; i++) {
        key[keys++] = kept_of_default[i];
    }
    orr_find_sensitivities(job, key, keys, found);
    for (size_t i = 0; i < own; i++) {
        slope[of[i]] = found[i];
    }
}

/* ---- an evaluation ---- */

/* Runs of all rows at theta, and beside it for each parameter that has no part: run[j x count + i]
 * of row i, j from 0 on. */
struct evaluation {
    const struct compfit *fit;
    const struct compfit_rows *rows;
    bool slopes;
    size_t beside;                   /* parameters without parts */
    struct compfit_setting *setting; /* [beside + 1] */
    struct compfit_run *run;         /* [(beside + 1) x rows] */
    double *slope;                   /* [rows x params] of the runs, of parameters with parts */
};

static bool is_beside(const struct compfit_param *param)
{
    return !param->fixed && !orr_compfit_has_part(param);
}

static void free_evaluation(struct evaluation *all)
{
    for (size_t j = 0; all->setting != NULL && j <= all->beside; j++) {
        orr_compfit_setting_free(&all->setting[j]);
    }
    orr_heap_free(all->setting);
    orr_heap_free(all->run);
    orr_heap_free(all->slope);
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
    for (size_t k = 0, j = 1; k < fit->params && j <= all->beside && status == ORR_OK; k++) {
        if (is_beside(&fit->param[k])) {
            other[k] = theta[k] - difference; /* upwards may be a bound */
            status = orr_compfit_setting(fit, other, COMPFIT_ALL_DIGITS, &all->setting[j++], diag);
            other[k] = theta[k];
        }
    }
    orr_heap_free(other);
    return status;
}

static enum orr_status begin(struct evaluation *all, const double *theta, struct orr_diag *diag)
{
    const struct compfit *fit = all->fit;
    const size_t count = all->rows->count;
    for (size_t k = 0; k < fit->params && all->slopes; k++) {
        all->beside += is_beside(&fit->param[k]) ? 1 : 0;
    }
    all->setting = orr_heap_calloc(all->beside + 1, sizeof *all->setting);
    all->run = orr_heap_calloc((all->beside + 1) * count + 1, sizeof *all->run);
    all->slope = orr_heap_calloc(count * fit->params + 1, sizeof *all->slope);
    if (all->setting == NULL || all->run == NULL || all->slope == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t j = 0; j <= all->beside; j++) {
        for (size_t i = 0; i < count; i++) {
            all->run[j * count + i] = (struct compfit_run){.fit = fit,
                                                           .row = &fit->row[all->rows->row[i]],
                                                           .setting = &all->setting[j],
                                                           .slopes = all->slopes && j == 0,
                                                           .slope = all->slope + i * fit->params};
        }
    }
    return make_settings(all, theta, diag);
}

/* Rows that ran at their priors run with other shares as well. */
static enum orr_status check(const struct evaluation *all, struct orr_diag *diag)
{
    for (size_t i = 0; i < (all->beside + 1) * all->rows->count; i++) {
        const struct compfit_run *run = &all->run[i];
        if (run->error[0] != '\0') {
            const struct orr_location place = orr_compfit_place(all->fit, run->row);
            return run->no_memory ? orr_diag_no_memory(diag, "a run of a measured iteration")
                                  : orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: %s",
                                                  run->row->name, run->error);
        }
    }
    return ORR_OK;
}

static void take(const struct evaluation *all, double *residual, double *slopes)
{
    const struct compfit *fit = all->fit;
    const size_t count = all->rows->count;
    for (size_t i = 0; i < count; i++) {
        const struct compfit_run *run = &all->run[i];
        residual[i] = log(run->time_s / run->row->time_s);
        for (size_t k = 0, j = 1; k < fit->params && slopes != NULL; k++) {
            double *slope = &slopes[i * fit->params + k];
            if (is_beside(&fit->param[k])) {
                *slope = log(run->time_s / all->run[j++ * count + i].time_s) / difference;
            } else {
                *slope = run->slope[k];
            }
        }
    }
}

enum orr_status orr_compfit_slopes(const struct compfit *fit, const struct compfit_rows *rows,
                                   const double *theta, double *residual, double *slopes,
                                   struct orr_diag *diag)
{
    struct evaluation all = {.fit = fit, .rows = rows, .slopes = slopes != NULL};
    enum orr_status status = begin(&all, theta, diag);
    if (status == ORR_OK) {
        orr_compfit_run_all(all.run, (all.beside + 1) * rows->count);
        status = check(&all, diag);
    }
    if (status == ORR_OK) {
        take(&all, residual, slopes);
    }
    free_evaluation(&all);
    return status;
}
