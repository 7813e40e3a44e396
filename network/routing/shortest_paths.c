/* Shortest paths: the first one, ECMP by message, ECMP by pair. They go hop by hop over links to
 * nodes one hop nearer to the destination. */
#include "network/graph.h"
#include "network/routing/router.h"

static bool is_closed(const struct net_router *router, uint32_t link)
{
    return router->closed != NULL && router->closed[link];
}

/* The links that leave a node, [begin, end): all, or entries of the list of open links. */
struct leaving {
    const uint32_t *open; /* NULL: the index is the link */
    uint32_t begin, end;
};

static struct leaving leaving_links(const struct net_router *router, uint32_t node)
{
    const uint32_t *first = router->closed != NULL ? router->first_open : router->graph->first_out;
    return (struct leaving){.open = router->closed != NULL ? router->open : NULL,
                            .begin = first[node],
                            .end = first[node + 1]};
}

static uint32_t link_of(const struct leaving *leaving, uint32_t at)
{
    return leaving->open != NULL ? leaving->open[at] : at;
}

/* The next link towards the destination, the first one if nothing is drawn; NET_NO_LINK: none. */
static uint32_t next_link(const struct net_router *router, const uint16_t *hops, uint32_t node,
                          uint64_t *draw)
{
    const struct net_link *link = router->graph->link;
    const struct leaving leaving = leaving_links(router, node);
    uint32_t best = NET_NO_LINK, equal = 0;
    for (uint32_t at = leaving.begin; at < leaving.end; at++) {
        const uint32_t i = link_of(&leaving, at);
        if (hops[link[i].to] + 1 != hops[node]) {
            continue;
        }
        if (draw == NULL) {
            return i;
        }
        equal++;
        best = best == NET_NO_LINK ? at : best;
    }
    if (equal == 0) {
        return NET_NO_LINK;
    }
    if (equal == 1) {
        return link_of(&leaving, best);
    }
    *draw = router_mix(*draw + UINT64_C(0x9e3779b97f4a7c15));
    uint32_t pick = (uint32_t)(((*draw >> 32) * equal) >> 32);
    for (uint32_t at = best; at < leaving.end; at++) {
        const uint32_t i = link_of(&leaving, at);
        if (hops[link[i].to] + 1 == hops[node] && pick-- == 0) {
            return i;
        }
    }
    return link_of(&leaving, best);
}

/* `draw`: of the choices among equal links; NULL: the first ones. */
static enum orr_status walk(struct net_router *router, uint32_t src, uint32_t dst, uint64_t *draw,
                            struct net_route_links *out)
{
    const struct net_graph *graph = router->graph;
    const uint32_t root = dst < graph->npus ? router->root[dst] : dst;
    const uint16_t *hops = orr_router_hops(router, root);
    if (hops == NULL) {
        return ORR_ERR_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t node = src; node != root; node = graph->link[router->link[count++]].to) {
        router->link[count] =
            hops[node] == UINT16_MAX ? NET_NO_LINK : next_link(router, hops, node, draw);
        if (router->link[count] == NET_NO_LINK) {
            return ORR_ERR_INPUT;
        }
    }
    if (root != dst) {
        router->link[count++] = router->reverse.in[router->reverse.first_in[dst]];
        if (is_closed(router, router->link[count - 1])) {
            return ORR_ERR_INPUT;
        }
    }
    *out = (struct net_route_links){.link = router->link, .hops = count};
    return ORR_OK;
}

enum orr_status orr_router_shortest(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out)
{
    (void)key;
    return walk(router, src, dst, NULL, out);
}

static enum orr_status by_key(struct net_router *router, uint32_t src, uint32_t dst, uint64_t key,
                              struct net_route_links *out)
{
    uint64_t draw = router_mix(key ^ router->seed * UINT64_C(0x9e3779b97f4a7c15));
    return walk(router, src, dst, &draw, out);
}

static enum orr_status by_pair(struct net_router *router, uint32_t src, uint32_t dst, uint64_t key,
                               struct net_route_links *out)
{
    (void)key;
    return by_key(router, src, dst, router_mix((uint64_t)src << 32 | dst), out);
}

/* Number of links one hop nearer to the destination. */
static uint32_t count_next_links(const struct net_router *router, const uint16_t *hops,
                                 uint32_t node)
{
    const struct leaving leaving = leaving_links(router, node);
    uint32_t next_links = 0;
    for (uint32_t at = leaving.begin; at < leaving.end; at++) {
        next_links += hops[router->graph->link[link_of(&leaving, at)].to] + 1 == hops[node];
    }
    return next_links;
}

/* If every node of the path has one next link, there is one path. */
static bool has_one_shortest_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links path;
    if (by_key(router, src, dst, 0, &path) != ORR_OK) {
        return false;
    }
    const uint16_t *hops = orr_router_hops(router, router->root[dst]);
    for (uint32_t h = 0; h < path.hops; h++) {
        const uint32_t node = router->graph->link[path.link[h]].from;
        if (node != router->root[dst] && count_next_links(router, hops, node) != 1) {
            return false;
        }
    }
    return true;
}

const struct net_routing orr_routing_shortest = {
    .name = "shortest",
    .summary = "fewest links; ties over the lowest nodes",
    .avoids = true,
    .path = orr_router_shortest,
};

const struct net_routing orr_routing_ecmp_pairs = {
    .name = "ecmp-pairs",
    .summary = "as ecmp, but every message of a pair goes the same way",
    .avoids = true,
    .path = by_pair,
};

const struct net_routing orr_routing_ecmp = {
    .name = "ecmp",
    .summary = "fewest links; at every node one of the equal next links, by message",
    .spreads = true,
    .avoids = true,
    .fixed = &orr_routing_ecmp_pairs,
    .path = by_key,
    .has_one_path = has_one_shortest_path,
};
