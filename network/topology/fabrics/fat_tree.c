/* k-ary fat-trees (Al-Fares et al., SIGCOMM'08): pods of k/2 edge and k/2 aggregation switches, k/2
 * hosts per edge switch, and (k/2)^2 core switches. Aggregation switch a of every pod is linked to
 * core switches a * k/2 .. a * k/2 + k/2 - 1.
 *
 * Hosts fill the edge switches in order; only pods with hosts are built. k is even; the default is
 * the smallest k that holds the hosts. With an oversubscription of o, uplinks of edge and
 * aggregation switches have 1/o of the bandwidth of host links. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/topology/fabrics/fabric_ops.h"

struct shape {
    uint32_t half;  /* k/2 */
    uint32_t edges; /* edge switches with hosts */
    uint32_t pods;
    uint32_t first_edge, first_aggregation, first_core; /* nodes */
};

static uint64_t max_hosts(uint64_t ports)
{
    return ports * ports * ports / 4;
}

static enum orr_status fail_ports(uint64_t ports, struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "fat-tree: expected switches with an even number of ports, 2 to %d, "
                         "got %" PRIu64,
                         UINT16_MAX - 1, ports);
}

static enum orr_status choose_ports(const struct fabric_request *request, uint32_t *ports,
                                    struct orr_diag *diag)
{
    const uint32_t npus = request->npus;
    *ports = request->numbers > 0 ? request->number[0] : 2;
    if (npus > NET_MAX_NODES / 4) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected at most %d hosts, got %" PRIu32, NET_MAX_NODES / 4,
                             npus);
    }
    while (request->numbers == 0 && max_hosts(*ports) < npus) {
        *ports += 2;
    }
    if (*ports < 2 || *ports % 2 != 0 || *ports > UINT16_MAX) {
        return fail_ports(*ports, diag);
    }
    if (request->numbers > 1 && request->number[1] == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected an oversubscription of 1 or more, got 0");
    }
    return max_hosts(*ports) >= npus ? ORR_OK
                                     : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                                     "fat-tree: expected at most %" PRIu64
                                                     " hosts on switches of %" PRIu32
                                                     " ports (ports^3 / 4), got %" PRIu32,
                                                     max_hosts(*ports), *ports, npus);
}

static struct shape shape_of(uint32_t npus, uint32_t ports)
{
    const uint32_t half = ports / 2, edges = (npus + half - 1) / half;
    const uint32_t pods = (edges + half - 1) / half;
    return (struct shape){.half = half,
                          .edges = edges,
                          .pods = pods,
                          .first_edge = npus,
                          .first_aggregation = npus + edges,
                          .first_core = npus + edges + (edges > 1 ? pods * half : 0)};
}

static void link_up(struct net_graph_builder *builder, const struct shape *shape,
                    struct net_link_kind kind)
{
    for (uint32_t e = 0; e < shape->edges && shape->edges > 1; e++) {
        for (uint32_t a = 0; a < shape->half; a++) {
            orr_fabric_join(builder, shape->first_edge + e,
                            shape->first_aggregation + e / shape->half * shape->half + a, kind);
        }
    }
    for (uint32_t a = 0; a < shape->pods * shape->half && shape->pods > 1; a++) {
        for (uint32_t c = 0; c < shape->half; c++) {
            orr_fabric_join(builder, shape->first_aggregation + a,
                            shape->first_core + a % shape->half * shape->half + c, kind);
        }
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct net_link_kind kind = request->kind;
    uint32_t ports = 0;
    enum orr_status status = choose_ports(request, &ports, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t npus = request->npus;
    const struct shape shape = shape_of(npus, ports);
    const uint32_t cores = shape.pods > 1 ? shape.half * shape.half : 0;
    orr_net_graph_begin(&builder, request->arena, npus, shape.first_core + cores - npus);
    orr_fabric_join_hosts(&builder, request, shape.first_edge, shape.half);
    kind.bytes_per_s /= request->numbers > 1 ? (double)request->number[1] : 1;
    link_up(&builder, &shape, kind);
    status = orr_net_graph_end(&builder, graph, diag);
    if ((uint64_t)shape.half * shape.half * shape.pods == npus) {
        orr_net_graph_number(graph, (const uint32_t[]){shape.half, shape.half, shape.pods}, 3);
    }
    return status;
}

const struct net_fabric_ops orr_fabric_fat_tree = {.name = "fat-tree",
                                                   .form = "fat-tree[:PORTS[,OVERSUBSCRIPTION]]",
                                                   .example = "fat-tree:4,2",
                                                   .example_npus = 16,
                                                   .max = 2,
                                                   .routing = NET_ROUTES_SPREAD,
                                                   .build = build};
