/* Graphs with switches besides the fat-tree: two-level clusters (SiP-ML, SIGCOMM'21, Elect-Cluster)
 * and dragonflies (Kim et al., ISCA'08). */
#include <inttypes.h>

#include "network/graph.h"

static void both(struct net_graph_builder *builder, const uint32_t ends[2],
                 struct net_link_kind kind)
{
    const struct net_link link = {.from = ends[0],
                                  .to = ends[1],
                                  .count = 1,
                                  .bytes_per_s = kind.bytes_per_s,
                                  .latency_ps = kind.latency_ps};
    orr_net_graph_both(builder, &link);
}

/* A switch above every `size` NPUs, and one above these with links as fast as all NPUs below
 * together, divided by the oversubscription. */
enum orr_status orr_net_build_clusters(struct orr_arena *arena, const struct net_clusters *shape,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag)
{
    struct net_graph_builder builder;
    if (shape->size == 0 || !(shape->oversubscription >= 1) || shape->npus > NET_MAX_NODES / 4) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "clusters: expected at most %d NPUs in clusters of one or more, with "
                             "an oversubscription of one or more, got %" PRIu32
                             " in clusters of %" PRIu32 " with %g",
                             NET_MAX_NODES / 4, shape->npus, shape->size, shape->oversubscription);
    }
    const uint32_t leaves = (shape->npus + shape->size - 1) / shape->size;
    const uint32_t root = shape->npus + leaves;
    orr_net_graph_begin(&builder, arena, shape->npus, leaves + 1);
    for (uint32_t i = 0; i < shape->npus; i++) {
        both(&builder, (const uint32_t[2]){i, shape->npus + i / shape->size}, kind);
    }
    kind.bytes_per_s *= shape->size / shape->oversubscription;
    for (uint32_t l = 0; l < leaves; l++) {
        both(&builder, (const uint32_t[2]){shape->npus + l, root}, kind);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

/* Balanced: p hosts and p global links at a router, 2p routers in a group, all linked to each
 * other, and 2p^2 + 1 groups with one link between any two. Global link k of group i leads to group
 * i + k + 1. Only groups that have hosts are built. */
enum orr_status orr_net_build_dragonfly(struct orr_arena *arena, uint32_t npus, uint32_t hosts,
                                        struct net_link_kind kind, struct net_graph *graph,
                                        struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint64_t p = hosts, routers = 2 * p, globals = routers * p, groups = globals + 1;
    if (p == 0 || p > 64 || npus > groups * globals) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "dragonfly: expected 1 to 64 hosts at a router and at most %" PRIu64
                             " NPUs with %" PRIu32 ", got %" PRIu32,
                             groups * globals, hosts, npus);
    }
    const uint64_t built = (npus + globals - 1) / globals; /* p hosts at each of 2p routers */
    orr_net_graph_begin(&builder, arena, npus, (uint32_t)(built * routers));
    for (uint32_t i = 0; i < npus; i++) {
        both(&builder, (const uint32_t[2]){i, npus + i / hosts}, kind);
    }
    for (uint64_t g = 0; g < built; g++) {
        const uint64_t first = npus + g * routers;
        for (uint64_t a = 0; a < routers; a++) {
            for (uint64_t b = a + 1; b < routers; b++) {
                both(&builder, (const uint32_t[2]){(uint32_t)(first + a), (uint32_t)(first + b)},
                     kind);
            }
        }
        for (uint64_t k = 0; g + k + 1 < built; k++) { /* each pair of groups once */
            const uint64_t to = npus + (g + k + 1) * routers + (groups - 2 - k) / p;
            both(&builder, (const uint32_t[2]){(uint32_t)(first + k / p), (uint32_t)to}, kind);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}
