/* The flow backend (docs/models.md, section 4): messages are fluid flows with max-min fair shares
 * of the links of link_net.h. Latency is added once: a message is sent when its flow ends, and
 * arrives after the latencies of its links.
 *
 * Folding: a link of an NPU that represents its class represents the same link of each NPU of the
 * class. A flow crosses it once for every hop over one of these links, as the flows of the class do
 * in the unfolded run. */
#include <math.h>

#include "core/conf/conf.h"
#include "network/backends/channel_queue.h"
#include "network/backends/flow_keys.h"
#include "network/backends/flow_private.h"
#include "network/net_config.h"
#include "network/topology/block_links.h"

extern const struct net_ops orr_net_flow;

static const struct flow_keys *keys_of(const struct net_config *config)
{
    return net_backend_values(config, &orr_net_flow);
}

#define SENT_LABEL (UINT64_C(1) << 63)

static void post_sent(struct flow_net *net, const struct net_msg *msg, uint32_t handle,
                      sim_time time)
{
    const struct orr_event event = {.label = SENT_LABEL | msg->label,
                                    .cookie = handle,
                                    .entity = net_slot(net->linked.base.config, msg->src).slot,
                                    .kind = EVENT_FLOW_SENT,
                                    .part = ORR_PART_OTHER};
    orr_evq_post(net->linked.base.queue, time, &event);
}

static void report_sent(const struct flow_net *net, const struct net_msg *msg)
{
    const struct net_listener *listener = &net->linked.base.listener;
    if (listener->sent != NULL) {
        listener->sent(listener->context, net_slot(net->linked.base.config, msg->src),
                       msg->source_cookie);
    }
}

/* ---- counting ---- */

/* Counts the message in a graph, and the links that it crosses as a flow. */
static void count_in_graph(struct flow_net *net, struct flow_msg *flow_msg)
{
    const struct net_msg *msg = &flow_msg->msg;
    flow_msg->dim = orr_link_net_dim(&net->linked, msg->src.rank, msg->dst.rank);
    link_net_count_message(&net->linked, flow_msg->dim, msg->bytes);
}

static void count_links(struct flow_net *net, const struct flow_msg *flow_msg,
                        const struct net_route_links *part)
{
    for (uint32_t h = 0; h < part->hops; h++) {
        const struct net_link *link = &net->linked.rest->link[part->link[h]];
        link_net_count_link(&net->linked, flow_msg->dim, part->link[h], flow_msg->msg.bytes,
                            orr_time_of_bytes(flow_msg->msg.bytes, net_link_capacity(link)));
    }
}

/* The dimension of a link's busy time. */
static unsigned dim_of_link(const struct flow_net *net, const struct flow_msg *flow_msg,
                            uint32_t link)
{
    unsigned dim = net->linked.router != NULL ? flow_msg->dim : net->linked.base.config->dims - 1;
    while (net->linked.router == NULL && dim > 0 && net->linked.dim[dim].first_link > link) {
        dim--;
    }
    return dim;
}

/* The slowest link of the path is busy for the overhead, the others for a part in proportion to
 * their time per byte. */
static void count_overhead(struct flow_net *net, const struct flow_msg *flow_msg,
                           const struct net_route_links *part)
{
    const struct net_config *config = net->linked.base.config;
    const struct net_link *link = net->linked.rest->link;
    double narrowest = INFINITY;
    for (uint32_t h = 0; h < part->hops; h++) {
        narrowest = fmin(narrowest, net_link_capacity(&link[part->link[h]]));
    }
    for (uint32_t h = 0; h < part->hops; h++) {
        const uint32_t index = part->link[h];
        const double share = narrowest / net_link_capacity(&link[index]);
        net->linked.stats[dim_of_link(net, flow_msg, index)].busy_ps +=
            orr_time_scale(config->message_overhead_ps, share);
    }
}

/* ---- records whose links are all lanes of channels ---- */

/* Continues the message at `time`: over a lane, or as a flow up to the next record that is full of
 * lanes. */
