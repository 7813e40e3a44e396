/* What the parts of the search for routes (routes.h) share. A flow is a part of what a pair
 * transfers, over one path. */
#ifndef ORR_PLANNER_FINDER_ROUTE_PRIVATE_H
#define ORR_PLANNER_FINDER_ROUTE_PRIVATE_H

#include "planner/finder/routes.h"

struct route_flow {
    double bytes;
    uint32_t from, to;
    uint32_t hops, alloc; /* of its path; hops 0: it has none yet */
    uint32_t *link;       /* [room] */
};

/* A search of one path: nodes by their hops from the first, each with its cheapest way there. */
struct route_walk {
    uint64_t number, *visited_by; /* [nodes]: by which walk */
    uint32_t *depth, *via;        /* [nodes]: hops, and the link that it was reached by */
    double *cost;                 /* [nodes] */
    uint32_t *frontier, *next;    /* [nodes] */
    uint32_t frontiers, nexts;
};

struct routing {
    struct orr_arena *scratch;
    const struct net_graph *graph;
    uint16_t **hops;         /* [npus]: from every node to one that is sent to, or NULL */
    double *load, *per_byte; /* [links], seconds */
    double scale;            /* what loads are compared with */
    struct route_flow *flow; /* most bytes first */
    size_t flows;
    struct route_walk walk;
    double max; /* the largest load found */
    bool cuts;  /* some pair is worth more flows than one */
    bool no_memory;
};

/* Gives every flow a path of least length and improves them, with longer paths if it is asked for.
 * The flows, the hops to where they go and the loads of the base are there. false: memory is out,
 * or there is no way for one, which then has no hops. (route_search.c) */
bool orr_route_search(struct routing *routing, bool longer);

/* The error that no way leads from one to the other. (routes.c) */
enum orr_status orr_finder_fail_no_path(const struct net_graph *graph, uint32_t from, uint32_t to,
                                        struct orr_diag *diag);

#endif
