/* See channel_queue.h. A lane is an entity, like a link of the congestion backend. Requests are
 * events of the lane. An idle lane starts a message two rounds after the first request, when all
 * requests of messages that ended at this instant are known. A lane posts events of its own only
 * while messages wait. */
#include "network/backends/channel_queue.h"

#include "core/evq.h"
#include "core/fifo.h"
#include "core/fold.h"
#include "core/slab.h"
#include "network/channel.h"
#include "network/net.h"

enum { EVENT_CHANNEL = ORR_EVENT_NETWORK + 6 };

/* Kinds of event (aux). Forwarding begins and ends at the NPU that forwards. */
enum { REQUEST, SERVE, SENT, ARRIVED, BEGINS, ENDS };

/* A lane's serve event comes after the requests of its round; a departure comes after the
 * deliveries and departures of the backend's own links. */
#define SERVE_LABEL UINT64_MAX
#define LATE_LABEL (UINT64_C(3) << 62)

struct lane {
    struct orr_fifo fifo;
    sim_time busy_until;
    uint32_t link;
    bool has_event; /* a serve event is pending */
    bool looks;     /* the serve event is in the next round of this instant */
};

/* A queued message, or one on a lane. */
struct queued_msg {
    struct orr_fifo_item waiting; /* must be first */
    struct net_msg msg;
    const struct net_channel *route; /* NULL: it only crosses this lane */
    uint64_t cookie;                 /* of that message */
    uint32_t hop, lane;
    unsigned dim; /* dimension of its statistics */
};

struct channel_queue {
    struct link_net *linked;
    channel_queue_passes passes;
    struct lane *lane;
    uint32_t *first;   /* [links] first lane of a record; UINT32_MAX: no channel uses it */
    uint32_t *unnamed; /* [links] parallel links that no channel uses */
    uint32_t lanes, first_entity;
    struct orr_slab queued_msgs;
};

static struct queued_msg *queued_msg_at(const struct channel_queue *channels, uint32_t handle)
{
    return orr_slab_at(&channels->queued_msgs, handle);
}

static const struct net_link *link_of(const struct channel_queue *channels, uint32_t lane)
{
    return &channels->linked->base.config->graph->link[channels->lane[lane].link];
}

static void post(struct channel_queue *channels, sim_time time, const struct orr_event *event)
{
    orr_evq_post(channels->linked->base.queue, time, event);
}

/* ---- queues ---- */

static void post_serve(struct channel_queue *channels, uint32_t lane, sim_time time, uint8_t part)
{
    const struct orr_event event = {.label = SERVE_LABEL,
                                    .cookie = lane,
                                    .entity = channels->first_entity + lane,
                                    .kind = EVENT_CHANNEL,
                                    .aux = SERVE,
                                    .part = part};
    channels->lane[lane].has_event = true;
    post(channels, time, &event);
}

static void post_request(struct channel_queue *channels, uint32_t handle, sim_time time,
                         uint8_t part)
{
    const struct queued_msg *queued_msg = queued_msg_at(channels, handle);
    const struct orr_event event = {.label = queued_msg->msg.label,
                                    .cookie = handle,
                                    .entity = channels->first_entity + queued_msg->lane,
                                    .kind = EVENT_CHANNEL,
                                    .aux = REQUEST,
                                    .part = part};
    post(channels, time, &event);
}

static void enqueue(struct channel_queue *channels, uint32_t handle)
{
    struct queued_msg *queued_msg = queued_msg_at(channels, handle);
    struct lane *lane = &channels->lane[queued_msg->lane];
    const sim_time now = orr_evq_now(channels->linked->base.queue);
    queued_msg->waiting.since = now;
    orr_fifo_insert(&lane->fifo, &channels->queued_msgs, handle);
    if (!lane->has_event) {
        post_serve(channels, queued_msg->lane, now > lane->busy_until ? now : lane->busy_until,
                   (uint8_t)ORR_PART_BANDWIDTH(queued_msg->dim));
    }
}

/* ---- in flight ---- */

