/* Maximum flow by Dinic's algorithm (1970): shortest augmenting paths, a level graph a phase. */
#ifndef ORR_NETWORK_BOUNDS_MAX_FLOW_H
#define ORR_NETWORK_BOUNDS_MAX_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "network/bounds/capacity_graph.h"

/* Residual arcs: arc i of the caller is 2 i, its reverse 2 i + 1. */
struct max_flow {
    uint32_t nodes, arcs;
    const uint32_t *first; /* [nodes + 1] into `leaving` */
    const uint32_t *leaving;
    const uint32_t *to; /* [2 arcs] */
    uint64_t *rest;     /* [2 arcs] residual capacity: the caller sets it before each run */
    uint32_t *level;    /* [nodes] after a run: UINT32_MAX of nodes that the source cannot reach */
    uint32_t *next, *path, *queue;
};

/* Prepares flows along the arcs, whose capacities are ignored. Error: memory. O(nodes + arcs). */
enum orr_status orr_max_flow_make(struct max_flow *out, uint32_t nodes, uint32_t arcs,
                                  const struct cap_arc *arc, struct orr_arena *arena);

/* Sets the residual capacities of an arc that carries nothing. */
static inline void max_flow_set(struct max_flow *flow, uint32_t arc, uint64_t capacity)
{
    flow->rest[2 * arc] = capacity;
    flow->rest[2 * arc + 1] = 0;
}

/* Adds flow from the source to the sink, which differ, until it is maximal or at least `limit`
 * was added; returns what was added. If it is below the limit, the nodes with a level are the
 * smallest source side of a minimum cut. O(nodes^2 arcs) at worst. */
uint64_t orr_max_flow_run(struct max_flow *flow, uint32_t source, uint32_t sink, uint64_t limit);

/* Whether the node is on the source side of the minimum cut that the last run found. */
static inline bool max_flow_is_source_side(const struct max_flow *flow, uint32_t node)
{
    return flow->level[node] != UINT32_MAX;
}

#endif
