/* Ideal switch: every NPU is linked to one switch. */
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint32_t npus = request->npus;
    if (npus >= NET_MAX_NODES) {
        return orr_fabric_too_large(npus + 1.0, 2.0 * npus, diag);
    }
    orr_net_graph_begin(&builder, request->arena, npus, 1);
    for (uint32_t i = 0; i < npus; i++) {
        orr_fabric_join(&builder, i, npus, request->kind);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_ideal_switch = {.name = "ideal-switch",
                                                       .form = "ideal-switch",
                                                       .example = "ideal-switch",
                                                       .example_npus = 5,
                                                       .routing = NET_ROUTES_SHORTEST,
                                                       .build = build};
