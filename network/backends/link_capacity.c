/* See link_capacity.h. A detour is a shortest path (fewest links) without the closed links. Ties:
 * by the key if the routing also has a choice, else by the lowest nodes. */
#include "network/backends/link_capacity.h"

#include "core/evq.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/ring_detour.h"
#include "network/routing/routing.h"

static enum orr_status create_detours(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    struct net_route_options options = config->routes;
    const struct net_routing *routing = net_routing_of(&options);
    if (!routing->avoids) {
        options.routing =
            orr_net_routing_for(routing->spreads ? NET_ROUTES_SPREAD : NET_ROUTES_SHORTEST);
    }
    return orr_net_router_create(&linked->changes->detours, config->graph, &options, linked->arena,
                                 diag);
}

enum orr_status orr_link_capacity_create(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_graph *graph = linked->base.config->graph;
    struct link_capacity *changes = orr_arena_alloc(linked->arena, sizeof *changes);
    double *rate = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *rate);
    uint32_t *working = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *working);
    bool *closed = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *closed);
    double *offered = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *offered);
    sim_time *since = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *since);
    if (changes == NULL || rate == NULL || working == NULL || closed == NULL || offered == NULL ||
        since == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (uint32_t i = 0; i < linked->links; i++) {
        rate[i] = net_link_capacity(&graph->link[i]);
        working[i] = graph->link[i].count;
    }
    *changes = (struct link_capacity){.bytes_per_s = rate,
                                      .working = working,
                                      .closed = closed,
                                      .offered = offered,
                                      .since = since};
    linked->changes = changes;
    return graph->reroutes ? create_detours(linked, diag) : ORR_OK;
}

uint32_t orr_link_capacity_working(const struct net *net, uint32_t link)
{
    const struct link_net *linked = (const struct link_net *)net;
    return linked->changes
        ->working[linked->representative != NULL ? linked->representative[link] : link];
}

double orr_link_capacity_offered(const struct net *net, uint32_t link, sim_time time)
{
    const struct link_net *linked = (const struct link_net *)net;
    const struct link_capacity *changes = linked->changes;
    link = linked->representative != NULL ? linked->representative[link] : link;
    return changes->offered[link] +
           changes->bytes_per_s[link] * (double)(time - changes->since[link]) / 1e12;
}

void orr_link_capacity_set(struct link_net *linked, const struct net_capacity *capacity)
{
    struct link_capacity *changes = linked->changes;
    const sim_time now = orr_evq_now(linked->base.queue);
    changes->offered[capacity->link] =
        orr_link_capacity_offered(&linked->base, capacity->link, now);
    changes->since[capacity->link] = now;
    changes->bytes_per_s[capacity->link] = capacity->bytes_per_s * capacity->lanes;
    changes->working[capacity->link] = capacity->bytes_per_s > 0 ? capacity->lanes : 0;
    if (linked->ring_detour != NULL) {
        orr_net_ring_detour_working(linked->ring_detour, changes->working);
    }
}

bool orr_link_capacity_reroute(struct link_net *linked)
{
    struct link_capacity *changes = linked->changes;
    bool changed = false;
    if (changes->detours == NULL) {
        return false;
    }
    changes->closed_links = 0;
    for (uint32_t i = 0; i < linked->links; i++) {
        const bool closed = !(changes->bytes_per_s[i] > 0);
        changed = changed || closed != changes->closed[i];
        changes->closed[i] = closed;
        changes->closed_links += closed;
    }
    if (changed && orr_net_router_avoid(changes->detours, changes->closed) != ORR_OK) {
        orr_evq_stop(linked->base.queue, ORR_ERR_MEMORY);
    }
    return changed;
}
