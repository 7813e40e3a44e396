/* Sensitivity (elasticity) of a job's time to values of its platform, from one run with
 * ORRERY_RECORD_SLOPES. The time is homogeneous of degree one in the durations of its parts, so d
 * log(time) / d log(value) is the share of the critical path that depends on the value
 * (docs/models.md, 18). */
#ifndef ORR_SIM_SENSITIVITY_H
#define ORR_SIM_SENSITIVITY_H

#include "core/time.h"
#include "orrery/orrery.h"

struct orrery;

/* Whether a part of the job's time can depend on a key: compute.peak,
 * compute.efficiency.KIND.points, .bandwidth and .constant, and of a network with dimensions
 * network.dims[I].bandwidth and .latency. */
bool orr_has_sensitivity(const struct orrery *job, const char *key);

/* d log(time) / d log(value) for keys [count] that are varied together, into slope[count]; 0 for a
 * key without a part. A part that several keys could explain (orr_wl_share_key_of) counts for one
 * only, so that sensitivities add up. The job has run with sensitivities; count <= WL_MAX_FITTED.
 * O(kinds x count). */
void orr_find_sensitivities(const struct orrery *job, const char *const *key, size_t count,
                            double *slope);

/* The part of the critical path that is computing by the roofline, and computing with recorded
 * durations, of a run with sensitivities. */
sim_time orr_computed_ps(const struct orrery *job);
sim_time orr_recorded_ps(const struct orrery *job);

#endif
