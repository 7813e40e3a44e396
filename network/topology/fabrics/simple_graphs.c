/* Graphs that a line describes: star, full mesh, circulant. */
#include <inttypes.h>

#include "network/graph.h"

static enum orr_status too_large(double nodes, double links, struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: expected at most %d nodes and %d links in a graph, got %.9g "
                         "and %.9g",
                         NET_MAX_NODES, NET_MAX_LINKS, nodes, links);
}

static struct net_link link_of(uint32_t from, uint32_t to, struct net_link_kind kind)
{
    return (struct net_link){.from = from,
                             .to = to,
                             .count = 1,
                             .bytes_per_s = kind.bytes_per_s,
                             .latency_ps = kind.latency_ps};
}

enum orr_status orr_net_build_star(struct orr_arena *arena, uint32_t npus,
                                   struct net_link_kind kind, struct net_graph *graph,
                                   struct orr_diag *diag)
{
    struct net_graph_builder builder;
    if (npus >= NET_MAX_NODES) {
        return too_large(npus + 1.0, 2.0 * npus, diag);
    }
    orr_net_graph_begin(&builder, arena, npus, 1);
    for (uint32_t i = 0; i < npus; i++) {
        const struct net_link link = link_of(i, npus, kind);
        orr_net_graph_both(&builder, &link);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

enum orr_status orr_net_build_full_mesh(struct orr_arena *arena, uint32_t npus,
                                        struct net_link_kind kind, struct net_graph *graph,
                                        struct orr_diag *diag)
{
    struct net_graph_builder builder;
    if ((uint64_t)npus * npus > NET_MAX_LINKS) {
        return too_large(npus, (double)npus * (npus - 1.0), diag);
    }
    orr_net_graph_begin(&builder, arena, npus, 0);
    for (uint32_t i = 0; i < npus; i++) {
        for (uint32_t j = i + 1; j < npus; j++) {
            const struct net_link link = link_of(i, j, kind);
            orr_net_graph_both(&builder, &link);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

/* ---- circulants ---- */

static enum orr_status check_jumps(uint32_t npus, const uint32_t *jumps, size_t count,
                                   struct orr_diag *diag)
{
    uint32_t divisor = npus;
    for (size_t i = 0; i < count; i++) {
        if (jumps[i] == 0 || jumps[i] >= npus) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "circulant: expected jumps from 1 to %" PRIu32 " among %" PRIu32
                                 " NPUs, got %" PRIu32,
                                 npus - 1, npus, jumps[i]);
        }
        for (size_t j = 0; j < i; j++) {
            if (jumps[j] == jumps[i] || jumps[j] + jumps[i] == npus) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                     "circulant: expected each jump once, either way round; got "
                                     "%" PRIu32 " and %" PRIu32 " among %" PRIu32 " NPUs",
                                     jumps[j], jumps[i], npus);
            }
        }
        divisor = orr_greatest_divisor(divisor, jumps[i]);
    }
    return divisor == 1 ? ORR_OK
                        : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                        "circulant: expected jumps that reach every NPU, got "
                                        "multiples of %" PRIu32 " among %" PRIu32
                                        " NPUs: the graph falls into %" PRIu32 " parts",
                                        divisor, npus, divisor);
}

enum orr_status orr_net_build_circulant(struct orr_arena *arena, uint32_t npus,
                                        const uint32_t *jumps, size_t count,
                                        struct net_link_kind kind, struct net_graph *graph,
                                        struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const enum orr_status status = check_jumps(npus, jumps, count, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (npus > NET_MAX_NODES || (uint64_t)npus * count > NET_MAX_LINKS / 2) {
        return too_large(npus, 2.0 * npus * (double)count, diag);
    }
    orr_net_graph_begin(&builder, arena, npus, 0);
    for (size_t j = 0; j < count; j++) {
        const bool half = 2 * (uint64_t)jumps[j] == npus; /* both ways lead to the same NPU */
        for (uint32_t i = 0; i < npus; i++) {
            const struct net_link link =
                link_of(i, (uint32_t)(((uint64_t)i + jumps[j]) % npus), kind);
            if (half) {
                orr_net_graph_link(&builder, &link);
            } else {
                orr_net_graph_both(&builder, &link);
            }
        }
        (void)orr_net_graph_ring(&builder, npus, (int32_t)jumps[j]);
        if (!half) {
            (void)orr_net_graph_ring(&builder, npus, -(int32_t)jumps[j]);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}
