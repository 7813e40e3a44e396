/* Dragonflies (Kim et al., ISCA'08): p hosts and h global links per router, a routers per group,
 * all linked to each other, and ah + 1 groups with one link between any two. Global link k of group
 * i leads to group i + k + 1. Balanced ones have h = p and a = 2p, unless it is said. NPUs fill the
 * routers in order; only groups with hosts are built. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

struct dragonfly {
    uint64_t p, routers, h, groups;
    uint64_t built; /* groups with hosts */
    uint32_t npus;
};

static void join_group(const struct dragonfly *shape, uint64_t g, struct net_link_kind kind,
                       struct net_graph_builder *builder)
{
    const uint64_t first = shape->npus + g * shape->routers;
    for (uint64_t a = 0; a < shape->routers; a++) {
        for (uint64_t b = a + 1; b < shape->routers; b++) {
            orr_fabric_join(builder, (uint32_t)(first + a), (uint32_t)(first + b), kind);
        }
    }
    for (uint64_t k = 0; g + k + 1 < shape->built; k++) { /* each pair of groups once */
        const uint64_t to =
            shape->npus + (g + k + 1) * shape->routers + (shape->groups - 2 - k) / shape->h;
        orr_fabric_join(builder, (uint32_t)(first + k / shape->h), (uint32_t)to, kind);
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint32_t npus = request->npus;
    const bool balanced = request->numbers == 1;
    const uint64_t p = request->number[0], routers = balanced ? 2 * p : request->number[1],
                   h = balanced ? p : request->number[2], hosts = p * routers,
                   groups = routers * h + 1;
    if (request->numbers == 2 || p == 0 || p > 64 || routers == 0 || routers > 1024 || h == 0 ||
        h > 64 || npus > groups * hosts) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "dragonfly: expected 1 to 64 hosts at a router, or these, the routers "
                             "of a group and the global links of a router, and at most %" PRIu64
                             " NPUs with %" PRIu64 ", got %" PRIu32,
                             groups * hosts, p, npus);
    }
    const struct dragonfly shape = {.p = p,
                                    .routers = routers,
                                    .h = h,
                                    .groups = groups,
                                    .built = (npus + hosts - 1) / hosts,
                                    .npus = npus};
    orr_net_graph_begin(&builder, request->arena, npus, (uint32_t)(shape.built * routers));
    orr_fabric_join_hosts(&builder, request, npus, (uint32_t)p);
    for (uint64_t g = 0; g < shape.built; g++) {
        join_group(&shape, g, request->kind, &builder);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_dragonfly = {.name = "dragonfly",
                                                    .form = "dragonfly:HOSTS[,ROUTERS,LINKS]",
                                                    .example = "dragonfly:1",
                                                    .example_npus = 6,
                                                    .min = 1,
                                                    .max = 3,
                                                    .routing = NET_ROUTES_SPREAD,
                                                    .build = build};
