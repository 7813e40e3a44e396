/* The results of jobs that ran on one cluster (sim/cluster/jobs.h), as tables and files. */
#ifndef ORR_REPORT_JOBS_REPORT_H
#define ORR_REPORT_JOBS_REPORT_H

#include "report/network_use.h"

struct json_t;
struct orr_job;
struct orr_jobs;
struct orr_jobs_run;

/* The utilization of a shared network. */
struct orr_network_use orr_jobs_use(const struct orr_jobs_run *run);

/* The fabric of the cluster, or a text which says that all jobs have private fabrics. */
const char *orr_jobs_fabric(const struct orr_jobs *jobs);

/* The data of a report. */
struct orr_jobs_report {
    const struct orr_jobs_run *run;
    const sim_time *alone_ps; /* [jobs] mean iteration, alone on the same servers; NULL: left out */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_report. */
int orr_jobs_json(FILE *out, const void *context);
int orr_jobs_csv(FILE *out, const void *context);
int orr_jobs_table_write(FILE *out, const void *context);

/* ---- for other reports of jobs on a cluster ---- */

/* Names for tables and JSON: the network, the placement, and the text behind "placement" in a
 * heading. */
const char *orr_jobs_network(const struct orr_jobs *jobs);
const char *orr_jobs_placement(const struct orr_jobs *jobs);
const char *orr_jobs_switched(const struct orr_jobs *jobs);

/* Number of servers that the jobs use, all together. */
uint32_t orr_jobs_servers_used(const struct orr_jobs *jobs);

/* The file that the job runs if it is of that kind (ORR_JOB_TASKGRAPH and the like), else NULL. */
const char *orr_job_path(const struct orr_job *job, unsigned kind);

/* Width of the column of names in a table; very long names exceed it. */
int orr_jobs_name_width(const struct orr_jobs *jobs);

enum { ORR_JOBS_HEAD_BYTES = 512 };

/* Describes where the jobs ran: servers, network, placement, flows. Truncates at `bytes`; returns
 * `text`. */
const char *orr_jobs_head(const struct orr_jobs_run *run, char *text, size_t bytes);

/* The JSON of a run, owned by the caller. */
struct json_t *orr_jobs_object(const struct orr_jobs_report *report);

/* Writes the lines of CSV; `name`, unless NULL, is the first field of each. */
void orr_jobs_csv_lines(FILE *out, const struct orr_jobs_run *run, const char *name);

#endif
