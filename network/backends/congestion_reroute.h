/* State of flights in the congestion backend if capacities change, kept in addition to the flights
 * (congestion_capacity.c), and their rerouting (congestion_reroute.c). */
#ifndef ORR_NETWORK_BACKENDS_CONGESTION_REROUTE_H
#define ORR_NETWORK_BACKENDS_CONGESTION_REROUTE_H

#include "core/cause.h"
#include "core/evq.h"
#include "core/slab.h"
#include "network/backends/congestion_private.h"
#include "network/backends/link_capacity.h"

enum transit_state {
    TRANSIT_NONE,     /* the handle is free */
    TRANSIT_REQUESTS, /* has posted a request of its link */
    TRANSIT_WAITS,    /* is queued at its link */
    TRANSIT_ON_LINK,  /* is being sent over its link, or propagates to the far end */
    TRANSIT_ARRIVED   /* has arrived at its destination */
};

/* The further state of a flight, with the same handle. */
struct transit {
    uint32_t packets; /* handle of the count of the message's packets not yet arrived */
    enum transit_state state;
    uint32_t version;       /* of its next event */
    uint32_t sent_version;  /* of its departure event; 0: none */
    sim_time began, far_ps; /* on its link: when it started, and when it reaches the far end */
    orr_cause cause;        /* of its start */
};

/* The present or last transmission of a link. */
struct link_work {
    uint32_t flight, version; /* of the link's event */
    double left;              /* bytes, at `since` */
    sim_time since;
};

struct congestion_capacity {
    struct orr_slab transits;      /* by handles of flights */
    struct orr_slab packet_counts; /* uint32_t */
    struct link_work *work;        /* [links] */
    uint32_t versions;
};

static inline struct transit *transit_at(const struct congestion *net, uint32_t handle)
{
    return orr_slab_at(&net->changes->transits, handle);
}

static inline bool orr_congestion_is_sending(const struct congestion *net, uint32_t link)
{
    return net->link[link].busy_until > orr_evq_now(net->linked.base.queue);
}

/* Whether the flight has left its link and has not reached the far end. */
static inline bool orr_congestion_is_propagating(const struct congestion *net, uint32_t handle)
{
    const uint32_t link = flight_at(net, handle)->link;
    return transit_at(net, handle)->state == TRANSIT_ON_LINK &&
           (!orr_congestion_is_sending(net, link) || net->changes->work[link].flight != handle);
}

/* A version that no event has yet. */
uint32_t orr_congestion_version(struct congestion *net);

/* Posts the events of the link's transmission at its present rate, and invalidates earlier ones. */
void orr_congestion_post_work(struct congestion *net, uint32_t link);
/* The same for a flight's arrival at the far end of its link, and for its request of the next one.
 */
void orr_congestion_post_far(struct congestion *net, uint32_t handle);
void orr_congestion_post_request(struct congestion *net, uint32_t handle);

/* Reroutes flights around closed links from where they are, if there is a path. With `shortest`,
 * all flights switch to the shortest path of now. */
void orr_congestion_reroute(struct congestion *net, bool shortest);

#endif
