/* State of the conversion of a task graph to traces; shared by tg_traces.c, tg_traces_nodes.c,
 * tg_traces_reduce.c and tg_traces_build.c. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_TRACES_PRIVATE_H
#define ORR_WORKLOAD_TASKGRAPH_TG_TRACES_PRIVATE_H

#include "workload/taskgraph/tg_predecessors.h"
#include "workload/taskgraph/tg_traces.h"
#include "workload/trace/trace_builder.h"

/* The role of a node within its task. */
enum tg_node_role {
    TG_NODE_TASK,      /* the whole task: a computation or a delay */
    TG_NODE_RECEIVED,  /* a delay of zero time after a receiving end */
    TG_NODE_IN_SERVER, /* all-reduce: the delay before the collective */
    TG_NODE_REDUCE,    /* all-reduce: the collective */
    TG_NODE_SEND,      /* ends of a transfer */
    TG_NODE_RECEIVE,
    TG_NODE_SIGNAL, /* ends of a signal that the task is done */
    TG_NODE_SIGNALED
};

/* A node; its id is its index in the list. */
struct tg_node {
    uint32_t npu, task;
    uint32_t first_dep; /* into tg_nodes.dep, up to the first_dep of the next node */
    union {
        struct {
            uint32_t peer, tag;
        } message;
        uint32_t group; /* REDUCE: into tg_groups.group */
    } of;
    uint8_t what; /* enum tg_node_role */
};

/* On the heap, where large arrays can grow in place. */
struct tg_nodes {
    struct tg_node *node; /* [count] */
    uint32_t *dep;        /* [deps], nodes */
    size_t count, deps, capacity, dep_capacity;
};

struct tg_npu {
    uint32_t next_tag; /* the tag of its next message */
    uint32_t feeding;  /* current all-reduce: index in maker->feed plus one; UINT32_MAX: a member
                          that nothing feeds; 0: no member */
    uint32_t member, member_of; /* its index among the members of task member_of, plus one */
};

/* A dependency of an all-reduce on one NPU: the node to wait for, and the graph's dependency. */
struct tg_feed {
    uint32_t node, edge;
    uint32_t next; /* next one of the NPU, plus one; UINT32_MAX: none */
};

struct tg_maker {
    const struct tg_graph *graph; /* its NPUs are those of one group */
    uint32_t copies;              /* number of groups that the traces are for */
    bool is_asymmetric;           /* the groups' traces differ, so the traces cannot be shared */
    struct tg_traces *traces;
    const struct tg_listener *listener;
    struct orr_arena *arena, *scratch;
    struct orr_diag *diag;
    struct tg_groups groups;
    struct tg_npu *npu; /* [npus] */
    struct tg_predecessors prev;
    uint32_t *other_end; /* [tasks], of ends of transfers; NULL: no ends */
    uint32_t *tag;       /* [tasks], likewise: tag plus one; 0: none yet */
    /* [tasks], the node that successors wait for on the NPU where the task is done. All-reduces:
     * the node of the first member; those of the other members follow at distance 2. */
    uint32_t *end;
    /* [nexts], the first node that waits because of the dependency, or TG_NONE. Dependencies on
     * all-reduces: the node that it waits for on its NPU, TG_NONE if the NPU is no member. */
    uint32_t *begin;
    uint32_t *deps; /* dependencies of the next node */
    size_t dep_count, dep_capacity;
    struct tg_feed *feed;
    size_t feeds, feed_capacity;
    struct tg_nodes nodes;
};

/* Whether the task is an all-reduce among several NPUs. */
static inline bool tg_reduces(const struct tg_maker *maker, const struct tg_task *task)
{
    return task->role == TG_ALL_REDUCE && (task->to > 1 || (task->across && maker->copies > 1));
}

/* ---- tg_traces_nodes.c ---- */

/* The NPUs where a task begins and is done. An end of a transfer without another is the complete
 * transfer. */
uint32_t orr_tg_begins_on(const struct tg_maker *maker, uint32_t task);
uint32_t orr_tg_done_at(const struct tg_maker *maker, uint32_t task);

/* The id of the next node. */
static inline uint32_t tg_next_id(const struct tg_maker *maker)
{
    return (uint32_t)maker->nodes.count;
}

/* Adds a node with the current dependencies (sets its first_dep); sets *id. Errors: no memory, too
 * many nodes. */
enum orr_status orr_tg_node(struct tg_maker *maker, const struct tg_node *node, uint32_t *id);

/* Adds to the current dependencies; false when memory is out. */
bool orr_tg_add_dep(struct tg_maker *maker, uint32_t node);

/* The node on an NPU that means "the task is done", for the task that waits along the edge. Clears
 * the current dependencies. */
enum orr_status orr_tg_done_on(struct tg_maker *maker, const struct tg_edge *edge, uint32_t npu,
                               uint32_t *node);

/* Adds a task that is not an all-reduce among several NPUs, after its predecessors. */
enum orr_status orr_tg_add_plain(struct tg_maker *maker, uint32_t task);

/* Calls the listener, if there is one. */
void orr_tg_found(const struct tg_maker *maker, enum tg_finding finding, uint32_t task,
                  uint32_t to);

/* ---- tg_traces_reduce.c ---- */

/* Adds an all-reduce among several NPUs, after its predecessors on each of them. */
enum orr_status orr_tg_add_reduce(struct tg_maker *maker, uint32_t task);

/* ---- tg_traces_build.c ---- */

/* Builds the traces of all nodes; NPUs without nodes share an empty trace. O(nodes + dependencies).
 */
enum orr_status orr_tg_build_traces(struct tg_maker *maker);

#endif
