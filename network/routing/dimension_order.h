/* Dimension-order routing (DOR) through the graph of a stacked topology. */
#ifndef ORR_NETWORK_ROUTING_DIMENSION_ORDER_H
#define ORR_NETWORK_ROUTING_DIMENSION_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct net_graph;

/* The links from one NPU to another, in the order of the congestion backend: the first dimension
 * that differs comes first; a ring takes the shorter direction, forward (or `backwards`) if both
 * are equally long; a switch dimension passes its switch. NPUs below the ranks go up first and down
 * last. `link` holds nodes + 1. Returns the number of links; 0: a link is missing, or an end is not
 * in the dimensions. O(hops log links). */
uint32_t orr_dimension_order(const struct net_graph *graph, uint32_t src, uint32_t dst,
                             bool backwards, uint32_t *link);

#endif
