/* State of flows with DCTCP weights, shared by dctcp_flows.c (flows and their ends) and
 * dctcp_weights.c (weights, and the queues that the windows cause).
 *
 * Flows of one path that start in one instant with equal bytes stay identical until a window is
 * updated or a flow is rerouted: they are the members of one class. Classes have the numbers of the
 * flows of maxmin.h, members those of its members. Events of members are processed in the order of
 * their numbers, also across classes, as if each were a class of its own. */
#ifndef ORR_NETWORK_FLOWS_DCTCP_PRIVATE_H
#define ORR_NETWORK_FLOWS_DCTCP_PRIVATE_H

#include "network/flows/dctcp.h"
#include "network/flows/flows_private.h"
#include "network/flows/maxmin.h"

#define DCTCP_NONE UINT32_MAX

struct dctcp_flow_class {
    double served; /* bytes served to each member, at `since` */
    double rate;   /* of each member, bytes/ps */
    sim_time since;
    double weight;    /* used in the last solution, of a flow of weight 1 */
    double factor;    /* the flows' own weight */
    double target;    /* value of `served` at the end */
    double update_at; /* value of `served` at the next window update */
    struct net_route_links path_links;
    double round_trip_ps; /* of a packet on empty links */
    uint32_t path;
    uint32_t members;     /* 0: unused */
    uint32_t first, last; /* of the members, by number */
    struct dctcp_window window;
    double bound;         /* bytes/s, from the window */
    double window_before; /* packets, before the update at `moved` */
    sim_time moved;
    bool fresh;     /* not yet in a solution: members can join */
    uint32_t older; /* previous fresh class of the path */
};

struct dctcp_member {
    uint32_t record;
    uint32_t next; /* of the class */
};

struct dctcp_flows {
    struct maxmin *shares;
    struct dctcp_flow_class *class;
    struct dctcp_member *member;
    size_t class_alloc, member_alloc;
    struct due_heap due; /* classes by their next event, under the number of their first member */
    bool twice; /* a path has a link twice: no classes with several members, and entries are hops */
};

static inline void dctcp_advance(struct dctcp_flow_class *class, sim_time now)
{
    class->served += class->rate * (double)(now - class->since);
    class->since = now;
}

/* Sets window, weight and bound of a new class with `target`. */
void orr_dctcp_weights_begin(const struct net_flows *flows, struct dctcp_flow_class *class);

/* Updates the window of a class of one member, at update_at. */
void orr_dctcp_weights_follow(struct net_flows *flows, struct dctcp_flow_class *class);

/* Queueing delay of a new flow on its path: behind flows of its weight or more. */
sim_time orr_dctcp_weights_wait(const struct net_flows *flows, const struct flow_path *path,
                                uint16_t weight);

#endif
