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
struct orr_jobs_report {
    const struct orr_jobs_run *run;
    const sim_time *alone_ps; /* [jobs] mean iteration, alone on the same servers; NULL: not told */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_report. */
int orr_jobs_json(FILE *out, const void *context);
int orr_jobs_csv(FILE *out, const void *context);
int orr_jobs_table_write(FILE *out, const void *context);

/* ---- for what else tells of jobs on a cluster ---- */

const char *orr_jobs_network(const struct orr_jobs *jobs);
const char *orr_jobs_placement(const struct orr_jobs *jobs);
const char *orr_jobs_switched(const struct orr_jobs *jobs); /* what follows "placement" in a head */

/* Of all jobs together. */
uint32_t orr_jobs_servers_used(const struct orr_jobs *jobs);

/* The file that the job runs, where it runs one of that kind (ORR_JOB_TASKGRAPH and the like). */
const char *orr_job_path(const struct orr_job *job, unsigned kind);

/* Columns that the jobs' names take in a table; very long ones stand out of it. */
int orr_jobs_name_width(const struct orr_jobs *jobs);

enum { ORR_JOBS_HEAD_BYTES = 512 };

/* Where they ran: servers, network, placement, flows; in `text`, cut where it is longer. */
const char *orr_jobs_head(const struct orr_jobs_run *run, char *text, size_t bytes);

/* The JSON of a run; the caller's. */
struct json_t *orr_jobs_object(const struct orr_jobs_report *report);

/* The lines of CSV, each behind the name of the run where it has one. */
void orr_jobs_csv_lines(FILE *out, const struct orr_jobs_run *run, const char *name);

#endif
