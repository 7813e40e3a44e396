/* The network of --fabric, and of the files of orrery run --cluster: by name, of a file, or the
 * task graph's own. */
#ifndef ORR_SIM_CLUSTER_NAMED_FABRIC_H
#define ORR_SIM_CLUSTER_NAMED_FABRIC_H

#include "et_converter/et_converter.h"

struct orr_fabric {
    const char *text;                  /* "fat-tree:8", FILE.yml, or "graph" */
    const char *path;                  /* of the file, where `text` is one */
    const char *user;                  /* "task graph" or "cluster", for messages */
    uint32_t servers;                  /* at least so many NPUs */
    const struct conv_task_graph *own; /* for "graph", and for the bandwidth */
    struct net_link_kind kind;         /* bytes_per_s 0: as the task graph says */
    uint64_t seed;
    bool kind_requested;          /* for links of that kind, as in net_graph_input */
    bool has_seed;                /* it was asked for; otherwise a file's own counts */
    struct net_flow_model *flows; /* gets what a file says of flows, else windows */
    const char *no_bandwidth;     /* what to say then: "the task graph says no bandwidth" */
    const char *bandwidth_key;    /* what to write where nobody says the bandwidth */
    const char *routing;          /* "ecmp", "k-shortest:8"; NULL: as suits the network */
    const char *routing_key;      /* where it is written */
    const char *rings;            /* "totient:4"; NULL: those of the network */
    const char *rings_key;        /* where they are written */
    const char *const *set;       /* values set in the file */
    size_t sets;
};

/* Whether the text names a file. */
bool orr_fabric_is_file(const char *text);

/* Whether the text names a ring of GPUs that shares its wavelengths among neighbours (SiP-ML):
 * "sip-ring", with whatever follows. */
bool orr_fabric_is_ring(const char *text);

/* Makes the network in the arena, with the routes that go with it. */
enum orr_status orr_fabric_build(const struct orr_fabric *fabric, struct orr_arena *arena,
                                 struct net_graph *network, struct net_route_options *routes,
                                 struct orr_diag *diag);

#endif
