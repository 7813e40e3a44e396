/* Two-level clusters (SiP-ML, SIGCOMM'21, Elect-Cluster): a leaf switch above every `size` NPUs and
 * one root switch. A link to the root has the bandwidth of all NPUs below the leaf divided by the
 * oversubscription. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct net_link_kind kind = request->kind;
    const uint32_t npus = request->npus, size = request->number[0];
    const uint32_t oversubscription = request->numbers > 1 ? request->number[1] : 1;
    if (size == 0 || oversubscription == 0 || npus > NET_MAX_NODES / 4) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "clusters: expected at most %d NPUs in clusters of one or more, with "
                             "an oversubscription of one or more, got %" PRIu32
                             " in clusters of %" PRIu32 " with %" PRIu32,
                             NET_MAX_NODES / 4, npus, size, oversubscription);
    }
    const uint32_t leaves = (npus + size - 1) / size, root = npus + leaves;
    orr_net_graph_begin(&builder, request->arena, npus, leaves + 1);
    orr_fabric_join_hosts(&builder, request, npus, size);
    kind.bytes_per_s *= (double)size / oversubscription;
    for (uint32_t l = 0; l < leaves; l++) {
        orr_fabric_join(&builder, npus + l, root, kind);
    }
    const enum orr_status status = orr_net_graph_end(&builder, graph, diag);
    if (npus % size == 0) {
        orr_net_graph_number(graph, (const uint32_t[]){size, leaves}, 2);
    }
    return status;
}

const struct net_fabric_ops orr_fabric_clusters = {.name = "clusters",
                                                   .form = "clusters:SIZE[,OVERSUBSCRIPTION]",
                                                   .example = "clusters:4,2",
                                                   .example_npus = 10,
                                                   .min = 1,
                                                   .max = 2,
                                                   .routing = NET_ROUTES_SHORTEST,
                                                   .build = build};
