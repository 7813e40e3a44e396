/* Shared by the readers of graphs: nodes, routes, rings, failures, changes, circuits
 * (graph_read_*.c). */
#ifndef ORR_NETWORK_READ_GRAPH_READ_PRIVATE_H
#define ORR_NETWORK_READ_GRAPH_READ_PRIVATE_H

#include <stddef.h>

#include "core/conf/keys.h"
#include "network/graph_build.h"
#include "network/graph_source.h"

struct net_graph;
struct orr_arena;
struct orr_conf;
struct orr_diag;

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

/* Reads the names of all nodes: none, or a distinct one for each. (graph_read_nodes.c) */
enum orr_status orr_graph_read_names(struct graph_reader *reader, const struct orr_conf *map,
                                     const char *const *names, size_t count);

/* Finds a node by name or number. */
enum orr_status orr_graph_read_node(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *out);

/* Removes failed nodes and links from a graph that has no paths yet. (graph_read_failures.c) */
enum orr_status orr_graph_read_failures(struct graph_reader *reader,
                                        const struct net_graph_source *source,
                                        struct net_graph *graph);

extern const struct orr_key_table orr_graph_route_table;
/* Parses "FROM-TO", or "NODE" as the same node twice. */
enum orr_status orr_graph_read_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *one, uint32_t *two);

/* Reads the list of changes into a graph whose links exist. */
enum orr_status orr_graph_read_changes(struct graph_reader *reader,
                                       const struct orr_conf_list *list, struct net_graph *graph);

/* Adds the circuits of the mapping to the graph. (graph_read_circuits.c) */
enum orr_status orr_graph_read_circuits(struct graph_reader *reader, const struct orr_conf *map,
                                        struct net_graph *graph);

/* Fails if the changes, at `at`, partition the NPUs for good. (graph_read_partition.c) */
enum orr_status orr_graph_check_partition(const struct graph_reader *reader,
                                          const struct net_graph *graph, const struct orr_conf *at);

/* Reads the list of routes into a graph whose links exist. */
enum orr_status orr_graph_read_routes(struct graph_reader *reader, const struct orr_conf_list *list,
                                      struct net_graph *graph);

extern const struct orr_key_table orr_graph_ring_table;
/* Reads the list of rings into a graph whose links exist. A ring of the list replaces the graph's
 * rings for groups of the same size. (graph_read_rings.c) */
enum orr_status orr_graph_read_rings(struct graph_reader *reader, const struct orr_conf *node,
                                     const struct orr_conf_list *list, struct net_graph *graph);

#endif
