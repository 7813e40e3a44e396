/* Dynamic link capacity of the congestion backend: see congestion_private.h and docs/models.md,
 * section 4 (Changing networks).
 *
 * A transmission's end can move when the capacity changes. Its events (departure, arrival at the
 * far end, the link's next start) are posted at its start, as without changes, and again after each
 * change. The queue cannot withdraw an event, so each has a version, and an event with an old
 * version does nothing. A message that no change affects has the same times and rounds as in a
 * constant network. */
#include <math.h>

#include "core/fifo.h"
#include "core/fold.h"
#include "network/backends/congestion_reroute.h"
#include "network/backends/link_net.h"
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_message.h"

enum { EVENT_FAR = ORR_EVENT_NETWORK + 6 };

/* A smaller remainder is rounding, not time. */
#define ROUNDING_PS 1e-3

static struct link_work *work_at(const struct congestion *net, uint32_t link)
{
    return &net->changes->work[link];
}

static uint64_t versioned(uint32_t handle, uint32_t version)
{
    return (uint64_t)version << 32 | handle;
}

uint64_t orr_congestion_link_cookie(const struct congestion *net, uint32_t link)
{
    return versioned(link, work_at(net, link)->version);
}

/* ---- messages in flight ---- */

bool orr_congestion_track(struct congestion *net, uint32_t handle, uint32_t first)
{
    struct congestion_capacity *changes = net->changes;
    const uint32_t transit = orr_slab_new(&changes->transits);
    const uint32_t packets = first == ORR_SLAB_NONE ? orr_slab_new(&changes->packet_counts)
                                                    : transit_at(net, first)->packets;
    if (transit == ORR_SLAB_NONE || packets == ORR_SLAB_NONE) {
        return false;
    }
    ORR_ASSERT(transit == handle); /* both slabs allocate in step */
    uint32_t *parts = orr_slab_at(&changes->packet_counts, packets);
    *parts = first == ORR_SLAB_NONE ? 1 : *parts + 1;
    net->linked.base.in_flight += first == ORR_SLAB_NONE ? 1 : 0;
    *transit_at(net, handle) = (struct transit){.state = TRANSIT_REQUESTS, .packets = packets};
    return true;
}

static void forget(struct congestion *net, uint32_t handle)
{
    struct transit *transit = transit_at(net, handle);
    if (transit->sent_version != 0) {
        transit->state = TRANSIT_ARRIVED; /* its departure is not yet reported */
        return;
    }
    *transit = (struct transit){.state = TRANSIT_NONE};
    orr_slab_free(&net->changes->transits, handle);
    orr_slab_free(&net->flights, handle);
}

/* The flight has reached the far end of its link. */
static void cross(struct congestion *net, uint32_t handle)
{
    const struct flight *flight = flight_at(net, handle);
    struct transit *transit = transit_at(net, handle);
    const struct net_link *link = &net->linked.base.config->graph->link[flight->link];
    const sim_time left_ps = transit->far_ps - link->latency_ps;
    link_net_count_link(&net->linked, flight->position.dim, flight->link, flight->bytes,
                        left_ps - transit->began);
    net_use(&net->linked.base, flight->position.dim, transit->began, left_ps,
            (double)(left_ps - transit->began));
    orr_cause_drop(orr_evq_causes(net->linked.base.queue), transit->cause);
    transit->version = 0;
}

/* ---- events ---- */

static void on_far(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    const uint32_t handle = (uint32_t)event->cookie;
    struct transit *transit = transit_at(net, handle);
    if (transit->state != TRANSIT_ON_LINK || transit->version != event->cookie >> 32) {
        return;
    }
    const struct net_msg msg = flight_at(net, handle)->msg;
    const uint32_t packets = transit->packets;
    uint32_t *parts = orr_slab_at(&net->changes->packet_counts, packets);
    const bool last = --*parts == 0;
    cross(net, handle);
    forget(net, handle);
    if (last) {
        const struct net_listener *listener = &net->linked.base.listener;
        orr_slab_free(&net->changes->packet_counts, packets);
        net->linked.base.in_flight--;
        listener->delivered(listener->context, orr_slot(event->entity), msg.label, msg.cookie);
    }
}

static void on_request(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    const uint32_t handle = (uint32_t)event->cookie;
    struct transit *transit = transit_at(net, handle);
    struct flight *flight = flight_at(net, handle);
    if (transit->state == TRANSIT_NONE || transit->version != event->cookie >> 32) {
        return;
    }
    if (transit->state == TRANSIT_ON_LINK) {
        cross(net, handle);
        flight->waiting.tie -= UINT64_C(1) << GRAPH_HOP_BITS;
        flight->link = *flight->ahead++;
        flight->hops--;
    }
    transit->state = TRANSIT_WAITS;
    orr_congestion_request(net, handle);
}

static void on_sent(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    const struct net_listener *listener = &net->linked.base.listener;
    const uint32_t handle = (uint32_t)event->cookie;
    struct transit *transit = transit_at(net, handle);
    if (transit->state == TRANSIT_NONE || transit->sent_version != event->cookie >> 32) {
        return;
    }
    const uint64_t cookie = flight_at(net, handle)->msg.source_cookie;
    transit->sent_version = 0;
    flight_at(net, handle)->departed = true;
    if (transit->state == TRANSIT_ARRIVED) {
        forget(net, handle);
    }
    listener->sent(listener->context, orr_slot(event->entity), cookie);
}

