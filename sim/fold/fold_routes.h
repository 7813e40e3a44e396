/* Routes of messages under a rotation of the NPUs' numbers (network/graph.h): whether it maps the
 * route of a message to the route of the message's image. */
#ifndef ORR_SIM_FOLD_FOLD_ROUTES_H
#define ORR_SIM_FOLD_FOLD_ROUTES_H

#include "core/fold.h"
#include "network/graph_rotation.h"

struct net_config;
struct net_router;
struct orr_arena;

struct fold_routes {
    const struct net_config *network;
    struct net_router *router;
    struct orr_arena *arena;
    struct net_rotation rotation;
    struct net_images images;
    uint64_t
        *known[2]; /* [npus x npus] bits: pairs known to rotate, and backwards; NULL: none yet */
    bool no_memory;
};

enum { FOLD_ROUTES_MAX_NPUS = 16384 };

/* Maps all links under the rotation, and checks that each orbit is as long as the digit, so that
 * ranks of a class share no link. Returns NULL, or the reason against it as the end of a sentence.
 * The router is one of the network's graph; memory is the arena's. O(links log). */
const char *orr_fold_routes_open(struct fold_routes *rotated_routes,
                                 const struct net_config *network, struct net_router *router,
                                 const struct net_rotation *rotation, struct orr_arena *arena);

/* Whether the rotation maps the route of a pair of NPUs to the route of their images, and neither
 * is chosen at random. Cached per pair. O(hops x links of a node). */
bool orr_fold_route_rotates(struct fold_routes *rotated_routes, struct orr_rank src,
                            struct orr_rank dst, bool backwards);

#endif
