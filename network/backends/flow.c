/* The flow backend (docs/models.md, section 4): messages are fluid flows with max-min fair shares
 * of the links of congestion_links.h; latency is added once. A message is sent when its flow ends
 * and arrives after the latencies of its links.
 *
 * With a fold, a link of an NPU that stands for its class stands for the same link of each NPU of
 * the class: a flow takes it once for every hop over one of them, as in the run of all NPUs do the
 * flows that come from the others. */
#include "network/backends/congestion_links.h"

enum { EVENT_ARRIVAL = ORR_EVENT_NETWORK + NET_FLOW_EVENTS, EVENT_SENT };

#define SENT_LABEL (UINT64_C(1) << 63)

struct flow_net {
    struct net base;
    struct link_dim *dim;
    struct net_dim_stats *stats;
    struct net_graph links; /* without nodes */
    struct net_flows *flows;
    struct orr_slab messages; /* struct net_msg */
    struct orr_arena *arena;
    uint32_t *path;
    size_t path_room;
    uint32_t npus, slots;
};

static void post_arrival(struct flow_net *net, const struct net_msg *msg, sim_time time)
{
    const struct orr_event event = {.label = msg->label,
                                    .cookie = msg->cookie,
                                    .entity = net_slot(net->base.config, msg->dst),
                                    .kind = EVENT_ARRIVAL,
                                    .part = ORR_PART_OTHER};
    orr_evq_post(net->base.queue, time, &event);
}

static void post_sent(struct flow_net *net, const struct net_msg *msg)
{
    const struct orr_event event = {.label = SENT_LABEL | msg->label,
                                    .cookie = msg->source_cookie,
                                    .entity = net_slot(net->base.config, msg->src),
                                    .kind = EVENT_SENT,
                                    .part = ORR_PART_OTHER};
    orr_evq_post(net->base.queue, orr_evq_now(net->base.queue), &event);
}

static void on_ended(void *context, uint64_t cookie, sim_time time)
{
    struct flow_net *net = context;
    const uint32_t handle = (uint32_t)cookie;
    const struct net_msg msg = *(struct net_msg *)orr_slab_at(&net->messages, handle);
    orr_slab_free(&net->messages, handle);
    post_arrival(net, &msg, msg.at_once ? orr_evq_now(net->base.queue) : time);
    if (!net->base.config->reference_timing && net->base.listener.sent != NULL) {
        post_sent(net, &msg);
    }
}

static void on_arrival(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct flow_net *)context)->base.listener;
    listener->delivered(listener->context, event->entity, event->label, event->cookie);
}

static void on_sent(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct flow_net *)context)->base.listener;
    listener->sent(listener->context, event->entity, event->cookie);
}

/* ---- paths ---- */

