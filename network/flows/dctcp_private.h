/* Flows with congestion windows: what dctcp_flows.c (flows and their ends) and dctcp_weights.c
 * (their weights, and the queues that they make) share.
 *
 * Flows of one path that begin in one instant with as many bytes stay alike until a window moves or
 * one changes its path: they are the members of one stream. Streams have the numbers of the flows
 * of the shares (maxmin.h), members those of its members. What happens to the members of a stream
 * does so in the order of their numbers, among those of other streams, as if each were a stream. */
#ifndef ORR_NETWORK_FLOWS_DCTCP_PRIVATE_H
#define ORR_NETWORK_FLOWS_DCTCP_PRIVATE_H

#include "network/flows/dctcp.h"
#include "network/flows/flows_private.h"
#include "network/flows/maxmin.h"

#define DCTCP_NONE UINT32_MAX

struct dctcp_flow_class {
    double served; /* bytes, of each member, at `since` */
    double rate;   /* of each, bytes/ps */
    sim_time since;
    double weight;    /* as the shares were worked out with */
    double target;    /* served at the end */
    double update_at; /* and when the window moves */
    struct net_route_links path_links;
    double round_trip_ps; /* of a packet on empty links */
    uint32_t path;
    uint32_t members;     /* 0: not in use */
    uint32_t first, last; /* of them, by number */
    struct dctcp_window window;
    double bound;         /* bytes/s, by the window */
    double window_before; /* packets, until it moved at `moved` */
    sim_time moved;
    uint32_t weighing; /* the one in which it was weighed last, */
    bool set;          /* and whether its weight was another one then */
    bool fresh;        /* no solution has seen it: members may join */
    uint32_t older;    /* a fresh stream of the path */
};

struct dctcp_member {
    uint32_t record;
    uint32_t next; /* of the stream */
};

struct dctcp_flows {
    struct maxmin *shares;
    struct dctcp_flow_class *class;
    struct dctcp_member *member;
    size_t class_alloc, member_alloc;
    struct due_heap due;   /* streams with a next event, by their first member */
    sim_time *weighed;     /* [links]: when the flows that a link holds were last weighed, */
    struct due_heap marks; /* and when the weight of the first of them has moved by a tenth */
    uint32_t weighings;
    bool twice; /* a path has a link twice: nothing is bundled, and entries are not members */
};

static inline void dctcp_advance(struct dctcp_flow_class *class, sim_time now)
{
    class->served += class->rate * (double)(now - class->since);
    class->since = now;
}

/* A new stream with `target`: its window, weight and bound. */
void orr_dctcp_weights_begin(const struct net_flows *flows, struct dctcp_flow_class *class);

/* The stream, of one member, has come to where its window moves (update_at). */
void orr_dctcp_weights_follow(struct net_flows *flows, struct dctcp_flow_class *class);

/* The shares are new: when the weight has moved by a tenth. */
void orr_dctcp_weights_mark(struct net_flows *flows, uint32_t class);

/* A link has come to the time of its mark. */
void orr_dctcp_weights_mark_due(struct net_flows *flows, uint32_t link);

/* Weighs the flows that the links of the path hold back, whose shares are worked out anyway, since
 * one comes or goes. Once for a link in an instant. */
void orr_dctcp_weights_weigh(struct net_flows *flows, struct net_route_links path_links);

/* How long a new flow waits in the queues of its path. */
sim_time orr_dctcp_weights_wait(const struct net_flows *flows, const struct flow_path *path);

#endif
