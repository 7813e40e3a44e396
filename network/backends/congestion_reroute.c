/* Rerouting of messages in flight in the congestion backend after links have failed: see
 * congestion_reroute.h and docs/models.md, section 4 (Changing networks).
 *
 * A flight that waits for a link, or is on a closed link, restarts from the link's near end. A
 * flight that has left its link, or is on a link that works, continues from the far end. Without
 * another path the flight stays. With `shortest`, flights with a working path also switch to the
 * shortest path of now. */
#include "network/backends/congestion_reroute.h"

#include <string.h>

static uint32_t near_end(const struct congestion *net, const struct flight *flight)
{
    return net->linked.base.config->graph->link[flight->link].from;
}

static uint32_t far_end(const struct congestion *net, const struct flight *flight)
{
    return net->linked.base.config->graph->link[flight->link].to;
}

static bool is_closed(const struct congestion *net, const struct flight *flight)
{
    return net->linked.changes->closed[flight->link];
}

static bool is_closed_ahead(const struct congestion *net, const struct flight *flight)
{
    return link_capacity_any_closed(net->linked.changes, flight->ahead, flight->hops);
}

/* Reroutes a flight from the near end of its link; false: no other path, or one over the same link.
 */
static bool move_from_near(struct congestion *net, struct flight *flight, bool shortest)
{
    struct net_route_links route;
    const uint32_t before = flight->link;
    if (!(shortest || is_closed(net, flight) || is_closed_ahead(net, flight)) ||
        !orr_link_net_detour(&net->linked, near_end(net, flight), &flight->msg, &route)) {
        return false;
    }
    flight->link = route.link[0];
    flight->ahead = route.link + 1;
    flight->hops = route.hops - 1;
    return !shortest || flight->link != before;
}

static bool is_ahead(const struct flight *flight, const struct net_route_links *route)
{
    return flight->hops == route->hops &&
           memcmp(flight->ahead, route->link, route->hops * sizeof *route->link) == 0;
}

/* Reroutes a flight from the far end of the link that it crosses. */
static bool move_from_far(struct congestion *net, struct flight *flight, bool shortest)
{
    struct net_route_links route;
    if (!(is_closed_ahead(net, flight) || (shortest && flight->hops != 0)) ||
        !orr_link_net_detour(&net->linked, far_end(net, flight), &flight->msg, &route) ||
        (shortest && is_ahead(flight, &route))) {
        return false;
    }
    flight->ahead = route.link;
    flight->hops = route.hops;
    return true;
}

/* Reroutes the flights queued at a link; the others keep their order. */
static void reroute_queue(struct congestion *net, uint32_t link, bool shortest)
{
    struct orr_fifo line = net->link[link].fifo;
    orr_fifo_init(&net->link[link].fifo);
    while (!orr_fifo_empty(&line)) {
        const uint32_t handle = orr_fifo_pop(&line, &net->flights);
        if (move_from_near(net, flight_at(net, handle), shortest)) {
            orr_congestion_post_request(net, handle);
        } else if (by_insertion(net)) {
            orr_fifo_append(&net->link[link].fifo, &net->flights, handle);
        } else {
            orr_fifo_insert(&net->link[link].fifo, &net->flights, handle);
        }
    }
}

/* Makes the link idle. */
static void stop_work(struct congestion *net, uint32_t link)
{
    struct link_work *work = &net->changes->work[link];
    struct transit *transit = transit_at(net, work->flight);
    const sim_time now = orr_evq_now(net->linked.base.queue);
    transit->sent_version = 0;
    work->version = orr_congestion_version(net);
    net->link[link].busy_until = now;
    orr_congestion_keep_freed(net, link, ORR_PART_OTHER, now);
    net->link[link].has_event = false;
    if (!orr_fifo_empty(&net->link[link].fifo)) {
        orr_congestion_post_link(net, link, now, ORR_PART_NONE);
    }
}

/* Restarts a transmission; bytes sent so far are lost. */
static void restart(struct congestion *net, uint32_t handle)
{
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const orr_cause cause = transit_at(net, handle)->cause;
    const orr_cause before = orr_cause_enter(causes, cause);
    orr_congestion_post_request(net, handle);
    orr_cause_leave(causes, before);
    orr_cause_drop(causes, cause);
}

static void reroute_sending(struct congestion *net, uint32_t link, bool shortest)
{
    const uint32_t handle = net->changes->work[link].flight;
    struct flight *flight = flight_at(net, handle);
    if (net->linked.changes->closed[link]) {
        if (move_from_near(net, flight, shortest)) {
            stop_work(net, link);
            flight->waiting.tie -= flight->followed ? 1 : 0; /* ahead of the packets behind it */
            restart(net, handle);
        }
    } else if (move_from_far(net, flight, shortest)) {
        orr_congestion_post_work(net, link);
    }
}

/* Reroutes a flight that propagates to the far end of its link. */
static void reroute_propagating(struct congestion *net, uint32_t handle, bool shortest)
{
    struct flight *flight = flight_at(net, handle);
    const struct transit *transit = transit_at(net, handle);
    const struct net_link *link = &net->linked.base.config->graph->link[flight->link];
    if (!move_from_far(net, flight, shortest)) {
        return;
    }
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const orr_cause before = orr_cause_enter(causes, transit->cause);
    orr_cause_spend(causes, (unsigned)ORR_PART_BANDWIDTH(flight->position.dim),
                    transit->far_ps - link->latency_ps);
    orr_congestion_post_far(net, handle);
    orr_cause_leave(causes, before);
}

void orr_congestion_reroute(struct congestion *net, bool shortest)
{
    const uint32_t handles = net->changes->transits.used;
    for (uint32_t handle = 0; handle < handles; handle++) {
        const enum transit_state state = transit_at(net, handle)->state;
        if (state == TRANSIT_REQUESTS && move_from_near(net, flight_at(net, handle), shortest)) {
            orr_congestion_post_request(net, handle);
        } else if (orr_congestion_is_propagating(net, handle)) {
            reroute_propagating(net, handle, shortest);
        }
    }
    for (uint32_t link = 0; link < net->linked.links; link++) {
        if (!orr_fifo_empty(&net->link[link].fifo)) {
            reroute_queue(net, link, shortest);
        }
        if (orr_congestion_is_sending(net, link)) {
            reroute_sending(net, link, shortest);
        }
    }
}
