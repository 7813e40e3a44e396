/* Converts a task graph to one execution trace per NPU. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_TRACES_H
#define ORR_WORKLOAD_TASKGRAPH_TG_TRACES_H

#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_groups.h"
#include "workload/trace/trace.h"

/* Tasks of an NPU. */
struct tg_counts {
    uint64_t tasks;   /* tasks of the graph; a transfer counts on its sender, an all-reduce on its
                         first member */
    uint64_t dropped; /* of these, dropped: all-reduces of one NPU that nothing waits for */
};

struct tg_traces {
    const struct orr_trace **trace; /* [npus] */
    struct tg_counts *counts;       /* [npus] */
    uint64_t signals;               /* dependencies between NPUs without a transfer */
    const struct tg_group *group;   /* [groups] */
    uint32_t groups;
    /* The number of consecutive NPU groups that share their traces, position by position: the
     * copies of the graph, or 1 if their traces differ. Their sends and receives have relative
     * peers, modulo the NPUs of the graph. */
    uint32_t alike;
};

/* Events of the conversion that a listener may report. */
enum tg_finding {
    TG_SIGNAL_ADDED,     /* the end of the task on NPU `from` is signaled to a task on `to` */
    TG_LOCAL_TRANSFER,   /* a transfer within NPU `from`, which takes no time */
    TG_SINGLE_NPU_REDUCE /* an all-reduce with `from` as its only member, without communication */
};

struct tg_listener {
    void (*found)(void *context, enum tg_finding finding, uint32_t task, uint32_t from,
                  uint32_t to);
    void *context;
};

/* Makes the traces of a checked graph; except for ids and the numbers in names they equal those of
 * its plain graph (orr_tg_expand). They live in the arena; the groups' ranks live there or in the
 * graph. Node ids ascend in the order of the tasks (orr_tg_order) and are unique over all NPUs, so
 * program order is the same on every NPU. `listener` may be NULL. Errors: more than 2^32 nodes.
 * O(tasks + dependencies + members). */
enum orr_status orr_tg_traces_make(struct tg_traces *traces, const struct tg_graph *graph,
                                   struct orr_arena *arena, const struct tg_listener *listener,
                                   struct orr_diag *diag);

enum { TG_NODE_NAME_BYTES = 128 };

/* The name of a task's nodes: the task's name, or as "forward_7". Returns text. */
const char *orr_tg_node_name(const struct tg_graph *graph, uint32_t task,
                             char text[TG_NODE_NAME_BYTES]);

#endif
