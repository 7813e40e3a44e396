/* The congestion backend (docs/models.md, section 4; the reference's congestion-aware network).
 * Every directed link of link_net.h is a FIFO server. Messages are store-and-forward, unsplit or in
 * packets. A link is busy for bytes / bandwidth; the message reaches the far end one latency later.
 *
 * Packets: a message requests its first link once, and all of its packets wait at that position of
 * the queue. They follow each other on one path, so the message arrives with its last packet.
 *
 * Insertion order: a message takes its link as soon as it requests it; starting posts first its
 * arrival, then the link's release (the reference's order).
 *
 * Label order: a link is an entity, and requests are its events. An idle link starts a message one
 * round after the first request, when all requests of the round are known. A link posts events of
 * its own only while messages wait. Equal requests (same link, instant and label) are ordered by
 * hops done, largest first, then by the shift from source to destination, which is invariant under
 * shifts of the topology (also in a graph of stacked dimensions). Other graphs have no shifts:
 * there by source and destination.
 *
 * Folding: a link of an NPU that represents its class represents the same link of each NPU of the
 * class. A message of such an NPU crosses it once for every hop over one of these links, as the
 * messages of the class do in the unfolded run. */
#include "core/fold.h"
#include "network/backends/channel_queue.h"
#include "network/backends/congestion_private.h"
#include "network/backends/link_capacity.h"
#include "network/backends/packet_key.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/net_config.h"

extern const struct net_ops orr_net_congestion;

/* The backend's options. */
struct congestion_keys {
    uint64_t packet_bytes; /* 0: messages are not split */
};

static const struct congestion_keys *keys_of(const struct net_config *config)
{
    return net_backend_values(config, &orr_net_congestion);
}

void orr_congestion_post_link(struct congestion *net, uint32_t link, sim_time time, uint8_t part)
{
    const struct orr_event event = {
        .label = LINK_LABEL,
        .cookie = net->changes == NULL ? link : orr_congestion_link_cookie(net, link),
        .entity = net->first_entity + link,
        .kind = EVENT_LINK,
        .part = part};
    net->link[link].has_event = true;
    if (net->changes != NULL && time == ORR_TIME_MAX) {
        return; /* the link is stalled until its capacity changes */
    }
    orr_evq_post(net->linked.base.queue, time, &event);
}

void orr_congestion_keep_freed(struct congestion *net, uint32_t link, uint8_t part, sim_time time)
{
    if (net->freed != NULL) {
        struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
        orr_cause_drop(causes, net->freed[link]);
        net->freed[link] = orr_cause_hold(causes, part, time);
    }
}

static void post_request(struct congestion *net, uint32_t handle, sim_time time, uint8_t part)
{
    const struct flight *flight = flight_at(net, handle);
    struct channel_queue *channels = net->linked.channels;
    if (channels != NULL && orr_channel_queue_is_full(channels, flight->link)) {
        const struct channel_pass pass = {.msg = &flight->msg,
                                          .link = flight->link,
                                          .dim = flight->position.dim,
                                          .tie = flight->waiting.tie,
                                          .cookie = handle};
        orr_channel_queue_pass(channels, &pass, time);
        return;
    }
    const struct orr_event event = {.label = flight->msg.label,
                                    .cookie = handle,
                                    .entity = net->first_entity + flight->link,
                                    .kind = EVENT_REQUEST,
                                    .part = part};
    orr_evq_post(net->linked.base.queue, time, &event);
}

static void post_sent(struct congestion *net, const struct net_msg *msg, uint32_t link,
                      sim_time time, uint8_t part)
{
    const struct orr_event event = {.label = SENT_LABEL | link,
                                    .cookie = msg->source_cookie,
                                    .entity = net_slot(net->linked.base.config, msg->src).slot,
                                    .kind = EVENT_SENT,
                                    .part = part};
    orr_evq_post(net->linked.base.queue, time, &event);
}

/* Counts the message, or its packet, in the dimension that it enters. */
static void count(struct congestion *net, const struct flight *flight)
{
    if (!flight->followed) {
        link_net_count_message(&net->linked, flight->position.dim, flight->bytes);
    } else {
        net->linked.stats[flight->position.dim].bytes += flight->bytes;
    }
}

/* Chooses the flight's next link. */
static void choose_next_link(struct congestion *net, struct flight *flight)
{
    const unsigned before = flight->position.dim;
    if (flight->ahead != NULL) {
        flight->link = *flight->ahead++;
        flight->hops--;
        return;
    }
    flight->link = orr_link_next(net->linked.base.config, net->linked.dim, &flight->position,
                                 flight->msg.dst.rank, flight->msg.backwards);
    if (flight->position.dim != before) {
        count(net, flight);
    }
}

