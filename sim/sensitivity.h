/* How a job's time depends on values of its platform, of a run that told it (ORRERY_RECORD_SLOPES):
 * the time is homogeneous of degree one in what its parts take, so the part of the critical path
 * that goes by a value is its slope (docs/models.md, 18). */
#ifndef ORR_SIM_SENSITIVITY_H
#define ORR_SIM_SENSITIVITY_H

#include "core/core.h"
#include "orrery/orrery.h"

/* Whether some part of a job's time goes by a key: compute.peak, compute.efficiency.KIND.points,
 * .bandwidth and .constant, and of a network with dimensions network.dims[I].bandwidth and
 * .latency. */
bool orr_has_sensitivity(const struct orrery *job, const char *key);

/* d log(time) / d log(value) of the values of keys [count] that are varied together, into slope
 * [count]; 0 of a key without a part. What several keys could stand for
 * (orr_wl_efficiency_key_find) is one's only, so that slopes add up. The job has run with slopes;
 * count <= WL_MAX_FITTED. O(kinds x count). */
void orr_find_sensitivities(const struct orrery *job, const char *const *key, size_t count,
                            double *slope);

/* What of the job's time a run with slopes found to be computing by the roofline, and computing
 * that takes its recorded duration. */
sim_time orr_computed_ps(const struct orrery *job);
sim_time orr_recorded_ps(const struct orrery *job);

#endif
