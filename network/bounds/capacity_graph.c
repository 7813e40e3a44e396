/* Whole capacities of a graph; see capacity_graph.h. */
#include "network/bounds/capacity_graph.h"

#include <math.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"

/* Flows are at most (npus + 1) times the sum of the capacities. */
static const double max_flow = 4611686018427387904.0; /* 2^62 */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static double rounded(const struct net_link *link)
{
    const double capacity = net_link_capacity(link);
    return capacity > 0 ? fmax(1, nearbyint(capacity)) : 0;
}

static double sum_of(const struct net_graph *graph)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        sum += rounded(&graph->link[i]);
    }
    return sum;
}

/* The common divisor of all capacities; 0: one of them has more than 62 bits. */
static uint64_t divisor_of(const struct net_graph *graph)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        const double capacity = rounded(&graph->link[i]);
        if (capacity >= max_flow) {
            return 0;
        }
        divisor = gcd(divisor, (uint64_t)capacity);
    }
    return divisor;
}

static double unit_of(const struct net_graph *graph)
{
    const double flow = sum_of(graph) * (graph->npus + 1.0);
    double unit = (double)divisor_of(graph);
    if (unit < 1 || flow / unit >= max_flow) {
        for (unit = 1; flow / unit >= max_flow; unit *= 2) {
        }
    }
    return unit;
}

enum orr_status orr_cap_graph_make(const struct net_graph *graph, bool reversed,
                                   struct orr_arena *arena, struct cap_graph *out,
                                   struct orr_diag *diag)
{
    *out = (struct cap_graph){
        .npus = graph->npus, .nodes = graph->nodes, .unit_bytes_per_s = unit_of(graph)};
    out->arc = orr_arena_array(arena, (size_t)graph->links + 1, sizeof *out->arc);
    if (out->arc == NULL) {
        return orr_diag_no_memory(diag, "the capacities of the network");
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const double units = nearbyint(rounded(link) / out->unit_bytes_per_s);
        if (rounded(link) > 0) {
            out->arc[out->arcs++] = (struct cap_arc){.from = reversed ? link->to : link->from,
                                                     .to = reversed ? link->from : link->to,
                                                     .capacity = units < 1 ? 1 : (uint64_t)units};
        }
    }
    return ORR_OK;
}
