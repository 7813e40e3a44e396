/* Mesh: a line in every dimension, as on a wafer: a torus without the links that close its rings.
 */
#include <inttypes.h>

#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status check(const struct fabric_request *request, struct orr_diag *diag)
{
    uint64_t product = 1;
    for (size_t d = 0; d < request->numbers && product <= request->npus; d++) {
        if (request->number[d] < 2) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "mesh: expected sizes of at least 2, got %" PRIu32,
                                 request->number[d]);
        }
        product *= request->number[d];
    }
    if (product != request->npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "mesh: expected sizes whose product is the number of NPUs, %" PRIu32
                             ", got %s%" PRIu64,
                             request->npus, product > request->npus ? "at least " : "", product);
    }
    return product <= NET_MAX_NODES && product * request->numbers <= NET_MAX_LINKS / 2
               ? ORR_OK
               : orr_fabric_too_large((double)product,
                                      2.0 * (double)product * (double)request->numbers, diag);
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    if (check(request, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    orr_net_graph_begin(&builder, request->arena, request->npus, 0);
    uint32_t stride = 1;
    for (size_t d = 0; d < request->numbers; d++) {
        for (uint32_t i = 0; i < request->npus; i++) {
            if (i / stride % request->number[d] + 1 < request->number[d]) {
                orr_fabric_join(&builder, i, i + stride, request->kind);
            }
        }
        stride *= request->number[d];
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_mesh = {.name = "mesh",
                                               .form = "mesh:AxBx...",
                                               .example = "mesh:4x3",
                                               .example_npus = 12,
                                               .min = 1,
                                               .max = NET_MAX_DIMS,
                                               .separator = 'x',
                                               .routing = NET_ROUTE_SHORTEST,
                                               .build = build};
