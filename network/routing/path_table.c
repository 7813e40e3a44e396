/* Routing by the graph's table of paths; shortest paths for pairs without an entry. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/routing/router.h"

/* The paths by source: [nodes + 1]. */
static enum orr_status create(struct net_router *router, const struct net_route_options *options,
                              struct orr_diag *diag)
{
    const struct net_graph *graph = router->graph;
    uint32_t *first = orr_arena_array(router->arena, (size_t)graph->nodes + 1, sizeof *first);
    (void)options;
    if (first == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    for (uint32_t i = 0; i < graph->paths; i++) {
        first[graph->path[i].from + 1] = i + 1;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        first[n + 1] = first[n + 1] < first[n] ? first[n] : first[n + 1];
    }
    router->own = first;
    return ORR_OK;
}

/* The path of the graph's table at a share (0 to below 1) of the sum of chances of the pair, or
 * NULL. */
static const struct net_path *table_path(const struct net_router *router, uint32_t src,
                                         uint32_t dst, double share)
{
    const struct net_path *path = router->graph->path, *last = NULL;
    const uint32_t *first_path = router->own;
    const uint32_t end = first_path[src + 1];
    uint32_t low = first_path[src], high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (path[middle].to < dst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double sum = 0;
    for (uint32_t i = low; i < end && path[i].to == dst; i++) {
        sum += path[i].chance;
    }
    double pick = sum * share;
    for (uint32_t i = low; i < end && path[i].to == dst && (last == NULL || pick >= 0); i++) {
        last = &path[i];
        pick -= path[i].chance;
    }
    return last;
}

bool orr_net_router_share(const struct net_router *router, uint32_t src, uint32_t dst, double share,
                          struct net_route_links *out)
{
    const struct net_path *path =
        router->routing == &orr_routing_table ? table_path(router, src, dst, share) : NULL;
    if (path != NULL) {
        *out = (struct net_route_links){.link = router->graph->path_link + path->first_link,
                                        .hops = path->hops};
    }
    return path != NULL;
}

static enum orr_status by_table(struct net_router *router, uint32_t src, uint32_t dst, uint64_t key,
                                struct net_route_links *out)
{
    const double share = (double)(router_mix(router_mix(key) ^ router->seed) >> 11) * 0x1p-53;
    return orr_net_router_share(router, src, dst, share, out)
               ? ORR_OK
               : orr_router_shortest(router, src, dst, key, out);
}

static bool has_one_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links first, last;
    if (!orr_net_router_share(router, src, dst, 0, &first)) {
        return src == dst || by_table(router, src, dst, 0, &first) == ORR_OK;
    }
    return orr_net_router_share(router, src, dst, 1 - 0x1p-53, &last) && first.link == last.link;
}

const struct net_routing orr_routing_table = {
    .name = "table",
    .summary = "the graph's table of paths; shortest for pairs without an entry",
    .leaves_links = true,
    .by_table = true,
    .create = create,
    .path = by_table,
    .has_one_path = has_one_path,
};
