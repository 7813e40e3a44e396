/* Paths through a graph (docs/models.md, section 3: Routing). */
#ifndef ORR_NETWORK_ROUTING_ROUTING_H
#define ORR_NETWORK_ROUTING_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct net_route_links;
struct net_route_options;
struct orr_arena;
struct orr_diag;
struct orr_evq;

struct net_router;

/* Creates a router; the graph must outlive it. Distances and k shortest paths are computed on first
 * use and cached in the arena, one table for all NPUs of one switch. NPUs forward if the shortest
 * path leads over them. Errors: memory; dimension order for a graph without dimensions. */
enum orr_status orr_net_router_create(struct net_router **out, const struct net_graph *graph,
                                      const struct net_route_options *options,
                                      struct orr_arena *arena, struct orr_diag *diag);

/* The path from one node to another, valid until the next call; equal keys give equal paths.
 * Errors: no path (orr_net_graph_check_connected finds this before a run), memory. O(hops x links
 * of a node); of k shortest paths the first of a pair O(k x hops x (nodes + links) x log nodes). */
#define NET_KEY_BACKWARDS UINT64_MAX /* by_dimension: rings backwards in case of ties */
enum orr_status orr_net_router_path(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out);

/* Whether the path between two nodes depends on the key. Errors count as true. O(hops x links of a
 * node). */
bool orr_net_router_depends_on_key(struct net_router *router, uint32_t src, uint32_t dst);

/* By a table: the path of a pair at a share (0 to below 1) of the sum of its chances, in the order
 * of the graph; false if the table has none or the routing is another. O(log paths of the source +
 * paths of the pair). */
bool orr_net_router_share(const struct net_router *router, uint32_t src, uint32_t dst, double share,
                          struct net_route_links *out);

/* Excludes the links with closed[link] from all paths. The array is kept; call again after it
 * changes. Routings that avoid links only. O(nodes + links). */
enum orr_status orr_net_router_avoid(struct net_router *router, const bool *closed);

/* Stops the event queue because orr_net_router_path failed, and reports why. All NPUs are
 * connected, so the path has more links than distances can count. */
void orr_net_route_failed(const struct net_graph *graph, uint32_t src, uint32_t dst,
                          enum orr_status status, struct orr_evq *queue);

/* Incoming links of each node (orr_net_graph_reverse), and hops from every node to `root`,
 * UINT16_MAX if unreachable; `queue` is scratch [nodes]. O(nodes + links). */
struct net_reverse {
    const uint32_t *first_in; /* [nodes + 1] */
    const uint32_t *in;       /* links */
};
enum orr_status orr_net_graph_reverse(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_reverse *out, struct orr_diag *diag);
void orr_net_graph_distances(const struct net_graph *graph, const struct net_reverse *reverse,
                             uint32_t root, uint16_t *hops, uint32_t *queue);

/* root[npus]: the switch that is the only neighbour of an NPU, or the NPU itself. O(NPUs). */
void orr_net_graph_roots(const struct net_graph *graph, const struct net_reverse *reverse,
                         uint32_t *root);

#endif
