/* The cut with the most NPUs in its side for its bandwidth; see cut_bounds.h.
 *
 * Every NPU has a source arc of x = p / q from one source. If a flow of npus x x reaches every NPU
 * v, no cut without v is below x: bandwidth >= x (NPUs in the side). Else its minimum cut is, and x
 * becomes that cut's ratio. x only falls, so NPUs that were reached before are reached again. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/cut_bounds.h"
#include "network/bounds/max_flow.h"
#include "network/bounds/side.h"
#include "network/graph.h"

struct gather {
    struct cap_graph graph;
    struct max_flow flow; /* with a source, node `nodes`, and an arc to each NPU after the others */
    bool *side;           /* of the best cut so far */
    uint64_t *unused;     /* [2 (arcs + npus)] residual capacities without a flow */
    uint64_t capacity;    /* p: of the best cut so far */
    uint32_t npus;        /* q: in its side */
};

/* The cut of all nodes but one, the worst of these. */
static void start_with_single_nodes(struct gather *gather, uint64_t *entering)
{
    const struct cap_graph *graph = &gather->graph;
    uint32_t worst = 0;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        entering[graph->arc[i].to] += graph->arc[i].capacity;
    }
    for (uint32_t v = 1; v < graph->npus; v++) {
        worst = entering[v] < entering[worst] ? v : worst;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        gather->side[n] = n != worst;
    }
    gather->capacity = entering[worst];
    gather->npus = graph->npus - 1;
}

static void set_capacities(struct gather *gather)
{
    const struct cap_graph *graph = &gather->graph;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        max_flow_set(&gather->flow, i, graph->arc[i].capacity * gather->npus);
    }
    for (uint32_t v = 0; v < graph->npus; v++) {
        max_flow_set(&gather->flow, graph->arcs + v, gather->capacity);
    }
    memcpy(gather->unused, gather->flow.rest, 2 * gather->flow.arcs * sizeof *gather->unused);
}

/* Takes the minimum cut of the last flow. */
static void take_cut(struct gather *gather)
{
    const struct cap_graph *graph = &gather->graph;
    gather->capacity = 0;
    gather->npus = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        gather->side[n] = max_flow_is_source_side(&gather->flow, n);
        gather->npus += gather->side[n] && n < graph->npus;
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        const struct cap_arc *arc = &graph->arc[i];
        gather->capacity += gather->side[arc->from] && !gather->side[arc->to] ? arc->capacity : 0;
    }
}

/* Whether the cuts without `npu` are as good as the best cut; if not, takes a worse one. */
static bool reaches(struct gather *gather, uint32_t npu)
{
    const uint64_t needed = gather->capacity * gather->graph.npus;
    memcpy(gather->flow.rest, gather->unused, 2 * gather->flow.arcs * sizeof *gather->unused);
    if (orr_max_flow_run(&gather->flow, gather->graph.nodes, npu, needed) >= needed) {
        return true;
    }
    take_cut(gather);
    set_capacities(gather);
    return false;
}

static enum orr_status make_flow(struct gather *gather, struct orr_arena *arena)
{
    const struct cap_graph *graph = &gather->graph;
    const uint32_t arcs = graph->arcs + graph->npus;
    struct cap_arc *arc = orr_arena_array(arena, arcs, sizeof *arc);
    gather->unused = orr_arena_array(arena, (size_t)arcs * 2, sizeof *gather->unused);
    if (arc == NULL || gather->unused == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < arcs; i++) {
        arc[i] = i < graph->arcs
                     ? graph->arc[i]
                     : (struct cap_arc){.from = graph->nodes, .to = i - graph->arcs, .capacity = 1};
    }
    return orr_max_flow_make(&gather->flow, graph->nodes + 1, arcs, arc, arena);
}

enum orr_status orr_net_gather_cut(const struct net_graph *graph, bool reversed,
                                   struct orr_arena *arena, struct net_cut *out,
                                   struct orr_diag *diag)
{
    struct gather gather = {.side = orr_arena_array(arena, graph->nodes, sizeof(bool))};
    uint64_t *entering = orr_arena_array(arena, graph->nodes, sizeof *entering);
    *out = (struct net_cut){.side = gather.side};
    if (gather.side == NULL || entering == NULL ||
        orr_cap_graph_make(graph, reversed, arena, &gather.graph, diag) != ORR_OK ||
        make_flow(&gather, arena) != ORR_OK) {
        return orr_diag_no_memory(diag, "the cuts of the network");
    }
    if (graph->npus < 2) {
        return ORR_OK;
    }
    start_with_single_nodes(&gather, entering);
    set_capacities(&gather);
    for (uint32_t v = 0; v < graph->npus && gather.capacity > 0; v++) {
        while (!reaches(&gather, v) && gather.capacity > 0) {
        }
    }
    orr_net_cut_fill(graph, reversed, out);
    return ORR_OK;
}
