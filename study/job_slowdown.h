/* The slowdown of jobs that run together, compared with each alone. */
#ifndef ORR_STUDY_JOB_SLOWDOWN_H
#define ORR_STUDY_JOB_SLOWDOWN_H

#include "core/status.h"
#include "core/time.h"

struct orr_diag;
struct orr_jobs_run;

/* Sets alone_ps[jobs], the mean iteration of each job alone on the same servers: on a shared
 * network each job runs again alone; a job on a private network is alone already. Errors: those of
 * the runs. */
enum orr_status orr_job_slowdown(const struct orr_jobs_run *run, sim_time *alone_ps,
                                 struct orr_diag *diag);

#endif
