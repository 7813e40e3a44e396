/* See link_changes.h. Detours have the fewest links of what is left, of equal ones any by the key
 * where routes have a choice too, else the one over the lowest nodes. */
#include "network/backends/link_changes.h"

static enum orr_status create_detours(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    struct net_route_options options = config->routes;
    const bool chooses =
        options.routing == NET_ROUTE_ECMP || options.routing == NET_ROUTE_K_SHORTEST;
    options.routing = chooses ? NET_ROUTE_ECMP : NET_ROUTE_SHORTEST;
    return orr_net_router_create(&linked->changes->detours, config->graph, &options, linked->arena,
                                 diag);
}

enum orr_status orr_link_changes_create(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_graph *graph = linked->base.config->graph;
    struct link_changes *changes = orr_arena_alloc(linked->arena, sizeof *changes);
    double *rate = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *rate);
    bool *closed = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *closed);
    if (changes == NULL || rate == NULL || closed == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (uint32_t i = 0; i < linked->links; i++) {
        rate[i] = net_link_capacity(&graph->link[i]);
    }
    *changes = (struct link_changes){.bytes_per_s = rate, .closed = closed};
    linked->changes = changes;
    return graph->reroutes ? create_detours(linked, diag) : ORR_OK;
}

bool orr_link_changes_reroute(struct link_net *linked)
{
    struct link_changes *changes = linked->changes;
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
