/* A fabric: a graph builder with a short notation, "NAME" or "NAME:NUMBERS". Each fabric has a file
 * that ends with its ops struct; fabric_list.h lists them. */
#ifndef ORR_NETWORK_TOPOLOGY_FABRICS_FABRIC_OPS_H
#define ORR_NETWORK_TOPOLOGY_FABRICS_FABRIC_OPS_H

#include <stddef.h>

#include "network/graph_source.h"
#include "network/route_options.h"

struct net_graph;
struct net_graph_builder;
struct orr_arena;
struct orr_diag;

enum { FABRIC_MAX_NUMBERS = 64 };

struct fabric_request {
    uint32_t npus;
    uint32_t number[FABRIC_MAX_NUMBERS]; /* the numbers after the colon; 0 beyond `numbers` */
    bool one_way[FABRIC_MAX_NUMBERS];    /* the number has a plus before it */
    size_t numbers;
    struct net_link_kind kind;
    uint64_t seed;
    struct orr_arena *arena;
};

struct net_fabric_ops {
    const char *name;
    const char *form;              /* notation: "NAME:A[,B]" */
    const char *example;           /* one, */
    uint32_t example_npus;         /* and of how many NPUs */
    size_t min, max;               /* numbers */
    char separator;                /* between numbers; 0: a comma */
    bool one_way;                  /* a number may have a plus before it */
    enum net_routing_role routing; /* that suits it */
    bool ring_of_npus; /* its NPUs are on one ring of light, where a job takes neighbours */
    /* Builds the graph in the request's arena. Errors name the fabric: invalid numbers or number of
     * NPUs, more than NET_MAX_NODES or NET_MAX_LINKS. O(nodes + links log links). */
    enum orr_status (*build)(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag);
};

/* ---- fabric_parts.c: shared by several fabrics ---- */

/* Whether the sizes multiply to the number of NPUs; the error names the fabric. O(numbers). */
enum orr_status orr_fabric_check_product(const struct fabric_request *request, const char *name,
                                         struct orr_diag *diag);
/* Adds a duplex link of the kind. */
void orr_fabric_join(struct net_graph_builder *builder, uint32_t a, uint32_t b,
                     struct net_link_kind kind);
/* Links NPUs to switches from `first` on, in order, so many to each, by the request's links. */
void orr_fabric_join_hosts(struct net_graph_builder *builder, const struct fabric_request *request,
                           uint32_t first, uint32_t hosts);
enum orr_status orr_fabric_too_large(double nodes, double links, struct orr_diag *diag);
/* Builds rings in every dimension; a ring of two NPUs has a single link. Dimension 0 varies
 * fastest. */
enum orr_status orr_fabric_rings(const struct fabric_request *request, const uint32_t *sizes,
                                 size_t dims, struct net_graph *graph, struct orr_diag *diag);

#endif
