/* NVIDIA's hybrid cube mesh (DGX-1): eight V100 with six NVLinks each, one or two between a pair.
 * Three Hamiltonian cycles use each NVLink once; in both directions they are six rings. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

static void add_rings(struct net_graph_builder *builder)
{
    static const uint32_t cycle[3][8] = {
        {0, 1, 2, 3, 7, 6, 5, 4}, {0, 3, 2, 1, 5, 6, 7, 4}, {0, 2, 6, 4, 7, 5, 1, 3}};
    for (size_t i = 0; i < sizeof cycle / sizeof *cycle; i++) {
        uint32_t back[8];
        for (size_t position = 0; position < 8; position++) {
            back[position] = cycle[i][7 - position];
        }
        (void)orr_net_graph_ring_of(builder, 8, cycle[i]);
        (void)orr_net_graph_ring_of(builder, 8, back);
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    static const uint8_t pair[16][3] = {
        {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
        {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    struct net_graph_builder builder;
    if (request->npus != 8) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "dgx1: expected 8 NPUs, got %" PRIu32,
                             request->npus);
    }
    orr_net_graph_begin(&builder, request->arena, 8, 0);
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        for (uint8_t link = 0; link < pair[i][2]; link++) {
            orr_fabric_join(&builder, pair[i][0], pair[i][1], request->kind);
        }
    }
    add_rings(&builder);
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_dgx1 = {.name = "dgx1",
                                               .form = "dgx1",
                                               .example = "dgx1",
                                               .example_npus = 8,
                                               .routing = NET_ROUTES_SPREAD,
                                               .build = build};
