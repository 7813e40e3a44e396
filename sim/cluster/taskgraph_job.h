/* A task graph on a network: what is asked for, what is run, and what came of it. */
#ifndef ORR_SIM_CLUSTER_TASKGRAPH_JOB_H
#define ORR_SIM_CLUSTER_TASKGRAPH_JOB_H

#include <stdbool.h>

#include "et_converter/et_converter.h"

enum orr_taskgraph_shares { ORR_SHARES_BY_NETWORK, ORR_SHARES_MAXMIN, ORR_SHARES_WINDOWS };

/* What is asked for; all zero but for the file is as usual. */
struct orr_taskgraph_values {
    const char *file;          /* of the task graph */
    const char *fabric;        /* "fat-tree:8", FILE.yml; NULL: the task graph's own */
    const char *routing;       /* NULL: as suits the fabric */
    const char *all_reduce;    /* NULL: as usual */
    struct net_link_kind kind; /* bytes_per_s 0: as the task graph says */
    uint64_t seed;
    bool has_seed; /* it was asked for; otherwise a file's own counts */
    enum orr_taskgraph_shares shares;
    const sim_time *setup_ps, *forwarding_ps; /* of flows; NULL: as the network says */
    const char *bandwidth_key, *routing_key;  /* where these are written, for messages */
};

struct orr_taskgraph_job {
    const char *file, *fabric;
    const char *routing; /* NULL: as suits the fabric */
    struct flexflow_job job;
    struct net_graph network;
    struct orr_taskgraph_config config;
    struct orr_taskgraph_run *run;
    struct orr_taskgraph_result result;
};

/* Reads the task graph and makes its network, in the arena, and takes how all-reduces are done.
 * Errors: those of the file, of the fabric, routing and all_reduce. */
enum orr_status orr_taskgraph_load(struct orr_taskgraph_job *job,
                                   const struct orr_taskgraph_values *values,
                                   struct orr_arena *arena, struct orr_diag *diag);

/* Runs what was loaded, with flows as the values say, into job->run, which the caller destroys, and
 * job->result. */
enum orr_status orr_taskgraph_run_loaded(struct orr_taskgraph_job *job,
                                         const struct orr_taskgraph_values *values,
                                         struct orr_diag *diag);

#endif
