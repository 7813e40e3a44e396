/* Messages as a network takes them: single ones, rounds of pairs, trains of equal ones. */
#ifndef ORR_NETWORK_NET_MESSAGE_H
#define ORR_NETWORK_NET_MESSAGE_H

#include "core/fold.h"
#include "core/time.h"

/* A message. With a fold, `src` represents its class, and `dst` is any rank: the class of `dst`
 * gets the message. `order`: priority at a port (smaller first). `label`: order of deliveries at
 * the destination in one instant. The callbacks get `cookie` and `source_cookie` back. */
struct net_msg {
    struct orr_rank src, dst;
    uint64_t bytes;
    uint64_t order;
    uint64_t label;
    uint64_t cookie;        /* for delivered */
    uint64_t source_cookie; /* for sent */
    /* 0: by the routing; 1 + the index of a channel from src to dst; NET_RING_ROUTE + the index of
     * a ring route of the graph, used like a routed path; or NET_LINK. */
    uint32_t channel;
    /* Messages of one number are one stream: ports share their bandwidth among streams, each in its
     * own order. Below NET_MAX_STREAM - 1. */
    uint32_t stream;
    /* > 0: how long the message occupies its first port, instead of the time of its bytes. Only for
     * messages to neighbours on the analytical backend. */
    sim_time hold_ps;
    /* flow: messages of an NPU with the same value, unless it is 0, count as one towards
     * messages_per_link. */
    uint64_t batch;
    bool at_once;   /* without latency, which is accounted for elsewhere */
    bool backwards; /* take the ring's other direction if both are equally long */
    bool keyed;     /* the label is also the router's key, the only input of its choice */
    /* With events in insertion order: the backend may call `sent` within one of its own events,
     * before it posts the arrival. That saves an event; `sent` must not send. */
    bool sent_at_end;
};

#define NET_MAX_STREAM UINT32_MAX
#define NET_RING_ROUTE (UINT32_C(1) << 31)
/* A step of a ring of the graph: the link from src to dst, if there is one, else the routing. */
#define NET_LINK UINT32_MAX

static inline bool net_has_channel(const struct net_msg *msg)
{
    return msg->channel - 1 < NET_RING_ROUTE - 1;
}

/* A round: messages between pairs of NPUs that start at once, repeatedly and with equal bytes, of
 * which only the last arrival matters. */
struct net_ends {
    struct orr_rank src, dst;
    uint32_t channel; /* as in net_msg */
};
struct net_round;

/* A train: consecutive messages of equal bytes, including the first, with labels that ascend by 1.
 * Each starts `pause_ps` after the arrival of the previous one. */
struct net_repeat {
    uint32_t count;
    sim_time pause_ps;
    uint64_t bytes;
};

/* The state of an interrupted train: how many messages have been sent, have left the port, and are
 * received. The last one sent is received at `taken_ps`; < 0: it is not delivered yet. If all sent
 * messages are received, the next one is due. */
struct net_progress {
    uint32_t sent, left, taken;
    sim_time taken_ps;
};

#endif
