/* Ways of ring steps that have lost their link, over links that no ring goes over where there are
 * some (TopoOpt, NSDI'23, section 7: a link dedicated to model-parallel traffic recovers a ring).
 */
#ifndef ORR_NETWORK_ROUTING_RING_DETOUR_H
#define ORR_NETWORK_ROUTING_RING_DETOUR_H

#include "network/routing/routing.h"

struct net_ring_detour;

/* Which links rings go over is counted once, of rings of all NPUs and of those whose members or
 * steps are listed: a step goes over its own way, or the link between its ends. The graph must
 * outlive it. NULL: memory. O(links + rings x NPUs x log links of a node). */
struct net_ring_detour *orr_net_ring_detour_create(const struct net_graph *graph,
                                                   struct orr_arena *arena);

/* What works now: working[links], how many links of each record; NULL: as the graph says. Kept; to
 * be called again when they have changed. */
void orr_net_ring_detour_working(struct net_ring_detour *detour, const uint32_t *working);

/* The shortest way from one NPU to another where a hop over a record of which rings take all links
 * counts as four, of equal ones over the lowest nodes; good until the next call. false: there is
 * none, or no memory (*out_of_memory). O(1) where it was asked for before, else O((nodes + links)
 * log nodes). */
bool orr_net_ring_detour_path(struct net_ring_detour *detour, uint32_t src, uint32_t dst,
                              struct net_route_links *out, bool *out_of_memory);

#endif
