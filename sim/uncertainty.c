/* Uncertainty of a job's time from the covariance of fitted parameters (compute.fitted;
 * docs/models.md, 18). The logarithm of the time is taken as normal. Parameters whose logarithms
 * have covariance C contribute the variance g' C g, with g the sensitivities of one run; the
 * residual of the fit is added. */
#include <inttypes.h>
#include <math.h>

#include "network/net_backend.h"
#include "sim/api_call.h"
#include "sim/orrery_private.h"
#include "sim/sensitivity.h"
#include "workload/engine/engine.h"
#include "workload/roofline/fitted.h"

/* Probability of the interval, and its half-width in standard deviations. */
static const double share = 0.8, deviations = 1.2815515655446004;

struct orr_uncertain {
    struct orrery_uncertainty result;
    struct orrery_slope *slope; /* [result.slopes] */
    const char *why_not;        /* reason why there is no interval; NULL: there is one */
};

/* ---- the run for sensitivities ---- */

/* Restores the job after the run, with the warnings of the run. */
static void restore(struct orrery *job, const struct orrery *aside)
{
    struct orrery now = *job;
    *job = *aside;
    job->diag = now.diag;
    job->notes.warning = now.notes.warning;
    job->notes.warnings = now.notes.warnings;
    job->notes.warning_capacity = now.notes.warning_capacity;
    job->found.slopes = now.found.slopes;
}

static enum orr_status run_for_slopes(struct orrery *job)
{
    enum orr_status status = orr_find_fold(job);
    if (status == ORR_OK) {
        status = orr_build(job);
    }
    if (status == ORR_OK) {
        status = orr_engine_run(job->layers.engine, &job->diag);
    }
    return status == ORR_OK ? orr_sensitivities_keep(job, job->notes.texts) : status;
}

enum orr_status orr_uncertainty_pilot_run(struct orrery *job)
{
    if (!orr_is_uncertain(job) || !orr_has_path(job) || job->found.slopes != NULL) {
        return ORR_OK;
    }
    const struct orrery aside = *job;
    struct orr_arena *scratch = orr_arena_create();
    if (scratch == NULL) {
        return orr_diag_no_memory(&job->diag, "slopes");
    }
    job->arena = scratch;
    job->requests.record = ORRERY_RECORD_SLOPES;
    job->layers.queue = NULL;
    job->layers.net = NULL;
    job->layers.sys = NULL;
    job->layers.engine = NULL;
    enum orr_status status = run_for_slopes(job);
    orr_destroy_layers(job);
    restore(job, &aside);
    orr_arena_destroy(scratch);
    if (status == ORR_ERR_DEADLOCK) { /* the main run reports it */
        job->diag = (struct orr_diag){.warn = job->diag.warn, .warn_user = job->diag.warn_user};
        job->requests.record &= ~(unsigned)ORRERY_RECORD_UNCERTAINTY;
        status = ORR_OK;
    }
    return status;
}

/* ---- after the run ---- */

static double variance_of(const struct wl_fitted *fitted, const double *slope)
{
    double sum = 0;
    for (size_t i = 0; i < fitted->params; i++) {
        for (size_t k = 0; k < fitted->params; k++) {
            sum += slope[i] * fitted->spread[i] * fitted->correlation[i * fitted->params + k] *
                   slope[k] * fitted->spread[k];
        }
    }
    return fmax(sum, 0); /* rounding */
}

static int64_t scaled_time(sim_time wall, double factor)
{
    const double ps = (double)wall * factor;
    return ps < 9.2e18 ? (int64_t)llround(ps) : ORR_TIME_MAX;
}

static void fill(const struct orrery *job, const double *slope, struct orrery_uncertainty *result)
{
    const struct wl_fitted *fitted = job->compute.fitted;
    const sim_time wall = orr_engine_wall(job->layers.engine);
    const double variance = variance_of(fitted, slope);
    const double far = exp(deviations * sqrt(variance + fitted->sigma * fitted->sigma));
    struct orrery_rates rates;
    orrery_rates(job, &rates);
    *result = (struct orrery_uncertainty){.share = share,
                                          .low_ps = scaled_time(wall, 1 / far),
                                          .high_ps = scaled_time(wall, far),
                                          .parameters = sqrt(variance),
                                          .residuals = fitted->sigma,
                                          .rows = fitted->rows,
                                          .low_utilization = rates.model_flops_utilization / far,
                                          .high_utilization = rates.model_flops_utilization * far,
                                          .slopes = result->slopes};
}

