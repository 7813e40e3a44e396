/* A router as its routings see it. Each routing is an entry (struct net_routing) of
 * routing_list.h. */
#ifndef ORR_NETWORK_ROUTING_ROUTER_H
#define ORR_NETWORK_ROUTING_ROUTER_H

#include "network/route_options.h"
#include "network/routing/routing.h"

struct k_shortest;
struct net_graph;
struct orr_arena;

#define ORR_ROUTING(name) extern const struct net_routing name;
#include "network/routing/routing_list.h"
#undef ORR_ROUTING

struct net_router {
    const struct net_graph *graph;
    struct net_reverse reverse;
    const struct net_routing *routing;
    uint64_t seed;
    void *own; /* what the routing's create has made; or NULL */
    struct orr_arena *arena;
    uint16_t **hops; /* [nodes], distances to roots used so far */
    uint32_t *root;  /* [npus]: the NPU, or the switch that is its only neighbour */
    uint32_t *queue, *link;
    const bool *closed; /* [links]; NULL: all are open */
    bool *current;      /* [nodes]: hops[root] excludes the closed links */
    /* The open links by node, outgoing and incoming; NULL: all are open. */
    uint32_t *first_open, *open, *first_open_in, *open_in;
};

/* ---- router_hops.c ---- */
/* Hops from every node to a root, without the links that are left out; NULL: out of memory. */
const uint16_t *orr_router_hops(struct net_router *router, uint32_t root);

/* splitmix64's output function: choices are made of keys by it. */
static inline uint64_t router_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* ---- shortest_paths.c ---- */
/* A shortest path, the first one: the fallback of routings that have none for a pair. */
enum orr_status orr_router_shortest(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out);

#endif
