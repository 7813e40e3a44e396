/* Conversion of a topology to a graph: one-way and duplex links, rings of members, and the paths of
 * ring steps over several links. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "planner/finder/finder.h"

struct conversion {
    struct orr_arena *arena;
    const struct finder_topology *topology;
    struct net_graph *graph;
    struct net_route_links *way;
    uint32_t *link; /* links of the paths */
    struct orr_diag *diag;
};

static void add_layer(struct net_graph_builder *builder, const struct finder_layer *layer,
                      struct net_link_kind kind)
{
    for (uint32_t i = 0; i < layer->links; i++) {
        const struct net_link link = {.from = layer->link[i].from,
                                      .to = layer->link[i].to,
                                      .count = 1,
                                      .bytes_per_s = kind.bytes_per_s,
                                      .latency_ps = kind.latency_ps};
        if (layer->duplex) {
            orr_net_graph_both(builder, &link);
        } else {
            orr_net_graph_link(builder, &link);
        }
    }
}

static void add_rings(struct net_graph_builder *builder, const struct finder_topology *topology)
{
    uint32_t ways = 0;
    for (uint32_t r = 0; r < topology->rings; r++) {
        const struct finder_ring *from = &topology->ring[r];
        const bool over = from->first_between != NULL;
        const struct net_ring ring = {
            .npus = from->members, .member = from->member, .way = over ? ways + 1 : 0};
        orr_net_graph_add_ring(builder, &ring);
        ways += over ? from->members : 0;
    }
}

/* ---- paths ---- */

/* Writes the links of a step from `hop` on; returns their number. */
static uint32_t fill_step(const struct conversion *conversion, const struct finder_ring *ring,
                          uint32_t step, uint32_t *hop)
{
    uint32_t at = ring->member[step], hops = 0;
    for (uint32_t i = ring->first_between[step]; i < ring->first_between[step + 1]; i++) {
        hop[hops++] = orr_net_graph_find(conversion->graph, at, ring->between[i]);
        at = ring->between[i];
    }
    hop[hops++] =
        orr_net_graph_find(conversion->graph, at, ring->member[(step + 1) % ring->members]);
    return hops;
}

static void fill_paths(struct conversion *conversion)
{
    uint32_t *hop = conversion->link, ways = 0;
    for (uint32_t r = 0; r < conversion->topology->rings; r++) {
        const struct finder_ring *ring = &conversion->topology->ring[r];
        for (uint32_t i = 0; i < ring->members && ring->first_between != NULL; i++) {
            const uint32_t hops = fill_step(conversion, ring, i, hop);
            conversion->way[ways++] = (struct net_route_links){.link = hop, .hops = hops};
            hop += hops;
        }
    }
}

static enum orr_status make_paths(struct conversion *conversion)
{
    size_t ways = 0, links = 0;
    for (uint32_t r = 0; r < conversion->topology->rings; r++) {
        const struct finder_ring *ring = &conversion->topology->ring[r];
        if (ring->first_between != NULL) {
            ways += ring->members;
            links += (size_t)ring->members + ring->first_between[ring->members];
        }
    }
    conversion->way = orr_arena_array(conversion->arena, ways, sizeof *conversion->way);
    conversion->link = orr_arena_array(conversion->arena, links, sizeof *conversion->link);
    if (conversion->way == NULL || conversion->link == NULL) {
        return orr_diag_no_memory(conversion->diag, "the graph of a topology");
    }
    fill_paths(conversion);
    conversion->graph->ways = (uint32_t)ways;
    conversion->graph->way = conversion->way;
    return ORR_OK;
}

enum orr_status orr_finder_graph(struct orr_arena *arena, const struct finder_topology *topology,
                                 struct net_graph *out, struct orr_diag *diag)
{
    struct conversion conversion = {
        .arena = arena, .topology = topology, .graph = out, .diag = diag};
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, arena, topology->servers, 0);
    for (uint32_t l = 0; l < topology->layers; l++) {
        add_layer(&builder, &topology->layer[l], topology->kind);
    }
    add_rings(&builder, topology);
    const enum orr_status status = orr_net_graph_end(&builder, out, diag);
    out->ring_choice = NET_RINGS_OWN; /* without rings, links are for other things */
    return status == ORR_OK ? make_paths(&conversion) : status;
}
