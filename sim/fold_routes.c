/* See fold_routes.h. */
#include "sim/fold_routes.h"

#include <string.h>

enum { MAX_HOPS = 256 };

static bool links_go_around(const struct fold_routes *ways)
{
    const uint32_t steps = ways->turn.size / ways->turn.step;
    const uint32_t *image = ways->images.link;
    for (uint32_t first = 0; first < ways->network->graph->links; first++) {
        uint32_t at = image[first], gone = 1;
        while (at != first && gone < steps) {
            at = image[at];
            gone++;
        }
        if (at != first || gone != steps) {
            return false;
        }
    }
    return true;
}

const char *orr_fold_routes_open(struct fold_routes *ways, const struct net_config *network,
                                 struct net_router *router, const struct net_rotation *turn,
                                 struct orr_arena *arena)
{
    *ways =
        (struct fold_routes){.network = network, .router = router, .turn = *turn, .arena = arena};
    if (!orr_net_graph_rotate(network->graph, turn, arena, &ways->images)) {
        ways->no_memory = ways->images.node == NULL || ways->images.link == NULL;
        return "the links of its ranks are not alike";
    }
    return links_go_around(ways) ? NULL : "its ranks share links between switches";
}

/* Whether a link from one to the other is the only way there. */
static bool takes_link(const struct fold_routes *ways, uint32_t src, uint32_t dst)
{
    const struct net_route_options *routes = &ways->network->routes;
    return !net_routes_leave_links(routes) && routes->routing != NET_ROUTE_DIMENSIONS &&
           orr_net_graph_find(ways->network->graph, src, dst) != NET_NO_LINK;
}

static bool is_turned(struct fold_routes *ways, uint32_t src, uint32_t dst, uint64_t key)
{
    uint32_t image[MAX_HOPS];
    struct net_route_links way;
    if (takes_link(ways, src, dst)) {
        return true;
    }
    if (orr_net_router_depends_on_key(ways->router, src, dst) ||
        orr_net_router_path(ways->router, src, dst, key, &way) != ORR_OK || way.hops > MAX_HOPS) {
        return false;
    }
    const uint32_t hops = way.hops;
    for (uint32_t h = 0; h < hops; h++) {
        image[h] = ways->images.link[way.link[h]];
    }
    return orr_net_router_path(ways->router, net_rotated(&ways->turn, src),
                               net_rotated(&ways->turn, dst), key, &way) == ORR_OK &&
           way.hops == hops && memcmp(way.link, image, hops * sizeof *image) == 0;
}

bool orr_fold_route_rotates(struct fold_routes *ways, struct orr_rank src, struct orr_rank dst,
                            bool backwards)
{
    const uint32_t npus = ways->network->graph->npus;
    const uint64_t pair = (uint64_t)src.rank * npus + dst.rank;
    const uint64_t bit = UINT64_C(1) << (pair & 63);
    uint64_t *seen = ways->seen[backwards];
    if (seen == NULL) {
        seen = orr_arena_array(ways->arena, (size_t)npus * npus / 64 + 1, sizeof *seen);
        ways->seen[backwards] = seen;
        ways->no_memory |= seen == NULL;
    }
    if (src.rank == dst.rank || seen == NULL || (seen[pair >> 6] & bit) != 0) {
        return true;
    }
    if (!is_turned(ways, src.rank, dst.rank, backwards ? NET_KEY_BACKWARDS : 0)) {
        return false;
    }
    seen[pair >> 6] |= bit;
    return true;
}
