/* What the congestion backend (congestion.c) and its changing capacities (congestion_capacity.c)
 * share. */
#ifndef ORR_NETWORK_BACKENDS_CONGESTION_PRIVATE_H
#define ORR_NETWORK_BACKENDS_CONGESTION_PRIVATE_H

#include "network/backends/link_net.h"

enum { EVENT_ARRIVAL = ORR_EVENT_NETWORK, EVENT_REQUEST, EVENT_LINK, EVENT_SENT };

/* A link's own event comes after the requests of its round, a departure after the deliveries. */
#define LINK_LABEL UINT64_MAX
#define SENT_LABEL (UINT64_C(1) << 63)

/* A message, a packet, or the packets of a message that wait for their first link. */
struct flight {
    struct orr_fifo_item waiting; /* must be first */
    struct net_msg msg;
    uint64_t bytes; /* of it */
    struct link_position
        position;          /* blocks: at the end of `link`; of a graph, the dimension counts */
    const uint32_t *ahead; /* graph: the links behind `link` */
    uint32_t link;         /* to be crossed next, or being crossed */
    uint32_t hops;         /* graph: links ahead */
    bool departed;         /* has left its source */
    bool follows;          /* another packet of its message went before it */
    bool followed;         /* other packets of its message come after it */
};

struct link {
    struct orr_fifo fifo;
    sim_time busy_until;
    bool has_event; /* insertion order: busy; label order: will look at its line again */
};

struct congestion_capacity;

struct congestion {
    struct link_net linked; /* first */
    struct link *link;
    orr_cause *freed; /* [links] what the link is busy with, as far as that goes; NULL: not kept */
    uint32_t first_entity;
    bool stacked;          /* a graph of the dimensions */
    uint64_t packet_bytes; /* 0: messages go whole */
    struct orr_slab flights;
    struct congestion_capacity *changes; /* NULL: capacities stay */
};

enum { HOP_BITS = 32, GRAPH_HOP_BITS = 48 }; /* above them in `tie`: links yet to be crossed */

static inline struct flight *flight_at(const struct congestion *net, uint32_t handle)
{
    return orr_slab_at(&net->flights, handle);
}

static inline bool by_insertion(const struct congestion *net)
{
    return orr_evq_order(net->linked.base.queue) == ORR_ORDER_INSERTION;
}

/* What the first packet holds a link for beside its bytes. */
static inline sim_time overhead_of(const struct congestion *net, const struct flight *flight)
{
    return flight->follows ? 0 : net->linked.base.config->message_overhead_ps;
}

/* ---- congestion.c ---- */

/* The link is busy for the current cause until `time`: who waits for it goes on from there. */
void orr_congestion_keep_freed(struct congestion *net, uint32_t link, uint8_t part, sim_time time);
/* The link looks at its line then. */
void orr_congestion_post_link(struct congestion *net, uint32_t link, sim_time time, uint8_t part);
/* Puts the flight into the line of its link, of whose round of requests this is one. */
void orr_congestion_request(struct congestion *net, uint32_t handle);

/* The link starts the first of its line, if there is one. */
void orr_congestion_start_next(struct congestion *net, uint32_t link);

/* ---- where capacities change (congestion_capacity.c) ---- */

enum orr_status orr_congestion_capacity_create(struct congestion *net, struct orr_diag *diag);

/* A new flight: a message, or a packet of `first` (ORR_SLAB_NONE: it is one). false: memory is out.
 */
bool orr_congestion_track(struct congestion *net, uint32_t handle, uint32_t first);

/* Puts the flight on its link, which is idle. */
void orr_congestion_serve(struct congestion *net, uint32_t handle);

/* The cookie of a link's event. */
uint64_t orr_congestion_link_cookie(const struct congestion *net, uint32_t link);

/* Of net_ops. */
void orr_congestion_set_capacities(struct net *net, const struct net_batch *batch);
void orr_congestion_waiting(struct net *net, net_waiting_fn visit, void *context);
struct net_flows_stuck orr_congestion_stuck(const struct net *net);

#endif
