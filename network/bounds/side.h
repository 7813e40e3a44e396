/* Shared by the cuts. */
#ifndef ORR_NETWORK_BOUNDS_SIDE_H
#define ORR_NETWORK_BOUNDS_SIDE_H

#include <stdbool.h>

struct net_cut;
struct net_graph;

/* Counts the NPUs of the cut's side, and sums the bandwidth of the links that leave it; if
 * `reversed`, that enter it. O(nodes + links). (cut_time.c) */
void orr_net_cut_fill(const struct net_graph *graph, bool reversed, struct net_cut *cut);

#endif
