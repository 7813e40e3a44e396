/* The estimate of a loaded job. */
#ifndef ORR_STUDY_ESTIMATE_JOB_ESTIMATE_H
#define ORR_STUDY_ESTIMATE_JOB_ESTIMATE_H

#include "study/estimate/step_estimate.h"

struct orrery;

/* Why no layout of a job can be estimated: it lacks a peak of compute, or its network is a graph;
 * NULL: some can. O(1). */
const char *orr_job_cannot_estimate(const struct orrery *job);

/* What steps cost on the machine of a loaded job, which must outlive the costs. Errors: out of
 * memory; closing is allowed then too. */
enum orr_status orr_job_costs_open(const struct orrery *job, struct orr_step_costs *costs,
                                   struct orr_diag *diag);
void orr_job_costs_close(struct orr_step_costs *costs);

/* The seconds of all steps of a loaded job. False, with *why or (NULL) no memory, if it cannot be
 * estimated. Costs those of its groups (group_costs.h) and of one estimate. */
bool orr_job_estimate(const struct orrery *job, double *seconds, const char **why);

#endif
