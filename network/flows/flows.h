/* Fluid flows over a graph (docs/models.md, section 4: flow). Each flow has a rate; the rates are
 * the max-min fair shares of the links' capacities (maxmin.h). There are events only when a flow
 * joins or ends, or, with windows, when a weight has changed. Flows know neither messages nor
 * ranks: the flow backend and the task graphs use them. */
#ifndef ORR_NETWORK_FLOWS_FLOWS_H
#define ORR_NETWORK_FLOWS_FLOWS_H

#include <stddef.h>

#include "core/status.h"
#include "network/graph.h"

struct net_router;
struct orr_diag;
struct orr_evq;

/* Packet effects on flows. All 0: bytes / rate and the links' latency. */
struct net_flow_model {
    /* A flow has full packets of so many bytes, and nodes are store-and-forward for packets; 0:
     * neither. */
    uint64_t packet_bytes;
    /* Bytes of a handshake over the path before the first byte of a flow; 0: none. */
    uint64_t start_bytes;
    /* start_ps: set-up time at the sender before that. forward_ps: added to the latency by each
     * host that forwards the flow (net_passes_host), also of the handshake. */
    sim_time start_ps, forward_ps;
    /* Forwarding capacity of a host: all flows that it forwards share it, as if it were a link of
     * their paths; 0: not limited. Not with windows. */
    double forward_bytes_per_s;
    /* A flow has additional bytes worth this time on its slowest link. They are no payload: alone
     * the flow takes this much longer, and others lose the link's time. */
    sim_time overhead_ps;
    /* Shares weighted by DCTCP windows (dctcp.h), and queues that delay new flows; needs
     * packet_bytes. */
    bool windows;
};

/* The flow model of docs/models.md that agrees with packets. */
struct net_flow_model orr_net_flow_packets(bool windows);

/* Whether a host forwards the flow at the end of that hop: an NPU on the path, or a server, except
 * the sender's own server, where the first link ends, and the receiver's, where the last link
 * starts. O(1). */
static inline bool net_passes_host(const struct net_graph *graph,
                                   const struct net_route_links *path_links, uint32_t hop)
{
    const uint32_t node = graph->link[path_links->link[hop]].to;
    const bool npu = node < graph->npus;
    const bool server = !npu && node - graph->npus < graph->servers;
    return (npu && hop + 1 < path_links->hops) || (server && hop > 0 && hop + 2 < path_links->hops);
}

/* Traffic of one path. */
struct net_path_use {
    const uint32_t *link;
    uint32_t hops;
    uint64_t flows, bytes; /* on the wire, in full packets */
};

struct net_flows;

/* Callback: the sender of a flow is done now; the last byte reaches the end of the path at `time`
 * >= now. */
typedef void (*net_flow_ended)(void *context, uint64_t cookie, sim_time time);

struct net_flows_config {
    const struct net_graph *graph; /* without a router only its links are used */
    struct net_router *router;     /* NULL: flows are started with paths */
    struct net_flow_model model;
    bool counts_paths;     /* traffic per path, for orr_net_flows_path */
    struct orr_evq *queue; /* gets one more entity, and the network's first kinds of event */
    net_flow_ended ended;
    void *context;
};
enum { NET_FLOW_EVENTS = 3 };

/* Creates an empty set of flows. Free it with orr_net_flows_destroy. */
enum orr_status orr_net_flows_create(struct net_flows **out, const struct net_flows_config *config,
                                     struct orr_diag *diag);
void orr_net_flows_destroy(struct net_flows *flows);

/* Starts a flow between two different nodes now; `key` is for the router. Lack of memory ends the
 * run of the queue. O(hops), and a solution of the shares when it joins. */
void orr_net_flows_start(struct net_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t key, uint64_t cookie);

/* The same over a path of links, which may contain a link several times. */
void orr_net_flows_start_on(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie);

/* The same at a time >= now. */
void orr_net_flows_start_at(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie, sim_time time);

/* A flow of weight w has the shares of w flows on its path. */
struct net_weighted_flow {
    const struct net_route_links *links;
    uint64_t bytes, cookie;
    sim_time time; /* >= now */
    uint16_t weight;
};

/* The same with a weight. Returns the flow's number, valid until it ends; UINT32_MAX: out of
 * memory. */
uint32_t orr_net_flows_start_weighted(struct net_flows *flows,
                                      const struct net_weighted_flow *flow);
/* Changes the weight of a flow from now on. O(flows of the path), and a solution of the shares. */
void orr_net_flows_set_weight(struct net_flows *flows, uint32_t flow, uint16_t weight);

/* A round: flows that start at once, repeatedly over the same paths and with equal bytes, of which
 * only the last ends matter. The round lives as long as the flows; its links must not change. NULL:
 * out of memory. O(hops of all). (rounds.c) */
struct net_flows_round;
struct net_flows_round *orr_net_flows_round(struct net_flows *flows,
                                            const struct net_route_links *path, uint32_t count);

/* How often `ended` is called for a round: once for each latency, with the last flow of it. */
uint32_t orr_net_flows_round_ends(const struct net_flows_round *round);

/* Starts all flows of a round now, in the order of its paths, as if one by one; a round can be in
 * flight several times. O(paths), and joining. */
void orr_net_flows_start_round(struct net_flows *flows, struct net_flows_round *round,
                               uint64_t bytes, uint64_t cookie);

/* Sets the capacity of a link record to bytes_per_s >= 0 from now on. Flows over a link of capacity
 * 0 stall until it rises. Handshakes and packet latencies keep the graph's values. O(shares that
 * change). */
void orr_net_flows_set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s);

/* How flows avoid closed links, closed[links]. `find` returns the new path of a flow with so many
 * bytes left; false: there is none, the flow waits. */
struct net_flows_around {
    const bool *closed;
    bool all; /* `find` is called for flows on open paths too; they may stay */
    bool (*find)(void *context, uint64_t cookie, double bytes, struct net_route_links *out);
    void *context;
};

/* Reroutes now the flows whose path has a closed link, with their remaining bytes, and pending
 * flows when they join. `around` is borrowed. O(flows). */
void orr_net_flows_reroute(struct net_flows *flows, const struct net_flows_around *around);

/* Visits the joined flows, in no particular order, with their remaining bytes. O(flows). */
void orr_net_flows_visit(struct net_flows *flows,
                         void (*visit)(void *context, uint64_t cookie, double bytes),
                         void *context);

/* Stalled flows: their count, the cookie of one of them and a link of its path without capacity;
 * and the count of others (`late`). With an empty queue, stalled flows never end, and the others
 * end beyond the end of time. O(flows). */
struct net_flows_stuck {
    uint64_t flows, cookie;
    uint64_t late;
    uint32_t link;
    uint32_t src, dst; /* NPUs of that flow; equal: not known */
    bool messages;     /* they are messages in queues */
};
struct net_flows_stuck orr_net_flows_stuck(const struct net_flows *flows);

/* Appends to the error how many flows are stalled and where, if any. */
void orr_net_flows_describe_stall(const struct net_graph *graph, struct net_flows_stuck stuck,
                                  struct orr_diag *diag);

/* The index-th path of flows; false: there is none, or paths are not counted. */
bool orr_net_flows_path(const struct net_flows *flows, size_t index, struct net_path_use *out);

/* Counts of flows, of solutions of the shares, and of flows summed over all solutions. */
struct net_flows_counts {
    uint64_t flows, solutions, shares;
};
struct net_flows_counts orr_net_flows_counts(const struct net_flows *flows);

#endif