static void cross(struct flow_net *net, uint32_t handle, sim_time time)
{
    struct flow_msg *flow_msg = flow_msg_at(net, handle);
    struct channel_queue *channels = net->linked.channels;
    struct net_route_links part = {.link = flow_msg->rest.link};
    const bool by_lane = orr_channel_queue_is_full(channels, part.link[0]);
    do {
        part.hops++;
    } while (!by_lane && part.hops < flow_msg->rest.hops &&
             !orr_channel_queue_is_full(channels, part.link[part.hops]));
    flow_msg->rest.link += part.hops;
    flow_msg->rest.hops -= part.hops;
    if (by_lane) {
        const struct channel_pass pass = {.msg = &flow_msg->msg,
                                          .link = part.link[0],
                                          .dim = flow_msg->dim,
                                          .tie = (uint64_t)flow_msg->msg.src.rank << 32 |
                                                 flow_msg->msg.dst.rank,
                                          .cookie = handle};
        orr_channel_queue_pass(channels, &pass, time);
    } else {
        orr_flow_busy_before(net);
        count_links(net, flow_msg, &part);
        count_overhead(net, flow_msg, &part);
        orr_flow_busy_began(net, handle, time);
        orr_net_flows_start_at(net->flows, &part, flow_msg->msg.bytes, handle, time);
    }
}

/* Sends the rest of a message's path, as a path of its own, after it has left its source. */
static void send_rest(struct flow_net *net, const struct flow_msg *flow_msg, sim_time time)
{
    const uint32_t handle = orr_slab_new(&net->messages);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return;
    }
    struct flow_msg *rest = flow_msg_at(net, handle);
    *rest = *flow_msg;
    rest->departed = true;
    rest->cause = orr_cause_hold(orr_evq_causes(net->linked.base.queue),
                                 ORR_PART_LATENCY(flow_msg->dim), time);
    cross(net, handle, time);
}

static void on_passes(void *context, uint64_t cookie, sim_time leaves, sim_time arrives)
{
    struct flow_net *net = context;
    const uint32_t handle = (uint32_t)cookie;
    const struct flow_msg flow_msg = *flow_msg_at(net, handle);
    orr_cause_drop(orr_evq_causes(net->linked.base.queue), flow_msg.cause);
    if (flow_msg.rest.hops != 0) {
        send_rest(net, &flow_msg, arrives);
    } else {
        orr_link_net_post_arrival(&net->linked, &flow_msg.msg, EVENT_FLOW_ARRIVAL, arrives,
                                  (uint8_t)ORR_PART_LATENCY(flow_msg.dim));
    }
    if (flow_msg.departed) {
        orr_slab_free(&net->messages, handle);
    } else {
        post_sent(net, &flow_msg.msg, handle, leaves);
    }
}

/* A flow ended. One event of the flows can end many, so the cause is that of the message's sending.
 */
static void on_ended(void *context, uint64_t cookie, sim_time time)
{
    struct flow_net *net = context;
    if (flow_is_round(cookie)) {
        orr_flow_round_ended(net, cookie, time);
        return;
    }
    const uint32_t handle = (uint32_t)cookie;
    const struct flow_msg flow_msg = *flow_msg_at(net, handle);
    const sim_time now = orr_evq_now(net->linked.base.queue);
    net->linked.base.in_flight--;
    orr_flow_busy_ended(net, handle);
    flow_msg_at(net, handle)->live = false;
    struct orr_causes *causes = orr_evq_causes(net->linked.base.queue);
    const orr_cause before = orr_cause_enter(causes, flow_msg.cause);
    orr_cause_drop(causes, flow_msg.cause);
    orr_cause_spend(causes, ORR_PART_BANDWIDTH(flow_msg.dim), now);
    const bool told = flow_msg.msg.sent_at_end && net->first == NULL;
    if (told) {
        orr_slab_free(&net->messages, handle);
        report_sent(net, &flow_msg.msg);
    }
    if (flow_msg.rest.hops != 0) {
        send_rest(net, &flow_msg, time);
    } else {
        orr_link_net_post_arrival(&net->linked, &flow_msg.msg, EVENT_FLOW_ARRIVAL,
                                  flow_msg.msg.at_once ? now : time,
                                  (uint8_t)ORR_PART_LATENCY(flow_msg.dim));
    }
    if (flow_msg.departed) {
        orr_slab_free(&net->messages, handle);
    } else if (!told) {
        post_sent(net, &flow_msg.msg, handle, now);
    }
    orr_cause_leave(causes, before);
}

