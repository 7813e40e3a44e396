/* The tables of results of task graphs and of jobs on one cluster, and their rows. */
#ifndef ORR_REPORT_RESULTS_CLUSTER_RESULTS_H
#define ORR_REPORT_RESULTS_CLUSTER_RESULTS_H

#include "report/jobs_report.h"
#include "report/network_use.h"
#include "report/results/result.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/taskgraph_job.h"
#include "system/sys_mono.h"

struct json_t;

enum { ORR_RESULT_TEXT_BYTES = 192 };

/* A task graph that has run. */
struct orr_taskgraph_row {
    const char *file, *fabric, *flow_model;
    uint32_t servers;
    uint64_t tasks; /* of all groups */
    struct orr_task_graph_metrics result;
    int64_t wire_bytes;
    double bandwidth_tax;
    struct orr_forwarded forwarded;
    char all_reduce[SYS_MONO_BYTES];
    /* Formatted for tables. */
    char compute[ORR_RESULT_TEXT_BYTES], all_reduces[ORR_RESULT_TEXT_BYTES];
    char rings[ORR_RESULT_TEXT_BYTES]; /* "": no links between members */
    char flows[ORR_RESULT_TEXT_BYTES], passed_on[ORR_RESULT_TEXT_BYTES];
};

/* Jobs that ran on one cluster. */
struct orr_cluster_row {
    const struct orr_jobs_report *report;
    const char *file, *fabric, *network, *placement;
    int64_t seed;
    uint32_t servers, servers_used;
    uint64_t iterations, events;
    int64_t mean_ps, p99_ps, end_ps;
    double bandwidth_tax; /* of a shared network */
    struct orr_forwarded forwarded;
};

/* One of the jobs. */
struct orr_cluster_job_row {
    const struct orr_job *job;
    const char *name, *taskgraph, *traces, *workload, *flow_model; /* NULL: not run */
    struct orr_jobs_result result;
    const char *fabric, *plan, *network; /* plan NULL: the network is not from a plan */
    int64_t start_ps;
    uint32_t servers, iterations;
    int64_t alone_ps; /* with --alone */
    double slowdown;
    char all_reduce[SYS_MONO_BYTES];
};

struct orr_iteration_row {
    const char *job;
    uint32_t servers, iteration;
    int64_t start_ps, time_ps;
};

/* A variant of the same jobs compared with the first one, or a job of it. */
struct orr_jobs_variant;
struct orr_comparison_row {
    const struct orr_jobs_variant *variant; /* of a run */
    const char *name;
    double mean_ratio, p99_ratio;
};

extern const struct orr_result_table orr_taskgraph_results;
extern const struct orr_result_table orr_cluster_results;
extern const struct orr_result_table orr_cluster_job_results;
extern const struct orr_result_table
    orr_alone_results; /* struct orr_cluster_job_row, with --alone */
/* struct orr_cluster_job_row, if jobs have private networks */
extern const struct orr_result_table orr_private_network_results;
extern const struct orr_result_table orr_comparison_results, orr_comparison_ratio_results;
extern const struct orr_result_table orr_iteration_results;

/* Lists for JSON; the row is a struct orr_cluster_row, or a struct orr_cluster_job_row. */
struct json_t *orr_json_jobs(const void *row);
struct json_t *orr_json_servers(const void *row);
struct json_t *orr_json_iterations(const void *row);
struct json_t *orr_json_variant_set(const void *row); /* a struct orr_comparison_row */

#endif
