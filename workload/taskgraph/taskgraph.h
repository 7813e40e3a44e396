/* Task graphs of one training iteration: tasks on servers, transfers between servers and
 * all-reduces, run over the flows of a network (docs/models.md, section 4). One graph for all
 * servers, unlike the traces, of which every NPU has its own. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TASKGRAPH_H
#define ORR_WORKLOAD_TASKGRAPH_TASKGRAPH_H

#include "network/network.h"
#include "workload/taskgraph/all_reduce/all_reduce.h"

enum orr_task_kind {
    ORR_TASK_COMPUTE,  /* on the server's accelerator, which does one task at a time */
    ORR_TASK_HOST,     /* on the server's CPU, likewise */
    ORR_TASK_DELAY,    /* takes its time and nothing else */
    ORR_TASK_TRANSFER, /* a flow from one server to another */
    ORR_TASK_REDUCE    /* an all-reduce: `next` are its servers, and nothing waits for it */
};

struct orr_task {
    uint8_t kind;        /* enum orr_task_kind */
    uint32_t from, to;   /* servers */
    uint32_t first_next; /* into next */
    uint32_t nexts;
    sim_time runtime_ps; /* of a REDUCE: before its first round */
    uint64_t bytes;
};

struct orr_taskgraph {
    uint32_t servers, tasks;
    const struct orr_task *task;
    const uint32_t *next; /* tasks that wait for a task; servers of an all-reduce */
};

struct orr_taskgraph_config {
    const struct orr_taskgraph *graph;
    const struct net_graph *network; /* as many NPUs as servers, or more; with rings */
    struct net_route_options routes;
    struct net_flow_model flows;
    struct orr_all_reduce all_reduce;
};

/* What a run was like. */
struct orr_taskgraph_result {
    sim_time iteration_ps;
    uint64_t all_reduces, rounds; /* rounds: those that end with a barrier */
    uint64_t rings_instead;       /* all-reduces that the chosen way does not fit */
    sim_time compute_most_ps;     /* of the server that computes longest */
    struct net_flows_counts flows;
    uint64_t events;
};

struct orr_taskgraph_run;

/* Runs the graph until nothing is left to do: a cluster (cluster.h) with this job alone. The
 * network's use can then be asked for until the run is destroyed. Errors: those of a cluster. */
enum orr_status orr_taskgraph_run(struct orr_taskgraph_run **out,
                                  const struct orr_taskgraph_config *config,
                                  struct orr_taskgraph_result *result, struct orr_diag *diag);
const struct net_flows *orr_taskgraph_flows(const struct orr_taskgraph_run *run);
void orr_taskgraph_destroy(struct orr_taskgraph_run *run);

#endif
