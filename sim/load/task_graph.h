/* Task graphs as workloads: their traces, what they need of a platform, and the rules that traces
 * of task graphs run by. */
#ifndef ORR_SIM_LOAD_TASK_GRAPH_H
#define ORR_SIM_LOAD_TASK_GRAPH_H

#include "et_converter/et_converter.h"
#include "sim/orrery_private.h"

/* A task graph that a job runs. */
struct orr_strategy_job;
struct orr_task_graph {
    const char *file;
    struct conv_task_graph source; /* as read */
    struct tg_traces traces;
    struct orr_strategy_job *strategy; /* strategy_job.h: what it is made of; NULL: a file */
};

/* Where the tree's workload is a task graph, reads it into the handle, and gives a tree without a
 * network the task graph's own (`network.graph.fabric: graph`). */
enum orr_status orr_task_graph_read(struct orrery *job, const struct orr_conf **root);

/* What its platform is told of it: nothing where the job has no task graph. */
struct net_workload_graph orr_task_graph_network(const struct orrery *job);

/* Reads a task graph and makes its traces; all of it lives in the arena. Errors: those of the file.
 */
enum orr_status orr_task_graph_load(struct orr_arena *arena, const char *path,
                                    struct orr_task_graph *out, struct orr_diag *diag);

/* The same of a task graph in memory, which is checked and must outlive it. */
enum orr_status orr_task_graph_from_memory(struct orr_arena *arena, const struct tg_graph *graph,
                                           struct orr_task_graph *out, struct orr_diag *diag);

/* Once the platform's NPUs are known: makes the task graph of a strategy; checks that the platform
 * has an NPU for each of the servers of one from a file, and has it make traces that
 * fit there. */
enum orr_status orr_task_graph_check(struct orrery *job);

/* The traces of a platform's NPUs, those behind the servers empty; by_rank[job->npus]. */
enum orr_status orr_task_graph_traces(struct orrery *job, const struct orr_trace **by_rank);

/* Adds its groups to the system of the job, or to one that plans for it. Who is in none of the
 * first of alike groups is left out where that stands for the others, and in a plan. */
enum orr_status orr_task_graph_groups(const struct orrery *job, struct sys *sys,
                                      struct orr_diag *diag);

/* The NPUs of one of its alike groups, as the platform has them, once there are traces; 0: there
 * are none, or one. */
uint32_t orr_task_graph_group_npus(const struct orrery *job);

/* The servers of the first all-reduce, in the order of the file, that the way does not fit; 0:
 * there is none. O(tasks). */
uint32_t orr_task_graph_unfit(const struct tg_graph *graph, const struct sys_mono *choice);

/* Warns, once, of all-reduces that the chosen way does not fit. */
void orr_task_graph_warn(struct orrery *job);

/* Has the handle's system decide as task graphs do, but for what its memory asks for. */
enum orr_status orr_set_task_graph_policy(struct orrery *job);

/* After the traces are there: where they have rules of their own, the policy, and a network that
 * carries messages as these say (docs/models.md, section 4): flows as packets are, with windows
 * unless the platform says otherwise, on a graph, which stacked blocks become. `network` is the
 * section. Errors: rules that are none, traces of several rules. */
enum orr_status orr_apply_trace_rules(struct orrery *job, const struct orr_conf *network);

#endif