/* Posts an event about the message at an NPU; a lane has at most one of a kind at a time. */
static void post_at(struct channel_queue *channels, const struct queued_msg *queued_msg,
                    struct orr_event_tail tail, uint64_t cookie, sim_time time)
{
    const bool late = tail.aux != ARRIVED;
    const struct orr_event event = {.label = late ? LATE_LABEL | queued_msg->lane
                                                  : queued_msg->msg.label,
                                    .cookie = cookie,
                                    .entity = tail.entity,
                                    .kind = EVENT_CHANNEL,
                                    .aux = tail.aux,
                                    .part = tail.part};
    post(channels, time, &event);
}

/* The node where the message's hop starts. */
static uint32_t node_of(const struct channel_queue *channels, const struct queued_msg *queued_msg)
{
    return link_of(channels, queued_msg->lane)->from;
}

static bool reports_forwarding(const struct channel_queue *channels, uint32_t node)
{
    const struct net *base = &channels->linked->base;
    return base->listener.forwards != NULL && node < base->config->graph->npus;
}

/* The lane is free at `time`; reports that the message has left the lane's node. */
static void post_leaving(struct channel_queue *channels, const struct queued_msg *queued_msg,
                         sim_time time)
{
    const uint32_t node = node_of(channels, queued_msg);
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(queued_msg->dim);
    if (queued_msg->hop == 0 && channels->linked->base.listener.sent != NULL) {
        post_at(channels, queued_msg,
                (struct orr_event_tail){.entity = node, .aux = SENT, .part = part},
                queued_msg->msg.source_cookie, time);
    } else if (queued_msg->hop != 0 && reports_forwarding(channels, node)) {
        post_at(channels, queued_msg,
                (struct orr_event_tail){.entity = node, .aux = ENDS, .part = part}, 0, time);
    }
}

static uint32_t lane_of(const struct channel_queue *channels, const struct net_hop *hop)
{
    return channels->first[hop->link] + hop->lane;
}

/* Posts the complete message's arrival at the lane's end: its destination, or its next hop. */
static void post_arrival(struct channel_queue *channels, uint32_t handle, sim_time time)
{
    struct queued_msg *queued_msg = queued_msg_at(channels, handle);
    const uint8_t part = (uint8_t)ORR_PART_LATENCY(queued_msg->dim);
    const uint32_t node = link_of(channels, queued_msg->lane)->to;
    queued_msg->hop++;
    if (queued_msg->hop == queued_msg->route->hops) {
        post_at(channels, queued_msg,
                (struct orr_event_tail){.entity = node, .aux = ARRIVED, .part = part},
                queued_msg->msg.cookie, time);
        orr_slab_free(&channels->queued_msgs, handle);
        return;
    }
    queued_msg->lane = lane_of(channels, &queued_msg->route->hop[queued_msg->hop]);
    if (reports_forwarding(channels, node)) {
        post_at(channels, queued_msg,
                (struct orr_event_tail){.entity = node, .aux = BEGINS, .part = part}, handle, time);
    } else {
        post_request(channels, handle, time, part);
    }
}

/* Starts the first queued message on the idle lane. */
static void start(struct channel_queue *channels, uint32_t index)
{
    struct link_net *linked = channels->linked;
    struct lane *lane = &channels->lane[index];
    const struct net_link *link = link_of(channels, index);
    const uint32_t handle = orr_fifo_pop(&lane->fifo, &channels->queued_msgs);
    const struct queued_msg queued_msg = *queued_msg_at(channels, handle);
    const sim_time now = orr_evq_now(linked->base.queue);
    const sim_time busy = orr_time_add(linked->base.config->message_overhead_ps,
                                       orr_time_of_bytes(queued_msg.msg.bytes, link->bytes_per_s));
    const uint8_t part = (uint8_t)ORR_PART_BANDWIDTH(queued_msg.dim);
    lane->busy_until = orr_time_add(now, busy);
    const sim_time arrives = orr_time_add(lane->busy_until, link->latency_ps);
    struct orr_causes *causes = orr_evq_causes(linked->base.queue);
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    link_net_count_link(linked, queued_msg.dim, lane->link, queued_msg.msg.bytes, busy);
    net_use(&linked->base, queued_msg.dim, now, lane->busy_until, (double)busy);
    orr_cause_spend(causes, part, lane->busy_until);
    if (!orr_fifo_empty(&lane->fifo)) {
        post_serve(channels, index, lane->busy_until, part);
    }
    if (queued_msg.route != NULL) {
        post_leaving(channels, &queued_msg, lane->busy_until);
        post_arrival(channels, handle, arrives);
    } else {
        orr_slab_free(&channels->queued_msgs, handle);
        channels->passes(linked, queued_msg.cookie, lane->busy_until, arrives);
    }
    orr_cause_leave(causes, before);
}