static bool add_link(struct flow_net *net, uint32_t hops, uint32_t link)
{
    uint32_t *grown =
        orr_arena_grow(net->arena, net->path, &net->path_room, hops + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    net->path = grown;
    net->path[hops] = link;
    return true;
}

static void count(struct flow_net *net, unsigned d, uint64_t bytes, bool enters)
{
    struct net_dim_stats *stats = &net->stats[d];
    stats->messages += enters;
    stats->bytes += enters ? bytes : 0;
    stats->busy_ps =
        orr_time_add(stats->busy_ps, orr_time_of_bytes(bytes, net->dim[d].bytes_per_s));
}

/* The links of the message's way, dimension by dimension; false when memory is out. */
static bool find_path(struct flow_net *net, const struct net_msg *msg,
                      struct net_route_links *links)
{
    struct link_place place = {.npu = msg->src, .dim = (uint16_t)net->base.config->dims};
    uint32_t hops = 0;
    while (place.npu != msg->dst || place.in_switch) {
        const unsigned before = place.dim;
        const uint32_t link =
            link_next(net->base.config, net->dim, &place, msg->dst, msg->backwards);
        if (!add_link(net, hops++, link)) {
            return false;
        }
        count(net, place.dim, msg->bytes, place.dim != before);
    }
    *links = (struct net_route_links){.link = net->path, .hops = hops};
    return true;
}

static void flow_send(struct net *base, const struct net_msg *msg)
{
    struct flow_net *net = (struct flow_net *)base;
    struct net_route_links links;
    if (msg->src == msg->dst) {
        post_arrival(net, msg, orr_evq_now(base->queue));
        return;
    }
    const uint32_t handle = orr_slab_new(&net->messages);
    if (handle == ORR_SLAB_NONE || !find_path(net, msg, &links)) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    *(struct net_msg *)orr_slab_at(&net->messages, handle) = *msg;
    net_flows_start_on(net->flows, &links, msg->bytes, handle);
}

/* Of all dimensions that differ. */
static sim_time flow_latency(const struct net *base, uint32_t src, uint32_t dst)
{
    const struct flow_net *net = (const struct flow_net *)base;
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

static void flow_stats(const struct net *base, struct net_dim_stats *stats)
{
    const struct flow_net *net = (const struct flow_net *)base;
    const uint32_t each = net->npus / net->slots;
    for (unsigned d = 0; d < base->config->dims; d++) {
        stats[d].messages = net->stats[d].messages * each;
        stats[d].bytes = net->stats[d].bytes * each;
        stats[d].busy_ps = orr_time_mul(net->stats[d].busy_ps, each);
        stats[d].servers = (uint64_t)net->npus * net->dim[d].links;
    }
}

/* ---- creation ---- */

static enum orr_status create_links(struct flow_net *net, struct orr_diag *diag)
{
    const struct net_config *config = net->base.config;
    const uint64_t links = link_dims_init(net->dim, config);
    if (links >= NET_MAX_LINKS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network: the %s backend holds at most %d links, and this network "
                             "has %.3g; use the %s backend",
                             net_flow.name, NET_MAX_LINKS, (double)links, net_analytical.name);
    }
    struct net_link *link = orr_arena_array(net->arena, links + 1, sizeof *link);
    if (link == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (unsigned d = 0; d < config->dims; d++) {
        const uint64_t end = d + 1 < config->dims ? net->dim[d + 1].first_link : links;
        for (uint64_t i = net->dim[d].first_link; i < end; i++) {
            link[i] = (struct net_link){.count = 1,
                                        .bytes_per_s = net->dim[d].bytes_per_s,
                                        .latency_ps = config->dim[d].latency_ps};
        }
    }
    net->links = (struct net_graph){.links = (uint32_t)links, .link = link};
    return ORR_OK;
}

static enum orr_status create_flows(struct flow_net *net, struct orr_diag *diag)
{
    const struct net_flows_config config = {
        .graph = &net->links, .queue = net->base.queue, .ended = on_ended, .context = net};
    return net_flows_create(&net->flows, &config, diag);
}

static enum orr_status flow_create(struct net **out, const struct net_config *config,
                                   struct orr_evq *queue, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    struct flow_net *net = orr_arena_alloc(arena, sizeof *net);
    if (net == NULL) {
        return orr_diag_no_memory(diag, "the flow network");
    }
    net->base = (struct net){.ops = &net_flow, .config = config, .queue = queue};
    net->arena = arena;
    net->npus = net_npus(config);
    net->slots = config->fold != NULL ? config->fold->slots : net->npus;
    net->dim = orr_arena_array(arena, config->dims, sizeof *net->dim);
    net->stats = orr_arena_array(arena, config->dims, sizeof *net->stats);
    if (net->dim == NULL || net->stats == NULL) {
        return orr_diag_no_memory(diag, "the flow network");
    }
    orr_slab_init(&net->messages, arena, sizeof(struct net_msg));
    enum orr_status status = create_links(net, diag);
    if (status == ORR_OK) {
        status = create_flows(net, diag);
    }
    if (status == ORR_OK) {
        orr_evq_handle(queue, EVENT_ARRIVAL, on_arrival, net);
        orr_evq_handle(queue, EVENT_SENT, on_sent, net);
        *out = &net->base;
    }
    return status;
}

static void flow_destroy(struct net *base)
{
    net_flows_destroy(((struct flow_net *)base)->flows);
}

const struct net_ops net_flow = {
    .name = "flow",
    .summary = "fluid flows share links max-min fairly; latency is added once",
    .tells_sent = true,
    .shares_links = true,
    .create = flow_create,
    .send = flow_send,
    .latency = flow_latency,
    .stats = flow_stats,
    .destroy = flow_destroy,
};
