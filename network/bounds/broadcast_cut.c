/* The cut between one NPU and any other with the least bandwidth; see cut_bounds.h. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/cut_bounds.h"
#include "network/bounds/max_flow.h"
#include "network/bounds/side.h"
#include "network/graph.h"

struct broadcast {
    struct cap_graph graph;
    struct max_flow flow;
    bool *side;
    uint64_t least; /* capacity of the best cut so far */
};

/* Takes the cut between root and `npu` if it is better. */
static void try_npu(struct broadcast *broadcast, uint32_t root, uint32_t npu)
{
    const struct cap_graph *graph = &broadcast->graph;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        max_flow_set(&broadcast->flow, i, graph->arc[i].capacity);
    }
    const uint64_t sent = orr_max_flow_run(&broadcast->flow, root, npu, broadcast->least);
    if (sent >= broadcast->least) {
        return;
    }
    broadcast->least = sent;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        broadcast->side[n] = max_flow_is_source_side(&broadcast->flow, n);
    }
}

enum orr_status orr_net_broadcast_cut(const struct net_graph *graph, uint32_t root,
                                      struct orr_arena *arena, struct net_cut *out,
                                      struct orr_diag *diag)
{
    struct broadcast broadcast = {.side = orr_arena_array(arena, graph->nodes, sizeof(bool)),
                                  .least = UINT64_MAX};
    *out = (struct net_cut){.side = broadcast.side};
    if (broadcast.side == NULL ||
        orr_cap_graph_make(graph, false, arena, &broadcast.graph, diag) != ORR_OK ||
        orr_max_flow_make(&broadcast.flow, graph->nodes, broadcast.graph.arcs, broadcast.graph.arc,
                          arena) != ORR_OK) {
        return orr_diag_no_memory(diag, "the cuts of the network");
    }
    for (uint32_t v = 0; v < graph->npus && broadcast.least > 0; v++) {
        if (v != root) {
            try_npu(&broadcast, root, v);
        }
    }
    orr_net_cut_fill(graph, false, out);
    return ORR_OK;
}
