/* What the flow backend (flow.c) and its messages that move to other ways (flow_msg_reroute.c)
 * share. */
#ifndef ORR_NETWORK_BACKENDS_FLOW_PRIVATE_H
#define ORR_NETWORK_BACKENDS_FLOW_PRIVATE_H

#include "network/backends/link_capacity.h"
#include "network/backends/ports.h"

/* A message that waits or is under way. */
struct flow_msg {
    struct net_msg msg;
    struct net_route_links route; /* of a graph */
    struct net_route_links rest;  /* of it, behind what is being crossed as a flow or by a lane */
    bool departed;                /* has left its source, and told so */
    orr_cause cause;              /* of its being sent */
    unsigned dim;                 /* that it is counted for last */
    uint32_t first_link;
    bool live;   /* the handle is taken; where capacities change */
    double left; /* bytes, for orr_flow_waiting */
};

/* A link as the first one of messages. */
struct first_link {
    uint32_t waiting;    /* heap of messages, or PORT_NONE */
    uint32_t in_flight;  /* of them */
    uint32_t next_dirty; /* list of links of the NPU to look at in its flush */
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
    struct first_link *first; /* [links]; NULL: nothing waits (order of insertion) */
    uint32_t *dirty;          /* [slots] lists of links, or PORT_NONE */
    struct port_slab waiting; /* cookie: handle of the message */
    uint32_t max_in_flight;   /* of an NPU on a link at once */
    uint32_t *path;
    size_t path_alloc;
    struct net_flows_around around; /* where capacities change */
    struct orr_slab rounds;         /* struct round_sent, under way */
    struct net_round *counted;      /* all rounds */
    struct flow_busy *uses;         /* [messages * dims], where the use of links is asked for */
    size_t uses_alloc;
    orr_sum before[NET_MAX_DIMS]; /* busy_ps of the stats, before a message was counted */
};

static inline struct flow_msg *flow_msg_at(const struct flow_net *net, uint32_t handle)
{
    return orr_slab_at(&net->messages, handle);
}

/* ---- flow.c ---- */

/* The link of the NPU is looked at in its flush, which is that function. */
void orr_flow_mark_dirty(struct flow_net *net, uint32_t npu, uint32_t link);
void orr_flow_on_flush(void *context, uint32_t npu);
/* Puts the message in the line of its first link. */
void orr_flow_wait_for_link(struct flow_net *net, uint32_t handle);

/* ---- when links are busy (flow_busy.c) ---- */

/* A message is about to be counted; it was, under its handle, and is under way from `time` on; it
 * has ended. Nothing where the use of links is not asked for. */
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
/* The last ones of it have ended that have the same latency. */
void orr_flow_round_ended(struct flow_net *net, uint64_t cookie, sim_time time);
void orr_flow_on_round(void *context, const struct orr_event *event);
/* The first pair of it that goes over the link. */
struct net_ends orr_flow_round_pair(const struct flow_net *net, uint64_t cookie, uint32_t link);

/* ---- where capacities change (flow_msg_reroute.c) ---- */

/* Of net_ops. */
void orr_flow_set_capacities(struct net *net, const struct net_batch *batch);
void orr_flow_waiting(struct net *net, net_waiting_fn visit, void *context);

#endif
