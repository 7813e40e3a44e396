/* The network of --fabric, and of the files of `orrery run --cluster`: a named fabric, a file, or
 * the task graph's own network. */
#ifndef ORR_SIM_CLUSTER_NAMED_FABRIC_H
#define ORR_SIM_CLUSTER_NAMED_FABRIC_H

#include "network/graph_source.h"

struct conv_task_graph;
struct net_flow_model;
struct net_graph;
struct net_route_options;
struct orr_arena;
struct orr_diag;

struct orr_fabric {
    const char *text;                  /* "fat-tree:8", FILE.yml, or "graph" */
    const char *path;                  /* of the file, if `text` names one */
    const char *user;                  /* "task graph" or "cluster", for error messages */
    uint32_t servers;                  /* NPUs needed */
    const struct conv_task_graph *own; /* source of "graph", and of the default bandwidth */
    struct net_link_kind kind;         /* bytes_per_s 0: the task graph's */
    uint64_t seed;
    bool kind_requested;          /* the user set `kind`, as in net_graph_input */
    bool has_seed;                /* the user set `seed`; otherwise a file's seed is used */
    struct net_flow_model *flows; /* output: a file's flow model, else windows */
    const char *no_bandwidth;     /* error text if the bandwidth is unknown: "the task graph says no
                                     bandwidth" */
    const char *bandwidth_key;    /* key or option that sets it */
    const char *routing;          /* "ecmp", "k-shortest:8"; NULL: the default of the network */
    const char *routing_key;      /* its key or option */
    const char *rings;            /* "totient:4"; NULL: those of the network */
    const char *rings_key;        /* their key or option */
    const char *const *set;       /* values to set in the file */
    size_t sets;
};

/* Whether the text names a file. */
bool orr_fabric_is_file(const char *text);

/* Builds the network in the arena, with its routing. */
enum orr_status orr_fabric_build(const struct orr_fabric *fabric, struct orr_arena *arena,
                                 struct net_graph *network, struct net_route_options *routes,
                                 struct orr_diag *diag);

#endif
