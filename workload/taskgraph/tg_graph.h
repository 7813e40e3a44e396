/* A task graph in memory: the tasks of one iteration with their NPUs and dependencies. All sources
 * of task graphs (Orrery's files, FlexFlow's, strategies) produce it, and traces are made from it
 * in one place. 40 bytes a task, 4 a dependency. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TASK_GRAPH_H
#define ORR_WORKLOAD_TASKGRAPH_TASK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

struct orr_arena;

/* Roles of tasks. The values are used in files. */
enum tg_role {
    TG_COMPUTE,     /* on the accelerator: one at a time, FIFO */
    TG_COMPUTE_CPU, /* on the CPU */
    TG_DELAY,       /* takes its time without using a resource */
    TG_TRANSFER,    /* `bytes` from one NPU to another; within one NPU it takes no time */
    TG_SEND,        /* one end of a transfer whose other end is another task (tg_pairs.h) */
    TG_RECEIVE,
    TG_ALL_REDUCE, /* all-reduce of `bytes` among its members; each first takes duration_ps inside
                      its server; with one member it takes no time */
    TG_ROLES
};

/* The pass of a task, for reports only. The values are used in files. */
enum tg_pass { TG_NO_PASS, TG_FORWARD, TG_BACKWARD, TG_UPDATE, TG_BARRIER, TG_PASSES };

/* No task, dependency, member or name; all are numbered in 32 bits. */
#define TG_NONE UINT32_MAX

enum { TG_MAX_NPUS = 1 << 16, TG_LABEL_BYTES = 128 };

struct tg_task {
    uint64_t bytes;       /* transfers, their ends and all-reduces; else 0 */
    uint64_t duration_ps; /* at most ORR_TIME_MAX; transfers and their ends: 0 */
    /* Transfers and their ends: the NPUs of the two ends. All-reduces: the index of its first
     * member in tg_graph.member, and the number of members. Others: both are the NPU. */
    uint32_t from, to;
    uint32_t name;       /* into tg_graph.name: the name of its nodes; 0: by role and number */
    uint32_t first_next; /* into tg_graph.next; up to the first_next of the next task */
    uint8_t role;        /* enum tg_role */
    uint8_t pass;        /* enum tg_pass */
    uint8_t across;      /* all-reduces of a graph with copies: across all groups, see below */
};

/* Labels and locations of tasks in messages, for a graph from a file that has its own names and
 * locations. */
struct tg_origin {
    /* "tasks[7] (FORWARD 42)" */
    void (*label)(const void *context, uint32_t task, char text[TG_LABEL_BYTES]);
    /* The location of the task; *byte: its byte offset, if locations are byte offsets. */
    struct orr_location (*place)(const void *context, uint32_t task, uint64_t *byte);
    const void *context;
};

/* COPIES. A graph may stand for `copies` equal groups (k-way model x l-way data parallelism): its
 * tasks are those of group 0, with NPUs from 0 to npus / copies - 1; every group g has the same
 * tasks with g * npus / copies added to the NPUs. Each group has its own all-reduces except those
 * `across` the groups: these exist once, and their members are the listed NPUs of every group,
 * group 0's first. orr_tg_expand makes the plain graph, with one copy. */
struct tg_graph {
    const char *file; /* for messages; NULL: made in memory */
    uint32_t npus, copies;
    uint32_t tasks, nexts, members, names;
    const struct tg_task *task; /* [tasks] */
    /* The tasks that wait for a task, each once, in the order in which they begin when they become
     * ready together. */
    const uint32_t *next;    /* [nexts] */
    const uint32_t *member;  /* [members], NPUs of all-reduces, in ring order; each once */
    const char *const *name; /* [names], name[0] = "" */
    /* [tasks], a topological order, the same for all NPUs: that of node ids. NULL: by number as far
     * as dependencies allow (orr_tg_order). */
    const uint32_t *order;
    /* Ties: of tasks that become ready for one NPU in the same instant, the first in event order
     * goes first, as in FlexNet. False: the first in `order`, independent of the order of events.
     */
    bool first_come;
    struct tg_origin origin; /* label NULL: none */
};

/* The tasks that wait for a task, [*count]. */
static inline const uint32_t *orr_tg_next(const struct tg_graph *graph, uint32_t task,
                                          uint32_t *count)
{
    const uint32_t first = graph->task[task].first_next;
    const uint32_t end = task + 1 < graph->tasks ? graph->task[task + 1].first_next : graph->nexts;
    *count = end - first;
    return graph->next + first;
}

/* NPUs of one group. */
static inline uint32_t orr_tg_group_npus(const struct tg_graph *graph)
{
    return graph->npus / graph->copies;
}

/* Number of tasks of all groups: those of the plain graph. O(tasks). */
uint64_t orr_tg_all_tasks(const struct tg_graph *graph);

/* Whether a task's from and to are the NPUs of two ends. */
static inline bool orr_tg_is_transfer(const struct tg_task *task)
{
    return task->role >= TG_TRANSFER && task->role <= TG_RECEIVE;
}

/* "compute", ...; "forward", ... ("" for TG_NO_PASS); NULL if out of range. */
const char *orr_tg_role_name(unsigned role);
const char *orr_tg_pass_name(unsigned pass);

/* The label of a task in messages: from its origin, else as "tasks[7] (compute, backward, conv1)".
 * Returns text. */
char *orr_tg_label(const struct tg_graph *graph, uint32_t task, char text[TG_LABEL_BYTES]);

/* Fails with the location of a task and its label. */
enum orr_status orr_tg_fail(const struct tg_graph *graph, uint32_t task, struct orr_diag *diag,
                            const char *format, ...) ORR_PRINTF(4, 5);

/* Checks the graph: at least one task; 1 to TG_MAX_NPUS NPUs in equal groups; valid NPUs, roles,
 * passes, names and dependencies; distinct members within the group; times that fit; ends of
 * transfers with equal bytes (tg_pairs.h); no cycle (the error lists its tasks). Graphs from the
 * builder and the readers are checked already. O(tasks + dependencies + members), with a heap's log
 * if dependencies lead to smaller numbers. */
enum orr_status orr_tg_check(const struct tg_graph *graph, struct orr_diag *diag);

/* Computes a topological order into order[tasks]: the graph's own, or the one that always takes the
 * smallest possible number next. Errors: a cycle, or a graph order that is not topological. O(tasks
 * + dependencies) if dependencies lead only to larger numbers, else with a heap's log. */
enum orr_status orr_tg_order(const struct tg_graph *graph, uint32_t *order, struct orr_diag *diag);

/* Expands a graph with copies to the plain graph; *out lives in the arena and shares the names.
 * Task t of group g is numbered after all groups' tasks below t and the smaller groups' t; tasks
 * across groups count once. Without copies the result is the graph itself. Errors: too many tasks
 * or dependencies. O(size of the plain graph). */
enum orr_status orr_tg_expand(struct orr_arena *arena, const struct tg_graph *graph,
                              struct tg_graph *out, struct orr_diag *diag);

#endif
