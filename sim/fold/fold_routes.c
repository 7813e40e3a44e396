/* Routes under a rotation; see fold_routes.h. */
#include "sim/fold/fold_routes.h"

#include "core/arena.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/route_options.h"
#include "network/routing/routing.h"

#include <string.h>

enum { MAX_HOPS = 256 };

static bool links_have_full_orbits(const struct fold_routes *rotated_routes)
{
    const uint32_t steps = rotated_routes->rotation.size / rotated_routes->rotation.step;
    const uint32_t *image = rotated_routes->images.link;
    for (uint32_t first = 0; first < rotated_routes->network->graph->links; first++) {
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

const char *orr_fold_routes_open(struct fold_routes *rotated_routes,
                                 const struct net_config *network, struct net_router *router,
                                 const struct net_rotation *rotation, struct orr_arena *arena)
{
    *rotated_routes = (struct fold_routes){
        .network = network, .router = router, .rotation = *rotation, .arena = arena};
    if (!orr_net_graph_rotate(network->graph, rotation, arena, &rotated_routes->images)) {
        rotated_routes->no_memory =
            rotated_routes->images.node == NULL || rotated_routes->images.link == NULL;
        return "the links of its ranks differ";
    }
    return links_have_full_orbits(rotated_routes) ? NULL : "its ranks share links between switches";
}

/* Whether the link from one to the other is its only route. */
static bool is_only_link(const struct fold_routes *rotated_routes, uint32_t src, uint32_t dst)
{
    const struct net_routing *routing = net_routing_of(&rotated_routes->network->routes);
    return !routing->leaves_links && !routing->by_dimension &&
           orr_net_graph_find(rotated_routes->network->graph, src, dst) != NET_NO_LINK;
}

static bool is_rotated(struct fold_routes *rotated_routes, uint32_t src, uint32_t dst, uint64_t key)
{
    uint32_t image[MAX_HOPS];
    struct net_route_links route;
    if (is_only_link(rotated_routes, src, dst)) {
        return true;
    }
    if (orr_net_router_depends_on_key(rotated_routes->router, src, dst) ||
        orr_net_router_path(rotated_routes->router, src, dst, key, &route) != ORR_OK ||
        route.hops > MAX_HOPS) {
        return false;
    }
    const uint32_t hops = route.hops;
    for (uint32_t h = 0; h < hops; h++) {
        image[h] = rotated_routes->images.link[route.link[h]];
    }
    return orr_net_router_path(rotated_routes->router, net_rotated(&rotated_routes->rotation, src),
                               net_rotated(&rotated_routes->rotation, dst), key,
                               &route) == ORR_OK &&
           route.hops == hops && memcmp(route.link, image, hops * sizeof *image) == 0;
}

bool orr_fold_route_rotates(struct fold_routes *rotated_routes, struct orr_rank src,
                            struct orr_rank dst, bool backwards)
{
    const uint32_t npus = rotated_routes->network->graph->npus;
    const uint64_t pair = (uint64_t)src.rank * npus + dst.rank;
    const uint64_t bit = UINT64_C(1) << (pair & 63);
    uint64_t *known = rotated_routes->known[backwards];
    if (known == NULL) {
        known = orr_arena_array(rotated_routes->arena, (size_t)npus * npus / 64 + 1, sizeof *known);
        rotated_routes->known[backwards] = known;
        rotated_routes->no_memory |= known == NULL;
    }
    if (src.rank == dst.rank || known == NULL || (known[pair >> 6] & bit) != 0) {
        return true;
    }
    if (!is_rotated(rotated_routes, src.rank, dst.rank, backwards ? NET_KEY_BACKWARDS : 0)) {
        return false;
    }
    known[pair >> 6] |= bit;
    return true;
}
