/* A task graph on a network: settings, loading, running, results. */
#ifndef ORR_SIM_CLUSTER_TASKGRAPH_JOB_H
#define ORR_SIM_CLUSTER_TASKGRAPH_JOB_H

#include <stdbool.h>

#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_source.h"
#include "network/net_config.h"
#include "network/route_options.h"
#include "orrery/orrery.h"
#include "sim/load/task_graph.h"
#include "system/sys_counts.h"
#include "system/sys_mono.h"

struct net_flows;
struct orr_arena;
struct orr_diag;
struct orr_fold;
struct orrery;
struct tg_graph;

enum orr_taskgraph_shares { ORR_SHARES_BY_NETWORK, ORR_SHARES_MAXMIN, ORR_SHARES_WINDOWS };

/* The settings; all 0 except the file: defaults. */
struct orr_taskgraph_values {
    const char *file; /* file of the task graph */
    const struct tg_graph
        *graph;             /* replaces the file: a checked graph in memory; NULL: use the file */
    const char *fabric;     /* "fat-tree:8", FILE.yml; NULL: the task graph's own */
    const char *routing;    /* NULL: the default of the fabric */
    const char *rings;      /* "totient:4"; NULL: those of the network */
    const char *all_reduce; /* NULL: the default */
    struct net_link_kind kind; /* bytes_per_s 0: the task graph's */
    uint64_t seed;
    bool kind_requested; /* the user set `kind`, as in net_graph_input */
    bool has_seed;       /* the user set `seed`; otherwise a file's seed is used */
    enum orr_taskgraph_shares shares;
    const sim_time *setup_ps, *forwarding_ps;   /* of flows; NULL: the network's */
    const double *forwarding_limit_bytes_per_s; /* NULL: as the network says */
    const char *bandwidth_key, *routing_key,
        *rings_key;         /* keys or options of these, for error messages */
    const char *const *set; /* [sets], in the platform file */
    size_t sets;
};

/* Metrics of the run. */
struct orr_task_graph_metrics {
    sim_time iteration_ps;
    uint64_t all_reduces, rounds; /* rounds: those that end with a barrier */
    uint64_t ring_fallbacks;      /* all-reduces that the chosen way does not fit */
    struct sys_ring_use rings;    /* links 0: not known, or none among the members */
    sim_time compute_max_ps;      /* of the server that computes longest */
    struct net_flows_counts flows;
    uint64_t events;
};

struct orr_taskgraph_job {
    const char *file, *fabric;
    const char *routing; /* NULL: the default of the fabric */
    struct orr_task_graph graph;
    struct net_graph network;
    struct net_route_options routes;
    struct net_flow_model flows;
    struct net_config config; /* of the fields above */
    struct sys_mono all_reduce;
};

/* Reads the task graph and builds its network, in the arena, with all-reduce and flow model.
 * Errors: those of the file, of the fabric, routing and all_reduce. */
enum orr_status orr_taskgraph_load(struct orr_taskgraph_job *job,
                                   const struct orr_taskgraph_values *values,
                                   struct orr_arena *arena, struct orr_diag *diag);

/* Loads the job into an empty handle, with the platform file's other sections (NULL: none) and
 * values set on top; `job` and `platform` must outlive the handle. Errors are the handle's. */
enum orrery_status orr_taskgraph_prepare(struct orr_taskgraph_job *job,
                                         const struct orrery_inputs *platform,
                                         struct orrery *handle);

/* After the run: metrics, and the flows of the network. */
struct orr_task_graph_metrics orr_task_graph_metrics(const struct orrery *handle);
const struct net_flows *orr_task_graph_flows(const struct orrery *handle);

/* The fold of the run; the flows are those of the representatives. */
const struct orr_fold *orr_task_graph_fold(const struct orrery *handle);

#endif
