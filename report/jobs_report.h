/* What jobs that ran on one cluster (sim/cluster/jobs.h) are like, in tables and files. */
#ifndef ORR_REPORT_JOBS_REPORT_H
#define ORR_REPORT_JOBS_REPORT_H

#include "report/network_use.h"
#include "sim/sim.h"

/* The use of a shared network. */
struct orr_network_use orr_jobs_use(const struct orr_jobs_run *run);

/* The fabric of the cluster, or that jobs have their own, all of them. */
const char *orr_jobs_fabric(const struct orr_jobs *jobs);

/* What is told of a run. */
struct orr_jobs_told {
    const struct orr_jobs_run *run;
    const sim_time *alone_ps; /* [jobs] mean iteration, alone on the same servers; NULL: not told */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_told. */
int orr_jobs_json(FILE *out, const void *context);
int orr_jobs_csv(FILE *out, const void *context);
int orr_jobs_table_write(FILE *out, const void *context);

/* ---- for jobs_beside.c ---- */

enum { ORR_JOBS_HEAD_BYTES = 512 };

/* Where they ran: servers, network, placement, flows; in `text`, cut where it is longer. */
const char *orr_jobs_head(const struct orr_jobs_run *run, char *text, size_t bytes);

/* The JSON of a run; the caller's. */
struct json_t *orr_jobs_object(const struct orr_jobs_told *told);

/* The lines of CSV, each behind the name of the run where it has one. */
void orr_jobs_csv_lines(FILE *out, const struct orr_jobs_run *run, const char *name);

#endif