static enum orr_status list_slopes(struct orrery *job, const double *slope,
                                   struct orr_uncertain *out)
{
    const struct wl_fitted *fitted = job->compute.fitted;
    out->slope = orr_arena_array(job->arena, fitted->params + 1, sizeof *out->slope);
    if (out->slope == NULL) {
        return orr_diag_no_memory(&job->diag, "slopes");
    }
    for (size_t i = 0; i < fitted->params; i++) {
        if (orr_has_sensitivity(job, fitted->name[i])) {
            out->slope[out->result.slopes++] = (struct orrery_slope){
                .name = fitted->name[i], .slope = slope[i], .spread = fitted->spread[i]};
        }
    }
    return ORR_OK;
}

/* Why a fit of computing does not affect the time; NULL: it does. */
static const char *why_not(const struct orrery *job)
{
    if (orr_computed_ps(job) > 0) {
        return NULL;
    }
    return orr_recorded_ps(job) > 0
               ? "computing takes its recorded durations, so the parameters of compute.fitted do "
                 "not matter: there is no interval of the job's time"
               : "no computing is on the critical path, so the parameters of compute.fitted do not "
                 "matter: there is no interval of the job's time";
}

/* With shared links the end of a flow depends on all flows on them; the critical path has only one.
 */
static void warn_of_interval(struct orrery *job, const struct orr_uncertain *out)
{
    if (out->why_not != NULL) {
        orr_diag_warn(&job->diag, NULL, "%s", out->why_not);
    } else if (job->layers.net->ops->flows != NULL) {
        orr_diag_warn(
            &job->diag, NULL,
            "network.backend: flow: the end of a flow depends on all flows on its links, of which "
            "sensitivities follow one: the parameters' part of the uncertainty is approximate");
    }
}

enum orr_status orr_uncertainty_make(struct orrery *job)
{
    double slope[WL_MAX_FITTED] = {0};
    if (!orr_is_uncertain(job)) {
        return ORR_OK;
    }
    struct orr_uncertain *out = orr_arena_alloc(job->arena, sizeof *out);
    if (out == NULL) {
        return orr_diag_no_memory(&job->diag, "slopes");
    }
    *out = (struct orr_uncertain){.why_not = why_not(job)};
    const struct wl_fitted *fitted = job->compute.fitted;
    orr_find_sensitivities(job, fitted->name, fitted->params, slope);
    const enum orr_status status = list_slopes(job, slope, out);
    if (status != ORR_OK) {
        return status;
    }
    fill(job, slope, &out->result);
    job->found.uncertain = out;
    warn_of_interval(job, out);
    return ORR_OK;
}

/* ---- results ---- */

enum orrery_status orrery_uncertainty(const struct orrery *job, struct orrery_uncertainty *out)
{
    *out = (struct orrery_uncertainty){.share = 0};
    if (!orr_is_uncertain(job)) {
        return orr_reject_call(job, "the uncertainty of the job's time needs "
                                    "ORRERY_RECORD_UNCERTAINTY before loading");
    }
    if (job->found.uncertain == NULL) {
        return orr_reject_call(job, "the job has not run yet");
    }
    if (job->found.uncertain->why_not != NULL) {
        return orr_reject_call(job, "%s", job->found.uncertain->why_not);
    }
    *out = job->found.uncertain->result;
    return ORRERY_OK;
}

enum orrery_status orrery_slope(const struct orrery *job, size_t index, struct orrery_slope *out)
{
    struct orrery_uncertainty result;
    *out = (struct orrery_slope){.name = NULL};
    const enum orrery_status status = orrery_uncertainty(job, &result);
    if (status != ORRERY_OK) {
        return status;
    }
    if (index >= result.slopes) {
        return orr_reject_index(job, "slope of a parameter", index, result.slopes);
    }
    *out = job->found.uncertain->slope[index];
    return ORRERY_OK;
}
