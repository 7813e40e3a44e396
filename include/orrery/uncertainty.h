/* How far the time of a job may be off, and what it depends on; after the run. */
#ifndef ORRERY_UNCERTAINTY_H
#define ORRERY_UNCERTAINTY_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Uncertainty of the job's time from the fit of the platform's compute (compute.fitted;
 * docs/models.md, section 18): the logarithm of the time is assumed normal, with additive
 * variances. */
struct orrery_uncertainty {
    double share; /* probability of the interval: 0.8 ... */
    /* ... its bounds, the job's time divided and multiplied by one factor */
    int64_t low_ps, high_ps;
    /* Standard deviations of the time's logarithm: from the uncertainty of the parameters, and from
     * the residuals of the fit (0: not given). */
    double parameters, residuals;
    uint64_t rows; /* fitted rows; 0: not given */
    /* Bounds of model_flops_utilization (orrery_rates); 0 if that is 0. */
    double low_utilization, high_utilization;
    size_t slopes; /* number of parameters that the job's time depends on */
};

/* Requires ORRERY_RECORD_UNCERTAINTY. ORRERY_ERROR_INPUT without it, before the end of the run, and
 * for a job to which a fit of compute does not apply, because its computations have recorded
 * durations or none is on its critical path. O(1). */
ORRERY_API enum orrery_status orrery_uncertainty(const struct orrery *job,
                                                 struct orrery_uncertainty *uncertainty);

/* Sensitivity to a fitted parameter. */
struct orrery_slope {
    const char *name; /* its key in compute.fitted; owned by the handle */
    double slope;     /* d log(time) / d log(value) */
    double spread;    /* standard deviation of the value's logarithm */
};
/* A parameter by index, in the order of compute.fitted. Errors: as above; no such index. O(1). */
ORRERY_API enum orrery_status orrery_slope(const struct orrery *job, size_t index,
                                           struct orrery_slope *slope);

#ifdef __cplusplus
}
#endif

#endif