static bool is_last_link(const struct flight *flight)
{
    return flight->ahead != NULL
               ? flight->hops == 0
               : flight->position.npu == flight->msg.dst.rank && !flight->position.in_switch;
}

/* Posts the arrival at the destination, or the request of the next link. */
static void post_next(struct congestion *net, uint32_t handle, sim_time time)
{
    struct flight *flight = flight_at(net, handle);
    const uint8_t part = (uint8_t)ORR_PART_LATENCY(flight->position.dim);
    if (is_last_link(flight)) {
        if (!flight->followed) {
            orr_link_net_post_arrival(&net->linked, &flight->msg, EVENT_ARRIVAL, time, part);
        }
        orr_slab_free(&net->flights, handle);
        return;
    }
    flight->waiting.tie -= UINT64_C(1) << (flight->ahead != NULL ? GRAPH_HOP_BITS : HOP_BITS);
    choose_next_link(net, flight);
    post_request(net, handle, time, part);
}

struct hop_times {
    sim_time busy, arrival; /* after the start */
};

static sim_time truncate_to_ns(double ns)
{
    return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

static struct hop_times times_of(const struct congestion *net, const struct flight *flight)
{
    const struct net_config *config = net->linked.base.config;
    const unsigned d = flight->position.dim;
    if (config->graph != NULL) {
        const struct net_link *link = &net->linked.rest->link[flight->link];
        const sim_time busy = orr_time_add(
            overhead_of(net, flight), orr_time_of_bytes(flight->bytes, net_link_capacity(link)));
        return (struct hop_times){.busy = busy, .arrival = orr_time_add(busy, link->latency_ps)};
    }
    if (config->whole_ns) {
        const double ns = (double)flight->bytes / net->linked.dim[d].given_bytes_per_ns;
        return (struct hop_times){.busy = truncate_to_ns(ns),
                                  .arrival = truncate_to_ns(config->dim[d].given_latency_ns + ns)};
    }
    const sim_time busy = orr_time_add(
        overhead_of(net, flight), orr_time_of_bytes(flight->bytes, net->linked.dim[d].bytes_per_s));
    return (struct hop_times){.busy = busy,
                              .arrival = orr_time_add(busy, config->dim[d].latency_ps)};
}

/* Starts the flight on its idle link. */
static void start(struct congestion *net, uint32_t handle)
{
    if (net->changes != NULL) {
        orr_congestion_serve(net, handle);
        return;
    }
    struct flight *flight = flight_at(net, handle);
    const struct net_msg msg = flight->msg;
    const uint32_t index = flight->link;
    const bool departs = !flight->departed && !flight->followed;
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(flight->position.dim);
    const struct hop_times times = times_of(net, flight);
    struct link *link = &net->link[index];
    const sim_time now = orr_evq_now(net->linked.base.queue);
    flight->departed = true;
    link_net_count_link(&net->linked, flight->position.dim, index, flight->bytes, times.busy);
    link->busy_until = orr_time_add(now, times.busy);
    net_use(&net->linked.base, flight->position.dim, now, link->busy_until, (double)times.busy);
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    orr_cause_spend(causes, part, link->busy_until);
    orr_congestion_keep_freed(net, index, part, link->busy_until);
    post_next(net, handle, orr_time_add(now, times.arrival));
    if (by_insertion(net) || !orr_fifo_empty(&link->fifo)) {
        orr_congestion_post_link(net, index, link->busy_until, part);
    }
    if (departs && net->linked.base.listener.sent != NULL) {
        post_sent(net, &msg, index, link->busy_until, part);
    }
    orr_cause_leave(causes, before);
}

/* The flight crosses a record whose links are all lanes of channels. */
static void on_passes(void *context, uint64_t cookie, sim_time leaves, sim_time arrives)
{
    struct congestion *net = context;
    struct flight *flight = flight_at(net, (uint32_t)cookie);
    const struct net_msg msg = flight->msg;
    const bool departs = !flight->departed && !flight->followed;
    const uint32_t link = flight->link;
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(flight->position.dim);
    flight->departed = true;
    post_next(net, (uint32_t)cookie, arrives);
    if (departs && net->linked.base.listener.sent != NULL) {
        post_sent(net, &msg, link, leaves, part);
    }
}

/* Starts the first queued flight, or its next packet. */
static void start_first(struct congestion *net, struct link *link)
{
    const uint64_t packet = net->packet_bytes;
    struct flight *first = flight_at(net, link->fifo.head);
    if (packet == 0 || first->bytes <= packet) {
        start(net, orr_fifo_pop(&link->fifo, &net->flights));
        return;
    }
    const uint32_t handle = orr_slab_new(&net->flights);
    if (handle == ORR_SLAB_NONE ||
        (net->changes != NULL && !orr_congestion_track(net, handle, link->fifo.head))) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return;
    }
    struct flight *one = flight_at(net, handle);
    *one = *first;
    one->bytes = packet;
    one->followed = first->follows = true;
    first->bytes -= packet;
    start(net, handle);
}

