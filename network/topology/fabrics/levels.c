/* Levels below a graph: each NPU of the graph becomes a switch with NPUs below it. A fabric so gets
 * servers with a switch inside, racks below an optical layer, or both. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/net_dims.h"
#include "network/product_cycles.h"

static enum orr_status check(const struct net_graph *top, const struct net_level *level,
                             struct orr_diag *diag)
{
    const double npus = (double)top->npus * level->npus;
    return level->npus >= 1 && level->uplinks >= 1 && npus + top->nodes <= NET_MAX_NODES
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "network: expected at most %d nodes, and one or more NPUs and "
                               "uplinks, got %.9g nodes: %" PRIu32 " times %" PRIu32
                               " NPUs, and %" PRIu32 " above",
                               NET_MAX_NODES, npus + top->nodes, top->npus, level->npus,
                               top->nodes);
}

/* Extends a ring of the top to the NPUs below: it visits all NPUs below one end before the next
 * end. Logical servers also get a ring of the s-th NPU of each server, as member lists, because
 * other groups of that size are not on it. */
static enum orr_status extend_ring(struct net_graph_builder *builder, const struct net_ring *ring,
                                   const struct net_level *level, struct orr_diag *diag)
{
    const uint32_t ends = ring->npus, below = level->npus;
    uint32_t *order = orr_arena_array(builder->arena, (size_t)ends * below, sizeof *order);
    uint32_t *member = orr_arena_array(builder->arena, (size_t)ends * below, sizeof *member);
    if (order == NULL || member == NULL) {
        return orr_diag_no_memory(diag, "the rings of the network");
    }
    const uint64_t step = (uint64_t)(ring->jump % (int64_t)ends + ends) % ends;
    for (uint32_t i = 0; i < ends; i++) {
        const uint32_t end = ring->order != NULL ? ring->order[i] : (uint32_t)(i * step % ends);
        for (uint32_t s = 0; s < below; s++) {
            order[i * below + s] = member[s * ends + i] = end * below + s;
        }
    }
    (void)orr_net_graph_ring_of(builder, ends * below, order);
    for (uint32_t s = 0; s < below && level->logical; s++) {
        const struct net_ring server_ring = {.npus = ends, .member = member + (size_t)s * ends};
        orr_net_graph_add_ring(builder, &server_ring);
    }
    return ORR_OK;
}

/* What the top is a product of: dimensions of rings and full meshes, or one of these; 0: nothing.
 */
static uint32_t factors_of(const struct net_graph *top, struct net_factor factor[NET_MAX_DIMS])
{
    uint32_t factors = 0, stride = 1;
    if (top->nodes != top->npus || top->npus < 3) {
        return 0;
    }
    if (top->links == (uint64_t)top->npus * (top->npus - 1)) {
        factor[0] = (struct net_factor){.clique = true, .size = top->npus};
        return 1;
    }
    for (unsigned d = 0; d < top->dims; d++) {
        const struct net_dim *dim = &top->dim[d];
        const uint32_t link = dim->npus > 1 ? orr_net_graph_find(top, 0, stride) : NET_NO_LINK;
        const bool single = link != NET_NO_LINK && top->link[link].count == 1;
        stride *= dim->npus;
        if (dim->npus > 1) {
            factor[factors++] = (struct net_factor){.clique = dim->block == NET_FULLY_CONNECTED ||
                                                              (dim->npus == 2 && single),
                                                    .size = dim->npus};
        }
    }
    return factors;
}

/* Those that links of the top make, both ways, where it brings none. */
static enum orr_status add_cycles(struct net_graph_builder *builder, const struct net_graph *top,
                                  const struct net_level *level, struct orr_diag *diag)
{
    struct net_factor factor[NET_MAX_DIMS];
    const uint32_t factors = factors_of(top, factor), n = top->npus;
    struct net_cycles cycles = {.cycles = 0};
    if (factors != 0 && !orr_net_product_cycles(builder->arena, factor, factors, &cycles)) {
        return orr_diag_no_memory(diag, "the rings of the network");
    }
    uint32_t *back = orr_arena_array(builder->arena, (size_t)n + 1, sizeof *back);
    enum orr_status status =
        back != NULL ? ORR_OK : orr_diag_no_memory(diag, "the rings of the network");
    for (uint32_t c = 0; c < cycles.cycles && status == ORR_OK; c++) {
        const uint32_t *order = cycles.order + (size_t)c * n;
        for (uint32_t i = 0; i < n; i++) {
            back[i] = order[(n - i) % n];
        }
        status = extend_ring(builder, &(struct net_ring){.npus = n, .order = order}, level, diag);
        if (status == ORR_OK) {
            status =
                extend_ring(builder, &(struct net_ring){.npus = n, .order = back}, level, diag);
        }
    }
    return status;
}

/* Those of all NPUs of the top, whatever these are. */
static enum orr_status keep_rings(struct net_graph_builder *builder, const struct net_graph *top,
                                  const struct net_level *level, struct orr_diag *diag)
{
    enum orr_status status = top->rings == 0 ? add_cycles(builder, top, level, diag) : ORR_OK;
    for (uint32_t i = 0; i < top->rings && status == ORR_OK; i++) {
        if (top->ring[i].npus == top->npus && top->ring[i].member == NULL) {
            status = extend_ring(builder, &top->ring[i], level, diag);
        }
    }
    return status;
}

enum orr_status orr_net_graph_add_level(struct orr_arena *arena, const struct net_graph *top,
                                        const struct net_level *level, struct net_graph *out,
                                        struct orr_diag *diag)
{
    struct net_graph_builder builder;
    enum orr_status status = check(top, level, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t npus = top->npus * level->npus;
    orr_net_graph_begin(&builder, arena, npus, top->nodes);
    for (uint32_t i = 0; i < npus; i++) {
        const struct net_link link = {.from = i,
                                      .to = npus + i / level->npus,
                                      .count = 1,
                                      .bytes_per_s = level->kind.bytes_per_s,
                                      .latency_ps = level->kind.latency_ps};
        orr_net_graph_both(&builder, &link);
    }
    for (uint32_t i = 0; i < top->links; i++) {
        struct net_link link = top->link[i];
        const bool uplink = link.from < top->npus || link.to < top->npus;
        link.from += npus;
        link.to += npus;
        link.count *= uplink ? level->uplinks : 1;
        orr_net_graph_link(&builder, &link);
    }
    status = level->rings || level->logical ? keep_rings(&builder, top, level, diag) : ORR_OK;
    if (status == ORR_OK) {
        status = orr_net_graph_end(&builder, out, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    out->logical = level->logical ? level->npus : 0;
    out->servers = level->servers ? top->npus : 0;
    out->dims = top->dims;
    out->dim = top->dim;
    out->first_in_dims = top->first_in_dims + npus;
    const uint32_t below = level->npus;
    orr_net_graph_number(out, &below, 1);
    orr_net_graph_number(out, top->digits != 0 ? top->digit : &top->npus,
                         top->digits != 0 ? top->digits : 1);
    return status;
}
