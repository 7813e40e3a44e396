/* The search: fits the library's model to the rows, with and without NVLS trees if these are
 * possible, and again with lighter priors if rows are met nearly exactly. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "planner/fit/fit_refine.h"
#include "planner/fit/least_squares.h"
#include "planner/fit_collectives/collfit_private.h"
#include "report/results/fit_results.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"

/* ---- the model ---- */

/* The fitted rows, and a bit set of the parameters that each uses. */
struct job {
    const struct collfit *fit;
    struct orr_arena *arena;
    const struct fit_param *param;
    const size_t *row;    /* [rows] indices of measured rows */
    const uint32_t *uses; /* [rows] */
    size_t rows;
};

/* Without the launch, in us. */
static double choice_us(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        const struct orr_measured_row *row)
{
    struct sys_ccl_choice choice;
    orr_sys_ccl_choose(library, shape, row->kind, (double)row->bytes, &choice);
    return (choice.latency_s + choice.transfer_s) * 1e6;
}

double orr_collfit_time_us(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                           const struct orr_measured_row *row)
{
    return (double)library->launch_ps / (double)ORR_PS_PER_US + choice_us(library, shape, row);
}

static void fill_residuals(const struct job *job, const double *theta, uint32_t uses,
                           double *residual)
{
    struct sys_ccl library;
    double launch_us;
    orr_collfit_library(job->fit, theta, &library, &launch_us);
    for (size_t i = 0; i < job->rows; i++) {
        const size_t row = job->row[i];
        const struct orr_measured_row *of = &job->fit->measured.row[row];
        if ((job->uses[i] & uses) != 0) {
            residual[i] =
                log((launch_us + choice_us(&library, &job->fit->shape[row], of)) / of->time_us);
        }
    }
}

/* The model. Differences are taken downwards, because bandwidths have a bound upwards. */
static enum orr_status model(void *context, const double *theta, double *residual, double *jacobian,
                             struct orr_diag *diag)
{
    const struct job *job = context;
    const double step = 1e-6;
    fill_residuals(job, theta, UINT32_MAX, residual);
    if (jacobian == NULL) {
        return ORR_OK;
    }
    double shifted[COLLFIT_PARAMS];
    double *shifted_residual = orr_heap_alloc((job->rows + 1) * sizeof *shifted_residual);
    if (shifted_residual == NULL) {
        return orr_diag_no_memory(diag, "fit");
    }
    memcpy(shifted, theta, sizeof shifted);
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        if (job->param[k].fixed) {
            continue;
        }
        shifted[k] = theta[k] - step;
        fill_residuals(job, shifted, UINT32_C(1) << k, shifted_residual);
        for (size_t i = 0; i < job->rows; i++) {
            const bool used = (job->uses[i] & UINT32_C(1) << k) != 0;
            jacobian[i * COLLFIT_PARAMS + k] =
                used ? (residual[i] - shifted_residual[i]) / (theta[k] - shifted[k]) : 0;
        }
        shifted[k] = theta[k];
    }
    orr_heap_free(shifted_residual);
    return ORR_OK;
}

static enum orr_status list_rows(struct job *job, struct orr_diag *diag)
{
    const struct orr_measured *measured = &job->fit->measured;
    size_t *list = orr_arena_array(job->arena, measured->rows + 1, sizeof *list);
    uint32_t *uses = orr_arena_array(job->arena, measured->rows + 1, sizeof *uses);
    if (list == NULL || uses == NULL) {
        return orr_diag_no_memory(diag, "fit");
    }
    for (size_t row = 0; row < measured->rows; row++) {
        if (job->fit->split.held[row]) {
            continue;
        }
        for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
            uses[job->rows] |= (uint32_t)orr_collfit_row_uses(job->fit, row, k) << k;
        }
        list[job->rows++] = row;
    }
    job->row = list;
    job->uses = uses;
    return ORR_OK;
}

/* ---- the search ---- */

static struct fit_problem problem_of(struct job *job)
{
    return (struct fit_problem){.param = job->param,
                                .params = COLLFIT_PARAMS,
                                .rows = job->rows,
                                .model = model,
                                .has_jacobian = true,
                                .context = job,
                                .options = orr_fit_default_options()};
}

