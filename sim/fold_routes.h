/* The ways of messages through a graph under a turn of its NPUs' numbers (network/graph.h): whether
 * it takes the way of a message to the way of the message that it takes that to. */
#ifndef ORR_SIM_FOLD_ROUTES_H
#define ORR_SIM_FOLD_ROUTES_H

#include "network/network.h"

struct fold_routes {
    const struct net_config *network;
    struct net_router *router;
    struct orr_arena *arena;
    struct net_rotation rotation;
    struct net_images images;
    uint64_t *known[2]; /* [npus x npus] bits: ways that turn, and backwards; NULL: no one yet */
    bool no_memory;
};

enum { FOLD_ROUTES_MAX_NPUS = 16384 };

/* Finds where the turn takes all links, and that each goes once around with the digit before it is
 * back, so that ranks of a class share none. Why not, as the end of a sentence; NULL: so it is. The
 * router is one of the network's graph; memory is the arena's. O(links log). */
const char *orr_fold_routes_open(struct fold_routes *rotated_routes,
                                 const struct net_config *network, struct net_router *router,
                                 const struct net_rotation *rotation, struct orr_arena *arena);

/* Whether the turn takes the way from one NPU to another to that between those it takes these to;
 * and neither is taken by chance. Seen once for each pair. O(hops x links of a node). */
bool orr_fold_route_rotates(struct fold_routes *rotated_routes, struct orr_rank src,
                            struct orr_rank dst, bool backwards);

#endif
