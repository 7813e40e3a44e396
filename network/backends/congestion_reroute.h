/* What is under way in the congestion backend where capacities change: its state, kept beside the
 * flights (congestion_capacity.c), and its moves to other ways (congestion_reroute.c). */
#ifndef ORR_NETWORK_BACKENDS_CONGESTION_REROUTE_H
#define ORR_NETWORK_BACKENDS_CONGESTION_REROUTE_H

#include "network/backends/congestion_private.h"
#include "network/backends/link_capacity.h"

enum transit_state {
    TRANSIT_NONE,     /* the handle is free */
    TRANSIT_REQUESTS, /* for its link, by an event */
    TRANSIT_WAITS,    /* in the line of its link */
    TRANSIT_ON_LINK,  /* is being sent over its link, or on its way to the far end */
    TRANSIT_ARRIVED   /* at its destination */
};

/* Beside each flight, by the same handle. */
struct transit {
    uint32_t packets; /* counts the packets of the message that are not there; a slab's free list */
    enum transit_state state;
    uint32_t version;       /* of its next event */
    uint32_t sent_version;  /* of the event of its departure; 0: none */
    sim_time began, far_ps; /* on its link: since, and until it is at the far end */
    orr_cause cause;        /* of its being sent */
};

/* What a link sends, or sent last. */
struct link_work {
    uint32_t flight, version; /* of the link's event */
    double left;              /* bytes, at `since` */
    sim_time since;
};

struct congestion_capacity {
    struct orr_slab transits;      /* by the handles of flights */
    struct orr_slab packet_counts; /* uint32_t */
    struct link_work *work;        /* [links] */
    uint32_t versions;
};

static inline struct transit *transit_at(const struct congestion *net, uint32_t handle)
{
    return orr_slab_at(&net->changes->transits, handle);
}

/* Whether the link is sending. */
static inline bool orr_congestion_is_sending(const struct congestion *net, uint32_t link)
{
    return net->link[link].busy_until > orr_evq_now(net->linked.base.queue);
}

/* Whether the flight has left its link and is not at the far end yet. */
static inline bool orr_congestion_is_propagating(const struct congestion *net, uint32_t handle)
{
    const uint32_t link = flight_at(net, handle)->link;
    return transit_at(net, handle)->state == TRANSIT_ON_LINK &&
           (!orr_congestion_is_sending(net, link) || net->changes->work[link].flight != handle);
}

/* One that no event has yet. */
uint32_t orr_congestion_version(struct congestion *net);

/* Posts the events of what the link sends, by its present rate; those posted before count no more.
 */
void orr_congestion_post_work(struct congestion *net, uint32_t link);
/* The same of a flight that is to be at the far end of its link, and of one that asks for its. */
void orr_congestion_post_far(struct congestion *net, uint32_t handle);
void orr_congestion_post_request(struct congestion *net, uint32_t handle);

/* What is under way goes around closed links from where it is, if there is a way; with `shortest`
 * all of it takes the shortest one there is now. */
void orr_congestion_reroute(struct congestion *net, bool shortest);

#endif
