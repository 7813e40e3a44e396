/* What the readers of graphs (graph_read.c), of their routes and rings (graph_read_routes.c,
 * _rings.c) share. */
#ifndef ORR_NETWORK_READ_GRAPH_READ_PRIVATE_H
#define ORR_NETWORK_READ_GRAPH_READ_PRIVATE_H

#include "network/graph.h"

#define KEYS(table) table, sizeof table / sizeof *table

struct named {
    const char *name;
    uint32_t node;
};

struct graph_reader {
    struct orr_arena *arena;
    struct orr_diag *diag;
    struct net_link_kind kind;
    uint64_t seed;
    const struct net_workload_graph *own;
    struct net_graph_builder builder;
    struct named *named; /* [names], sorted */
    uint32_t names, nodes;
};

enum orr_status orr_graph_read_fail(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *problem, const char *got);

int orr_graph_read_by_name(const void *left, const void *right); /* of struct named */

/* Takes the names of all nodes, none or one for each, which are its own. (graph_read_nodes.c) */
enum orr_status orr_graph_read_names(struct graph_reader *reader, const struct orr_conf *map,
                                     const char *const *names, size_t count);

/* The node of a name, or of a number. */
enum orr_status orr_graph_read_node(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *out);

/* Takes what has failed out of a graph, whose paths are not there yet. */
enum orr_status orr_graph_read_failures(struct graph_reader *reader,
                                        const struct net_graph_source *source,
                                        struct net_graph *graph);

extern const struct orr_key_table orr_graph_route_table;
/* The nodes of "FROM-TO", or twice that of "NODE". */
enum orr_status orr_graph_read_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *one, uint32_t *two);

/* Reads the list of changes into the graph, whose links are there. */
enum orr_status orr_graph_read_changes(struct graph_reader *reader,
                                       const struct orr_conf_list *list, struct net_graph *graph);

/* Adds the circuits of the mapping to the graph. (graph_read_circuits.c) */
enum orr_status orr_graph_read_circuits(struct graph_reader *reader, const struct orr_conf *map,
                                        struct net_graph *graph);

/* Whether the changes, at `at`, leave the NPUs joined at the end. (graph_read_partition.c) */
enum orr_status orr_graph_check_partition(const struct graph_reader *reader,
                                          const struct net_graph *graph, const struct orr_conf *at);

/* Reads the list of routes into the graph, whose links are there. */
enum orr_status orr_graph_read_routes(struct graph_reader *reader, const struct orr_conf_list *list,
                                      struct net_graph *graph);

extern const struct orr_key_table orr_graph_ring_table;
/* Reads the list of rings into the graph, whose links are there. Its own rings for groups of sizes
 * that the list has rings for are gone then. (graph_read_rings.c) */
enum orr_status orr_graph_read_rings(struct graph_reader *reader, const struct orr_conf *node,
                                     const struct orr_conf_list *list, struct net_graph *graph);

#endif
