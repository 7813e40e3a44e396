/* A config whose network is a graph: chooses the dimensions that collectives use. Those of the
 * builder if it has any; else inside servers and between servers; else all NPUs as one dimension.
 */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "network/allocation.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/notation.h"
#include "network/route_options.h"

/* Block of a dimension: switch if the graph has switches, fully connected if all are linked to all,
 * else ring. */
static enum net_block block_of(const struct net_graph *graph)
{
    if (graph->circuits != NULL) {
        return NET_SWITCH; /* an NPU reaches all others by a port */
    }
    if (graph->nodes > graph->npus + graph->servers) {
        return NET_SWITCH;
    }
    const uint64_t ends = graph->servers != 0 ? graph->servers : graph->npus;
    const uint64_t below = graph->servers != 0 ? 2 * (uint64_t)graph->npus : 0;
    return graph->links == ends * (ends - 1) + below && ends > 2 ? NET_FULLY_CONNECTED : NET_RING;
}

/* Bandwidth of the links from nodes [begin, end) to nodes >= begin, i.e. not down to lower
 * levels. */
static double bandwidth_up(const struct net_graph *graph, uint32_t begin, uint32_t end)
{
    double sum = 0;
    for (uint32_t i = graph->first_out[begin]; i < graph->first_out[end]; i++) {
        const bool circuit = graph->circuits != NULL && graph->link[i].from < graph->npus &&
                             graph->link[i].to < graph->npus;
        sum += graph->link[i].to >= begin && !circuit ? net_link_capacity(&graph->link[i]) : 0;
    }
    return graph->circuits == NULL || orr_net_is_allocated(graph) || begin >= graph->npus
               ? sum
               : sum + graph->circuits->bytes_per_s * graph->circuits->ports * (end - begin);
}

static sim_time mean_latency(const struct net_graph *graph)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        sum += (double)graph->link[i].latency_ps;
    }
    return graph->links > 0 ? (sim_time)(sum / graph->links) : 0;
}

/* The dimensions of the builder, above a dimension of the NPUs below each rank. */
static unsigned built_dims(const struct net_graph *graph, struct net_dim *dim)
{
    uint32_t ranks = 1;
    unsigned dims = 0;
    for (unsigned d = 0; d < graph->dims; d++) {
        ranks *= graph->dim[d].npus;
    }
    if (graph->npus > ranks) {
        dim[dims++] = (struct net_dim){.block = NET_SWITCH, .npus = graph->npus / ranks};
    }
    for (unsigned d = 0; d < graph->dims && dims < NET_MAX_DIMS; d++) {
        dim[dims++] = graph->dim[d];
    }
    return dims;
}

static unsigned choose_dims(const struct net_graph *graph, struct net_dim *dim)
{
    if (graph->dims != 0 && graph->dims < NET_MAX_DIMS) {
        return built_dims(graph, dim);
    }
    if (graph->servers > 1 && graph->servers < graph->npus && graph->npus % graph->servers == 0) {
        dim[0] = (struct net_dim){.block = NET_SWITCH, .npus = graph->npus / graph->servers};
        dim[1] = (struct net_dim){.block = block_of(graph), .npus = graph->servers};
        return 2;
    }
    dim[0] = (struct net_dim){.block = block_of(graph), .npus = graph->npus};
    return 1;
}

/* Fills bandwidth and latency of dimensions for estimates (algorithm selection): the average
 * bandwidth of an NPU and the mean latency of a hop. */
static void fill_dims(const struct net_graph *graph, struct net_dim *dim, unsigned dims)
{
    const sim_time latency_ps = mean_latency(graph);
    const double inside = bandwidth_up(graph, 0, graph->npus) / graph->npus;
    const double between =
        graph->servers > 0
            ? bandwidth_up(graph, graph->npus, graph->npus + graph->servers) / graph->npus
            : inside;
    for (unsigned d = 0; d < dims; d++) {
        if (dim[d].bandwidth_bytes_per_s > 0) {
            continue;
        }
        dim[d].per_npu = true;
        dim[d].bandwidth_bytes_per_s = d == 0 ? inside : between;
        dim[d].latency_ps = latency_ps;
    }
}

struct net_config orr_net_config_of_flows(const struct net_route_options *routes,
                                          const struct net_flow_model *flows)
{
    return (struct net_config){.backend = orr_net_backend_default(true)->name,
                               .routes = *routes,
                               .flow_model = flows,
                               .counts_paths = true};
}

enum orr_status orr_net_config_set_graph(struct orr_arena *arena, struct net_config *config,
                                         const struct net_graph *graph,
                                         const struct orr_conf *shape, struct orr_diag *diag)
{
    struct net_dim *dim = orr_arena_array(arena, NET_MAX_DIMS, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    config->graph = graph;
    config->dim = dim;
    config->shaped = shape != NULL;
    for (uint32_t i = 0; i < graph->npus; i++) {
        const uint32_t links = graph->first_out[i + 1] - graph->first_out[i];
        config->ports = links > config->ports ? links : config->ports;
    }
    if (shape == NULL) {
        config->dims = choose_dims(graph, dim);
    } else {
        const struct orr_location place = orr_conf_location(shape);
        const enum orr_status status =
            orr_net_parse_notation(shape->text, dim, &config->dims, &place, diag);
        if (status == ORR_OK && orr_net_npus(config) != graph->npus) {
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

enum orr_status orr_net_config_join_dims(struct orr_arena *arena, struct net_config *config,
                                         struct orr_diag *diag)
{
    struct net_dim *dim = orr_arena_array(arena, 1, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    dim[0] = (struct net_dim){.block = block_of(config->graph), .npus = config->graph->npus};
    fill_dims(config->graph, dim, 1);
    config->dim = dim;
    config->dims = 1;
    return ORR_OK;
}

bool orr_net_is_stacked(const struct net_config *config)
{
    const struct net_graph *graph = config->graph;
    if (graph == NULL || !net_routing_of(&config->routes)->by_dimension ||
        graph->dims != config->dims || graph->first_in_dims != 0) {
        return false;
    }
    for (unsigned d = 0; d < config->dims; d++) {
        if (config->dim[d].block != graph->dim[d].block ||
            config->dim[d].npus != graph->dim[d].npus) {
            return false;
        }
    }
    return graph->failed_links == 0;
}
