/* What jobs that ran on one cluster (sim/cluster/jobs.h) are like, in tables and files. */
#ifndef ORR_REPORT_JOBS_REPORT_H
#define ORR_REPORT_JOBS_REPORT_H

#include "report/network_use.h"
#include "sim/sim.h"

/* The use of a shared network. */
struct orr_network_use orr_jobs_use(const struct orr_jobs_run *run);

/* What is told of a run. */
struct orr_jobs_told {
    const struct orr_jobs_run *run;
    const sim_time *alone_ps; /* [jobs] mean iteration, alone on the same servers; NULL: not told */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_told. */
int orr_jobs_json(FILE *out, const void *context);
int orr_jobs_csv(FILE *out, const void *context);
int orr_jobs_table_write(FILE *out, const void *context);

#endif
