/* A fabric: a builder of graphs that is asked for by a short text, "NAME" or "NAME:NUMBERS". Each
 * has a file, which ends in its row of the table (fabric_list.h). */
#ifndef ORR_NETWORK_TOPOLOGY_FABRICS_FABRIC_OPS_H
#define ORR_NETWORK_TOPOLOGY_FABRICS_FABRIC_OPS_H

#include "network/network.h"

enum { FABRIC_MAX_NUMBERS = 64 };

struct fabric_request {
    uint32_t npus;
    uint32_t number[FABRIC_MAX_NUMBERS]; /* behind the colon; 0 where there is none */
    bool one_way[FABRIC_MAX_NUMBERS];    /* they have a plus before them */
    size_t numbers;
    struct net_link_kind kind;
    uint64_t seed;
    struct orr_arena *arena;
};

struct net_fabric_ops {
    const char *name;
    const char *form;      /* as it is written: "NAME:A[,B]" */
    const char *example;   /* one, */
    uint32_t example_npus; /* and of how many NPUs */
    size_t min, max;       /* numbers */
    char separator;        /* between these; 0: a comma */
    bool one_way;          /* a number may have a plus before it */
    enum net_routing routing;
    /* Makes the graph in the request's arena; O(nodes + links log links). Errors name the fabric:
     * numbers and NPUs that make none, and what is larger than NET_MAX_NODES and NET_MAX_LINKS. */
    enum orr_status (*build)(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag);
};

/* ---- fabric_parts.c: what several fabrics are made with ---- */

/* A link of the kind, both ways. */
void orr_fabric_join(struct net_graph_builder *builder, uint32_t a, uint32_t b,
                     struct net_link_kind kind);
enum orr_status orr_fabric_too_large(double nodes, double links, struct orr_diag *diag);
/* Rings in every dimension, of two NPUs a single link; dimension 0 varies fastest. */
enum orr_status orr_fabric_rings(const struct fabric_request *request, const uint32_t *sizes,
                                 size_t dims, struct net_graph *graph, struct orr_diag *diag);

#endif
