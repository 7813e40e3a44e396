/* Routes of a job's transfers that minimize the maximum load of a link (TopoOpt, section 4.2,
 * Algorithm 1, step 5; docs/models.md, section 13). The load of all-reduces is fixed (`base`);
 * transfers use shortest paths only, or longer ones if these reduce the maximum load. A load is the
 * time that a link needs for its bytes, over all its parallel lanes. */
#ifndef ORR_PLANNER_FINDER_ROUTES_H
#define ORR_PLANNER_FINDER_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

enum { FINDER_DEFAULT_PATHS = 4, FINDER_MAX_PATHS = 64 };

struct finder_route_options {
    uint32_t paths;     /* maximum of a pair, up to FINDER_MAX_PATHS; 0: FINDER_DEFAULT_PATHS */
    bool longer;        /* longer paths if they reduce the maximum load */
    const double *base; /* [links] bytes of all-reduces; NULL: none */
};

/* Loads of the links of the graph, in seconds. */
struct finder_load {
    double mean, min, max;
};

struct finder_loads {
    struct finder_load all;       /* with the base */
    struct finder_load transfers; /* without it */
    double hops_mean;             /* of a transferred byte, mean */
    uint64_t pairs, longer; /* pairs with transfers; those with a path that is not a shortest one */
};

/* Finds routes for transfers[npus * npus] bytes (from * npus + to) and replaces the paths of the
 * graph by them, for routings by a table: one path for each pair; if it reduces the maximum load by
 * a quarter, several paths for pairs with many bytes, whose chances are in proportion to their
 * bytes (a message takes one of them as a whole). The paths are in the arena. Deterministic.
 * Errors: memory, a graph with circuits, no path between two NPUs. About O(rounds x pairs x links
 * of their shortest paths), with at most 24 rounds; O(links) for a longer path. */
enum orr_status orr_finder_routes(struct orr_arena *arena, struct net_graph *graph,
                                  const uint64_t *transfers,
                                  const struct finder_route_options *options,
                                  struct finder_loads *out, struct orr_diag *diag);

/* Adds bytes to load[links] if every node divides its traffic evenly among the links that lead
 * nearer to the destination (ECMP): the mean over random shortest paths. Errors: memory, no path.
 * O(npus x links). */
enum orr_status orr_finder_add_even(const struct net_graph *graph, const uint64_t *transfers,
                                    double *load, struct orr_diag *diag);

/* An all-reduce of `bytes` among members in the order of their group. */
struct finder_ring_group {
    const uint32_t *member;
    uint32_t members;
    double bytes;
};

/* Adds the bytes of an all-reduce to base[links]: over all rings that the graph has for the group,
 * else from each member to the next, as for `ring`. A step takes the ring's path, else the direct
 * link, else a shortest path. Errors: memory, no path. O(rings x members x (members + hops)), and a
 * breadth-first search for each step without a link. */
enum orr_status orr_finder_add_rings(const struct net_graph *graph,
                                     const struct finder_ring_group *group, double *base,
                                     struct orr_diag *diag);

/* Computes the loads of bytes[links]. O(links). */
struct finder_load orr_finder_load_of(const struct net_graph *graph, const double *bytes);

#endif
