/* The critical path of one trace by its recorded durations: the longest chain of dependencies if
 * every node starts as soon as its parents are done. Streams, links and other NPUs are ignored;
 * `orrery run --why` finds the critical path of a simulated job. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_PATH_H
#define ORR_WORKLOAD_TRACE_TRACE_PATH_H

#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_query.h"

struct orr_trace_path {
    uint64_t length_ps;   /* saturates at UINT64_MAX */
    const uint32_t *node; /* [nodes] indices, in order of time */
    uint32_t nodes;
    const uint64_t *start_ps; /* [all nodes of the trace]: earliest start */
    const uint64_t *slack_ps; /* [all nodes]: how much later it may end without a longer path */
    uint64_t kind_ps[ORR_NODE_KINDS];
    uint32_t kind_nodes[ORR_NODE_KINDS];
    struct orr_op_table ops; /* of the nodes on the path, sorted */
};

/* Ties: the chain with the lowest ids from its end back. The path begins with the first node that
 * takes time. A trace without durations has an empty path. O(nodes + edges) in the arena. Errors:
 * out of memory. */
enum orr_status orr_trace_find_path(struct orr_arena *arena, const struct orr_trace *trace,
                                    struct orr_trace_path *out, struct orr_diag *diag);

#endif
