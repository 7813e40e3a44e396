/* Full mesh: a link between any two NPUs. */
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint32_t npus = request->npus;
    if ((uint64_t)npus * npus > NET_MAX_LINKS) {
        return orr_fabric_too_large(npus, (double)npus * (npus - 1.0), diag);
    }
    orr_net_graph_begin(&builder, request->arena, npus, 0);
    for (uint32_t i = 0; i < npus; i++) {
        for (uint32_t j = i + 1; j < npus; j++) {
            orr_fabric_join(&builder, i, j, request->kind);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_full_mesh = {.name = "full-mesh",
                                                    .form = "full-mesh",
                                                    .example = "full-mesh",
                                                    .example_npus = 5,
                                                    .routing = NET_ROUTES_SHORTEST,
                                                    .build = build};