/* ---- paths ---- */

static bool add_link(struct flow_net *net, uint32_t hops, uint32_t link)
{
    uint32_t *grown =
        orr_arena_grow(net->linked.arena, net->path, &net->path_alloc, hops + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    net->path = grown;
    net->path[hops] = link;
    return true;
}

/* Finds the links of the message's path through blocks, dimension by dimension. */
static enum orr_status find_blocks(struct flow_net *net, struct flow_msg *flow_msg)
{
    const struct net_msg *msg = &flow_msg->msg;
    struct link_net *linked = &net->linked;
    struct link_position place = {.npu = msg->src.rank, .dim = (uint16_t)linked->base.config->dims};
    uint32_t hops = 0;
    while (place.npu != msg->dst.rank || place.in_switch) {
        const unsigned before = place.dim;
        const uint32_t link =
            orr_link_next(linked->base.config, linked->dim, &place, msg->dst.rank, msg->backwards);
        if (!add_link(net, hops++, link)) {
            return ORR_ERR_MEMORY;
        }
        if (place.dim != before) {
            link_net_count_message(linked, place.dim, msg->bytes);
        }
        link_net_count_link(linked, place.dim, link, msg->bytes,
                            orr_time_of_bytes(msg->bytes, linked->dim[place.dim].bytes_per_s));
    }
    flow_msg->dim = place.dim;
    flow_msg->route = (struct net_route_links){.link = net->path, .hops = hops};
    return ORR_OK;
}

/* ---- sending ---- */

void orr_flow_begin(struct flow_net *net, uint32_t handle)
{
    struct flow_msg *flow_msg = flow_msg_at(net, handle);
    enum orr_status status = ORR_OK;
    orr_flow_busy_before(net);
    if (net->linked.base.config->graph != NULL) {
        count_in_graph(net, flow_msg);
    } else {
        status = find_blocks(net, flow_msg);
    }
    if (status != ORR_OK) {
        orr_evq_stop(net->linked.base.queue, status);
        return;
    }
    if (net->linked.channels != NULL) {
        flow_msg->rest = flow_msg->route;
        cross(net, handle, orr_evq_now(net->linked.base.queue));
        return;
    }
    if (net->linked.router != NULL) {
        count_links(net, flow_msg, &flow_msg->route);
    }
    if (net->linked.base.config->message_overhead_ps != 0) {
        count_overhead(net, flow_msg, &flow_msg->route);
    }
    orr_flow_busy_began(net, handle, orr_evq_now(net->linked.base.queue));
    const struct net_weighted_flow flow = {.links = &flow_msg->route,
                                           .bytes = flow_msg->msg.bytes,
                                           .cookie = handle,
                                           .time = orr_evq_now(net->linked.base.queue),
                                           .weight = net->first != NULL ? flow_msg->weight : 1};
    flow_msg->flow = orr_net_flows_start_weighted(net->flows, &flow);
}

static void on_sent(void *context, const struct orr_event *event)
{
    struct flow_net *net = context;
    const uint32_t handle = (uint32_t)event->cookie;
    const struct flow_msg flow_msg = *flow_msg_at(net, handle);
    if (net->first != NULL) {
        orr_flow_leave_link(net, flow_msg.first_link, handle);
    }
    orr_slab_free(&net->messages, handle);
    report_sent(net, &flow_msg.msg);
}

/* Finds the first link, and in a graph the entire path. */
static enum orr_status find_first(struct flow_net *net, struct flow_msg *flow_msg)
{
    const struct net_msg *msg = &flow_msg->msg;
    const struct net_config *config = net->linked.base.config;
    if (config->graph != NULL) {
        const enum orr_status status = orr_link_net_path(&net->linked, msg, &flow_msg->route);
        flow_msg->first_link = status == ORR_OK ? flow_msg->route.link[0] : 0;
        return status;
    }
    struct link_position place = {.npu = msg->src.rank, .dim = (uint16_t)config->dims};
    flow_msg->first_link =
        orr_link_next(config, net->linked.dim, &place, msg->dst.rank, msg->backwards);
    return ORR_OK;
}

static void flow_send(struct net *base, const struct net_msg *msg)
{
    struct flow_net *net = (struct flow_net *)base;
    const sim_time now = orr_evq_now(base->queue);
    if (msg->src.rank == msg->dst.rank) {
        orr_link_net_post_arrival(&net->linked, msg, EVENT_FLOW_ARRIVAL, now, ORR_PART_OTHER);
        return;
    }
    if (net_has_channel(msg)) {
        orr_channel_queue_send(net->linked.channels, msg);
        return;
    }
    const uint32_t handle = orr_slab_new(&net->messages);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    struct flow_msg *flow_msg = flow_msg_at(net, handle);
    *flow_msg = (struct flow_msg){.msg = *msg, .live = true, .flow = UINT32_MAX};
    base->in_flight++;
    const enum orr_status status = find_first(net, flow_msg);
    if (status != ORR_OK) {
        orr_evq_stop(base->queue, status);
        return;
    }
    flow_msg->cause = orr_cause_hold(orr_evq_causes(base->queue), ORR_PART_OTHER, now);
    if (net->first != NULL) {
        orr_flow_wait_for_link(net, handle);
    } else {
        orr_flow_begin(net, handle);
    }
}

static const struct net_flows *flow_flows(const struct net *base)
{
    return ((const struct flow_net *)base)->flows;
}

static struct net_flows_stuck flow_stuck(const struct net *base)
{
    const struct flow_net *net = (const struct flow_net *)base;
    struct net_flows_stuck stuck = orr_net_flows_stuck(net->flows);
    if (stuck.flows != 0 && flow_is_round(stuck.cookie)) {
        const struct net_ends pair = orr_flow_round_pair(net, stuck.cookie, stuck.link);
        stuck.src = pair.src.rank;
        stuck.dst = pair.dst.rank;
    } else if (stuck.flows != 0) {
        const struct net_msg *msg = &flow_msg_at(net, (uint32_t)stuck.cookie)->msg;
        stuck.cookie = msg->cookie;
        stuck.src = msg->src.rank;
        stuck.dst = msg->dst.rank;
    }
    return stuck;
}

/* ---- creation ---- */

static enum orr_status create_flows(struct flow_net *net, struct orr_diag *diag)
{
    const struct net_config *given = net->linked.base.config;
    const struct net_flows_config config = {.graph = net->linked.rest,
                                            .model = orr_flow_model(keys_of(given), given),
                                            .counts_paths = given->counts_paths,
                                            .queue = net->linked.base.queue,
                                            .ended = on_ended,
                                            .context = net};
    if (config.model.forward_bytes_per_s > 0 && net->linked.channels != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network.forwarding_limit: not supported with channels; expected a "
                             "collective without channels");
    }
    return orr_net_flows_create(&net->flows, &config, diag);
}

