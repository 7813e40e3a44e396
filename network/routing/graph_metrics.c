/* Graph metrics: degrees, distances, bandwidth (docs/models.md, section 3). NPUs below one switch
 * share its distances, plus one link. */
#include "network/graph_metrics.h"
#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/routing/routing.h"

static const double max_steps = 1e9;

static void count_links(const struct net_graph *graph, struct net_graph_metrics *out)
{
    out->min_degree = UINT32_MAX;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        uint32_t degree = 0;
        double bytes_per_s = 0;
        for (uint32_t i = graph->first_out[n]; i < graph->first_out[n + 1]; i++) {
            const double one = graph->link[i].bytes_per_s;
            degree += graph->link[i].count;
            bytes_per_s += net_link_capacity(&graph->link[i]);
            out->max_bytes_per_s = one > out->max_bytes_per_s ? one : out->max_bytes_per_s;
            if (out->links == 0 || one < out->min_bytes_per_s) {
                out->min_bytes_per_s = one;
            }
            out->links += graph->link[i].count;
        }
        out->network_bytes_per_s += bytes_per_s;
        if (n < graph->npus) {
            out->npu_bytes_per_s += bytes_per_s / graph->npus;
            out->min_degree = degree < out->min_degree ? degree : out->min_degree;
            out->max_degree = degree > out->max_degree ? degree : out->max_degree;
        }
    }
}

struct distance_search {
    const struct net_graph *graph;
    struct net_reverse reverse;
    uint32_t *root;  /* [npus] */
    uint32_t *below; /* [nodes]: NPUs below the node, or 1 for a directly linked NPU */
    uint32_t *queue;
    uint16_t *hops;
    double *pairs_at; /* [max hops + 1]: ordered pairs of NPUs */
    double hops_all, pairs;
};

/* Links between an NPU and its node. */
static uint32_t hops_below(const struct distance_search *distance_search, uint32_t node)
{
    return node >= distance_search->graph->npus ? 1 : 0;
}

static void add_distances(struct distance_search *distance_search, uint32_t node,
                          struct net_graph_metrics *out)
{
    const struct net_graph *graph = distance_search->graph;
    const double here = distance_search->below[node];
    orr_net_graph_distances(graph, &distance_search->reverse, node, distance_search->hops,
                            distance_search->queue);
    for (uint32_t n = 0; n < graph->nodes; n++) {
        const uint32_t hops = distance_search->hops[n] + hops_below(distance_search, n) +
                              hops_below(distance_search, node);
        const double pairs = n == node ? here * (here - 1) : here * distance_search->below[n];
        if (pairs > 0) {
            distance_search->hops_all += pairs * hops;
            distance_search->pairs += pairs;
            distance_search->pairs_at[hops] += pairs;
            out->diameter = hops > out->diameter ? hops : out->diameter;
        }
    }
}

static void add_all_distances(struct distance_search *distance_search,
                              struct net_graph_metrics *out)
{
    const struct net_graph *graph = distance_search->graph;
    for (uint32_t i = 0; i < graph->npus; i++) {
        out->searchable += distance_search->below[distance_search->root[i]]++ == 0;
    }
    /* A search ends once all nodes are found: after a few nodes of a dense graph. */
    const double steps = (double)graph->nodes +
                         (graph->links < 64.0 * graph->nodes ? graph->links : 64.0 * graph->nodes);
    const double max = max_steps / steps;
    uint32_t every = 1, source = 0;
    while (out->searchable / every > max) {
        every++;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        if (distance_search->below[n] > 0 && source++ % every == 0) {
            add_distances(distance_search, n, out);
            out->searched++;
        }
    }
    out->hops_mean =
        distance_search->pairs > 0 ? distance_search->hops_all / distance_search->pairs : 0;
}

enum orr_status orr_net_graph_metrics(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_graph_metrics *out, struct orr_diag *diag)
{
    struct distance_search distance_search = {
        .graph = graph,
        .root = orr_arena_array(arena, graph->npus, sizeof(uint32_t)),
        .below = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
        .queue = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
        .hops = orr_arena_array(arena, graph->nodes, sizeof(uint16_t)),
        .pairs_at =
            orr_arena_array(arena, (size_t)graph->nodes + 3, sizeof *distance_search.pairs_at)};
    *out = (struct net_graph_metrics){.pairs = distance_search.pairs_at};
    if (distance_search.root == NULL || distance_search.below == NULL ||
        distance_search.queue == NULL || distance_search.hops == NULL ||
        distance_search.pairs_at == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    enum orr_status status = orr_net_graph_check_connected(graph, arena, diag);
    if (status == ORR_OK) {
        status = orr_net_graph_reverse(graph, arena, &distance_search.reverse, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    count_links(graph, out);
    orr_net_graph_roots(graph, &distance_search.reverse, distance_search.root);
    add_all_distances(&distance_search, out);
    return ORR_OK;
}
