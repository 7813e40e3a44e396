/* State of the search for routes (routes.h). A flow is a part of the bytes of a pair, over one
 * path. */
#ifndef ORR_PLANNER_FINDER_ROUTE_PRIVATE_H
#define ORR_PLANNER_FINDER_ROUTE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/finder/routes.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

struct route_flow {
    double bytes;
    uint32_t from, to;
    uint32_t hops, alloc; /* of its path; hops 0: no path yet */
    uint32_t *link;       /* [alloc] */
};

/* Search of one path: nodes by hops from the source, each with its cheapest predecessor. */
struct route_walk {
    uint64_t number, *visited_by; /* [nodes]: number of the last walk that reached it */
    uint32_t *depth, *via;        /* [nodes]: hops, and the link that it was reached by */
    double *cost;                 /* [nodes] */
    uint32_t *frontier, *next;    /* [nodes] */
    uint32_t frontiers, nexts;
};

struct routing {
    struct orr_arena *scratch;
    const struct net_graph *graph;
    uint16_t **hops; /* [npus]: hops from every node to an NPU that receives; NULL if it receives
                        nothing */
    double *load, *per_byte; /* [links], seconds */
    double scale;            /* scale of loads in costs */
    struct route_flow *flow; /* in descending order of bytes */
    size_t flows;
    struct route_walk walk;
    double max; /* the largest load found */
    bool cuts;  /* some pair needs more than one flow */
    bool no_memory;
};

/* Assigns a shortest path to every flow and improves the paths, with longer ones if `longer`. The
 * flows, hops and base loads must be set. false: memory is out, or a flow has no path (hops 0).
 * (route_search.c) */
bool orr_route_search(struct routing *routing, bool longer);

/* Fails with "no path" from one node to another. (routes.c) */
enum orr_status orr_finder_fail_no_path(const struct net_graph *graph, uint32_t from, uint32_t to,
                                        struct orr_diag *diag);

#endif
