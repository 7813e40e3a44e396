/* Routes of a job's transfers over a graph that lower the largest load of a link (TopoOpt, section
 * 4.2, Algorithm 1, step 5; docs/models.md, section 13). What all-reduces put on the links stays
 * where it is and is the base; transfers go only over paths of least length, unless longer ones
 * lower the largest load. A load is the time that a link needs for its bytes, all of its parallel
 * links together. */
#ifndef ORR_PLANNER_FINDER_ROUTES_H
#define ORR_PLANNER_FINDER_ROUTES_H

#include "network/network.h"

enum { FINDER_DEFAULT_PATHS = 4, FINDER_MAX_PATHS = 64 };

struct finder_route_options {
    uint32_t paths;     /* of a pair, at most FINDER_MAX_PATHS; 0: FINDER_DEFAULT_PATHS */
    bool longer;        /* longer paths where they lower the largest load */
    const double *base; /* [links] bytes that are there already; NULL: none */
};

/* Of the links of the graph, in seconds. */
struct finder_load {
    double mean, min, max;
};

struct finder_loads {
    struct finder_load all;       /* with the base */
    struct finder_load transfers; /* without it */
    double hops_mean;             /* of a transferred byte */
    uint64_t pairs, longer;       /* with transfers; of these, some path is not of least length */
};

/* Finds routes for transfers[npus * npus] bytes (from * npus + to) and gives them to the graph as
 * its paths, in place of those that it had: one for each pair; or, where that takes the largest
 * load down by a quarter, several for those with much of what a link carries, whose chances count
 * equal parts of the bytes (a message goes one of them as a whole). NET_ROUTE_TABLE then takes
 * them. What the graph gets lives in the arena. The same input gives the same paths. Errors:
 * memory, a graph with circuits, no way between two NPUs. About O(rounds x pairs x links of the
 * ways that they could take), with at most 24 rounds; a longer path O(links). */
enum orr_status orr_finder_routes(struct orr_arena *arena, struct net_graph *graph,
                                  const uint64_t *transfers,
                                  const struct finder_route_options *options,
                                  struct finder_loads *out, struct orr_diag *diag);

/* Adds the bytes of each link, load[links], when every node divides what it passes on evenly among
 * the links that lead nearer: what a random shortest path of each flow comes to on average. Errors:
 * memory, no way. O(npus x links). */
enum orr_status orr_finder_add_even(const struct net_graph *graph, const uint64_t *transfers,
                                    double *load, struct orr_diag *diag);

/* An all-reduce of `bytes` among members in the order of their group. */
struct finder_ring_group {
    const uint32_t *member;
    uint32_t members;
    double bytes;
};

/* Adds the bytes of its steps to base[links]: over all rings that the graph has for the group, else
 * from each member to the next, as `ring` goes. A step goes over the ring's way, else over the link
 * between its ends, else the least way. Errors: memory, no way. O(rings x members x (members +
 * hops)), and a breadth-first search for each step that has no link. */
enum orr_status orr_finder_add_rings(const struct net_graph *graph,
                                     const struct finder_ring_group *group, double *base,
                                     struct orr_diag *diag);

/* What bytes[links] come to. O(links). */
struct finder_load orr_finder_load_of(const struct net_graph *graph, const double *bytes);

#endif
