/* The finder's steps: see finder.h. */
#ifndef ORR_PLANNER_FINDER_FINDER_PRIVATE_H
#define ORR_PLANNER_FINDER_FINDER_PRIVATE_H

#include "planner/finder/finder.h"

struct finding {
    struct orr_arena *arena;
    const struct finder_demand *demand;
    const struct finder_options *options;
    struct finder_topology *out;
    struct orr_diag *diag;
    struct finder_group *group; /* out->group, */
    struct finder_class *of;    /* out->of, */
    struct finder_layer *layer; /* out->layer, */
    size_t layer_room;
    uint32_t *used; /* and out->used, while they are made */
};

/* Interfaces of a server that a jump among so many members takes. Two servers have one cable. */
static inline uint32_t orr_finder_cost(const struct finding *finding, uint32_t members)
{
    return finding->options->links == NET_DUPLEX && members > 2 ? 2 : 1;
}

static inline bool orr_finder_is_all(const struct finding *finding, uint32_t members)
{
    return members == finding->demand->servers;
}

static inline enum orr_status orr_finder_no_memory(const struct finding *finding)
{
    return orr_diag_no_memory(finding->diag, "the topology of a job");
}

/* finder_check.c: what can be told before anything is laid. */
enum orr_status orr_finder_check(const struct finding *finding);

/* finder_groups.c: each set of servers once; then classes, by falling bytes on the wire. */
enum orr_status orr_finder_merge_groups(struct finding *finding);
enum orr_status orr_finder_make_classes(struct finding *finding);

/* finder_degrees.c: the degree for rings, and jumps for every class; more of them, or once more the
 * same, for interfaces that nothing else took. */
void orr_finder_split_degree(struct finding *finding);
enum orr_status orr_finder_lay_classes(struct finding *finding);
enum orr_status orr_finder_lay_rest(struct finding *finding);

/* finder_layers.c: adds a layer, or one of rings: those of a connection are of all servers; takes
 * the last one back; whether all is one. */
enum orr_status orr_finder_lay(struct finding *finding, const struct finder_layer *layer);
enum orr_status orr_finder_lay_rings(struct finding *finding, uint32_t of_class, uint32_t jump);
enum orr_status orr_finder_lay_connection(struct finding *finding, uint32_t jump);
void orr_finder_take_back(struct finding *finding);
enum orr_status orr_finder_is_whole(struct finding *finding, bool *whole);

/* finder_match.c: matchings, as long as there are interfaces and transfers; and what the transfers
 * of a pair weigh that has so many cables. */
uint64_t orr_finder_discounted(uint64_t weight, enum finder_discount discount, uint32_t cables,
                               uint32_t degree);
enum orr_status orr_finder_match(struct finding *finding);

/* finder_rings.c: the rings of every group. */
enum orr_status orr_finder_make_rings(struct finding *finding);

/* finder_ring_paths.c: ways from server to server over what is laid: over rings of all servers
 * where there are such (coins), else over all links. */
struct finder_ring_paths {
    const struct finding *finding;
    struct net_coins coins;  /* places 0: by links */
    uint32_t *first, *next;  /* [servers + 1] into next: whom a server has a link to, ascending */
    uint32_t *hops, *before; /* [servers] from the server `from`, and who is before each */
    uint32_t *queue;         /* [servers] */
    uint32_t from;           /* NET_FAR: nobody yet */
};
enum orr_status orr_finder_prepare_ring_paths(const struct finding *finding,
                                              struct finder_ring_paths *out);
/* Hops of the shortest way between two servers. O(links) when `from` is not the last one. */
uint32_t orr_finder_hops(struct finder_ring_paths *ways, uint32_t from, uint32_t to);
/* The servers between them, hops - 1. */
void orr_finder_between(struct finder_ring_paths *ways, uint32_t from, uint32_t to,
                        uint32_t *between);

#endif
