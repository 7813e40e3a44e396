/* Torus: a ring in every dimension. */
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    const enum orr_status status = orr_fabric_check_product(request, "torus", diag);
    return status == ORR_OK
               ? orr_fabric_rings(request, request->number, request->numbers, graph, diag)
               : status;
}

const struct net_fabric_ops orr_fabric_torus = {.name = "torus",
                                                .form = "torus:AxBx...",
                                                .example = "torus:4x3",
                                                .example_npus = 12,
                                                .min = 1,
                                                .max = NET_MAX_DIMS,
                                                .separator = 'x',
                                                .routing = NET_ROUTES_BY_DIMENSION,
                                                .build = build};