static enum orr_status flow_create(struct net **out, const struct net_config *config,
                                   struct orr_evq *queue, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    struct flow_net *net = orr_arena_alloc(arena, sizeof *net);
    if (net == NULL) {
        return orr_diag_no_memory(diag, "the flow network");
    }
    net->linked.base = (struct net){.ops = &orr_net_flow, .config = config, .queue = queue};
    net->max_in_flight = orr_flow_max_in_flight(keys_of(config), config);
    orr_slab_init(&net->messages, arena, sizeof(struct flow_msg));
    orr_flow_rounds_init(net, arena);
    enum orr_status status = orr_link_net_init(&net->linked, arena, diag);
    if (status == ORR_OK && config->graph == NULL) {
        status = orr_link_net_as_graph(&net->linked, &net->links, diag);
        net->linked.rest = &net->links;
    }
    if (status == ORR_OK) {
        status = orr_flow_queues_create(net, diag);
    }
    if (status == ORR_OK) {
        status = orr_channel_queue_create(&net->linked, on_passes, diag);
    }
    if (status == ORR_OK && orr_net_changes(config)) {
        status = orr_link_capacity_create(&net->linked, diag);
    }
    if (status == ORR_OK) { /* last, because it holds memory outside the arena */
        status = create_flows(net, diag);
    }
    if (status == ORR_OK) {
        orr_evq_handle(queue, EVENT_FLOW_ARRIVAL, orr_link_net_on_arrival, net);
        orr_evq_handle(queue, EVENT_FLOW_SENT, on_sent, net);
        orr_evq_handle(queue, EVENT_FLOW_ROUND, orr_flow_on_round, net);
        *out = &net->linked.base;
    }
    return status;
}

