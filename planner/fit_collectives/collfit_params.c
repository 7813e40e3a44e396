/* The parameters of the fit: priors, bounds, and which rows use them. */
#include <math.h>

#include "planner/fit_collectives/collfit_private.h"

static const double launch_std_dev = 1.2, bound_std_devs = 3;

static const double std_devs[SYS_CCL_SCALES] = {
    [SYS_CCL_INNER_BANDWIDTH] = 0.15, [SYS_CCL_OUTER_BANDWIDTH] = 0.3,
    [SYS_CCL_INNER_LATENCY] = 0.7,    [SYS_CCL_OUTER_LATENCY] = 0.7,
    [SYS_CCL_TREE_LATENCY] = 0.7,     [SYS_CCL_TREE_BANDWIDTH] = 0.5,
    [SYS_CCL_LL_LATENCY] = 0.7,       [SYS_CCL_LL_BANDWIDTH] = 0.7,
    [SYS_CCL_LL128_LATENCY] = 0.7,    [SYS_CCL_LL128_BANDWIDTH] = 0.5,
    [SYS_CCL_NVLS_BANDWIDTH] = 0.5,   [SYS_CCL_ALL_TO_ALL_LATENCY] = 0.7,
    [SYS_CCL_ALL_TO_ALL_NODE] = 0.7,  [SYS_CCL_ALL_TO_ALL_BANDWIDTH] = 0.3};

static enum sys_ccl_scale scale_of(size_t param)
{
    return (enum sys_ccl_scale)(param - COLLFIT_SCALES);
}

/* Bandwidths are bounded by a data sheet; all other parameters are latencies. */
bool orr_collfit_is_latency(size_t param)
{
    switch (param == COLLFIT_LAUNCH ? SYS_CCL_INNER_LATENCY : scale_of(param)) {
    case SYS_CCL_INNER_BANDWIDTH:
    case SYS_CCL_OUTER_BANDWIDTH:
    case SYS_CCL_TREE_BANDWIDTH:
    case SYS_CCL_LL_BANDWIDTH:
    case SYS_CCL_LL128_BANDWIDTH:
    case SYS_CCL_NVLS_BANDWIDTH:
    case SYS_CCL_ALL_TO_ALL_BANDWIDTH:
        return false;
    default:
        return true;
    }
}

bool orr_collfit_row_uses(const struct collfit *fit, size_t row, size_t param)
{
    return !fit->split.held[row] &&
           (param == COLLFIT_LAUNCH ||
            fit->platform_library->ops->uses(fit->platform_library, &fit->shape[row],
                                             fit->measured.row[row].kind, scale_of(param)));
}

bool orr_collfit_has_small(const struct collfit *fit)
{
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (!fit->split.held[i] && fit->measured.row[i].bytes < COLLFIT_LARGE) {
            return true;
        }
    }
    return false;
}

static bool is_used(const struct collfit *fit, size_t param)
{
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (orr_collfit_row_uses(fit, i, param)) {
            return true;
        }
    }
    return false;
}

/* Whether all fitted groups of several nodes have one NPU a node. */
static bool is_one_npu_per_node(const struct collfit *fit)
{
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (!fit->split.held[i] && fit->shape[i].nodes > 1 && fit->shape[i].max > 1) {
            return false;
        }
    }
    return true;
}

void orr_collfit_params(struct collfit *fit, struct fit_param param[COLLFIT_PARAMS])
{
    const bool small = orr_collfit_has_small(fit), one_per_node = is_one_npu_per_node(fit);
    const double launch_us = (double)fit->platform_library->launch_ps / (double)ORR_PS_PER_US;
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        const bool launch = k == COLLFIT_LAUNCH;
        const double prior = launch ? launch_us : fit->platform_library->scale[scale_of(k)];
        const double max = launch ? INFINITY
                                  : fit->platform_library->ops->max(fit->platform_library,
                                                                    scale_of(k), one_per_node);
        const double std_dev = launch ? launch_std_dev : std_devs[scale_of(k)];
        const char *name = launch ? "launch" : orr_sys_ccl_scale_name(scale_of(k));
        const bool used = is_used(fit, k);
        const bool fixed =
            !used || !(prior > 0) || (orr_collfit_is_latency(k) && !small && !launch);
        const double mean = prior > 0 ? fmin(log(prior), fixed ? INFINITY : log(max)) : 0;
        param[k] = (struct fit_param){.name = name,
                                      .mean = mean,
                                      .std_dev = std_dev,
                                      .low = mean - bound_std_devs * std_dev,
                                      .high = fmin(mean + bound_std_devs * std_dev, log(max)),
                                      .fixed = fixed};
        fit->parameter[k] = (struct orr_fit_parameter_row){.name = name,
                                                           .unit = launch ? "us" : "",
                                                           .value = prior,
                                                           .prior = prior,
                                                           .std_dev = fixed ? 0 : std_dev,
                                                           .prior_std_dev = std_dev,
                                                           .fixed = fixed,
                                                           .used = used};
    }
}

/* Fixed parameters have exactly the platform's values. */
void orr_collfit_library(const struct collfit *fit, const double *theta, struct sys_ccl *out,
                         double *launch_us)
{
    *out = fit->library;
    *launch_us = fit->parameter[COLLFIT_LAUNCH].fixed ? fit->parameter[COLLFIT_LAUNCH].prior
                                                      : exp(theta[COLLFIT_LAUNCH]);
    out->launch_ps = (sim_time)llround(*launch_us * (double)ORR_PS_PER_US);
    for (size_t k = COLLFIT_SCALES; k < COLLFIT_PARAMS; k++) {
        if (!fit->parameter[k].fixed) {
            out->scale[scale_of(k)] = exp(theta[k]);
        }
    }
}