static void request_by_insertion(struct congestion *net, uint32_t handle)
{
    struct link *link = &net->link[flight_at(net, handle)->link];
    orr_fifo_append(&link->fifo, &net->flights, handle);
    if (!link->has_event) {
        start_first(net, link);
    }
}

/* Posts the link's next start, at once or when it becomes idle, with the cause of the later of the
 * two. */
static void post_start_next(struct congestion *net, const struct flight *flight, sim_time now)
{
    const sim_time busy_until = net->link[flight->link].busy_until;
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(flight->position.dim);
    if (net->freed == NULL || busy_until <= now || busy_until == ORR_TIME_MAX) {
        orr_congestion_post_link(net, flight->link, now > busy_until ? now : busy_until, part);
        return;
    }
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const orr_cause before = orr_cause_enter(causes, net->freed[flight->link]);
    orr_congestion_post_link(net, flight->link, busy_until, part);
    orr_cause_leave(causes, before);
}

static void request_by_label(struct congestion *net, uint32_t handle)
{
    struct flight *flight = flight_at(net, handle);
    struct link *link = &net->link[flight->link];
    const sim_time now = orr_evq_now(net->linked.base.queue);
    flight->waiting.since = now;
    orr_fifo_insert(&link->fifo, &net->flights, handle);
    if (!link->has_event) {
        post_start_next(net, flight, now);
    }
}

void orr_congestion_request(struct congestion *net, uint32_t handle)
{
    if (by_insertion(net)) {
        request_by_insertion(net, handle);
    } else {
        request_by_label(net, handle);
    }
}

static void on_request(void *context, const struct orr_event *event)
{
    orr_congestion_request(context, (uint32_t)event->cookie);
}

static void on_sent(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct congestion *)context)->linked.base.listener;
    listener->sent(listener->context, orr_slot(event->entity), event->cookie);
}

void orr_congestion_start_next(struct congestion *net, uint32_t index)
{
    struct link *link = &net->link[index];
    link->has_event = false;
    if (!orr_fifo_empty(&link->fifo)) {
        start_first(net, link);
    }
}

static void on_link(void *context, const struct orr_event *event)
{
    orr_congestion_start_next(context, (uint32_t)event->cookie);
}

/* Finds the first link of a message. */
static enum orr_status begin(struct congestion *net, struct flight *flight)
{
    const struct net_config *config = net->linked.base.config;
    const struct net_msg msg = flight->msg;
    struct net_route_links route;
    if (config->graph == NULL) {
        const uint64_t shift = orr_net_shift(config, msg.src.rank, msg.dst.rank);
        flight->waiting.tie = (uint64_t)UINT32_MAX << HOP_BITS | shift;
        flight->position =
            (struct link_position){.npu = msg.src.rank, .dim = (uint16_t)config->dims};
        choose_next_link(net, flight);
        return ORR_OK;
    }
    const enum orr_status status = orr_link_net_path(&net->linked, &msg, &route);
    if (status == ORR_OK) {
        const uint64_t ends = net->stacked ? orr_net_shift(config, msg.src.rank, msg.dst.rank)
                                           : (uint64_t)msg.src.rank << 24 | msg.dst.rank;
        flight->waiting.tie = (uint64_t)UINT16_MAX << GRAPH_HOP_BITS | ends;
        flight->position.dim = (uint16_t)orr_link_net_dim(&net->linked, msg.src.rank, msg.dst.rank);
        flight->ahead = route.link;
        flight->hops = route.hops;
        count(net, flight);
        choose_next_link(net, flight);
    }
    return status;
}

