/* The estimate of a loaded job. */
#ifndef ORR_STUDY_ESTIMATE_JOB_ESTIMATE_H
#define ORR_STUDY_ESTIMATE_JOB_ESTIMATE_H

#include "study/estimate/step_estimate.h"

struct orrery;

/* Why a job cannot be estimated; NULL: it can, of any layout that orr_step_can_estimate. It needs a
 * generated model, a peak of compute, and a network of dimensions. O(1). */
const char *orr_job_cannot_estimate(const struct orrery *job);

/* The seconds of all steps of a loaded job. False, with *why or (NULL) no memory, if it cannot be
 * estimated. Costs those of its groups (group_costs.h) and of one estimate. */
bool orr_job_estimate(const struct orrery *job, double *seconds, const char **why);

#endif
