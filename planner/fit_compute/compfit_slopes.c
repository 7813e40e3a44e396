/* Residuals of rows and their slopes. A job's time is homogeneous of degree one in what its parts
 * take, so one run tells the slope along every parameter that parts of the critical path are of:
 * d log T / d log share = - part / T. The others are differences over a step, one-sided. */
#include <math.h>
#include <string.h>

#include "planner/fit_compute/compfit_private.h"
#include "workload/workload.h"

static const double difference = 1e-4;

bool orr_compfit_has_part(const struct compfit_param *param)
{
    return param->kind != COMPFIT_KEY;
}

/* "gemm by peak": what comes behind the kind, and the kind; NULL: it is no computing. */
static const char *split(const char *what, unsigned *kind)
{
    for (*kind = 0; *kind < ORR_OP_KINDS; ++*kind) {
        const size_t length = strlen(orr_op_kind_names[*kind]);
        if (strncmp(what, orr_op_kind_names[*kind], length) == 0 && what[length] == ' ') {
            return what + length + 1;
        }
    }
    return NULL;
}

size_t orr_compfit_param_of(const struct compfit *fit, const struct orrery_path_part *part,
                            double *sign)
{
    unsigned kind;
    const char *bound = split(part->what, &kind);
    *sign = -1;
    if (bound == NULL) {
        return SIZE_MAX;
    }
    const bool fallback =
        kind == ORR_OP_DEFAULT && !fit->efficiency.own_default && fit->efficiency.layers == NULL;
    if (strcmp(bound, "constant") == 0) {
        *sign = 1;
        return kind == ORR_OP_GEMM ? COMPFIT_CONSTANT : SIZE_MAX;
    }
    if (strcmp(bound, "by peak") == 0) {
        return kind == ORR_OP_GEMM || fallback ? COMPFIT_GEMM
               : kind == ORR_OP_ATTENTION      ? COMPFIT_ATTENTION
                                               : SIZE_MAX;
    }
    return kind == ORR_OP_ELEMENTWISE || kind == ORR_OP_MEMORY || fallback ? COMPFIT_ELEMENTWISE
                                                                           : SIZE_MAX;
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
    double *part_s;                  /* [rows x params] */
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
    orr_heap_free(all->part_s);
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
    all->part_s = orr_heap_calloc(count * fit->params + 1, sizeof *all->part_s);
    if (all->setting == NULL || all->run == NULL || all->part_s == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t j = 0; j <= all->beside; j++) {
        for (size_t i = 0; i < count; i++) {
            all->run[j * count + i] = (struct compfit_run){.fit = fit,
                                                           .row = &fit->row[all->rows->row[i]],
                                                           .setting = &all->setting[j],
                                                           .slopes = all->slopes && j == 0,
                                                           .part_s = all->part_s + i * fit->params};
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
            const struct orr_place place = orr_compfit_place(all->fit, run->row);
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
                *slope = run->part_s[k] / run->time_s;
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
