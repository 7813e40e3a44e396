/* How much slower jobs are beside each other than alone. */
#ifndef ORR_STUDY_JOB_SLOWDOWN_H
#define ORR_STUDY_JOB_SLOWDOWN_H

#include "sim/sim.h"

/* The mean iteration of each job of the run, alone on the same servers, into alone_ps[jobs]: of a
 * shared network each runs again by itself; one that has a network of its own is alone already. */
enum orr_status orr_job_slowdown(const struct orr_jobs_run *run, sim_time *alone_ps,
                                 struct orr_diag *diag);

#endif
