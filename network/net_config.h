/* The description of a network: dimensions or a graph, its backend and routing. Read by
 * network/net_config_read.h, or filled in by hand. */
#ifndef ORR_NETWORK_NET_CONFIG_H
#define ORR_NETWORK_NET_CONFIG_H

#include <stddef.h>

#include "core/fold.h"
#include "network/net_dims.h"
#include "network/route_options.h"

struct net_channel;
struct net_cost_rules;
struct net_flow_model;
struct net_graph;

struct net_ops;

/* The values of one backend's options, in a struct of that backend. A list of these ends with ops
 * == NULL. */
struct net_backend_options {
    const struct net_ops *ops;
    const void *values;
};

struct net_config {
    const char *backend; /* name in the registry */
    unsigned dims;
    const struct net_dim *dim; /* [dims] */
    bool shaped;               /* the dimensions of a graph are those of network.topology */
    bool whole_ns;             /* delays are sums of doubles in ns, truncated to whole ns */
    bool free_ports;           /* messages do not wait for each other at ports; analytical only */
    const struct orr_fold
        *fold; /* symmetry reduction: NPUs simulated once for a class; NULL: none */
    /* A graph instead of the blocks, which then only define the dimensions of collectives; NULL:
     * none. Not for all backends. */
    const struct net_graph *graph;
    /* Extra time that each message occupies each port or link, in addition to its bytes. Not with
     * whole_ns. */
    sim_time message_overhead_ps;
    struct net_route_options routes; /* of the graph */
    /* Pinned paths through the graph that messages can name; not for all backends. */
    const struct net_channel *channel;
    uint32_t channels;
    /* flow: overrides the flow model of the keys; NULL: no override. */
    const struct net_flow_model *flow_model;
    bool counts_paths;                 /* flow: count traffic per path, for orr_net_flows_path */
    const struct net_cost_rules *cost; /* of the graph's hardware; NULL: defaults */
    uint32_t ports; /* of the graph: the largest number of neighbours of an NPU */
    const struct net_backend_options
        *own;           /* options of the backends; NULL: defaults (net_backend_values) */
    const char *design; /* description of the section's design; NULL: no design */
};

/* The slot of a rank: the index of its ports, events and counters. */
static inline struct orr_slot net_slot(const struct net_config *config, struct orr_rank rank)
{
    return config->fold == NULL ? orr_slot(rank.rank) : orr_fold_slot(config->fold, rank);
}

/* Whether the graph is the config's dimensions with dimension-order paths, so that it is equivalent
 * to the blocks. O(dims). (read/network_config_graph.c) */
bool orr_net_is_stacked(const struct net_config *config);

#endif