/* A message that ends at this instant can be forwarded at this instant, and then requests the lane
 * one round later. The lane waits for such requests, so that its choice does not depend on which
 * message ended last. */
static void on_serve(struct channel_queue *channels, uint32_t index, uint8_t part)
{
    struct lane *lane = &channels->lane[index];
    lane->has_event = false;
    lane->looks = !lane->looks;
    if (lane->looks) {
        post_serve(channels, index, orr_evq_now(channels->linked->base.queue), part);
    } else {
        start(channels, index);
    }
}

static void on_channel(void *context, const struct orr_event *event)
{
    struct channel_queue *channels = context;
    const struct net_listener *listener = &channels->linked->base.listener;
    switch (event->aux) {
    case REQUEST:
        enqueue(channels, (uint32_t)event->cookie);
        break;
    case SERVE:
        on_serve(channels, (uint32_t)event->cookie, event->part);
        break;
    case SENT:
        listener->sent(listener->context, orr_slot(event->entity), event->cookie);
        break;
    case ARRIVED:
        listener->delivered(listener->context, orr_slot(event->entity), event->label,
                            event->cookie);
        break;
    case BEGINS:
        listener->forwards(listener->context, orr_slot(event->entity), 1);
        post_request(channels, (uint32_t)event->cookie, orr_evq_now(channels->linked->base.queue),
                     ORR_PART_OTHER);
        break;
    default:
        listener->forwards(listener->context, orr_slot(event->entity), -1);
        break;
    }
}

/* ---- the interface ---- */

static struct queued_msg *new_queued_msg(struct channel_queue *channels, const struct net_msg *msg,
                                         uint32_t *handle)
{
    *handle = orr_slab_new(&channels->queued_msgs);
    if (*handle == ORR_SLAB_NONE) {
        orr_evq_stop(channels->linked->base.queue, ORR_ERR_MEMORY);
        return NULL;
    }
    struct queued_msg *queued_msg = queued_msg_at(channels, *handle);
    *queued_msg =
        (struct queued_msg){.waiting = {.order = msg->order, .label = msg->label}, .msg = *msg};
    return queued_msg;
}

void orr_channel_queue_send(struct channel_queue *channels, const struct net_msg *msg)
{
    struct link_net *linked = channels->linked;
    uint32_t handle;
    struct queued_msg *queued_msg = new_queued_msg(channels, msg, &handle);
    if (queued_msg == NULL) {
        return;
    }
    ORR_ASSERT(msg->channel <= linked->base.config->channels);
    queued_msg->route = &linked->base.config->channel[msg->channel - 1];
    ORR_ASSERT(queued_msg->route->from == msg->src.rank && queued_msg->route->to == msg->dst.rank);
    queued_msg->waiting.tie = (uint64_t)msg->src.rank << 32 | msg->dst.rank;
    queued_msg->dim = orr_link_net_dim(linked, msg->src.rank, msg->dst.rank);
    queued_msg->lane = lane_of(channels, &queued_msg->route->hop[0]);
    link_net_count_message(linked, queued_msg->dim, msg->bytes);
    post_request(channels, handle, orr_evq_now(linked->base.queue), ORR_PART_OTHER);
}

void orr_channel_queue_pass(struct channel_queue *channels, const struct channel_pass *pass,
                            sim_time time)
{
    uint32_t handle;
    struct queued_msg *queued_msg = new_queued_msg(channels, pass->msg, &handle);
    if (queued_msg == NULL) {
        return;
    }
    queued_msg->waiting.tie = pass->tie;
    queued_msg->cookie = pass->cookie;
    queued_msg->dim = pass->dim;
    queued_msg->lane = channels->first[pass->link];
    const bool later = time > orr_evq_now(channels->linked->base.queue);
    post_request(channels, handle, time,
                 (uint8_t)(later ? ORR_PART_LATENCY(pass->dim) : ORR_PART_OTHER));
}

