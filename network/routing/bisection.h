/* What the parts of the search for a bisection share. Private to network/routing. */
#ifndef ORR_NETWORK_ROUTING_BISECTION_H
#define ORR_NETWORK_ROUTING_BISECTION_H

#include "network/routing/igraph_calls.h"
#include "network/routing/routing.h"

/* NPUs stand in units: those of one switch together, others alone. */
struct bisection {
    const struct net_graph *graph;
    struct orr_arena *arena;
    struct net_reverse reverse;
    uint32_t *root;  /* [npus] */
    uint32_t *unit;  /* [nodes]; NET_NO_UNIT: has no NPUs */
    uint32_t *node;  /* [units], in the order of their first NPUs */
    uint32_t *below; /* [units]: NPUs */
    uint32_t units;
    uint8_t *half; /* [npus]: 0 or 1, what is tried */
    double *key;   /* [units] */
    struct igraph_calls igraph;
    igraph_integer_t *ends; /* [2 * links], and */
    double *capacity;       /* [links]: of the links that a flow may use */
    struct net_bisection best;
};

#define NET_NO_UNIT UINT32_MAX

/* The least capacity of links from NPUs of half 0 to those of half 1, or back where that is less.
 * Error: memory. Without switches O(links), else igraph's maximum flow. (bisection_cut.c) */
enum orr_status orr_bisection_cut(const struct bisection *all, double *bytes_per_s);

/* Whether halves can be improved by swaps of units: every node is in a unit or a leaf, units are
 * equal, and not too many. */
bool orr_bisection_can_swap(const struct bisection *all);

/* Swaps units between the halves as long as the cut gets less (Kernighan and Lin, 1970): series of
 * the best swaps, cut off where they are best. `half[units]`. Error: memory. O(units^2) a series.
 * (bisection_swap.c) */
enum orr_status orr_bisection_swap(const struct bisection *all, uint8_t *half);

#endif