/* Whether all-reduces of fitted rows can use an NVLS tree. */
static bool can_use_nvls_tree(const struct collfit *fit)
{
    bool can = false;
    for (size_t i = 0; i < fit->measured.rows; i++) {
        can = can || (!fit->split.held[i] && fit->measured.row[i].kind == COLL_ALL_REDUCE &&
                      fit->shape[i].nodes > 1 && fit->shape[i].max > 1);
    }
    return can && fit->platform_library->nvls && fit->platform_library->gpu->nvls_from != 0;
}

static enum orr_status search_both_trees(struct job *job, struct collfit *fit,
                                         struct orr_diag *diag)
{
    const struct fit_problem problem = problem_of(job);
    struct fit_result with_tree;
    fit->library = *fit->platform_library;
    if (!can_use_nvls_tree(fit)) {
        return orr_fit_solve(job->arena, &problem, &fit->fit, diag);
    }
    fit->library.nvls_tree = false;
    enum orr_status status = orr_fit_solve(job->arena, &problem, &fit->fit, diag);
    if (status != ORR_OK) {
        return status;
    }
    fit->library.nvls_tree = true;
    status = orr_fit_solve(job->arena, &problem, &with_tree, diag);
    if (status == ORR_OK && with_tree.cost < fit->fit.cost) {
        fit->fit = with_tree;
    } else {
        fit->library.nvls_tree = false;
    }
    return status;
}

/* ---- results ---- */

static void fill_results(struct collfit *fit)
{
    double theta[COLLFIT_PARAMS], launch_us;
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        theta[k] = fit->fit.value[k].value;
        orr_fitrep_set_parameter(&fit->fit.value[k], fit->parameter, k);
    }
    orr_collfit_library(fit, theta, &fit->library, &launch_us);
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        fit->parameter[k].would_identify =
            fit->parameter[k].identified || fit->input.keep ? NULL : orr_collfit_advice(fit, k);
    }
    fit->head = (struct orr_fit_head_row){.platform = fit->input.platform,
                                          .fitted = fit->split.fitted,
                                          .held_out = fit->split.tested,
                                          .nvls_tree = fit->library.nvls_tree,
                                          .cost = fit->fit.cost,
                                          .sigma = fit->fit.sigma};
}

/* No fit: all parameters keep their values. */
static enum orr_status keep(const struct job *job, struct collfit *fit, struct orr_diag *diag)
{
    struct fit_value *value = orr_arena_array(job->arena, COLLFIT_PARAMS, sizeof *value);
    if (value == NULL) {
        return orr_diag_no_memory(diag, "fit");
    }
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        value[k] = (struct fit_value){.value = job->param[k].mean, .trades_with = FIT_NONE};
    }
    fit->fit = (struct fit_result){.value = value, .converged = true};
    fit->library = *fit->platform_library;
    return ORR_OK;
}

static enum orr_status fit_library(struct job *job, struct collfit *fit, struct orr_diag *diag)
{
    enum orr_status status = list_rows(job, diag);
    if (status == ORR_OK) {
        status = search_both_trees(job, fit, diag);
    }
    const struct fit_problem problem = problem_of(job);
    return status == ORR_OK ? orr_fit_refine(job->arena, &problem, orr_fit_solve, &fit->fit, diag)
                            : status;
}

enum orr_status orr_collfit_solve(struct orr_arena *arena, struct collfit *fit,
                                  struct orr_diag *diag)
{
    struct fit_param param[COLLFIT_PARAMS];
    struct job job = {.fit = fit, .arena = arena, .param = param};
    orr_collfit_params(fit, param);
    enum orr_status status = fit->input.keep ? keep(&job, fit, diag) : fit_library(&job, fit, diag);
    if (status != ORR_OK) {
        return status;
    }
    fill_results(fit);
    status = orr_collfit_errors(fit, arena, diag);
    return status == ORR_OK ? orr_collfit_add_notes(fit, arena, diag) : status;
}
