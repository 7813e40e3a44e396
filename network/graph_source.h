/* Reads a graph: from a network section, or a file in DOT. */
#ifndef ORR_NETWORK_GRAPH_SOURCE_H
#define ORR_NETWORK_GRAPH_SOURCE_H

#include <stddef.h>

#include "core/conf/keys.h"
#include "network/graph.h"
#include "network/route_options.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Default bandwidth and latency of links. */
struct net_link_kind {
    double bytes_per_s; /* 0: not known */
    sim_time latency_ps;
};

/* What a workload contributes to a platform's graph: its own network (`fabric: graph`), and
 * defaults for what the platform leaves out. All 0: nothing. */
struct net_workload_graph {
    /* Makes the workload's own network; `kind` overrides its links where it is set. NULL: it has no
     * network. */
    enum orr_status (*make)(const void *context, struct orr_arena *arena, struct net_link_kind kind,
                            struct net_graph *out, struct orr_diag *diag);
    const void *context;
    uint32_t npus;             /* of fabrics */
    struct net_link_kind kind; /* of links */
};

struct net_graph_source {
    const struct orr_conf *graph;  /* the key's mapping */
    struct orr_conf_list failures; /* const char * */
    const struct orr_conf *failures_at;
    struct orr_conf_list changes; /* mappings */
    const struct orr_conf *changes_at;
    const struct orr_conf *circuits; /* a mapping, or NULL */
    bool reroutes;
    enum net_ring_recovery recovery;
    uint64_t seed; /* of random graphs */
    struct net_workload_graph own;
};
extern const struct orr_key_table orr_net_graph_key_table, orr_net_change_key_table,
    orr_net_circuits_key_table;

/* Reads a graph in DOT. Nodes with kind=switch are switches, those with kind=server are switches
 * inside servers, all others are NPUs. Edges can have a bandwidth, a latency and a count; edges of
 * a digraph have one direction. Errors, with their location if known: no DOT; an unknown kind or
 * attribute; an edge from a node to itself, or without bandwidth; no NPUs. (read/graph_parse_dot.c)
 */
enum orr_status orr_net_graph_read_dot(struct orr_arena *arena, const char *path,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag);

/* The same from memory; `file` is the name in messages. */
struct net_dot {
    const char *file, *text;
    size_t bytes;
    struct net_link_kind kind;
};
enum orr_status orr_net_graph_parse_dot(struct orr_arena *arena, const struct net_dot *from,
                                        struct net_graph *graph, struct orr_diag *diag);

/* Whether the name of a file ends in .dot or .gv. */
bool orr_net_graph_is_dot(const char *path);

/* Reads the graph of a network section (docs/file-formats.md), and sets the routing that suits it.
 * Errors, with location: nodes, names or links that are missing or duplicate, links without
 * bandwidth, routes over no link, errors of the builders and of orr_net_graph_check_connected.
 * (read/graph_read.c) */
enum orr_status orr_net_graph_read(struct orr_arena *arena, const struct net_graph_source *source,
                                   struct net_graph *graph, const struct net_routing **routing,
                                   struct orr_diag *diag);

#endif
