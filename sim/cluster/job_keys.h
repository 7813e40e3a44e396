/* The keys of a job in the file of `orrery run --cluster`. */
#ifndef ORR_SIM_CLUSTER_JOB_KEYS_H
#define ORR_SIM_CLUSTER_JOB_KEYS_H

#include "sim/cluster/jobs.h"

struct orr_job_section {
    const char *name, *taskgraph, *traces, *workload, *plan, *groups_file, *all_reduce;
    const struct orr_conf *servers, *groups;
    sim_time start_ps, every_ps; /* start < 0: not set */
    int64_t count, iterations, npus;
    /* The job's own network; latency < 0: not set. */
    const char *fabric, *routing, *rings;
    double link_bandwidth_bytes_per_s;
    sim_time link_latency_ps;
};

extern const struct orr_key_table orr_job_table;

#endif
