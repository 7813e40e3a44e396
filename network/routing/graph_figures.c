/* What a graph is like: degrees, distances, bandwidth (docs/models.md, section 3). */
#include "network/routing/routing.h"

static void count_links(const struct net_graph *graph, struct net_graph_figures *out)
{
    out->least_degree = UINT32_MAX;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        uint32_t degree = 0;
        double bytes_per_s = 0;
        for (uint32_t i = graph->first_out[n]; i < graph->first_out[n + 1]; i++) {
            degree += graph->link[i].count;
            bytes_per_s += net_link_capacity(&graph->link[i]);
        }
        out->links += degree;
        out->network_bytes_per_s += bytes_per_s;
        if (n < graph->npus) {
            out->npu_bytes_per_s += bytes_per_s / graph->npus;
            out->least_degree = degree < out->least_degree ? degree : out->least_degree;
            out->most_degree = degree > out->most_degree ? degree : out->most_degree;
        }
    }
}

static void measure(const struct net_graph *graph, const uint16_t *hops,
                    struct net_graph_figures *out)
{
    for (uint32_t n = 0; n < graph->npus; n++) {
        out->hops_all += hops[n];
        out->diameter = hops[n] > out->diameter ? hops[n] : out->diameter;
    }
}

enum orr_status net_graph_figures(const struct net_graph *graph, struct orr_arena *arena,
                                  struct net_graph_figures *out, struct orr_diag *diag)
{
    struct net_reverse reverse;
    uint16_t *hops = orr_arena_array(arena, graph->nodes, sizeof *hops);
    uint32_t *queue = orr_arena_array(arena, graph->nodes, sizeof *queue);
    *out = (struct net_graph_figures){.links = 0};
    if (hops == NULL || queue == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    enum orr_status status = net_graph_check_connected(graph, arena, diag);
    if (status == ORR_OK) {
        status = net_graph_reverse(graph, arena, &reverse, diag);
    }
    count_links(graph, out);
    for (uint32_t n = 0; n < graph->npus && status == ORR_OK; n++) {
        net_graph_distances(graph, &reverse, n, hops, queue);
        measure(graph, hops, out);
    }
    const double pairs = (double)graph->npus * (graph->npus - 1.0);
    out->hops_mean = pairs > 0 ? (double)out->hops_all / pairs : 0;
    return status;
}
