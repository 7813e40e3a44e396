/* A network graph as arcs with whole capacities, for exact cuts and flows: parallel links are one
 * arc, and the unit is the greatest common divisor of all arcs, in bytes/s. */
#ifndef ORR_NETWORK_BOUNDS_CAPACITY_GRAPH_H
#define ORR_NETWORK_BOUNDS_CAPACITY_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

struct cap_arc {
    uint32_t from, to;
    uint64_t capacity; /* > 0, in units */
};

struct cap_graph {
    uint32_t npus, nodes, arcs; /* nodes 0..npus-1 are the NPUs */
    struct cap_arc *arc;        /* [arcs] */
    double unit_bytes_per_s;
};

/* The graph's capacities, with all arcs turned around if `reversed`. Links that carry nothing have
 * no arc. Bandwidths are rounded to bytes/s; where (npus + 1) times the sum of all capacities
 * exceeds 62 bits even by the common divisor, to the smallest power of two that fits. Error:
 * memory. O(links). (capacity_graph.c) */
enum orr_status orr_cap_graph_make(const struct net_graph *graph, bool reversed,
                                   struct orr_arena *arena, struct cap_graph *out,
                                   struct orr_diag *diag);

#endif
