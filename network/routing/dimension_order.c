/* Dimension order: see dimension_order.h. */
#include "network/routing/dimension_order.h"

#include "core/diag.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/routing/router.h"

struct dor_walk {
    const struct net_graph *graph;
    struct net_config config;
    uint32_t ranks;
    uint32_t *link;
    uint32_t hops;
    bool backwards; /* direction of a ring if both are equally long */
};

/* Appends the link to `to`; false if there is none. */
static bool step(struct dor_walk *dor_walk, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(dor_walk->graph, from, to);
    dor_walk->link[dor_walk->hops++] = link;
    return link != NET_NO_LINK;
}

/* The switch of a rank's line in the dimension. */
static uint32_t switch_of(const struct dor_walk *dor_walk, uint32_t rank, unsigned d)
{
    uint32_t node = dor_walk->graph->first_in_dims + dor_walk->ranks, stride = 1;
    for (unsigned before = 0; before < d; before++) {
        const struct net_dim *dim = &dor_walk->config.dim[before];
        node += dim->block == NET_SWITCH && dim->npus > 1 ? dor_walk->ranks / dim->npus : 0;
        stride *= dim->npus;
    }
    const uint32_t inner = rank % stride, outer = rank / stride / dor_walk->config.dim[d].npus;
    return node + outer * stride + inner;
}

/* The rank that is `steps` < npus ahead in the dimension. */
static uint32_t ahead(const struct dor_walk *dor_walk, uint32_t rank, unsigned d, uint32_t steps)
{
    uint32_t coords[NET_MAX_DIMS];
    orr_net_coords(&dor_walk->config, rank, coords);
    coords[d] = (coords[d] + steps) % dor_walk->config.dim[d].npus;
    return orr_net_rank(&dor_walk->config, coords);
}

/* Routes from a rank to another, dimension by dimension. */
static bool cross(struct dor_walk *dor_walk, uint32_t rank, uint32_t dst)
{
    const uint32_t first = dor_walk->graph->first_in_dims;
    bool exists = true;
    while (rank != dst && exists) {
        const struct net_route route = orr_net_route(&dor_walk->config, rank, dst);
        const struct net_dim *dim = &dor_walk->config.dim[route.dim];
        const bool back = net_goes_down(dim, &route, dor_walk->backwards);
        const uint32_t steps = !net_passes_on(dim->block) ? route.forward
                               : back                     ? dim->npus - 1
                                                          : 1;
        const uint32_t next = ahead(dor_walk, rank, route.dim, steps);
        if (dim->block == NET_SWITCH) {
            const uint32_t over = switch_of(dor_walk, rank, route.dim);
            exists = step(dor_walk, first + rank, over) && step(dor_walk, over, first + next);
        } else {
            exists = step(dor_walk, first + rank, first + next);
        }
        rank = next;
    }
    return exists;
}

static bool is_rank(const struct dor_walk *dor_walk, uint32_t node)
{
    return node >= dor_walk->graph->first_in_dims &&
           node < dor_walk->graph->first_in_dims + dor_walk->ranks;
}

/* The one neighbour with a higher number of a node below the ranks; the node itself if there is not
 * exactly one. */
static uint32_t above(const struct dor_walk *dor_walk, uint32_t node)
{
    const struct net_graph *graph = dor_walk->graph;
    uint32_t up = node, uplinks = 0;
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        if (graph->link[i].to > node) {
            up = graph->link[i].to;
            uplinks++;
        }
    }
    return uplinks == 1 ? up : node;
}

enum { MAX_LEVELS = 32 };

/* Climbs to a rank; `node` ends there, `path` holds the nodes below. */
static bool climb(const struct dor_walk *dor_walk, uint32_t *node, uint32_t path[MAX_LEVELS],
                  unsigned *levels)
{
    for (*levels = 0; !is_rank(dor_walk, *node) && *levels < MAX_LEVELS; (*levels)++) {
        path[*levels] = *node;
        *node = above(dor_walk, *node);
        if (*node == path[*levels]) {
            return false;
        }
    }
    return *levels < MAX_LEVELS;
}

static bool find_route(struct dor_walk *dor_walk, uint32_t src, uint32_t dst)
{
    uint32_t up[MAX_LEVELS + 1], down[MAX_LEVELS + 1];
    unsigned ups, downs;
    if (!climb(dor_walk, &src, up, &ups) || !climb(dor_walk, &dst, down, &downs)) {
        return false;
    }
    up[ups] = src;
    down[downs] = dst;
    while (ups > 0 && downs > 0 && up[ups - 1] == down[downs - 1]) { /* paths meet */
        ups--;
        downs--;
    }
    bool exists = true;
    for (unsigned i = 0; i < ups && exists; i++) {
        exists = step(dor_walk, up[i], up[i + 1]);
    }
    if (exists && src != dst) {
        exists = cross(dor_walk, src - dor_walk->graph->first_in_dims,
                       dst - dor_walk->graph->first_in_dims);
    }
    for (unsigned i = downs; i-- > 0 && exists;) {
        exists = step(dor_walk, down[i + 1], down[i]);
    }
    return exists;
}

uint32_t orr_dimension_order(const struct net_graph *graph, uint32_t src, uint32_t dst,
                             bool backwards, uint32_t *link)
{
    struct dor_walk dor_walk = {.graph = graph,
                                .config = {.dims = graph->dims, .dim = graph->dim},
                                .link = link,
                                .backwards = backwards};
    dor_walk.ranks = orr_net_npus(&dor_walk.config);
    return find_route(&dor_walk, src, dst) ? dor_walk.hops : 0;
}

/* ---- the routing ---- */

static enum orr_status create(struct net_router *router, const struct net_route_options *options,
                              struct orr_diag *diag)
{
    (void)options;
    return router->graph->dims != 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "network: dimension-order routing: expected a stacked topology, a "
                               "torus or a hypercube, got a graph without dimensions");
}

static enum orr_status by_dimensions(struct net_router *router, uint32_t src, uint32_t dst,
                                     uint64_t key, struct net_route_links *out)
{
    const uint32_t hops =
        orr_dimension_order(router->graph, src, dst, key == NET_KEY_BACKWARDS, router->link);
    *out = (struct net_route_links){.link = router->link, .hops = hops};
    return hops != 0 ? ORR_OK : orr_router_shortest(router, src, dst, key, out);
}

const struct net_routing orr_routing_dimension_order = {
    .name = "dimension-order",
    .summary = "dimension by dimension; shortest if a link is missing",
    .by_dimension = true,
    .create = create,
    .path = by_dimensions,
};