static void flow_destroy(struct net *base)
{
    struct flow_net *net = (struct flow_net *)base;
    orr_net_flows_destroy(net->flows);
    orr_port_slab_fini(&net->waiting);
    orr_link_net_destroy(base);
}

/* ---- keys ---- */

void orr_net_config_flows(const struct net_config *config, struct net_flow_model *flows)
{
    const struct flow_keys *values = keys_of(config);
    if (values->fluid) {
        *flows = (struct net_flow_model){.packet_bytes = 0};
    }
    flows->packet_bytes = values->packet_bytes != 0 ? values->packet_bytes : flows->packet_bytes;
    flows->start_bytes =
        values->handshake_bytes != 0 ? values->handshake_bytes : flows->start_bytes;
    flows->start_ps = values->setup_ps;
    flows->forward_ps = values->forwarding_ps;
    flows->forward_bytes_per_s = values->forwarding_limit_bytes_per_s;
    flows->overhead_ps = config->message_overhead_ps;
    flows->windows = values->has_shares ? values->shares == FLOW_BY_WINDOWS : flows->windows;
}

static const char *flow_unfoldable(const struct net_config *config)
{
    const struct net_flow_model model = orr_flow_model(keys_of(config), config);
    return model.windows                   ? "flows share links by congestion windows"
           : model.forward_bytes_per_s > 0 ? "hosts pass on a limited number of bytes/s"
                                           : NULL;
}

static const struct net_link_ops links = {
    .default_for_graphs = true,
    .count = orr_link_net_links,
    .bytes = orr_flow_link_bytes,
    .path = orr_link_net_current_path,
};

static const struct net_capacity_ops capacities = {
    .set = orr_flow_set_capacities,
    .offered = orr_link_capacity_offered,
    .working = orr_link_capacity_working,
    .waiting = orr_flow_waiting,
};

static const struct net_round_ops rounds = {
    .prepare = orr_flow_round,
    .send = orr_flow_send_round,
};

static const struct net_fold_ops folding = {
    .is_order_independent = true,
    .has_transit = orr_link_net_is_passed,
    .unfoldable = flow_unfoldable,
};

const struct net_ops orr_net_flow = {
    .name = "flow",
    .summary = "fluid flows share links max-min fairly; latency is added once",
    .own = &orr_flow_backend_keys,
    .reports_sent = true,
    .create = flow_create,
    .send = flow_send,
    .latency = orr_link_net_latency,
    .stats = orr_link_net_stats,
    .stuck = flow_stuck,
    .destroy = flow_destroy,
    .links = &links,
    .capacities = &capacities,
    .rounds = &rounds,
    .folding = &folding,
    .flows = flow_flows,
};
