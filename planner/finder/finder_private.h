/* State of the TopologyFinder, and its steps; see finder.h. */
#ifndef ORR_PLANNER_FINDER_FINDER_PRIVATE_H
#define ORR_PLANNER_FINDER_FINDER_PRIVATE_H

#include <stddef.h>

#include "core/diag.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"

struct orr_arena;

struct finder {
    struct orr_arena *arena;
    const struct finder_demand *demand;
    const struct finder_options *options;
    struct finder_topology *out;
    struct orr_diag *diag;
    struct finder_group *group; /* out->group, */
    struct finder_class *of;    /* out->of, */
    struct finder_layer *layer; /* out->layer, */
    size_t layer_capacity;
    uint32_t *used; /* and out->used, under construction */
};

/* Interfaces of a server that a jump among `members` uses. Two servers share one cable. */
static inline uint32_t orr_finder_cost(const struct finder *finder, uint32_t members)
{
    return finder->options->links == NET_DUPLEX && members > 2 ? 2 : 1;
}

static inline bool orr_finder_is_all(const struct finder *finder, uint32_t members)
{
    return members == finder->demand->servers;
}

static inline enum orr_status orr_finder_no_memory(const struct finder *finder)
{
    return orr_diag_no_memory(finder->diag, "the topology of a job");
}

/* finder_check.c: checks of the input. */
enum orr_status orr_finder_check(const struct finder *finder);

/* finder_groups.c: merges groups of the same servers; then makes classes, by descending bytes on
 * the wire. */
enum orr_status orr_finder_merge_groups(struct finder *finder);
enum orr_status orr_finder_make_classes(struct finder *finder);

/* finder_degrees.c: the degree of rings and the jumps of every class; more jumps, or the same
 * again, for interfaces that are still free. */
void orr_finder_split_degree(struct finder *finder);
enum orr_status orr_finder_assign_classes(struct finder *finder);
enum orr_status orr_finder_assign_spare(struct finder *finder);

/* finder_layers.c: adds a layer, a layer of rings of a class, or one of a ring of all servers;
 * removes the last layer; checks whether all servers are connected. */
enum orr_status orr_finder_add_layer(struct finder *finder, const struct finder_layer *layer);
enum orr_status orr_finder_add_ring_layer(struct finder *finder, uint32_t of_class, uint32_t jump);
enum orr_status orr_finder_add_connection_layer(struct finder *finder, uint32_t jump);
void orr_finder_remove_layer(struct finder *finder);
enum orr_status orr_finder_is_connected(struct finder *finder, bool *connected);

/* finder_match.c: the discounted weight of a pair with so many cables; matchings, as long as there
 * are free interfaces and transfers. */
uint64_t orr_finder_discounted(uint64_t weight, enum finder_discount discount, uint32_t cables,
                               uint32_t degree);
enum orr_status orr_finder_match(struct finder *finder);

/* finder_rings.c: makes the rings of every group. */
enum orr_status orr_finder_make_rings(struct finder *finder);

/* finder_ring_paths.c: paths between servers over the present layers: over the rings of all servers
 * by coin change if there are such rings, else over all links. */
struct finder_ring_paths {
    const struct finder *finder;
    struct net_coins coins;       /* places 0: paths over all links */
    uint32_t *first, *next;       /* [servers + 1] into next: out-neighbors, ascending */
    uint32_t *hops, *predecessor; /* [servers] hops from `from`; previous server */
    uint32_t *queue;              /* [servers] */
    uint32_t from;                /* NET_FAR: none yet */
};
enum orr_status orr_finder_prepare_ring_paths(const struct finder *finder,
                                              struct finder_ring_paths *out);
/* Hops of the shortest path between two servers. O(links) if `from` differs from that of the last
 * call. */
uint32_t orr_finder_hops(struct finder_ring_paths *paths, uint32_t from, uint32_t to);
/* Writes the servers on that path without its ends, hops - 1. */
void orr_finder_between(struct finder_ring_paths *paths, uint32_t from, uint32_t to,
                        uint32_t *between);

#endif
