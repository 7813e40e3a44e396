/* Removes switches from a forest's graph: a link to a switch and one from it become a link between
 * their ends, as far as every NPU still receives all demands; see forest_private.h.
 *
 * Where m units of u > w > t become u > t, cuts lose m if they have w on one side and u and t on
 * the other, and nothing else. So what is missing for the most that could be split off, all of
 * it, is what must stay. At a switch that sends as much as it receives all is split off in the end
 * (Bang-Jensen, Frank and Jackson 1995). */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/forest_private.h"

static enum orr_status no_memory(const struct forest_graph *graph)
{
    return orr_diag_no_memory(graph->diag, "the trees of a network");
}

/* All capacities, and a source that feeds the demands. */
static enum orr_status make_flow(const struct forest_graph *graph, struct max_flow *flow)
{
    const size_t nodes = graph->nodes;
    uint32_t arcs = 0;
    for (size_t pair = 0; pair < nodes * nodes; pair++) {
        arcs += graph->capacity[pair] != 0;
    }
    struct cap_arc *arc = orr_arena_array(graph->scratch, arcs + graph->npus, sizeof *arc);
    if (arc == NULL) {
        return no_memory(graph);
    }
    arcs = 0;
    for (size_t pair = 0; pair < nodes * nodes; pair++) {
        if (graph->capacity[pair] != 0) {
            arc[arcs++] = (struct cap_arc){(uint32_t)(pair / nodes), (uint32_t)(pair % nodes),
                                           graph->capacity[pair]};
        }
    }
    for (uint32_t v = 0; v < graph->npus; v++) {
        arc[arcs++] = (struct cap_arc){graph->nodes, v, graph->demand[v]};
    }
    if (orr_max_flow_make(flow, graph->nodes + 1, arcs, arc, graph->scratch) != ORR_OK) {
        return no_memory(graph);
    }
    for (uint32_t i = 0; i < arcs; i++) {
        max_flow_set(flow, i, arc[i].capacity);
    }
    return ORR_OK;
}

/* By how much the demands exceed what the NPU that receives least can receive. */
static enum orr_status find_missing(struct forest_graph *graph, uint64_t *missing)
{
    struct max_flow flow;
    orr_arena_reset(graph->scratch);
    const enum orr_status status = make_flow(graph, &flow);
    const size_t bytes = 2 * (size_t)flow.arcs * sizeof *flow.rest;
    uint64_t *unused = status == ORR_OK ? orr_arena_alloc(graph->scratch, bytes) : NULL;
    *missing = 0;
    if (unused == NULL) {
        return status != ORR_OK ? status : no_memory(graph);
    }
    memcpy(unused, flow.rest, bytes);
    for (uint32_t v = 0; v < graph->npus; v++) {
        memcpy(flow.rest, unused, bytes);
        const uint64_t sent = orr_max_flow_run(&flow, graph->nodes, v, graph->demands);
        *missing = sent + *missing < graph->demands ? graph->demands - sent : *missing;
    }
    return ORR_OK;
}

/* How much of u > w > t can become u > t. */
static enum orr_status find_splittable(struct forest_graph *graph, size_t in, size_t out,
                                       size_t direct, uint64_t *units)
{
    const bool is_loop = direct / graph->nodes == direct % graph->nodes;
    const uint64_t most =
        graph->capacity[in] < graph->capacity[out] ? graph->capacity[in] : graph->capacity[out];
    uint64_t missing = 0;
    graph->capacity[in] -= most;
    graph->capacity[out] -= most;
    graph->capacity[direct] += is_loop ? 0 : most;
    const enum orr_status status = find_missing(graph, &missing);
    graph->capacity[in] += most;
    graph->capacity[out] += most;
    graph->capacity[direct] -= is_loop ? 0 : most;
    *units = missing < most ? most - missing : 0;
    return status;
}

static enum orr_status split(struct forest_graph *graph, uint32_t u, uint32_t w, uint32_t t)
{
    const size_t in = forest_pair(graph, u, w), out = forest_pair(graph, w, t);
    const size_t direct = forest_pair(graph, u, t);
    uint64_t units = 0;
    const enum orr_status status = find_splittable(graph, in, out, direct, &units);
    while (status == ORR_OK && units > 0) {
        struct net_forest_path first, second;
        const struct forest_item *to_t = &graph->items[graph->item[out]];
        const uint64_t most = to_t->units < units ? to_t->units : units;
        const uint64_t taken = orr_forest_take_item(graph, in, most, &first);
        (void)orr_forest_take_item(graph, out, taken, &second);
        units -= taken;
        if (u != t && !orr_forest_add_item(graph, direct, taken, first, second)) {
            return no_memory(graph);
        }
    }
    return status;
}

/* Splits off all of w > t: with the nodes after t first, so that neighbours form rings, and with t
 * itself last, which leaves nothing. */
static enum orr_status split_link(struct forest_graph *graph, uint32_t w, uint32_t t)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 1; i <= graph->nodes && status == ORR_OK; i++) {
        const uint32_t u = (t + i) % graph->nodes;
        if (graph->capacity[forest_pair(graph, w, t)] == 0) {
            break;
        }
        if (graph->capacity[forest_pair(graph, u, w)] != 0) {
            status = split(graph, u, w, t);
        }
    }
    return status;
}

enum orr_status orr_forest_split_switches(struct forest_graph *graph)
{
    enum orr_status status = ORR_OK;
    for (uint32_t w = graph->nodes; w-- > graph->npus && status == ORR_OK;) {
        for (uint32_t t = 0; t < graph->nodes && status == ORR_OK; t++) {
            status = split_link(graph, w, t);
            if (status == ORR_OK && graph->capacity[forest_pair(graph, w, t)] != 0) {
                return orr_diag_fail(graph->diag, ORR_ERR_INPUT, NULL,
                                     "trees: expected switches that send as much as they receive");
            }
        }
    }
    return status;
}