static void congestion_send(struct net *base, const struct net_msg *msg)
{
    struct congestion *net = (struct congestion *)base;
    const sim_time now = orr_evq_now(base->queue);
    if (msg->src.rank == msg->dst.rank) {
        orr_link_net_post_arrival(&net->linked, msg, EVENT_ARRIVAL, now, ORR_PART_OTHER);
        return;
    }
    if (net_has_channel(msg)) {
        orr_channel_queue_send(net->linked.channels, msg);
        return;
    }
    const uint32_t handle = orr_slab_new(&net->flights);
    if (handle == ORR_SLAB_NONE ||
        (net->changes != NULL && !orr_congestion_track(net, handle, ORR_SLAB_NONE))) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    struct flight *flight = flight_at(net, handle);
    *flight = (struct flight){
        .waiting = {.order = msg->order, .label = msg->label}, .msg = *msg, .bytes = msg->bytes};
    const enum orr_status status = begin(net, flight);
    if (status != ORR_OK) {
        orr_evq_stop(base->queue, status);
    } else if (by_insertion(net)) {
        request_by_insertion(net, handle);
    } else {
        post_request(net, handle, now, ORR_PART_OTHER);
    }
}

static enum orr_status create_links(struct congestion *net, struct orr_diag *diag)
{
    const uint32_t links = net->linked.links;
    net->link = orr_arena_array(net->linked.arena, (size_t)links + 1, sizeof *net->link);
    net->first_entity = orr_evq_add_entities(net->linked.base.queue, links);
    if (net->link == NULL || net->first_entity == UINT32_MAX) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (uint32_t i = 0; i < links; i++) {
        orr_fifo_init(&net->link[i].fifo);
    }
    if (orr_evq_causes(net->linked.base.queue) != NULL) {
        net->freed = orr_arena_array(net->linked.arena, (size_t)links + 1, sizeof *net->freed);
        return net->freed != NULL ? ORR_OK : orr_diag_no_memory(diag, "the links of the network");
    }
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
    net->linked.base = (struct net){.ops = &orr_net_congestion, .config = config, .queue = queue};
    net->stacked = orr_net_is_stacked(config);
    net->packet_bytes = keys_of(config)->packet_bytes;
    orr_slab_init(&net->flights, arena, sizeof(struct flight));
    enum orr_status status = orr_link_net_init(&net->linked, arena, diag);
    if (status == ORR_OK) {
        status = create_links(net, diag);
    }
    if (status == ORR_OK) {
        status = orr_channel_queue_create(&net->linked, on_passes, diag);
    }
    if (status == ORR_OK) {
        orr_evq_handle(queue, EVENT_ARRIVAL, orr_link_net_on_arrival, net);
        orr_evq_handle(queue, EVENT_REQUEST, on_request, net);
        orr_evq_handle(queue, EVENT_LINK, on_link, net);
        orr_evq_handle(queue, EVENT_SENT, on_sent, net);
        *out = &net->linked.base;
    }
    return status == ORR_OK && orr_net_changes(config) ? orr_congestion_capacity_create(net, diag)
                                                       : status;
}

/* ---- keys ---- */

static const struct orr_key keys[] = {
    NET_PACKET_KEY(offsetof(struct congestion_keys, packet_bytes)),
};

static const struct congestion_keys defaults = {0};

static const struct net_backend_keys own = {
    .table = {.keys = keys, .count = sizeof keys / sizeof *keys},
    .bytes = sizeof defaults,
    .defaults = &defaults};

static bool has_no_packets(const struct net_config *config)
{
    return keys_of(config)->packet_bytes == 0;
}

static const char *congestion_unfoldable(const struct net_config *config)
{
    return has_no_packets(config) ? NULL : "messages go in packets";
}

static const struct net_link_ops links = {
    .count = orr_link_net_links,
    .is_store_and_forward = has_no_packets,
    .bytes = orr_link_net_link_bytes,
    .path = orr_link_net_current_path,
};

static const struct net_capacity_ops capacities = {
    .set = orr_congestion_set_capacities,
    .offered = orr_link_capacity_offered,
    .working = orr_link_capacity_working,
    .waiting = orr_congestion_waiting,
};

static const struct net_fold_ops folding = {
    .has_transit = orr_link_net_is_passed,
    .unfoldable = congestion_unfoldable,
};

const struct net_ops orr_net_congestion = {
    .name = "congestion",
    .summary = "every link is a FIFO server; messages store-and-forward, whole or in packets",
    .own = &own,
    .reports_sent = true,
    .create = congestion_create,
    .send = congestion_send,
    .latency = orr_link_net_latency,
    .stats = orr_link_net_stats,
    .stuck = orr_congestion_stuck,
    .destroy = orr_link_net_destroy,
    .links = &links,
    .capacities = &capacities,
    .folding = &folding,
};
