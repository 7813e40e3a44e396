/* A task graph on a network: what is asked for, what is run, and what came of it. */
#ifndef ORR_SIM_CLUSTER_TASKGRAPH_JOB_H
#define ORR_SIM_CLUSTER_TASKGRAPH_JOB_H

#include <stdbool.h>

#include "sim/load/task_graph.h"

enum orr_taskgraph_shares { ORR_SHARES_BY_NETWORK, ORR_SHARES_MAXMIN, ORR_SHARES_WINDOWS };

/* What is asked for; all zero but for the file is as usual. */
struct orr_taskgraph_values {
    const char *file;             /* of the task graph */
    const struct tg_graph *graph; /* instead, in memory, checked; NULL: the file */
    const char *fabric;           /* "fat-tree:8", FILE.yml; NULL: the task graph's own */
    const char *routing;          /* NULL: as suits the fabric */
    const char *rings;            /* "totient:4"; NULL: those of the network */
    const char *all_reduce;       /* NULL: as usual */
    struct net_link_kind kind;    /* bytes_per_s 0: as the task graph says */
    uint64_t seed;
    bool kind_requested; /* for links of that kind, as in net_graph_input */
    bool has_seed;       /* it was asked for; otherwise a file's own counts */
    enum orr_taskgraph_shares shares;
    const sim_time *setup_ps, *forwarding_ps;            /* of flows; NULL: as the network says */
    const double *forwarding_limit_bytes_per_s;          /* NULL: as the network says */
    const char *bandwidth_key, *routing_key, *rings_key; /* where these are written */
    const char *const *set;                              /* [sets], in the platform file */
    size_t sets;
};

/* What the run was like. */
struct orr_task_graph_metrics {
    sim_time iteration_ps;
    uint64_t all_reduces, rounds; /* rounds: those that end with a barrier */
    uint64_t ring_fallbacks;      /* all-reduces that the chosen way does not fit */
    sim_time compute_max_ps;      /* of the server that computes longest */
    struct net_flows_counts flows;
    uint64_t events;
};

struct orr_taskgraph_job {
    const char *file, *fabric;
    const char *routing; /* NULL: as suits the fabric */
    struct orr_task_graph graph;
    struct net_graph network;
    struct net_route_options routes;
    struct net_flow_model flows;
    struct net_config config; /* of these */
    struct sys_mono all_reduce;
};

/* Reads the task graph and makes its network, in the arena, and takes how all-reduces are done and
 * flows are. Errors: those of the file, of the fabric, routing and all_reduce. */
enum orr_status orr_taskgraph_load(struct orr_taskgraph_job *job,
                                   const struct orr_taskgraph_values *values,
                                   struct orr_arena *arena, struct orr_diag *diag);

/* Has the empty handle run it, with the platform file's other sections (NULL: there is none) and
 * values set on top; all of it must outlive the handle. Errors are the handle's. */
enum orrery_status orr_taskgraph_prepare(struct orr_taskgraph_job *job,
                                         const struct orrery_inputs *platform,
                                         struct orrery *handle);

/* After the run: what came of it, and the flows of the network. */
struct orr_task_graph_metrics orr_task_graph_metrics(const struct orrery *handle);
const struct net_flows *orr_task_graph_flows(const struct orrery *handle);

/* What was simulated once; the flows are those of who stands for the others. */
const struct orr_fold *orr_task_graph_fold(const struct orrery *handle);

#endif