static void on_link(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    const uint32_t link = (uint32_t)event->cookie;
    if (work_at(net, link)->version == event->cookie >> 32) {
        orr_congestion_start_next(net, link);
    }
}

/* ---- sending ---- */

uint32_t orr_congestion_version(struct congestion *net)
{
    net->changes->versions += net->changes->versions == UINT32_MAX ? 2 : 1;
    return net->changes->versions;
}

static void post(struct congestion *net, uint32_t entity, uint16_t kind, sim_time time,
                 struct orr_event event)
{
    event.entity = entity;
    event.kind = kind;
    orr_evq_post(net->linked.base.queue, time, &event);
}

void orr_congestion_post_request(struct congestion *net, uint32_t handle)
{
    const struct flight *flight = flight_at(net, handle);
    struct transit *transit = transit_at(net, handle);
    transit->state = TRANSIT_REQUESTS;
    transit->version = orr_congestion_version(net);
    post(net, net->first_entity + flight->link, EVENT_REQUEST, orr_evq_now(net->linked.base.queue),
         (struct orr_event){.label = flight->msg.label,
                            .cookie = versioned(handle, transit->version),
                            .part = (uint8_t)ORR_PART_BANDWIDTH(flight->position.dim)});
}

void orr_congestion_post_far(struct congestion *net, uint32_t handle)
{
    const struct flight *flight = flight_at(net, handle);
    struct transit *transit = transit_at(net, handle);
    transit->version = orr_congestion_version(net);
    const struct orr_event event = {.label = flight->msg.label,
                                    .cookie = versioned(handle, transit->version),
                                    .part = (uint8_t)ORR_PART_LATENCY(flight->position.dim)};
    if (flight->hops == 0) {
        post(net, net_slot(net->linked.base.config, flight->msg.dst).slot, EVENT_FAR,
             transit->far_ps, event);
    } else {
        post(net, net->first_entity + *flight->ahead, EVENT_REQUEST, transit->far_ps, event);
    }
}

static bool reports_departure(const struct congestion *net, const struct flight *flight)
{
    return !flight->departed && !flight->followed && net->linked.base.listener.sent != NULL;
}

static void post_departure(struct congestion *net, uint32_t handle, sim_time time, uint8_t part)
{
    const struct flight *flight = flight_at(net, handle);
    struct transit *transit = transit_at(net, handle);
    transit->sent_version = transit->version;
    post(net, net_slot(net->linked.base.config, flight->msg.src).slot, EVENT_SENT, time,
         (struct orr_event){.label = SENT_LABEL | flight->link,
                            .cookie = versioned(handle, transit->version),
                            .part = part});
}

/* When the link's present transmission ends, at its present rate. */
static sim_time end_of(const struct congestion *net, uint32_t link)
{
    const struct link_work *work = work_at(net, link);
    const struct flight *flight = flight_at(net, work->flight);
    const double rate = net->linked.changes->bytes_per_s[link];
    if (!(rate > 0)) {
        return ORR_TIME_MAX; /* also without bytes */
    }
    if (work->left >= (double)flight->bytes) {
        return orr_time_add(work->since, orr_time_of_bytes(flight->bytes, rate));
    }
    const double ps = ceil(work->left * 1e12 / rate - ROUNDING_PS);
    return ps < 9e18 ? orr_time_add(work->since, ps > 0 ? (sim_time)ps : 0) : ORR_TIME_MAX;
}

void orr_congestion_post_work(struct congestion *net, uint32_t link)
{
    struct link_work *work = work_at(net, link);
    const uint32_t handle = work->flight;
    struct transit *transit = transit_at(net, handle);
    const struct flight *flight = flight_at(net, handle);
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(flight->position.dim);
    const sim_time end = end_of(net, link);
    const orr_cause before = orr_cause_enter(causes, transit->cause);
    net->link[link].busy_until = end;
    work->version = orr_congestion_version(net);
    transit->version = orr_congestion_version(net); /* invalidates all posted events */
    transit->sent_version = 0;
    if (end != ORR_TIME_MAX) {
        orr_cause_spend(causes, part, end);
        orr_congestion_keep_freed(net, link, part, end);
        transit->far_ps = orr_time_add(end, net->linked.base.config->graph->link[link].latency_ps);
        orr_congestion_post_far(net, handle);
    }
    net->link[link].has_event = false;
    if (by_insertion(net) || !orr_fifo_empty(&net->link[link].fifo)) {
        orr_congestion_post_link(net, link, end, part);
    }
    if (end != ORR_TIME_MAX && reports_departure(net, flight)) {
        post_departure(net, handle, end, part);
    }
    orr_cause_leave(causes, before);
}

