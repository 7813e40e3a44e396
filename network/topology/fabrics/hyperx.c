/* HyperX (Ahn et al., SC'09): switches at the points of a lattice, each linked to all others of its
 * line in every dimension; the NPUs are spread evenly over them. Dimension 0 varies fastest. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

static void join_lines(const struct fabric_request *request, uint32_t switches,
                       struct net_graph_builder *builder)
{
    uint32_t stride = 1;
    for (size_t d = 0; d < request->numbers; d++) {
        for (uint32_t s = 0; s < switches; s++) {
            const uint32_t at = s / stride % request->number[d];
            for (uint32_t up = 1; at + up < request->number[d]; up++) {
                orr_fabric_join(builder, request->npus + s, request->npus + s + up * stride,
                                request->kind);
            }
        }
        stride *= request->number[d];
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    uint64_t switches = 1;
    double links = 0;
    for (size_t d = 0; d < request->numbers && switches <= request->npus; d++) {
        switches *= request->number[d];
        links += request->number[d] - 1.0;
    }
    if (switches == 0 || switches > request->npus || request->npus % switches != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "hyperx: expected sizes whose product, the number of switches, "
                             "divides the number of NPUs, %" PRIu32,
                             request->npus);
    }
    links = links * (double)switches + 2.0 * request->npus;
    if (request->npus + switches > NET_MAX_NODES || links > NET_MAX_LINKS) {
        return orr_fabric_too_large((double)(request->npus + switches), links, diag);
    }
    const uint32_t hosts = request->npus / (uint32_t)switches;
    orr_net_graph_begin(&builder, request->arena, request->npus, (uint32_t)switches);
    orr_fabric_join_hosts(&builder, request, request->npus, hosts);
    join_lines(request, (uint32_t)switches, &builder);
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_hyperx = {.name = "hyperx",
                                                 .form = "hyperx:AxB...",
                                                 .example = "hyperx:3x4",
                                                 .example_npus = 24,
                                                 .min = 1,
                                                 .max = NET_MAX_DIMS,
                                                 .separator = 'x',
                                                 .routing = NET_ROUTES_SPREAD,
                                                 .build = build};
