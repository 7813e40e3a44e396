/* Torus: a ring in every dimension. */
#include <inttypes.h>

#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    uint64_t product = 1;
    for (size_t d = 0; d < request->numbers && product <= request->npus; d++) {
        product *= request->number[d];
    }
    return product == request->npus
               ? orr_fabric_rings(request, request->number, request->numbers, graph, diag)
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "torus: expected sizes whose product is the number of NPUs, %" PRIu32
                               ", got %s%" PRIu64,
                               request->npus, product > request->npus ? "at least " : "", product);
}

const struct net_fabric_ops orr_fabric_torus = {.name = "torus",
                                                .form = "torus:AxBx...",
                                                .example = "torus:4x3",
                                                .example_npus = 12,
                                                .min = 1,
                                                .max = NET_MAX_DIMS,
                                                .separator = 'x',
                                                .routing = NET_ROUTE_DIMENSIONS,
                                                .build = build};
