/* Networks that are graphs: a config from dimensions, a file, or a graph that is built elsewhere.
 */
#ifndef ORR_NETWORK_NET_CONFIG_GRAPH_H
#define ORR_NETWORK_NET_CONFIG_GRAPH_H

#include <stddef.h>

#include "network/graph_source.h"
#include "network/net_config.h"

struct net_flow_model;
struct net_graph;
struct net_route_options;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* A config with the default backend of graphs, without a graph yet, that counts traffic per path.
 * `routes` and `flows` are borrowed. */
struct net_config orr_net_config_of_flows(const struct net_route_options *routes,
                                          const struct net_flow_model *flows);

/* Converts the config's dimensions to a graph; a config with a graph is unchanged. */
enum orr_status orr_net_config_make_graph(struct orr_arena *arena, struct net_config *config,
                                          struct orr_diag *diag);

/* Sets the config's network to a graph. `shape` is a notation of the dimensions of collectives;
 * NULL: those of the graph's builder, else in servers and between servers, else one. Error:
 * dimensions with another number of NPUs. (read/network_config_graph.c) */
enum orr_status orr_net_config_set_graph(struct orr_arena *arena, struct net_config *config,
                                         const struct net_graph *graph,
                                         const struct orr_conf *shape, struct orr_diag *diag);

/* Makes one dimension of all NPUs of the config's graph. Error: memory.
 * (read/network_config_graph.c) */
enum orr_status orr_net_config_join_dims(struct orr_arena *arena, struct net_config *config,
                                         struct orr_diag *diag);

/* A platform file, or one in DOT. */
struct net_graph_input {
    const char *path;
    const char *library;    /* folder of files to include by name; NULL: none */
    const char *const *set; /* values to set in it; not for DOT */
    size_t sets;
    struct net_link_kind kind; /* defaults of links */
    bool kind_requested;       /* the user gave `kind`: warn if a design overrides it */
    uint32_t npus;             /* of a fabric or design without a number; 0: that is an error */
};

/* Loads the network of a file as a graph, with its routing and flow model: its network.graph, its
 * dimensions as a graph, or the graph of a DOT file. (read/graph_load.c) */
enum orr_status orr_net_graph_load(struct orr_arena *arena, const struct net_graph_input *source,
                                   struct net_config *config, struct orr_diag *diag);

#endif
