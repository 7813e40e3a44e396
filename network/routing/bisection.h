/* Shared by the parts of the bisection search. Private to network/routing. */
#ifndef ORR_NETWORK_ROUTING_BISECTION_H
#define ORR_NETWORK_ROUTING_BISECTION_H

#include "network/graph_metrics.h"
#include "network/routing/igraph_calls.h"
#include "network/routing/routing.h"

struct net_graph;
struct orr_arena;

/* A unit is the NPUs of one switch, or a single NPU. */
struct bisection {
    const struct net_graph *graph;
    struct orr_arena *arena;
    struct net_reverse reverse;
    uint32_t *root;  /* [npus] */
    uint32_t *unit;  /* [nodes]; NET_NO_UNIT: has no NPUs */
    uint32_t *node;  /* [units], ordered by first NPU */
    uint32_t *below; /* [units]: NPUs in each */
    uint32_t units;
    uint8_t *half; /* [npus]: 0 or 1, the current candidate */
    double *key;   /* [units] */
    struct igraph_calls igraph;
    igraph_integer_t *ends; /* [2 * links]: ends of the links that a flow may use */
    double *capacity;       /* [links]: their capacities */
    struct net_bisection best;
};

#define NET_NO_UNIT UINT32_MAX

/* Capacity of the cut from half 0 to half 1, or back if that is less. With switches: minimum cut
 * over their placement, by igraph's maximum flow; else O(links). Error: memory. (bisection_cut.c)
 */
enum orr_status orr_bisection_cut(const struct bisection *all, double *bytes_per_s);

/* Whether swaps of units apply: every node is in a unit or a leaf, units have equal size, and there
 * are not too many. */
bool orr_bisection_can_swap(const struct bisection *all);

/* Kernighan-Lin (1970): series of best swaps, cut at the prefix with the greatest gain, repeated
 * while the cut shrinks. Updates half[units]. Error: memory. O(units^2) per series.
 * (bisection_swap.c) */
enum orr_status orr_bisection_swap(const struct bisection *all, uint8_t *half);

#endif
