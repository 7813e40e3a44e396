/* Hops to a node, kept for the next path, and links that are left out of all paths. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/routing/router.h"

static bool alloc_open_links(struct net_router *router)
{
    const uint32_t nodes = router->graph->nodes, links = router->graph->links;
    struct orr_arena *arena = router->arena;
    router->current = orr_arena_array(arena, nodes, sizeof *router->current);
    router->first_open = orr_arena_array(arena, (size_t)nodes + 1, sizeof *router->first_open);
    router->open = orr_arena_array(arena, (size_t)links + 1, sizeof *router->open);
    router->first_open_in = orr_arena_array(arena, (size_t)nodes + 1, sizeof(uint32_t));
    router->open_in = orr_arena_array(arena, (size_t)links + 1, sizeof *router->open_in);
    return router->first_open_in != NULL && router->open_in != NULL && router->current != NULL &&
           router->first_open != NULL && router->open != NULL;
}

/* Lists the open links in the order of the graph. */
static void list_open(struct net_router *router)
{
    const struct net_graph *graph = router->graph;
    uint32_t *first_in = router->first_open_in, *in = router->open_in;
    uint32_t out = 0, back = 0;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        router->first_open[node] = out;
        first_in[node] = back;
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            router->open[out] = i;
            out += !router->closed[i];
        }
        for (uint32_t i = router->reverse.first_in[node]; i < router->reverse.first_in[node + 1];
             i++) {
            in[back] = router->reverse.in[i];
            back += !router->closed[router->reverse.in[i]];
        }
    }
    router->first_open[graph->nodes] = out;
    first_in[graph->nodes] = back;
}

enum orr_status orr_net_router_avoid(struct net_router *router, const bool *closed)
{
    const uint32_t nodes = router->graph->nodes;
    ORR_ASSERT(router->routing->avoids);
    if (router->current == NULL && !alloc_open_links(router)) {
        return ORR_ERR_MEMORY;
    }
    memset(router->current, 0, nodes * sizeof *router->current);
    router->closed = closed;
    list_open(router);
    return ORR_OK;
}

const uint16_t *orr_router_hops(struct net_router *router, uint32_t root)
{
    const bool old = router->closed != NULL && !router->current[root];
    const bool is_new = router->hops[root] == NULL;
    const struct net_reverse open = {.first_in = router->first_open_in, .in = router->open_in};
    if (is_new) {
        router->hops[root] = orr_arena_alloc_raw(
            router->arena, router->graph->nodes * sizeof(uint16_t), sizeof(uint16_t));
    }
    if ((is_new || old) && router->hops[root] != NULL) {
        orr_net_graph_distances(router->graph, router->closed != NULL ? &open : &router->reverse,
                                root, router->hops[root], router->queue);
    }
    if (old) {
        router->current[root] = true;
    }
    return router->hops[root];
}