bool orr_channel_queue_is_full(const struct channel_queue *channels, uint32_t link)
{
    return channels->unnamed[link] == 0;
}

/* ---- creation ---- */

/* Finds the lanes that channels use; all parallel links of such a record are numbered. */
static bool find_lanes(struct channel_queue *channels)
{
    const struct net_config *config = channels->linked->base.config;
    const struct net_graph *graph = config->graph;
    channels->first =
        orr_arena_array(channels->linked->arena, (size_t)graph->links + 1, sizeof *channels->first);
    channels->unnamed = orr_arena_array(channels->linked->arena, (size_t)graph->links + 1,
                                        sizeof *channels->unnamed);
    if (channels->first == NULL || channels->unnamed == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        channels->first[i] = UINT32_MAX;
        channels->unnamed[i] = graph->link[i].count;
    }
    for (uint32_t c = 0; c < config->channels; c++) {
        for (uint32_t h = 0; h < config->channel[c].hops; h++) {
            const uint32_t link = config->channel[c].hop[h].link;
            if (channels->first[link] == UINT32_MAX) {
                channels->first[link] = channels->lanes;
                channels->lanes += graph->link[link].count;
            }
        }
    }
    return true;
}

static bool create_lanes(struct channel_queue *channels)
{
    const struct net_config *config = channels->linked->base.config;
    channels->lane =
        orr_arena_array(channels->linked->arena, channels->lanes, sizeof *channels->lane);
    bool *named = orr_arena_array(channels->linked->arena, channels->lanes, sizeof *named);
    channels->first_entity = orr_evq_add_entities(channels->linked->base.queue, channels->lanes);
    if (channels->lane == NULL || named == NULL || channels->first_entity == UINT32_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < config->graph->links; i++) {
        const uint32_t count = channels->first[i] != UINT32_MAX ? config->graph->link[i].count : 0;
        for (uint32_t j = 0; j < count; j++) {
            channels->lane[channels->first[i] + j].link = i;
            orr_fifo_init(&channels->lane[channels->first[i] + j].fifo);
        }
    }
    for (uint32_t c = 0; c < config->channels; c++) {
        for (uint32_t h = 0; h < config->channel[c].hops; h++) {
            const uint32_t lane = lane_of(channels, &config->channel[c].hop[h]);
            channels->unnamed[config->channel[c].hop[h].link] -= named[lane] ? 0 : 1;
            named[lane] = true;
        }
    }
    return true;
}

/* The graph for messages without a channel: the unused parallel links, or the first lane if all are
 * used. */
static bool leave_rest(struct channel_queue *channels)
{
    struct link_net *linked = channels->linked;
    struct net_graph *rest = orr_arena_alloc(linked->arena, sizeof *rest);
    struct net_link *link = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *link);
    if (rest == NULL || link == NULL) {
        return false;
    }
    *rest = *linked->base.config->graph;
    for (uint32_t i = 0; i < linked->links; i++) {
        link[i] = rest->link[i];
        link[i].count = channels->unnamed[i] != 0 ? channels->unnamed[i] : 1;
    }
    rest->link = link;
    linked->rest = rest;
    return true;
}

enum orr_status orr_channel_queue_create(struct link_net *linked, channel_queue_passes passes,
                                         struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    if (config->channels == 0) {
        return ORR_OK;
    }
    struct channel_queue *channels = orr_arena_alloc(linked->arena, sizeof *channels);
    if (channels == NULL) {
        return orr_diag_no_memory(diag, "the channels of the network");
    }
    *channels = (struct channel_queue){.linked = linked, .passes = passes};
    orr_slab_init(&channels->queued_msgs, linked->arena, sizeof(struct queued_msg));
    if (!find_lanes(channels) || !create_lanes(channels) || !leave_rest(channels)) {
        return orr_diag_no_memory(diag, "the channels of the network");
    }
    orr_evq_handle(linked->base.queue, EVENT_CHANNEL, on_channel, channels);
    linked->channels = channels;
    return ORR_OK;
}
