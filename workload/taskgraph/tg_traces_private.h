/* What the files that make traces of a task graph share: tg_traces.c, tg_traces_nodes.c,
 * tg_traces_reduce.c and tg_traces_build.c. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_TRACES_PRIVATE_H
#define ORR_WORKLOAD_TASKGRAPH_TG_TRACES_PRIVATE_H

#include "workload/taskgraph/tg_predecessors.h"
#include "workload/taskgraph/tg_traces.h"
#include "workload/trace/trace_builder.h"

/* What a node is of its task. */
enum tg_node_role {
    TG_NODE_TASK,      /* all: computation, or a delay */
    TG_NODE_RECEIVED,  /* a delay of no time behind a receiving end */
    TG_NODE_IN_SERVER, /* of an all-reduce: the delay before it */
    TG_NODE_REDUCE,    /* the collective */
    TG_NODE_SEND,      /* ends of a transfer */
    TG_NODE_RECEIVE,
    TG_NODE_SIGNAL, /* ends of a signal that it is done */
    TG_NODE_SIGNALED
};

/* A node to come; its id is its place in the list. */
struct tg_node {
    uint32_t npu, task;
    uint32_t first_dep; /* into tg_nodes.dep, up to that of the next node */
    union {
        struct {
            uint32_t peer, tag;
        } message;
        uint32_t group; /* REDUCE: into tg_groups.group */
    } of;
    uint8_t what; /* enum tg_node_role */
};

/* On the heap, where large arrays grow in their place. */
struct tg_nodes {
    struct tg_node *node; /* [count] */
    uint32_t *dep;        /* [deps], nodes */
    size_t count, deps, capacity, dep_capacity;
};

struct tg_npu {
    uint32_t next_tag;          /* of what it sends */
    uint32_t feeding;           /* of the all-reduce at hand: into maker->feed, plus one;
                                   UINT32_MAX: a member, fed by nobody; 0: no member */
    uint32_t member, member_of; /* its place among the members of a task, plus one */
};

/* What feeds an all-reduce on one NPU: a node, and the dependency. */
struct tg_feed {
    uint32_t node, edge;
    uint32_t next; /* on the same NPU, plus one; UINT32_MAX: none */
};

struct tg_maker {
    const struct tg_graph *graph; /* its NPUs are those of one group */
    uint32_t copies;              /* groups that the traces are for */
    bool is_asymmetric;           /* some of them would do otherwise: the traces are for none */
    struct tg_traces *traces;
    const struct tg_listener *listener;
    struct orr_arena *arena, *scratch;
    struct orr_diag *diag;
    struct tg_groups groups;
    struct tg_npu *npu; /* [npus] */
    struct tg_predecessors prev;
    uint32_t *other_end; /* [tasks], of ends of transfers; NULL: there are none */
    uint32_t *tag;       /* [tasks], as well: plus one; 0: not chosen */
    /* [tasks], the node that what waits for a task waits for where the task is done. Of all-reduces
     * that of the first member; those of others follow, two ids apart. */
    uint32_t *end;
    /* [nexts], the node that is first to wait because of the dependency, TG_NONE: none. Of
     * all-reduces the node that it waits for on its NPU, TG_NONE where that is no member. */
    uint32_t *begin;
    uint32_t *deps; /* of the node to come */
    size_t dep_count, dep_capacity;
    struct tg_feed *feed;
    size_t feeds, feed_capacity;
    struct tg_nodes nodes;
};

/* Whether the task is an all-reduce among several. */
static inline bool tg_reduces(const struct tg_maker *maker, const struct tg_task *task)
{
    return task->role == TG_ALL_REDUCE && (task->to > 1 || (task->across && maker->copies > 1));
}

/* ---- tg_traces_nodes.c ---- */

/* Where a task begins, and where it is done. An end of a transfer without another is the whole. */
uint32_t orr_tg_begins_on(const struct tg_maker *maker, uint32_t task);
uint32_t orr_tg_done_at(const struct tg_maker *maker, uint32_t task);

/* The id of the node to come. */
static inline uint32_t tg_next_id(const struct tg_maker *maker)
{
    return (uint32_t)maker->nodes.count;
}

/* Adds a node behind the dependencies at hand (its first_dep is set here); *id is set. Errors: no
 * memory, too many nodes. */
enum orr_status orr_tg_node(struct tg_maker *maker, const struct tg_node *node, uint32_t *id);

/* Adds to the dependencies at hand; false when memory is out. */
bool orr_tg_add_dep(struct tg_maker *maker, uint32_t node);

/* The node on an NPU that stands for "the task is done", for one that waits for it. The
 * dependencies at hand are lost. */
enum orr_status orr_tg_done_on(struct tg_maker *maker, const struct tg_edge *edge, uint32_t npu,
                               uint32_t *node);

/* A task that is no all-reduce among several, behind what it waits for. */
enum orr_status orr_tg_add_plain(struct tg_maker *maker, uint32_t task);

/* Tells the listener, if there is one. */
void orr_tg_found(const struct tg_maker *maker, enum tg_finding finding, uint32_t task,
                  uint32_t to);

/* ---- tg_traces_reduce.c ---- */

/* An all-reduce among several, behind what feeds it on each of its NPUs. */
enum orr_status orr_tg_add_reduce(struct tg_maker *maker, uint32_t task);

/* ---- tg_traces_build.c ---- */

/* The traces of all nodes; NPUs without one share an empty trace. O(nodes + dependencies). */
enum orr_status orr_tg_build_traces(struct tg_maker *maker);

#endif
