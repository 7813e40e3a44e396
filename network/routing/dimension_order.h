/* Dimension-order routes through the graph of a stacked topology. */
#ifndef ORR_NETWORK_ROUTING_DIMENSION_ORDER_H
#define ORR_NETWORK_ROUTING_DIMENSION_ORDER_H

#include "network/routing/routing.h"

/* The links from one NPU to another, as the congestion backend takes them: the first dimension that
 * differs first, a ring the shorter way and of equal ones forward (or backwards), through the
 * switch of a line.
 * NPUs below the ranks go up first, and down at the end. `link` has room for nodes + 1. Returns how
 * many there are; 0: a link is missing, or an end is none of these nodes. O(hops log links). */
uint32_t orr_dimension_order(const struct net_graph *graph, uint32_t src, uint32_t dst,
                             bool backwards, uint32_t *link);

#endif
