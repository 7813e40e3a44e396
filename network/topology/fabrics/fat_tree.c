/* k-ary fat-trees (Al-Fares et al., SIGCOMM'08): pods of k/2 edge and k/2 aggregation switches, k/2
 * hosts to an edge switch, and (k/2)^2 core switches, of which aggregation switch a of every pod
 * has number a * k/2 and the k/2 - 1 behind it. Only pods that have hosts are built. */
#include <inttypes.h>

#include "network/graph.h"

struct shape {
    uint32_t half;  /* k/2 */
    uint32_t edges; /* with hosts */
    uint32_t pods;
    uint32_t first_edge, first_aggregation, first_core; /* nodes */
};

static uint64_t most_hosts(uint64_t ports)
{
    return ports * ports * ports / 4;
}

static enum orr_status choose_ports(const struct net_fat_tree *given, uint32_t *ports,
                                    struct orr_diag *diag)
{
    *ports = given->ports;
    if (given->npus > NET_MAX_NODES / 4) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected at most %d hosts, got %" PRIu32, NET_MAX_NODES / 4,
                             given->npus);
    }
    while (given->ports == 0 && most_hosts(*ports) < given->npus) {
        *ports += 2;
    }
    if (*ports < 2 || *ports % 2 != 0 || *ports > UINT16_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected switches with an even number of ports, 2 to %d, "
                             "got %" PRIu32,
                             UINT16_MAX - 1, *ports);
    }
    if (!(given->oversubscription >= 1)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected an oversubscription of 1 or more, got %g",
                             given->oversubscription);
    }
    return most_hosts(*ports) >= given->npus
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "fat-tree: expected at most %" PRIu64
                               " hosts on switches of %" PRIu32
                               " ports (ports^3 / 4), got %" PRIu32,
                               most_hosts(*ports), *ports, given->npus);
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
    struct net_link link = {
        .count = 1, .bytes_per_s = kind.bytes_per_s, .latency_ps = kind.latency_ps};
    for (uint32_t e = 0; e < shape->edges && shape->edges > 1; e++) {
        for (uint32_t a = 0; a < shape->half; a++) {
            link.from = shape->first_edge + e;
            link.to = shape->first_aggregation + e / shape->half * shape->half + a;
            orr_net_graph_both(builder, &link);
        }
    }
    for (uint32_t a = 0; a < shape->pods * shape->half && shape->pods > 1; a++) {
        for (uint32_t c = 0; c < shape->half; c++) {
            link.from = shape->first_aggregation + a;
            link.to = shape->first_core + a % shape->half * shape->half + c;
            orr_net_graph_both(builder, &link);
        }
    }
}

enum orr_status orr_net_build_fat_tree(struct orr_arena *arena, const struct net_fat_tree *given,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag)
{
    struct net_graph_builder builder;
    uint32_t ports = 0;
    const enum orr_status status = choose_ports(given, &ports, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct shape shape = shape_of(given->npus, ports);
    const uint32_t cores = shape.pods > 1 ? shape.half * shape.half : 0;
    orr_net_graph_begin(&builder, arena, given->npus, shape.first_core + cores - given->npus);
    for (uint32_t i = 0; i < given->npus; i++) {
        const struct net_link link = {.from = i,
                                      .to = shape.first_edge + i / shape.half,
                                      .count = 1,
                                      .bytes_per_s = kind.bytes_per_s,
                                      .latency_ps = kind.latency_ps};
        orr_net_graph_both(&builder, &link);
    }
    kind.bytes_per_s /= given->oversubscription;
    link_up(&builder, &shape, kind);
    return orr_net_graph_end(&builder, graph, diag);
}
