/* State shared by the flow backend (flow.c) and the rerouting of its messages (flow_msg_reroute.c).
 */
#ifndef ORR_NETWORK_BACKENDS_FLOW_PRIVATE_H
#define ORR_NETWORK_BACKENDS_FLOW_PRIVATE_H

#include "core/cause.h"
#include "core/evq.h"
#include "core/slab.h"
#include "core/sum.h"
#include "network/backends/link_capacity.h"
#include "network/backends/link_net.h"
#include "network/backends/ports.h"
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net_dims.h"
#include "network/net_message.h"

struct flow_busy;
struct net;
struct net_flows;
struct net_round;
struct orr_arena;
struct orr_diag;

/* A message that is queued or in flight. */
struct flow_msg {
    struct net_msg msg;
    struct net_route_links route; /* of a graph */
    struct net_route_links rest; /* the part after what is being crossed as a flow or over a lane */
    bool departed;               /* has left its source, which was reported */
    orr_cause cause;             /* of its sending */
    unsigned dim;                /* dimension of its last count */
    uint32_t first_link;
    bool live;               /* its flow has not ended */
    double left;             /* remaining bytes, for orr_flow_waiting */
    uint32_t flow;           /* on its link: the flow's number, or UINT32_MAX */
    uint32_t next, previous; /* on its link: of the same turn */
    uint16_t weight;         /* of the flow; 0: has not been on a link with turns */
};

/* What is in flight on its first link, and counts as one: a message, or those of a batch (net_msg).
 */
struct flow_turn {
    uint64_t key;   /* of its batch, or of its message */
    uint64_t order; /* net_msg.order */
    sim_time since; /* when it began */
    uint32_t stream;
    uint32_t messages, first; /* of its messages */
    uint32_t next;            /* of the link, or ORR_SLAB_NONE */
};

/* The queue of a link that is the first of messages. */
struct first_link {
    struct port_line line;
    uint32_t in_flight;  /* turns */
    uint32_t turns;      /* list of those in flight, by order, or ORR_SLAB_NONE */
    uint32_t next_dirty; /* list of the NPU's links with work in its flush */
    bool dirty;
};

enum {
    EVENT_FLOW_ARRIVAL = ORR_EVENT_NETWORK + NET_FLOW_EVENTS,
    EVENT_FLOW_SENT,
    EVENT_FLOW_ROUND
};

struct flow_net {
    struct link_net linked; /* first */
    struct net_graph links; /* of blocks: without nodes */
    struct net_flows *flows;
    struct orr_slab messages; /* struct carried */
    struct first_link *first; /* [links]; NULL: nothing queues (insertion order) */
    uint32_t *dirty;          /* [slots] lists of links, or PORT_NONE */
    struct orr_slab turns;    /* struct flow_turn */
    struct port_slab waiting; /* cookie: handle of the message */
    uint32_t max_in_flight;   /* turns of an NPU on a link */
    uint32_t *path;
    size_t path_alloc;
    struct net_flows_around around; /* if capacities change */
    struct orr_slab rounds;         /* struct round_sent, in flight */
    struct net_round *counted;      /* all rounds */
    struct flow_busy *uses;         /* [messages * dims], if link utilization is recorded */
    size_t uses_alloc;
    orr_sum before[NET_MAX_DIMS]; /* busy_ps of the statistics before a message was counted */
};

static inline struct flow_msg *flow_msg_at(const struct flow_net *net, uint32_t handle)
{
    return orr_slab_at(&net->messages, handle);
}

/* ---- flow.c ---- */

/* Starts a message that has entered its first link. */
void orr_flow_begin(struct flow_net *net, uint32_t handle);

/* ---- queues of first links (flow_first_links.c) ---- */

enum orr_status orr_flow_queues_create(struct flow_net *net, struct orr_diag *diag);
/* Counts a message as in flight on the link, or no longer. */
void orr_flow_enter_link(struct flow_net *net, uint32_t link, uint32_t handle);
void orr_flow_leave_link(struct flow_net *net, uint32_t link, uint32_t handle);
/* Marks the NPU's link for its flush, which is orr_flow_on_flush. */
void orr_flow_mark_dirty(struct flow_net *net, uint32_t npu, uint32_t link);
void orr_flow_on_flush(void *context, uint32_t npu);
/* Queues the message at its first link. */
void orr_flow_wait_for_link(struct flow_net *net, uint32_t handle);

/* ---- link utilization (flow_busy.c) ---- */

/* Call before a message is counted; after that, with its handle and the time from which it is in
 * flight; at its end. No effect if link utilization is not recorded. */
void orr_flow_busy_before(struct flow_net *net);
void orr_flow_busy_began(struct flow_net *net, uint32_t handle, sim_time time);
void orr_flow_busy_ended(struct flow_net *net, uint32_t handle);

/* ---- rounds (flow_rounds.c) ---- */

void orr_flow_rounds_init(struct flow_net *net, struct orr_arena *arena);

/* Of net_ops. */
uint64_t orr_flow_link_bytes(const struct net *net, uint32_t link);
struct net_round *orr_flow_round(struct net *net, const struct net_ends *pair, uint32_t count);
void orr_flow_send_round(struct net *net, struct net_round *round, const struct net_msg *msg);

/* The cookies of rounds' flows; those of messages are handles. */
static inline bool flow_is_round(uint64_t cookie)
{
    return cookie >> 32 != 0;
}
/* The last flows of one latency of the round have ended. */
void orr_flow_round_ended(struct flow_net *net, uint64_t cookie, sim_time time);
void orr_flow_on_round(void *context, const struct orr_event *event);
/* The round's first pair whose path has the link. */
struct net_ends orr_flow_round_pair(const struct flow_net *net, uint64_t cookie, uint32_t link);

/* ---- dynamic capacity (flow_msg_reroute.c) ---- */

/* Of net_ops. */
void orr_flow_set_capacities(struct net *net, const struct net_batch *batch);
void orr_flow_waiting(struct net *net, net_waiting_fn visit, void *context);

#endif
