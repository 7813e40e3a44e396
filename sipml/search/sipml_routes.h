/* Routes between the devices of a group, and the links on them as FIFO queues, for estimates
 * (sipml_estimate.h). */
#ifndef ORR_SIPML_SEARCH_SIPML_ROUTES_H
#define ORR_SIPML_SEARCH_SIPML_ROUTES_H

#include <stddef.h>

#include "network/flows/flows.h"
#include "network/route_options.h"

struct net_graph;
struct net_router;
struct orr_arena;
struct orr_diag;

struct sipml_network {
    const struct net_graph *graph;
    struct net_route_options routes;
    struct net_flow_model flows;
    bool circuits; /* the graph has direct links only, of the first group; other groups have equal
                      ones */
    bool bidirectional; /* rings go half in each direction; of circuits */
};

struct sipml_route {
    uint32_t first, hops; /* into `link`; hops 0: not searched yet */
    double latency_ps;    /* of a message, with the start of its flow */
};

struct sipml_routes {
    const struct sipml_network *network;
    struct net_router *router; /* NULL for circuits */
    uint32_t direct;           /* of circuits: the link found last */
    struct orr_arena *arena;
    uint32_t group, copies;
    struct sipml_route *route; /* [group * group] */
    uint32_t *link;            /* [links] of all routes */
    size_t links, alloc;
    double *free_ps;    /* [links of the graph] when the queue of a link is empty */
    uint32_t *rings;    /* [links of the graph] edges of rings between groups that use it */
    double *scatter_ps; /* [group] time of a byte sent in equal shares to all others of the group,
                           while all of them do so; NULL: not computed yet */
    double *ring_bytes_per_s; /* [group] of the ring at a rank of the group, while all rings send */
    double ring_latency_ps;   /* of its longest edge */
};

/* Finds the edges of the rings between `copies` groups of `group` devices. All of it is in the
 * arena. Errors: memory, no route between two devices. O(devices x hops). */
enum orr_status orr_sipml_routes_init(struct sipml_routes *route_table, struct orr_arena *arena,
                                      const struct sipml_network *network, uint32_t group,
                                      uint32_t copies, struct orr_diag *diag);

/* The route between two devices of the first group. NULL: there is none, or memory is out. */
const struct sipml_route *orr_sipml_route(struct sipml_routes *route_table, uint32_t from,
                                          uint32_t to);

/* The capacity of the narrowest link of a route. */
double orr_sipml_route_bytes_per_s(const struct sipml_routes *route_table,
                                   const struct sipml_route *route);

/* The time of a byte, in ps, that a device sends in equal shares to all others of its group while
 * each of them does the same; < 0: no route, or no memory. O(group^2 x hops) the first time. */
double orr_sipml_route_scatter(struct sipml_routes *route_table, uint32_t device);

/* The same over a direct link to each of a list of devices of its group, of which it is one: the
 * time of the slowest link. O(members). */
double orr_sipml_route_scatter_direct(struct sipml_routes *route_table, uint32_t device,
                                      const uint32_t *member, uint32_t members);

/* Queues bytes on every link of a route at ready_ps, each link shared with `rings` of each ring
 * edge over it; returns when the last byte has arrived. O(hops). */
double orr_sipml_route_send(struct sipml_routes *route_table, const struct sipml_route *route,
                            double bytes, double ready_ps, double rings);

#endif