void orr_congestion_serve(struct congestion *net, uint32_t handle)
{
    const struct flight *flight = flight_at(net, handle);
    struct transit *transit = transit_at(net, handle);
    struct link_work *work = work_at(net, flight->link);
    const sim_time now = orr_evq_now(net->linked.base.queue);
    transit->state = TRANSIT_ON_LINK;
    transit->began = now;
    transit->cause = orr_cause_hold(orr_evq_causes(net->linked.base.queue),
                                    (unsigned)ORR_PART_BANDWIDTH(flight->position.dim), now);
    *work = (struct link_work){.flight = handle,
                               .left = (double)flight->bytes,
                               .since = orr_time_add(now, overhead_of(net, flight)),
                               .version = work->version};
    orr_congestion_post_work(net, flight->link);
}

/* ---- of net_ops ---- */

static void set_capacity(struct congestion *net, const struct net_capacity *capacity)
{
    const double *rate = &net->linked.changes->bytes_per_s[capacity->link];
    struct link_work *work = work_at(net, capacity->link);
    const sim_time now = orr_evq_now(net->linked.base.queue);
    const bool sends = orr_congestion_is_sending(net, capacity->link);
    const double before = *rate;
    orr_link_capacity_set(&net->linked, capacity);
    if (!sends || (before >= *rate && before <= *rate)) {
        return;
    }
    if (now > work->since) {
        work->left -= before * (double)(now - work->since) / 1e12;
        work->since = now;
    }
    orr_congestion_post_work(net, capacity->link);
}

void orr_congestion_set_capacities(struct net *base, const struct net_batch *batch)
{
    struct congestion *net = (struct congestion *)base;
    for (uint32_t i = 0; i < batch->count; i++) {
        set_capacity(net, &batch->capacity[i]);
    }
    if (batch->reroutes && orr_link_capacity_reroute(&net->linked)) {
        orr_congestion_reroute(net, batch->shortest);
    }
}

/* Bytes of the flight that remain to be sent from its node. */
static double left_of(const struct congestion *net, uint32_t handle)
{
    const struct flight *flight = flight_at(net, handle);
    const struct link_work *work = work_at(net, flight->link);
    const sim_time now = orr_evq_now(net->linked.base.queue);
    if (!orr_congestion_is_sending(net, flight->link) || work->flight != handle) {
        return (double)flight->bytes;
    }
    const double rate = net->linked.changes->bytes_per_s[flight->link];
    return now > work->since ? work->left - rate * (double)(now - work->since) / 1e12 : work->left;
}

void orr_congestion_waiting(struct net *base, net_waiting_fn visit, void *context)
{
    struct congestion *net = (struct congestion *)base;
    for (uint32_t handle = 0; handle < net->changes->transits.used; handle++) {
        const struct flight *flight = flight_at(net, handle);
        const struct net_link *link = net->linked.base.config->graph->link;
        const enum transit_state state = transit_at(net, handle)->state;
        if (state == TRANSIT_NONE || state == TRANSIT_ARRIVED) {
            continue;
        }
        const uint32_t at = orr_congestion_is_propagating(net, handle) ? link[flight->link].to
                                                                       : link[flight->link].from;
        if (at != flight->msg.dst.rank) {
            visit(context, at, flight->msg.dst.rank, left_of(net, handle));
        }
    }
}

/* With an empty event queue, each message in flight waits for a link that carries nothing, or
 * arrives beyond the end of time. */
struct net_flows_stuck orr_congestion_stuck(const struct net *base)
{
    const struct congestion *net = (const struct congestion *)base;
    struct net_flows_stuck stuck = {.link = NET_NO_LINK, .messages = true};
    for (uint32_t link = 0; net->changes != NULL && link < net->linked.links; link++) {
        const bool carries = net->linked.changes->bytes_per_s[link] > 0;
        if (orr_congestion_is_sending(net, link) && carries) {
            stuck.late++;
        } else if (orr_congestion_is_sending(net, link) && stuck.link == NET_NO_LINK) {
            const struct net_msg *msg = &flight_at(net, work_at(net, link)->flight)->msg;
            stuck.flows = base->in_flight;
            stuck.cookie = msg->cookie;
            stuck.link = link;
            stuck.src = msg->src.rank;
            stuck.dst = msg->dst.rank;
        }
    }
    return stuck;
}

enum orr_status orr_congestion_capacity_create(struct congestion *net, struct orr_diag *diag)
{
    struct orr_arena *arena = net->linked.arena;
    struct orr_evq *queue = net->linked.base.queue;
    struct congestion_capacity *changes = orr_arena_alloc(arena, sizeof *changes);
    struct link_work *work = orr_arena_array(arena, (size_t)net->linked.links + 1, sizeof *work);
    if (changes == NULL || work == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    orr_slab_init(&changes->transits, arena, sizeof(struct transit));
    orr_slab_init(&changes->packet_counts, arena, sizeof(uint32_t));
    changes->work = work;
    net->changes = changes;
    orr_evq_handle(queue, EVENT_FAR, on_far, net);
    orr_evq_handle(queue, EVENT_REQUEST, on_request, net);
    orr_evq_handle(queue, EVENT_LINK, on_link, net);
    orr_evq_handle(queue, EVENT_SENT, on_sent, net);
    return orr_link_capacity_create(&net->linked, diag);
}
