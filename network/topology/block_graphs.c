/* Stacked topologies as graphs, with the links of the congestion backend (block_links.h). Nodes are
 * the ranks, then one switch for each line of each switch dimension, in the order of its first
 * rank. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/topology/block_links.h"

struct blocks {
    struct net_graph_builder builder;
    const struct net_config *config;
    struct link_dim links[NET_MAX_DIMS];
    uint32_t npus;
    uint32_t next_switch; /* node */
};

static bool has_switches(const struct net_dim *dim)
{
    return dim->block == NET_SWITCH && dim->npus > 1;
}

static enum orr_status count(const struct net_config *config, uint64_t *npus, uint64_t *nodes,
                             struct orr_diag *diag)
{
    uint64_t links = 0, all = orr_net_npus(config), switches = 0;
    for (unsigned d = 0; d < config->dims; d++) {
        links += all * orr_link_dim_links(&config->dim[d]); /* of a mesh a few less */
        switches += has_switches(&config->dim[d]) ? all / config->dim[d].npus : 0;
    }
    *npus = all;
    *nodes = all + switches;
    return all != 0 && *nodes <= NET_MAX_NODES && links <= NET_MAX_LINKS
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "network: expected at most %d nodes and %d links in a graph, got "
                               "%" PRIu64 " and %" PRIu64 " of %" PRIu64 " NPUs",
                               NET_MAX_NODES, NET_MAX_LINKS, *nodes, links, all);
}

static void link_line(struct blocks *blocks, uint32_t first, unsigned d)
{
    const struct net_dim *dim = &blocks->config->dim[d];
    const uint32_t stride = blocks->links[d].stride, n = dim->npus;
    struct net_link link = {
        .count = 1, .bytes_per_s = blocks->links[d].bytes_per_s, .latency_ps = dim->latency_ps};
    if (dim->block == NET_SWITCH) {
        link.to = blocks->next_switch++;
    } else if (dim->block == NET_RING && n == 2) {
        link.count = blocks->links[d].links;
    }
    const uint32_t joined = dim->block == NET_RING && n > 2 ? n : n - 1;
    for (uint32_t i = 0; i < n; i++) {
        link.from = first + i * stride;
        if (dim->block == NET_SWITCH) {
            orr_net_graph_both(&blocks->builder, &link);
        } else if (net_passes_on(dim->block) && i < joined) {
            link.to = first + (i + 1) % n * stride;
            orr_net_graph_both(&blocks->builder, &link);
        }
        for (uint32_t j = i + 1; j < n && dim->block == NET_FULLY_CONNECTED; j++) {
            link.to = first + j * stride;
            orr_net_graph_both(&blocks->builder, &link);
        }
    }
}

enum orr_status orr_net_build_blocks(struct orr_arena *arena, const struct net_config *config,
                                     struct net_graph *graph, struct orr_diag *diag)
{
    struct blocks blocks = {.config = config};
    const struct net_config unfolded = {.dims = config->dims, .dim = config->dim};
    uint64_t npus = 0, nodes = 0;
    enum orr_status status = count(&unfolded, &npus, &nodes, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct net_dim *dim = orr_arena_array(arena, config->dims + (size_t)1, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    memcpy(dim, config->dim, config->dims * sizeof *dim);
    (void)orr_link_dims_init(blocks.links, &unfolded);
    blocks.next_switch = (uint32_t)npus;
    orr_net_graph_begin(&blocks.builder, arena, (uint32_t)npus, (uint32_t)(nodes - npus));
    for (unsigned d = 0; d < config->dims; d++) {
        for (uint32_t rank = 0; rank < npus && dim[d].npus > 1; rank++) {
            if (rank / blocks.links[d].stride % dim[d].npus == 0) {
                link_line(&blocks, rank, d);
            }
        }
    }
    status = orr_net_graph_end(&blocks.builder, graph, diag);
    graph->dims = config->dims;
    graph->dim = dim;
    for (unsigned d = 0; d < config->dims; d++) {
        orr_net_graph_number(graph, &dim[d].npus, 1);
    }
    return status;
}
