/* Detours of ring steps that lost their link: shortest paths that prefer links without rings
 * (TopoOpt, NSDI'23, section 7: a link dedicated to model-parallel traffic recovers a ring). */
#ifndef ORR_NETWORK_ROUTING_RING_DETOUR_H
#define ORR_NETWORK_ROUTING_RING_DETOUR_H

#include <stdbool.h>
#include <stdint.h>

struct net_graph;
struct net_route_links;
struct orr_arena;

struct net_ring_detour;

/* Counts once which links carry rings: rings of all NPUs, and rings with listed members or steps. A
 * step uses its own path, or the link between its ends. The graph must outlive it. NULL if memory
 * is out. O(links + rings x NPUs x log links of a node). */
struct net_ring_detour *orr_net_ring_detour_create(const struct net_graph *graph,
                                                   struct orr_arena *arena);

/* Sets the working links of each record, working[links]; NULL: as in the graph. The array is kept;
 * call again after changes. */
void orr_net_ring_detour_working(struct net_ring_detour *detour, const uint32_t *working);

/* Shortest path between NPUs with hop weight 4 on records whose links all carry rings and 1 on
 * others; ties by lowest node. Valid until the next call. false: no path, or memory is out
 * (*out_of_memory). O(1) if cached, else O((nodes + links) log nodes). */
bool orr_net_ring_detour_path(struct net_ring_detour *detour, uint32_t src, uint32_t dst,
                              struct net_route_links *out, bool *out_of_memory);

#endif
