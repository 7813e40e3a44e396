/* A config whose network is a graph: the dimensions that collectives go along in it. */
#include <inttypes.h>

#include "network/network.h"

/* One dimension of all NPUs: a switch where there are switches, all linked to all where they are,
 * otherwise a ring. */
static enum net_block block_of(const struct net_graph *graph)
{
    if (graph->nodes > graph->npus) {
        return NET_SWITCH;
    }
    const uint64_t pairs = (uint64_t)graph->npus * (graph->npus - 1);
    return graph->links == pairs && graph->npus > 2 ? NET_FULLY_CONNECTED : NET_RING;
}

/* What a dimension is taken to be like where a choice needs it: an NPU's bandwidth, on average, and
 * the latency of a hop. */
static void fill_dims(const struct net_graph *graph, struct net_dim *dim, unsigned dims)
{
    double bytes_per_s = 0, latency_ps = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        bytes_per_s += link->from < graph->npus ? net_link_capacity(link) : 0;
        latency_ps += (double)link->latency_ps;
    }
    for (unsigned d = 0; d < dims; d++) {
        dim[d].per_npu = true;
        dim[d].bandwidth_bytes_per_s = bytes_per_s / graph->npus;
        dim[d].latency_ps = graph->links > 0 ? (sim_time)(latency_ps / graph->links) : 0;
    }
}

enum orr_status net_config_take_graph(struct orr_arena *arena, struct net_config *config,
                                      const struct net_graph *graph, const struct orr_conf *shape,
                                      struct orr_diag *diag)
{
    struct net_dim *dim = orr_arena_array(arena, NET_MAX_DIMS, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    config->graph = graph;
    config->dim = dim;
    config->dims = 1;
    dim[0] = (struct net_dim){.block = block_of(graph), .npus = graph->npus};
    if (shape != NULL) {
        const struct orr_place place = orr_conf_place(shape);
        const enum orr_status status =
            net_parse_notation(shape->text, dim, &config->dims, &place, diag);
        if (status == ORR_OK && net_npus(config) != graph->npus) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: expected dimensions of the graph's %" PRIu32
                                 " NPUs together, got \"%s\"",
                                 shape->path, graph->npus, shape->text);
        }
        if (status != ORR_OK) {
            return status;
        }
    }
    fill_dims(graph, dim, config->dims);
    return ORR_OK;
}
