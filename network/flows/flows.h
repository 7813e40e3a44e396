/* Fluid flows over a graph (docs/models.md, section 4: flow): every flow has a rate, rates are the
 * max-min fair shares of the links' capacities (maxmin.h), and there are events only when a flow
 * joins, ends or, with windows, when a weight has changed. Knows no messages and no ranks: the flow
 * backend and the task graphs stand on it. Included by network.h. */
#ifndef ORR_NETWORK_FLOWS_FLOWS_H
#define ORR_NETWORK_FLOWS_FLOWS_H

#include "network/routing/routing.h"

/* How packets behave, as far as flows show it. All 0: bytes / rate and the links' latency. */
struct net_flow_model {
    /* A flow has whole packets of so many bytes, and each is sent on by a node when it is there as
     * a whole; 0: neither. */
    uint64_t packet_bytes;
    /* Before its first byte a flow sends so many bytes over its path, as a handshake; 0: none. */
    uint64_t start_bytes;
    /* Before that it is made ready for so long at its sender; and each host that it passes on its
     * way (net_passes_host) adds so much to the latency, of the handshake too. */
    sim_time start_ps, forward_ps;
    /* What a host passes on for others, all flows together, as if it were a link that each of them
     * takes; 0: as much as its links carry. Not with windows. */
    double forward_bytes_per_s;
    /* A flow has so much more to carry as its narrowest link carries in that time, which is no
     * bytes of it: alone it takes as much longer, and others lose what a link would be held for. */
    sim_time overhead_ps;
    /* Shares by congestion windows (dctcp.h) instead of equal ones, and queues that new flows
     * wait in; needs packet_bytes. */
    bool windows;
};

/* The rules of docs/models.md that agree with packets. */
struct net_flow_model orr_net_flow_packets(bool windows);

/* Whether a host passes on at the end of that hop what is for others: an NPU on the way, or a
 * server, but for the sender's own, to which the first link leads, and the receiver's, which the
 * last one leaves. O(1). */
static inline bool net_passes_host(const struct net_graph *graph,
                                   const struct net_route_links *path_links, uint32_t hop)
{
    const uint32_t node = graph->link[path_links->link[hop]].to;
    const bool npu = node < graph->npus;
    const bool server = !npu && node - graph->npus < graph->servers;
    return (npu && hop + 1 < path_links->hops) || (server && hop > 0 && hop + 2 < path_links->hops);
}

/* What has gone over one path. */
struct net_path_use {
    const uint32_t *link;
    uint32_t hops;
    uint64_t flows, bytes; /* on the wire: of whole packets */
};

struct net_flows;

/* The last byte of a flow is at the end of the path at `time` >= now; its sender was done at
 * `now`. */
typedef void (*net_flow_ended)(void *context, uint64_t cookie, sim_time time);

struct net_flows_config {
    const struct net_graph *graph; /* without a router only its links count */
    struct net_router *router;     /* NULL: paths are given with the flows */
    struct net_flow_model model;
    bool counts_paths;     /* what goes over each, for orr_net_flows_path */
    struct orr_evq *queue; /* gets one more entity, and the network's first kinds of event */
    net_flow_ended ended;
    void *context;
};
enum { NET_FLOW_EVENTS = 3 };

/* Without flows. Free it with orr_net_flows_destroy. */
enum orr_status orr_net_flows_create(struct net_flows **out, const struct net_flows_config *config,
                                     struct orr_diag *diag);
void orr_net_flows_destroy(struct net_flows *flows);

/* Starts a flow between two different nodes now; `key` is for the router. Memory that runs out ends
 * the run of the queue. O(hops), and the new shares when it joins. */
void orr_net_flows_start(struct net_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t key, uint64_t cookie);

/* The same over given links, of which a flow may take one several times. */
void orr_net_flows_start_on(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie);

/* The same at a time >= now. */
void orr_net_flows_start_at(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie, sim_time time);

/* Flows that start at once, again and again over the same paths and with as many bytes each, and of
 * which it only matters when the last ones are over: a round. It is kept as long as the flows,
 * whose links do not change. NULL: no memory. O(hops of all). (rounds.c) */
struct net_flows_round;
struct net_flows_round *orr_net_flows_round(struct net_flows *flows,
                                            const struct net_route_links *path, uint32_t count);

/* How many times `ended` is called for a round: with the last of those whose latencies are equal.
 */
uint32_t orr_net_flows_round_ends(const struct net_flows_round *round);

/* Starts all flows of a round now, in the order of its paths, as one after the other would; it may
 * be under way several times. O(paths), and as joining. */
void orr_net_flows_start_round(struct net_flows *flows, struct net_flows_round *round,
                               uint64_t bytes, uint64_t cookie);

/* From now on a link, all its parallel ones together, carries so many bytes/s, >= 0. Flows over one
 * that carries nothing stand still until it does again. Handshakes, and what packets add to
 * latency, stay as the graph says. O(the shares that change). */
void orr_net_flows_set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s);

/* The way around closed links, closed[links]. `find` gives the new path of a flow that has so many
 * bytes left; false: it has none and waits. */
struct net_flows_around {
    const bool *closed;
    bool all; /* flows on other paths are asked for too, and may stay */
    bool (*find)(void *context, uint64_t cookie, double bytes, struct net_route_links *out);
    void *context;
};

/* Flows whose path has a closed link go on over another one with the bytes that they have left,
 * now, and those that are yet to join when they do. `around` must stay. O(flows). */
void orr_net_flows_reroute(struct net_flows *flows, const struct net_flows_around *around);

/* Visits the flows that have joined, in no order, with the bytes that they have left. O(flows). */
void orr_net_flows_visit(struct net_flows *flows,
                         void (*visit)(void *context, uint64_t cookie, double bytes),
                         void *context);

/* Flows that stand still, with the cookie of one of them and a link on its way that carries
 * nothing, and flows that do not. When the queue is empty, the former will never end, and the
 * latter's ends lie beyond the end of time. O(flows). */
struct net_flows_stuck {
    uint64_t flows, cookie;
    uint64_t late;
    uint32_t link;
    uint32_t src, dst; /* the ends of that one; equal: not known */
    bool messages;     /* they are messages, which stand in lines */
};
struct net_flows_stuck orr_net_flows_stuck(const struct net_flows *flows);

/* Adds to the message how many flows stand still and where, if any do. */
void orr_net_flows_describe_stall(const struct net_graph *graph, struct net_flows_stuck stuck,
                                  struct orr_diag *diag);

/* The index-th path that flows took; false: they took no more, or none are counted. */
bool orr_net_flows_path(const struct net_flows *flows, size_t index, struct net_path_use *out);

/* How often shares were worked out, and for how many flows together. */
struct net_flows_counts {
    uint64_t flows, solutions, shares;
};
struct net_flows_counts orr_net_flows_counts(const struct net_flows *flows);

#endif
