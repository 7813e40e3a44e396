/* Messages under way in the congestion backend that go around links that have died: see
 * congestion_reroute.h and docs/models.md, section 4 (Changing networks).
 *
 * What waits for a link, or is in the middle of one that is closed, starts anew from that link's
 * near end; what has left it, or is in the middle of one that works, goes on from the far end.
 * Where no way is left it stays where it is. With `shortest` the same is asked of what has a way
 * that works, so that it goes on over the shortest one there is now. */
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

/* From the near end of its link, over another one; false: not, or over the same one. */
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

/* From the far end of its link, which it crosses. */
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

/* The others stay in line as they stand. */
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

/* The link is idle from now on. */
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

/* What was sent of it is lost. */
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
            flight->waiting.tie -= flight->followed ? 1 : 0; /* before the packets behind it */
            restart(net, handle);
        }
    } else if (move_from_far(net, flight, shortest)) {
        orr_congestion_post_work(net, link);
    }
}

/* On its way to the far end of its link. */
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
