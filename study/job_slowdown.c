/* The slowdown of jobs that run together; see job_slowdown.h. */
#include "study/job_slowdown.h"

#include <stddef.h>

#include "sim/cluster/jobs.h"

enum orr_status orr_job_slowdown(const struct orr_jobs_run *run, sim_time *alone_ps,
                                 struct orr_diag *diag)
{
    const bool shared = run->jobs->network == ORR_JOBS_SHARED;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < run->jobs->jobs && status == ORR_OK; i++) {
        alone_ps[i] = run->result[i].mean_ps;
        if (shared) {
            status = orr_jobs_run_alone(run, i, &alone_ps[i], diag);
        }
    }
    return status;
}
