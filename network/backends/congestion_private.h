/* State shared by the congestion backend (congestion.c) and its changing capacities
 * (congestion_capacity.c). */
#ifndef ORR_NETWORK_BACKENDS_CONGESTION_PRIVATE_H
#define ORR_NETWORK_BACKENDS_CONGESTION_PRIVATE_H

#include "core/cause.h"
#include "core/evq.h"
#include "core/fifo.h"
#include "core/slab.h"
#include "network/backends/link_net.h"
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "network/net_message.h"
#include "network/topology/block_links.h"

struct net;
struct orr_diag;

enum { EVENT_ARRIVAL = ORR_EVENT_NETWORK, EVENT_REQUEST, EVENT_LINK, EVENT_SENT };

/* A link's own event comes after the requests of its round, a departure after the deliveries. */
#define LINK_LABEL UINT64_MAX
#define SENT_LABEL (UINT64_C(1) << 63)

/* A flight: a message, a packet, or the packets of a message that wait for their first link. */
struct flight {
    struct orr_fifo_item waiting; /* must be first */
    struct net_msg msg;
    uint64_t bytes; /* of the flight */
    struct link_position
        position;          /* blocks: the end of `link`; graph: only the dimension is used */
    const uint32_t *ahead; /* graph: the links after `link` */
    uint32_t link;         /* the next link, or the one being crossed */
    uint32_t hops;         /* graph: links ahead */
    bool departed;         /* has left its source */
    bool follows;          /* another packet of its message precedes it */
    bool followed;         /* other packets of its message follow it */
};

struct link {
    struct orr_fifo fifo;
    sim_time busy_until;
    bool has_event; /* insertion order: busy; label order: a start event is pending */
};

struct congestion_capacity;

struct congestion {
    struct link_net linked; /* first */
    struct link *link;
    orr_cause *freed; /* [links] cause of the link's busy time; NULL: not kept */
    uint32_t first_entity;
    bool stacked;          /* a graph of the dimensions */
    uint64_t packet_bytes; /* 0: messages go whole */
    struct orr_slab flights;
    struct congestion_capacity *changes; /* NULL: capacities are constant */
};

enum {
    HOP_BITS = 32,
    GRAPH_HOP_BITS = 48
}; /* the bits of `tie` above these: links yet to be crossed */

static inline struct flight *flight_at(const struct congestion *net, uint32_t handle)
{
    return orr_slab_at(&net->flights, handle);
}

static inline bool by_insertion(const struct congestion *net)
{
    return orr_evq_order(net->linked.base.queue) == ORR_ORDER_INSERTION;
}

/* Time that the first packet occupies a link, in addition to its bytes. */
static inline sim_time overhead_of(const struct congestion *net, const struct flight *flight)
{
    return flight->follows ? 0 : net->linked.base.config->message_overhead_ps;
}

/* ---- congestion.c ---- */

/* The link is busy for the current cause until `time`: waiting messages continue from that cause.
 */
void orr_congestion_keep_freed(struct congestion *net, uint32_t link, uint8_t part, sim_time time);
/* Posts the link's next start at `time`. */
void orr_congestion_post_link(struct congestion *net, uint32_t link, sim_time time, uint8_t part);
/* Queues the flight at its link, in this round of requests. */
void orr_congestion_request(struct congestion *net, uint32_t handle);

/* Starts the first flight queued at the link, if there is one. */
void orr_congestion_start_next(struct congestion *net, uint32_t link);

/* ---- dynamic capacity (congestion_capacity.c) ---- */

enum orr_status orr_congestion_capacity_create(struct congestion *net, struct orr_diag *diag);

/* Registers a new flight: a message, or a packet of `first` (ORR_SLAB_NONE: it is the first).
 * false: out of memory. */
bool orr_congestion_track(struct congestion *net, uint32_t handle, uint32_t first);

/* Starts the flight on its idle link. */
void orr_congestion_serve(struct congestion *net, uint32_t handle);

/* The cookie of a link's event. */
uint64_t orr_congestion_link_cookie(const struct congestion *net, uint32_t link);

/* Of net_ops. */
void orr_congestion_set_capacities(struct net *net, const struct net_batch *batch);
void orr_congestion_waiting(struct net *net, net_waiting_fn visit, void *context);
struct net_flows_stuck orr_congestion_stuck(const struct net *net);

#endif
