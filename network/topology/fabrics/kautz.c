/* Generalised Kautz digraphs (Imase and Itoh, 1983): NPU i has a link to each of -di - 1, ..., -di
 * - d modulo the number of NPUs. The diameter is at most the logarithm of that number to the base
 * d, rounded up. A link that would lead back to its NPU is left out; links are one way. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint64_t npus = request->npus, degree = request->number[0];
    if (degree == 0 || degree >= npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "kautz: expected a degree from 1 to %" PRIu64 ", got %" PRIu64,
                             npus - 1, degree);
    }
    if (npus > NET_MAX_NODES || npus * degree > NET_MAX_LINKS) {
        return orr_fabric_too_large((double)npus, (double)(npus * degree), diag);
    }
    orr_net_graph_begin(&builder, request->arena, request->npus, 0);
    for (uint64_t i = 0; i < npus; i++) {
        for (uint64_t a = 1; a <= degree; a++) {
            const uint64_t to = (npus - (degree * i + a) % npus) % npus;
            const struct net_link link = {.from = (uint32_t)i,
                                          .to = (uint32_t)to,
                                          .count = 1,
                                          .bytes_per_s = request->kind.bytes_per_s,
                                          .latency_ps = request->kind.latency_ps};
            if (to != i) {
                orr_net_graph_link(&builder, &link);
            }
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_kautz = {.name = "kautz",
                                                .form = "kautz:DEGREE",
                                                .example = "kautz:2",
                                                .example_npus = 12,
                                                .min = 1,
                                                .max = 1,
                                                .routing = NET_ROUTES_SPREAD,
                                                .build = build};
