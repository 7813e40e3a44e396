/* A task graph in memory: the tasks of one iteration with their NPUs, and what waits for what.
 * Every source of task graphs (files of our own, FlexFlow's, strategies) ends here, and traces are
 * made of it in one place. 40 bytes a task, 4 a dependency. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TASK_GRAPH_H
#define ORR_WORKLOAD_TASKGRAPH_TASK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* What a task does. Values stand in files. */
enum tg_role {
    TG_COMPUTE,     /* on the accelerator: one at a time, in the order in which they become ready */
    TG_COMPUTE_CPU, /* on the CPU */
    TG_DELAY,       /* takes its time and keeps nothing busy */
    TG_TRANSFER,    /* `bytes` from one NPU to another; inside of one it takes no time */
    TG_SEND,        /* one end of a transfer whose other end is a task of its own (tg_pairs.h) */
    TG_RECEIVE,
    TG_ALL_REDUCE, /* of `bytes` among its members, each of which first takes duration_ps inside of
                      its server; of one member it takes no time */
    TG_ROLES
};

/* What a task is for, which no rule depends on. Values stand in files. */
enum tg_pass { TG_NO_PASS, TG_FORWARD, TG_BACKWARD, TG_UPDATE, TG_BARRIER, TG_PASSES };

/* Tasks are numbered in 32 bits, as dependencies, members and names are; this is none. */
#define TG_NONE UINT32_MAX

enum { TG_MAX_NPUS = 1 << 16, TG_LABEL_BYTES = 128 };

struct tg_task {
    uint64_t bytes;       /* of transfers, their ends and all-reduces; otherwise 0 */
    uint64_t duration_ps; /* at most ORR_TIME_MAX; of transfers and their ends 0 */
    /* Transfers and both their ends: the NPUs of the two ends. All-reduces: the first of its
     * members in tg_graph.member, and how many. Otherwise both the NPU. */
    uint32_t from, to;
    uint32_t name;       /* into tg_graph.name: what its nodes are called; 0: by role and number */
    uint32_t first_next; /* into tg_graph.next; ends where the next task's begins */
    uint8_t role;        /* enum tg_role */
    uint8_t pass;        /* enum tg_pass */
    uint8_t across;      /* all-reduces of a graph with copies: done once, see below */
};

/* Who speaks of a task in messages, where the graph came from a file that has names and places for
 * its tasks. */
struct tg_origin {
    /* "tasks[7] (FORWARD 42)" */
    void (*label)(const void *context, uint32_t task, char text[TG_LABEL_BYTES]);
    /* Where the task stands; *byte is its byte offset where places are such. */
    struct orr_location (*place)(const void *context, uint32_t task, uint64_t *byte);
    const void *context;
};

/* COPIES. A graph may say that it stands for `copies` alike groups (k-way model x l-way data
 * parallelism): its tasks are those of group 0, with NPUs from 0 to npus / copies - 1, and hold for
 * every group g with g * npus / copies added. Each group does its own all-reduces, but for those
 * `across` the groups: these are done once, and their members are the listed NPUs of every group,
 * group 0's first. orr_tg_expand makes the plain graph of it, with one copy. */
struct tg_graph {
    const char *file; /* for messages; NULL: made in memory */
    uint32_t npus, copies;
    uint32_t tasks, nexts, members, names;
    const struct tg_task *task; /* [tasks] */
    /* Tasks that wait for a task, each once, in the order in which they begin when they become
     * ready by it. */
    const uint32_t *next;    /* [nexts] */
    const uint32_t *member;  /* [members], NPUs of all-reduces, in the order of rings; each once */
    const char *const *name; /* [names], name[0] = "" */
    /* [tasks], an order in which all come behind what they wait for, the same for all NPUs: that of
     * the ids of nodes. NULL: by number as far as dependencies allow (orr_tg_order). */
    const uint32_t *order;
    /* Of those that become ready for the same NPU in the same instant, the first to hear of it goes
     * first, as in FlexNet; otherwise the first in the order, whatever else happens then. */
    bool first_come;
    struct tg_origin origin; /* label NULL: none */
};

/* The tasks that wait for a task; *count is set. */
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

/* Tasks of all groups, as many as the plain graph has. O(tasks). */
uint64_t orr_tg_all_tasks(const struct tg_graph *graph);

/* Whether a task's from and to are NPUs of two ends. */
static inline bool orr_tg_is_transfer(const struct tg_task *task)
{
    return task->role >= TG_TRANSFER && task->role <= TG_RECEIVE;
}

/* "compute", ...; "forward", ... ("" for TG_NO_PASS); NULL for numbers that are none. */
const char *orr_tg_role_name(unsigned role);
const char *orr_tg_pass_name(unsigned pass);

/* What messages call a task: by its origin, else as in "tasks[7] (compute, backward, conv1)".
 * Returns text. */
char *orr_tg_label(const struct tg_graph *graph, uint32_t task, char text[TG_LABEL_BYTES]);

/* Fails with the place of a task and its label. */
enum orr_status orr_tg_fail(const struct tg_graph *graph, uint32_t task, struct orr_diag *diag,
                            const char *format, ...) ORR_PRINTF(4, 5);

/* Whether the graph makes sense: at least one task, 1 to TG_MAX_NPUS NPUs in equal groups, NPUs
 * and members of the group that there are, members that differ, roles, passes, names and
 * dependencies that there are, times that fit, ends of transfers of equal bytes (tg_pairs.h), and
 * no cycle: that is named task by task. What the builder and the readers have finished is checked
 * already. O(tasks + dependencies + members), and a heap's log where dependencies lead back to
 * smaller numbers. */
enum orr_status orr_tg_check(const struct tg_graph *graph, struct orr_diag *diag);

/* An order of the tasks in which each comes behind what it waits for, into order[tasks]: the
 * graph's own, or that in which the smallest number that can come next does. Errors: a cycle, or an
 * order of the graph's own that is none. O(tasks + dependencies) where dependencies lead to larger
 * numbers only, else with a heap's log. */
enum orr_status orr_tg_order(const struct tg_graph *graph, uint32_t *order, struct orr_diag *diag);

/* The plain graph of one with copies; *out lives in the arena and shares the names. Task t of group
 * g gets the number behind those of all groups' tasks below t and of smaller groups' t; what is
 * across groups counts once. Of a graph without copies it is the graph itself. Errors: too many
 * tasks or dependencies. O(those of the plain graph). */
enum orr_status orr_tg_expand(struct orr_arena *arena, const struct tg_graph *graph,
                              struct tg_graph *out, struct orr_diag *diag);

#endif
