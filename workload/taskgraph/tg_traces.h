/* A task graph as one execution trace per NPU. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_TRACES_H
#define ORR_WORKLOAD_TASKGRAPH_TG_TRACES_H

#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_groups.h"
#include "workload/trace/trace.h"

/* What became of the tasks of an NPU. */
struct tg_counts {
    uint64_t tasks;   /* of the graph; a transfer counts where it begins, an all-reduce on its first
                         member */
    uint64_t dropped; /* of these: all-reduces of one NPU that nothing waits for */
};

struct tg_traces {
    const struct orr_trace **trace; /* [npus] */
    struct tg_counts *counts;       /* [npus] */
    uint64_t signals;               /* for dependencies between NPUs without a transfer */
    const struct tg_group *group;   /* [groups] */
    uint32_t groups;
    /* As many groups of NPUs, one behind the other, share their traces, place by place: those of
     * the graph, or one where they do not do alike. Their sends and receives are at distances
     * modulo the NPUs of the graph. */
    uint32_t alike;
};

/* What somebody may want to know of the tasks that become nodes. */
enum tg_finding {
    TG_SIGNAL_ADDED, /* the task, done on NPU `from`, is told to one that waits for it on `to` by a
                      * signal
                      */
    TG_LOCAL_TRANSFER,   /* a transfer inside of NPU `from`, which takes no time */
    TG_SINGLE_NPU_REDUCE /* an all-reduce of NPU `from` alone, which needs no communication */
};

struct tg_listener {
    void (*found)(void *context, enum tg_finding finding, uint32_t task, uint32_t from,
                  uint32_t to);
    void *context;
};

/* Makes the traces of a checked graph, those of its plain graph (orr_tg_expand) but for ids and the
 * numbers in names; they live in the arena, and the groups' ranks there or in the graph. Ids of
 * nodes ascend in the order of the tasks (orr_tg_order) and are those of all NPUs together, so that
 * program order is the same everywhere. `listener` may be NULL. Errors: more than 2^32 nodes.
 * O(tasks + dependencies + members). */
enum orr_status orr_tg_traces_make(struct tg_traces *traces, const struct tg_graph *graph,
                                   struct orr_arena *arena, const struct tg_listener *listener,
                                   struct orr_diag *diag);

enum { TG_NODE_NAME_BYTES = 128 };

/* What the nodes of a task are called: by its name, or as in "forward_7". Returns text. */
const char *orr_tg_node_name(const struct tg_graph *graph, uint32_t task,
                             char text[TG_NODE_NAME_BYTES]);

#endif
