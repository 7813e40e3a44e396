/* Router: see routing.h. The paths are the routing's. */
#include <inttypes.h>
#include <stdio.h>

#include "core/evq.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "network/routing/routing.h"

enum orr_status orr_net_router_create(struct net_router **out, const struct net_graph *graph,
                                      const struct net_route_options *options,
                                      struct orr_arena *arena, struct orr_diag *diag)
{
    struct net_router *router = orr_arena_alloc(arena, sizeof *router);
    if (router == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    *router = (struct net_router){
        .graph = graph,
        .routing = net_routing_of(options),
        .seed = options->seed,
        .arena = arena,
        .hops = orr_arena_array(arena, graph->nodes, sizeof *router->hops),
        .root = orr_arena_array(arena, graph->npus, sizeof *router->root),
        .queue = orr_arena_array(arena, graph->nodes, sizeof *router->queue),
        .link = orr_arena_array(arena, (size_t)graph->nodes + 2, sizeof *router->link)};
    if (router->hops == NULL || router->root == NULL || router->queue == NULL ||
        router->link == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    const enum orr_status status = orr_net_graph_reverse(graph, arena, &router->reverse, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_net_graph_roots(graph, &router->reverse, router->root);
    *out = router;
    return router->routing->create != NULL ? router->routing->create(router, options, diag)
                                           : ORR_OK;
}

enum orr_status orr_net_router_path(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out)
{
    if (src == dst) {
        *out = (struct net_route_links){.hops = 0};
        return ORR_OK;
    }
    return router->routing->path(router, src, dst, key, out);
}

bool orr_net_router_depends_on_key(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links path;
    return router->routing->has_one_path != NULL
               ? !router->routing->has_one_path(router, src, dst)
               : orr_net_router_path(router, src, dst, 0, &path) != ORR_OK;
}

void orr_net_route_failed(const struct net_graph *graph, uint32_t src, uint32_t dst,
                          enum orr_status status, struct orr_evq *queue)
{
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    if (status != ORR_ERR_INPUT) {
        orr_evq_stop(queue, status);
        return;
    }
    orr_evq_fail(queue,
                 "network: no path of at most %d links leads from %s to %s; longer ones are not "
                 "supported in a graph",
                 UINT16_MAX - 1, orr_net_node_name(graph, src, from),
                 orr_net_node_name(graph, dst, to));
}
