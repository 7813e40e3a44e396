/* A topology as a graph: links both ways or one, and rings of members; those with steps over
 * several links say which. */
#include "planner/finder/finder.h"

struct making {
    struct orr_arena *arena;
    const struct finder_topology *topology;
    struct net_graph *graph;
    struct net_route_links *way;
    uint32_t *link; /* of ways */
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

/* ---- ways ---- */

/* The links of one step, from `room` on; returns how many. */
static uint32_t put_step(const struct making *making, const struct finder_ring *ring, uint32_t step,
                         uint32_t *room)
{
    uint32_t at = ring->member[step], hops = 0;
    for (uint32_t i = ring->first_between[step]; i < ring->first_between[step + 1]; i++) {
        room[hops++] = orr_net_graph_find(making->graph, at, ring->between[i]);
        at = ring->between[i];
    }
    room[hops++] = orr_net_graph_find(making->graph, at, ring->member[(step + 1) % ring->members]);
    return hops;
}

static void put_ways(struct making *making)
{
    uint32_t *room = making->link, ways = 0;
    for (uint32_t r = 0; r < making->topology->rings; r++) {
        const struct finder_ring *ring = &making->topology->ring[r];
        for (uint32_t i = 0; i < ring->members && ring->first_between != NULL; i++) {
            const uint32_t hops = put_step(making, ring, i, room);
            making->way[ways++] = (struct net_route_links){.link = room, .hops = hops};
            room += hops;
        }
    }
}

static enum orr_status make_ways(struct making *making)
{
    size_t ways = 0, links = 0;
    for (uint32_t r = 0; r < making->topology->rings; r++) {
        const struct finder_ring *ring = &making->topology->ring[r];
        if (ring->first_between != NULL) {
            ways += ring->members;
            links += (size_t)ring->members + ring->first_between[ring->members];
        }
    }
    making->way = orr_arena_array(making->arena, ways, sizeof *making->way);
    making->link = orr_arena_array(making->arena, links, sizeof *making->link);
    if (making->way == NULL || making->link == NULL) {
        return orr_diag_no_memory(making->diag, "the graph of a topology");
    }
    put_ways(making);
    making->graph->ways = (uint32_t)ways;
    making->graph->way = making->way;
    return ORR_OK;
}

enum orr_status orr_finder_graph(struct orr_arena *arena, const struct finder_topology *topology,
                                 struct net_graph *out, struct orr_diag *diag)
{
    struct making making = {.arena = arena, .topology = topology, .graph = out, .diag = diag};
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, arena, topology->servers, 0);
    for (uint32_t l = 0; l < topology->layers; l++) {
        add_layer(&builder, &topology->layer[l], topology->kind);
    }
    add_rings(&builder, topology);
    const enum orr_status status = orr_net_graph_end(&builder, out, diag);
    return status == ORR_OK ? make_ways(&making) : status;
}
