/* The congestion backend (docs/models.md, section 4; the reference's congestion-aware network):
 * every directed link is a FIFO server, and messages go whole, store-and-forward, over the links of
 * congestion_links.h. A link is busy for bytes / bandwidth; the message is at its other end after
 * that and the latency.
 *
 * Under insertion order a message takes its link as soon as it asks, and starting it posts first
 * its arrival, then the link's release (the reference's order). Under label order a link is an
 * entity: requests are its events, and an idle link starts a message in the round after, when it
 * knows all requests of the round. A link posts events of its own only while messages wait.
 *
 * Equal requests (same link, instant and label) are ordered by the hops done, most first, then by
 * the shift from source to destination: an order that shifts of the whole topology do not change.
 *
 * With a fold, a link of an NPU that stands for its class stands for the same link of each NPU of
 * the class: a message of such an NPU takes it once for every hop over one of them, as in the run
 * of all NPUs do the messages that come from the others. */
#include "network/backends/congestion_links.h"

enum { EVENT_ARRIVAL = ORR_EVENT_NETWORK, EVENT_REQUEST, EVENT_LINK, EVENT_SENT };

/* A link's own event comes after the requests of its round, a departure after the deliveries. */
#define LINK_LABEL UINT64_MAX
#define SENT_LABEL (UINT64_C(1) << 63)

struct flight {
    struct orr_fifo_item waiting; /* must be first */
    struct net_msg msg;
    struct link_place place; /* at the end of `link` */
    uint32_t link;           /* to be crossed next, or being crossed */
    bool departed;           /* has left its source */
};

struct link {
    struct orr_fifo fifo;
    sim_time busy_until;
    bool has_event; /* insertion order: busy; label order: will look at its line again */
};

struct congestion {
    struct net base;
    struct link_dim *dim;
    struct net_dim_stats *stats;
    struct link *link;
    uint32_t npus, slots, links, first_entity;
    struct orr_slab flights;
};

static struct flight *flight_at(const struct congestion *net, uint32_t handle)
{
    return orr_slab_at(&net->flights, handle);
}

static bool by_insertion(const struct congestion *net)
{
    return orr_evq_order(net->base.queue) == ORR_ORDER_INSERTION;
}

static void post_arrival(struct congestion *net, const struct net_msg *msg, sim_time time,
                         uint8_t part)
{
    const struct orr_event event = {.label = msg->label,
                                    .cookie = msg->cookie,
                                    .entity = net_slot(net->base.config, msg->dst),
                                    .kind = EVENT_ARRIVAL,
                                    .part = part};
    orr_evq_post(net->base.queue, time, &event);
}

static void post_link_event(struct congestion *net, uint32_t index, sim_time time, uint8_t part)
{
    const struct orr_event event = {.label = LINK_LABEL,
                                    .cookie = index,
                                    .entity = net->first_entity + index,
                                    .kind = EVENT_LINK,
                                    .part = part};
    net->link[index].has_event = true;
    orr_evq_post(net->base.queue, time, &event);
}

static void post_request(struct congestion *net, uint32_t handle, sim_time time, uint8_t part)
{
    const struct flight *flight = flight_at(net, handle);
    const struct orr_event event = {.label = flight->msg.label,
                                    .cookie = handle,
                                    .entity = net->first_entity + flight->link,
                                    .kind = EVENT_REQUEST,
                                    .part = part};
    orr_evq_post(net->base.queue, time, &event);
}

static void post_sent(struct congestion *net, const struct net_msg *msg, uint32_t link,
                      sim_time time, uint8_t part)
{
    const struct orr_event event = {.label = SENT_LABEL | link,
                                    .cookie = msg->source_cookie,
                                    .entity = net_slot(net->base.config, msg->src),
                                    .kind = EVENT_SENT,
                                    .part = part};
    orr_evq_post(net->base.queue, time, &event);
}

/* Chooses the flight's next link, and counts the message in a dimension that it enters. */
static void take_next_link(struct congestion *net, struct flight *flight)
{
    const unsigned before = flight->place.dim;
    flight->link = link_next(net->base.config, net->dim, &flight->place, flight->msg.dst,
                             flight->msg.backwards);
    if (flight->place.dim != before) {
        net->stats[flight->place.dim].messages++;
        net->stats[flight->place.dim].bytes += flight->msg.bytes;
    }
}

