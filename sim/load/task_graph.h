/* Task graphs as workloads: their traces, their requirements on a platform, and the rules by which
 * traces of task graphs run. */
#ifndef ORR_SIM_LOAD_TASK_GRAPH_H
#define ORR_SIM_LOAD_TASK_GRAPH_H

#include "et_converter/task_graph_input.h"
#include "network/graph_source.h"
#include "workload/taskgraph/tg_traces.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_trace;
struct orrery;
struct sys;
struct sys_mono;
struct tg_graph;

/* A task graph of a job. */
struct orr_strategy_job;
struct orr_task_graph {
    const char *file;
    struct conv_task_graph source; /* as read */
    struct tg_traces traces;
    struct orr_strategy_job
        *strategy; /* its model and strategy (strategy_job.h); NULL: it is from a file */
};

/* If the tree's workload is a task graph, reads it into the handle, and gives a tree without a
 * network the task graph's own (`network.graph.fabric: graph`). */
enum orr_status orr_task_graph_read(struct orrery *job, const struct orr_conf **root);

/* Its contribution to the platform's graph; all 0 without a task graph. */
struct net_workload_graph orr_task_graph_network(const struct orrery *job);

/* Reads a task graph and makes its traces, in the arena. Errors: those of the file. */
enum orr_status orr_task_graph_load(struct orr_arena *arena, const char *path,
                                    struct orr_task_graph *out, struct orr_diag *diag);

/* The same for a checked task graph in memory, which must outlive it. */
enum orr_status orr_task_graph_from_memory(struct orr_arena *arena, const struct tg_graph *graph,
                                           struct orr_task_graph *out, struct orr_diag *diag);

/* Call once the platform's NPUs are known: lowers a strategy to its task graph; for a task graph of
 * a file checks that the platform has an NPU per server, and makes traces that fit the platform. */
enum orr_status orr_task_graph_check(struct orrery *job);

/* The traces of the platform's NPUs, empty ones after the servers; by_rank[job->npus]. */
enum orr_status orr_task_graph_traces(struct orrery *job, const struct orr_trace **by_rank);

/* Adds its groups to the system of the job, or to a planner's. Groups outside the first of several
 * equivalent groups are omitted if that one represents them, and in a planner. */
enum orr_status orr_task_graph_groups(const struct orrery *job, struct sys *sys,
                                      struct orr_diag *diag);

/* The NPUs of one of its equivalent groups on the platform, once there are traces; 0: there are
 * none, or one. */
uint32_t orr_task_graph_group_npus(const struct orrery *job);

/* The number of servers of the first all-reduce, in file order, for which the algorithm does not
 * fit; 0: none. O(tasks). */
uint32_t orr_task_graph_unfit(const struct tg_graph *graph, const struct sys_mono *choice);

/* Warns once about all-reduces for which the chosen algorithm does not fit. */
void orr_task_graph_warn(struct orrery *job);

/* Sets the scheduling policy of task graphs in the handle's system, except for rules of its memory.
 */
enum orr_status orr_set_task_graph_policy(struct orrery *job);

/* Call after the traces are loaded: if they set rules, applies the policy, and a network for them
 * (docs/models.md, section 4): the packet flow model, with windows unless the platform sets the
 * shares, on a graph, to which stacked blocks are converted. `network` is the section. Errors:
 * unknown rules, traces of different rules. */
enum orr_status orr_apply_trace_rules(struct orrery *job, const struct orr_conf *network);

#endif
