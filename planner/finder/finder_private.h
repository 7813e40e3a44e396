/* The finder's steps: see finder.h. */
#ifndef ORR_PLANNER_FINDER_FINDER_PRIVATE_H
#define ORR_PLANNER_FINDER_FINDER_PRIVATE_H

#include "planner/finder/finder.h"

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
    uint32_t *used; /* and out->used, while they are made */
};

/* Interfaces of a server that a jump among so many members takes. Two servers have one cable. */
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

/* finder_check.c: what can be told before anything is laid. */
enum orr_status orr_finder_check(const struct finder *finder);

/* finder_groups.c: each set of servers once; then classes, by falling bytes on the wire. */
enum orr_status orr_finder_merge_groups(struct finder *finder);
enum orr_status orr_finder_make_classes(struct finder *finder);

/* finder_degrees.c: the degree for rings, and jumps for every class; more of them, or once more the
 * same, for interfaces that nothing else took. */
void orr_finder_split_degree(struct finder *finder);
enum orr_status orr_finder_assign_classes(struct finder *finder);
enum orr_status orr_finder_assign_spare(struct finder *finder);

/* finder_layers.c: adds a layer, or one of rings: those of a connection are of all servers; takes
 * the last one back; whether all is one. */
enum orr_status orr_finder_add_layer(struct finder *finder, const struct finder_layer *layer);
enum orr_status orr_finder_add_ring_layer(struct finder *finder, uint32_t of_class, uint32_t jump);
enum orr_status orr_finder_add_connection_layer(struct finder *finder, uint32_t jump);
void orr_finder_remove_layer(struct finder *finder);
enum orr_status orr_finder_is_connected(struct finder *finder, bool *connected);

/* finder_match.c: matchings, as long as there are interfaces and transfers; and what the transfers
 * of a pair weigh that has so many cables. */
uint64_t orr_finder_discounted(uint64_t weight, enum finder_discount discount, uint32_t cables,
                               uint32_t degree);
enum orr_status orr_finder_match(struct finder *finder);

/* finder_rings.c: the rings of every group. */
enum orr_status orr_finder_make_rings(struct finder *finder);

/* finder_ring_paths.c: ways from server to server over what is laid: over rings of all servers
 * where there are such (coins), else over all links. */
struct finder_ring_paths {
    const struct finder *finder;
    struct net_coins coins; /* places 0: by links */
    uint32_t *first, *next; /* [servers + 1] into next: whom a server has a link to, ascending */
    uint32_t *hops, *predecessor; /* [servers] from the server `from`, and who is before each */
    uint32_t *queue;              /* [servers] */
    uint32_t from;                /* NET_FAR: nobody yet */
};
enum orr_status orr_finder_prepare_ring_paths(const struct finder *finder,
                                              struct finder_ring_paths *out);
/* Hops of the shortest way between two servers. O(links) when `from` is not the last one. */
uint32_t orr_finder_hops(struct finder_ring_paths *paths, uint32_t from, uint32_t to);
/* The servers between them, hops - 1. */
void orr_finder_between(struct finder_ring_paths *paths, uint32_t from, uint32_t to,
                        uint32_t *between);

#endif