/* What comes after a link: the destination, or the next link. */
static void post_next(struct congestion *net, uint32_t handle, sim_time time)
{
    struct flight *flight = flight_at(net, handle);
    const uint8_t part = (uint8_t)ORR_PART_LATENCY(flight->place.dim);
    if (flight->place.npu == flight->msg.dst && !flight->place.in_switch) {
        post_arrival(net, &flight->msg, time, part);
        orr_slab_free(&net->flights, handle);
        return;
    }
    flight->waiting.tie -= UINT64_C(1) << 32;
    take_next_link(net, flight);
    post_request(net, handle, time, part);
}

struct hop_times {
    sim_time busy, arrival; /* after the start */
};

static sim_time whole_ns(double ns)
{
    return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

static struct hop_times times_of(const struct congestion *net, unsigned d, uint64_t bytes)
{
    const struct net_dim *dim = &net->base.config->dim[d];
    if (net->base.config->reference_timing) {
        const double ns = (double)bytes / net->dim[d].reference_bytes_per_ns;
        return (struct hop_times){.busy = whole_ns(ns),
                                  .arrival = whole_ns(dim->reference_latency_ns + ns)};
    }
    const sim_time busy = orr_time_of_bytes(bytes, net->dim[d].bytes_per_s);
    return (struct hop_times){.busy = busy, .arrival = orr_time_add(busy, dim->latency_ps)};
}

/* Puts the flight on its link, which is idle. */
static void start(struct congestion *net, uint32_t handle)
{
    struct flight *flight = flight_at(net, handle);
    const struct net_msg msg = flight->msg;
    const uint32_t index = flight->link;
    const bool departs = !flight->departed;
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(flight->place.dim);
    const struct hop_times times = times_of(net, flight->place.dim, msg.bytes);
    struct net_dim_stats *stats = &net->stats[flight->place.dim];
    struct link *link = &net->link[index];
    const sim_time now = orr_evq_now(net->base.queue);
    flight->departed = true;
    stats->busy_ps = orr_time_add(stats->busy_ps, times.busy);
    link->busy_until = orr_time_add(now, times.busy);
    struct orr_causes *causes = orr_evq_causes(net->base.queue);
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    orr_cause_spend(causes, part, link->busy_until);
    post_next(net, handle, orr_time_add(now, times.arrival));
    if (by_insertion(net) || !orr_fifo_empty(&link->fifo)) {
        post_link_event(net, index, link->busy_until, part);
    }
    if (departs && !net->base.config->reference_timing && net->base.listener.sent != NULL) {
        post_sent(net, &msg, index, link->busy_until, part);
    }
    orr_cause_leave(causes, before);
}

static void request_by_insertion(struct congestion *net, uint32_t handle)
{
    struct link *link = &net->link[flight_at(net, handle)->link];
    if (link->has_event) {
        orr_fifo_append(&link->fifo, &net->flights, handle);
    } else {
        start(net, handle);
    }
}

static void request_by_label(struct congestion *net, uint32_t handle)
{
    struct flight *flight = flight_at(net, handle);
    struct link *link = &net->link[flight->link];
    const sim_time now = orr_evq_now(net->base.queue);
    flight->waiting.since = now;
    orr_fifo_insert(&link->fifo, &net->flights, handle);
    if (!link->has_event) {
        post_link_event(net, flight->link, now > link->busy_until ? now : link->busy_until,
                        (uint8_t)ORR_PART_BANDWIDTH(flight->place.dim));
    }
}

static void on_request(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    if (by_insertion(net)) {
        request_by_insertion(net, (uint32_t)event->cookie);
    } else {
        request_by_label(net, (uint32_t)event->cookie);
    }
}

static void on_link(void *context, const struct orr_event *event)
{
    struct congestion *net = context;
    struct link *link = &net->link[event->cookie];
    link->has_event = false;
    if (!orr_fifo_empty(&link->fifo)) {
        start(net, orr_fifo_pop(&link->fifo, &net->flights));
    }
}

static void on_arrival(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct congestion *)context)->base.listener;
    listener->delivered(listener->context, event->entity, event->label, event->cookie);
}

static void on_sent(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct congestion *)context)->base.listener;
    listener->sent(listener->context, event->entity, event->cookie);
}

