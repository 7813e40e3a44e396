/* Ways of a group's devices through the network, and the links on them as queues, for estimates
 * (sipml_estimate.h): what is sent over a link is sent one behind the other. */
#ifndef ORR_PLANNER_SIPML_SIPML_ROUTES_H
#define ORR_PLANNER_SIPML_SIPML_ROUTES_H

#include "network/network.h"

struct sipml_network {
    const struct net_graph *graph;
    struct net_route_options routes;
    struct net_flow_model flows;
    bool circuits; /* the graph has direct links alone, which leave the first group: those of the
                      others are alike */
    bool bidirectional; /* rings go half each way; of circuits */
};

struct sipml_route {
    uint32_t first, hops; /* into `link`; hops 0: not looked up yet */
    double latency_ps;    /* of a message, with what begins its flow */
};

struct sipml_routes {
    const struct sipml_network *network;
    struct net_router *router; /* not of circuits */
    uint32_t direct;           /* of circuits: the link that was looked up last */
    struct orr_arena *arena;
    uint32_t group, copies;
    struct sipml_route *route; /* [group * group] */
    uint32_t *link;            /* [links] of all ways */
    size_t links, alloc;
    double *free_ps;          /* [links of the graph] when a link has sent what is queued */
    uint32_t *rings;          /* [links of the graph] edges of rings between groups over it */
    double *scatter_ps;       /* [group] of a byte that goes in equal shares to all others of the
                                group, while all of them do so; NULL: not asked for yet */
    double *ring_bytes_per_s; /* [group] of the ring of a place, while all of them send */
    double ring_latency_ps;   /* of its longest edge */
};

/* Looks up the edges of the rings between `copies` groups of `group` devices; all of it is the
 * arena's. Errors: memory, no way between two devices. O(devices x hops). */
enum orr_status orr_sipml_routes_init(struct sipml_routes *route_table, struct orr_arena *arena,
                                      const struct sipml_network *network, uint32_t group,
                                      uint32_t copies, struct orr_diag *diag);

/* The way between two devices of the first group, or NULL: there is none, or memory is out. */
const struct sipml_route *orr_sipml_route(struct sipml_routes *route_table, uint32_t from,
                                          uint32_t to);

/* What the narrowest link of a way carries. */
double orr_sipml_route_bytes_per_s(const struct sipml_routes *route_table,
                                   const struct sipml_route *route);

/* How long a byte takes that a device sends in equal shares to all others of its group while each
 * of them does the same; < 0: there is no way, or no memory. O(group^2 x hops) the first time. */
double orr_sipml_route_scatter(struct sipml_routes *route_table, uint32_t device);

/* The same over links of its own to each of a list of devices of its group, of which it is one:
 * what the narrowest of them takes. O(members). */
double orr_sipml_route_scatter_direct(struct sipml_routes *route_table, uint32_t device,
                                      const uint32_t *member, uint32_t members);

/* Queues bytes on every link of a way that are ready at a time, each link shared with `rings` of
 * each ring's edge over it, and returns when the last one has arrived. O(hops). */
double orr_sipml_route_send(struct sipml_routes *route_table, const struct sipml_route *route,
                            double bytes, double ready_ps, double rings);

#endif