static void congestion_send(struct net *base, const struct net_msg *msg)
{
    struct congestion *net = (struct congestion *)base;
    const sim_time now = orr_evq_now(base->queue);
    if (msg->src == msg->dst) {
        post_arrival(net, msg, now, ORR_PART_OTHER);
        return;
    }
    const uint32_t handle = orr_slab_new(&net->flights);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    const uint64_t shift = net_shift(base->config, msg->src, msg->dst);
    struct flight *flight = flight_at(net, handle);
    *flight =
        (struct flight){.waiting = {.label = msg->label, .tie = (uint64_t)UINT32_MAX << 32 | shift},
                        .msg = *msg,
                        .place = {.npu = msg->src, .dim = (uint16_t)base->config->dims}};
    take_next_link(net, flight);
    if (by_insertion(net)) {
        request_by_insertion(net, handle);
    } else {
        post_request(net, handle, now, ORR_PART_OTHER);
    }
}

/* Of all dimensions that differ; without the serialization that every further hop repeats. */
static sim_time congestion_latency(const struct net *base, uint32_t src, uint32_t dst)
{
    const struct congestion *net = (const struct congestion *)base;
    sim_time sum = 0;
    while (src != dst) {
        const struct net_route route = net_route(base->config, src, dst);
        const struct net_dim *dim = &base->config->dim[route.dim];
        const uint32_t stride = net->dim[route.dim].stride;
        sum = orr_time_add(sum, orr_time_mul(dim->latency_ps, route.hops));
        src += (dst / stride % dim->npus - src / stride % dim->npus) * stride;
    }
    return sum;
}

static void congestion_stats(const struct net *base, struct net_dim_stats *stats)
{
    const struct congestion *net = (const struct congestion *)base;
    const uint32_t each = net->npus / net->slots;
    for (unsigned d = 0; d < base->config->dims; d++) {
        const struct net_dim_stats *counted = &net->stats[d];
        stats[d].messages = counted->messages * each;
        stats[d].bytes = counted->bytes * each;
        stats[d].busy_ps = orr_time_mul(counted->busy_ps, each);
        stats[d].servers = (uint64_t)net->npus * net->dim[d].links;
    }
}

static void init_links(struct congestion *net)
{
    for (uint32_t i = 0; i < net->links; i++) {
        orr_fifo_init(&net->link[i].fifo);
    }
}

/* Entities are numbered with 32 bits, NPUs and links together. */
static enum orr_status create_links(struct congestion *net, struct orr_arena *arena,
                                    struct orr_diag *diag)
{
    const struct net_config *config = net->base.config;
    const uint64_t links = link_dims_init(net->dim, config);
    if (links > UINT32_MAX - 1 - net->slots) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network: the %s backend holds at most 2^32 links and NPUs, and this "
                             "network has %.3g links; use the %s backend",
                             net_congestion.name, (double)links, net_analytical.name);
    }
    net->links = (uint32_t)links;
    net->link = orr_arena_array(arena, net->links, sizeof *net->link);
    net->first_entity = orr_evq_add_entities(net->base.queue, net->links);
    if (net->link == NULL || net->first_entity == UINT32_MAX) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    init_links(net);
    return ORR_OK;
}

static enum orr_status congestion_create(struct net **out, const struct net_config *config,
                                         struct orr_evq *queue, struct orr_arena *arena,
                                         struct orr_diag *diag)
{
    struct congestion *net = orr_arena_alloc(arena, sizeof *net);
    if (net == NULL) {
        return orr_diag_no_memory(diag, "the congestion network");
    }
    net->base = (struct net){.ops = &net_congestion, .config = config, .queue = queue};
    net->npus = net_npus(config);
    net->slots = config->fold != NULL ? config->fold->slots : net->npus;
    net->dim = orr_arena_array(arena, config->dims, sizeof *net->dim);
    net->stats = orr_arena_array(arena, config->dims, sizeof *net->stats);
    if (net->dim == NULL || net->stats == NULL) {
        return orr_diag_no_memory(diag, "the congestion network");
    }
    orr_slab_init(&net->flights, arena, sizeof(struct flight));
    const enum orr_status status = create_links(net, arena, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_evq_handle(queue, EVENT_ARRIVAL, on_arrival, net);
    orr_evq_handle(queue, EVENT_REQUEST, on_request, net);
    orr_evq_handle(queue, EVENT_LINK, on_link, net);
    orr_evq_handle(queue, EVENT_SENT, on_sent, net);
    *out = &net->base;
    return ORR_OK;
}

const struct net_ops net_congestion = {
    .name = "congestion",
    .summary = "every link is a FIFO server; whole messages, store-and-forward",
    .tells_sent = true,
    .shares_links = true,
    .create = congestion_create,
    .send = congestion_send,
    .latency = congestion_latency,
    .stats = congestion_stats,
};
