/* The analytical backend (ASTRA-sim 2.0, section IV-C): time = hops x latency + bytes / bandwidth.
 *
 * An NPU's port of a dimension sends one message at a time, so that no dimension delivers more than
 * its bandwidth. A ring has one port in each direction, a fully connected dimension with bandwidth
 * per link one port per peer, a dimension with bandwidth per NPU a single port. A message that
 * passes other NPUs occupies their ports too (analytical_transit.c).
 *
 * Under reference timing messages do not share ports, use only the first dimension in which their
 * ends differ, and have delays truncated to integer ns. */
#include <math.h>
#include <stdint.h>

#include "network/backends/analytical.h"

#include "core/conf/keys.h"
#include "core/divide.h"
#include "core/fold.h"
#include "core/sum.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_message.h"
#include "network/net_metrics.h"

/* The backend's options. */
struct analytical_keys {
    unsigned contention; /* 1: messages contend only at the senders' ports, and use the first
                            dimension in which their ends differ */
};

static bool senders_only(const struct net_config *config)
{
    const struct analytical_keys *keys = net_backend_values(config, &orr_net_analytical);
    return keys->contention == 1;
}

static struct analytical *self(struct net *net)
{
    return (struct analytical *)net;
}

static void on_arrival(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    net->base.listener.delivered(net->base.listener.context, orr_slot(event->entity), event->label,
                                 event->cookie);
}

void orr_analytical_free_port(struct analytical *net, const struct orr_event *event,
                              uint64_t source_cookie, bool reports)
{
    const uint32_t index = (uint32_t)event->label;
    net->ports[index].sending = false;
    if (ORR_KEEPS_CAUSES(net->causes)) {
        orr_cause_drop(net->causes, net->freed[index]);
        net->freed[index] = orr_cause_hold(net->causes, event->part, orr_evq_now(net->base.queue));
    }
    analytical_mark_dirty(net, event->entity, index);
    if (reports && net->base.listener.sent != NULL) {
        net->base.listener.sent(net->base.listener.context, orr_slot(event->entity), source_cookie);
    }
}

static void on_port_free(void *context, const struct orr_event *event)
{
    orr_analytical_free_port(context, event, event->cookie, true);
}

/* The cause of a start: the cause of the message itself, or, if it had to wait, the message before
 * it. */
orr_cause orr_analytical_enter_start(struct analytical *net, uint32_t index, uint32_t item,
                                     unsigned part)
{
    const sim_time now = orr_evq_now(net->base.queue);
    const struct port_wait *wait = &net->slab.waits[item];
    const orr_cause before =
        orr_cause_enter(net->causes, wait->since < now ? net->freed[index] : wait->cause);
    orr_cause_drop(net->causes, wait->cause);
    orr_cause_spend(net->causes, part, now); /* it did not wait for a message, only for the flush */
    return before;
}

/* Starts the first waiting message of an idle port. */
static void start(struct analytical *net, uint32_t npu, uint32_t index)
{
    struct port *port = &net->ports[index];
    if (port->sending &&
        (port->line.stream != PORT_SHARED || !orr_analytical_cut(net, npu, index))) {
        return;
    }
    const uint32_t item = port_line_pop(&net->slab, &port->line);
    if (item == PORT_NONE) {
        return;
    }
    port->sending = true;
    port->until = orr_time_add(orr_evq_now(net->base.queue), net->slab.items[item].service_ps);
    if (net->slab.items[item].flight_ps < 0) {
        orr_analytical_start_hop(net, npu, index, item);
    } else {
        orr_analytical_start_direct(net, npu, index, item);
    }
}

/* An NPU's events of a round are over: starts the messages waiting at its ports. */
static void on_flush(void *context, uint32_t npu)
{
    struct analytical *net = context;
    if (npu >= net->slots) {
        return; /* not an NPU */
    }
    if (net->heads != NULL && net->heads[npu] != PORT_NONE) {
        orr_analytical_enter_heads(net, npu);
    }
    while (net->dirty[npu] != PORT_NONE) {
        const uint32_t index = net->dirty[npu];
        struct port *port = &net->ports[index];
        net->dirty[npu] = port->next_dirty;
        port->dirty = false;
        start(net, npu, index);
    }
}

/* The NPU's port of the dimension by which a route leaves. */
static uint32_t port_of(const struct analytical *net, const struct net_route *route, bool backwards)
{
    const struct net_dim *dim = &net->base.config->dim[route->dim];
    const struct dim_state *state = &net->dim[route->dim];
    if (state->ports == 1) {
        return state->first_port;
    }
    if (dim->block == NET_FULLY_CONNECTED) {
        return state->first_port + route->forward - 1;
    }
    return state->first_port + (net_goes_down(dim, route, backwards) ? 1 : 0);
}

static void post_arrival(struct analytical *net, const struct net_msg *msg, sim_time delay,
                         unsigned part)
{
    const struct orr_event arrival = {.label = msg->label,
                                      .cookie = msg->cookie,
                                      .entity = net_slot(net->base.config, msg->dst).slot,
                                      .kind = EVENT_ARRIVAL,
                                      .part = (uint8_t)part};
    orr_evq_post(net->base.queue, orr_time_add(orr_evq_now(net->base.queue), delay), &arrival);
}

/* One sum of latency and serialization, truncated to whole ns. */
static sim_time whole_ns_delay(const struct net_dim *dim, unsigned hops, uint64_t bytes)
{
    const double ns = hops * dim->given_latency_ns + (double)bytes / dim->given_bytes_per_ns;
    return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

/* Delivers without a port, after a delay of which the latency comes first. */
static void send_past_ports(struct analytical *net, const struct net_msg *msg,
                            const struct net_route *route)
{
    const struct net_dim *dim = &net->base.config->dim[route->dim];
    const sim_time now = orr_evq_now(net->base.queue);
    const sim_time delay = whole_ns_delay(dim, route->hops, msg->bytes);
    if (!ORR_KEEPS_CAUSES(net->causes)) {
        post_arrival(net, msg, delay, ORR_PART_OTHER);
        return;
    }
    const sim_time latency = whole_ns_delay(dim, route->hops, 0);
    const orr_cause before = orr_cause_enter(net->causes, orr_cause_current(net->causes));
    orr_cause_spend(net->causes, ORR_PART_LATENCY(route->dim), orr_time_add(now, latency));
    post_arrival(net, msg, delay, ORR_PART_BANDWIDTH(route->dim));
    orr_cause_leave(net->causes, before);
}

/* The dimension's statistics, including the messages counted since the last update. */
static struct net_dim_stats stats_of(const struct dim_state *dim)
{
    struct net_dim_stats stats = dim->stats;
    stats.messages += dim->uncounted;
    stats.bytes += (orr_sum)dim->uncounted * dim->known_bytes;
    stats.busy_ps += (orr_sum)dim->uncounted * dim->known_ps;
    return stats;
}

void orr_analytical_learn(struct dim_state *dim, uint64_t bytes)
{
    dim->stats = stats_of(dim);
    dim->uncounted = 0;
    dim->known_bytes = bytes;
    dim->known_ps = orr_time_add(dim->overhead_ps, orr_time_of_bytes(bytes, dim->port_bytes_per_s));
}

__attribute__((cold)) static void note_stream(struct analytical *net, uint32_t stream)
{
    if (net->first_stream == NET_MAX_STREAM) {
        net->first_stream = stream;
    } else if (net->cuts_after == ORR_TIME_MAX) {
        net->cuts_after = orr_evq_now(net->base.queue);
    }
}

/* The message is of another stream than the port's, or the port's first one. */
__attribute__((cold)) static void enqueue_other(struct analytical *net, struct port *port,
                                                uint32_t item, uint32_t stream)
{
    if (stream != net->first_stream) {
        note_stream(net, stream);
    }
    struct port_wire wire = {.ahead_ps = port->until - orr_evq_now(net->base.queue)};
    if (wire.ahead_ps > 0 && port->on_wire != PORT_NONE) {
        wire.sent_ps = net->slab.items[port->on_wire].service_ps - wire.ahead_ps;
    }
    if (!orr_port_shares_push(&net->slab, &port->line, item, stream, &wire)) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
    }
}

static inline void enqueue(struct analytical *net, uint32_t item, uint32_t from,
                           const struct net_route *route, const struct net_msg *msg)
{
    if (ORR_KEEPS_CAUSES(net->causes)) {
        const sim_time now = orr_evq_now(net->base.queue);
        net->slab.waits[item] = (struct port_wait){
            .since = now, .cause = orr_cause_hold(net->causes, ORR_PART_OTHER, now)};
    }
    if (__builtin_expect(net->heads != NULL, 0)) {
        net->slab.streams[item] = msg->stream;
    }
    const uint32_t slot = net_slot(net->base.config, orr_rank(from)).slot;
    const uint32_t index = slot * net->ports_per_npu + port_of(net, route, msg->backwards);
    struct port *port = &net->ports[index];
    if (port->in_train) {
        orr_analytical_interrupt_train(net, index);
    }
    if (__builtin_expect(port->line.stream != msg->stream, 0)) {
        enqueue_other(net, port, item, msg->stream);
    } else {
        port->line.waiting = port_heap_push(&net->slab, port->line.waiting, item);
    }
    analytical_mark_dirty(net, slot, index);
}

void orr_analytical_enqueue(struct analytical *net, uint32_t item, uint32_t from,
                            const struct net_route *route, const struct net_msg *msg)
{
    enqueue(net, item, from, route, msg);
}

/* The port time of a message with hold_ps, which it counts. */
static sim_time held(struct dim_state *dim, const struct net_msg *msg)
{
    dim->stats.messages++;
    dim->stats.bytes += msg->bytes;
    dim->stats.busy_ps += msg->hold_ps;
    return msg->hold_ps;
}

static inline void send_direct(struct analytical *net, const struct net_msg *msg,
                               const struct net_route *route)
{
    struct dim_state *state = &net->dim[route->dim];
    uint32_t item;
    struct port_msg *waiting = analytical_new_waiting(net, &item);
    if (waiting == NULL) {
        return;
    }
    const sim_time latency = net->base.config->dim[route->dim].latency_ps;
    waiting->order = msg->order;
    waiting->label = msg->label;
    waiting->cookie = msg->cookie;
    waiting->source_cookie = msg->source_cookie;
    waiting->src = msg->src.rank;
    waiting->dst = msg->dst.rank;
    if (__builtin_expect(msg->hold_ps != 0, 0)) {
        waiting->service_ps = held(state, msg);
        waiting->flight_ps = 0;
    } else {
        waiting->service_ps = analytical_service(state, msg->bytes);
        state->uncounted++;
        waiting->flight_ps = msg->at_once ? 0 : orr_time_mul(latency, route->hops);
    }
    enqueue(net, item, msg->src.rank, route, msg);
}

/* A message that needs more than one port, or none. */
static void send_indirect(struct analytical *net, const struct net_msg *msg, struct net_route route)
{
    if (!net->base.config->free_ports) {
        orr_analytical_begin_transit(net, msg, &route);
        return;
    }
    struct net_dim_stats *stats = &net->dim[route.dim].stats;
    stats->messages++;
    stats->bytes += msg->bytes;
    send_past_ports(net, msg, &route);
}

static void analytical_send(struct net *base, const struct net_msg *msg)
{
    struct analytical *net = self(base);
    const struct net_route route =
        orr_net_route_by(base->config, net->by, msg->src.rank, msg->dst.rank);
    if (route.dim == base->config->dims) {
        post_arrival(net, msg, 0, ORR_PART_OTHER);
    } else if (route.hops > net->dim[route.dim].direct_hops || (route.further && net->shares)) {
        send_indirect(net, msg, route);
    } else {
        send_direct(net, msg, &route);
    }
}

/* With contention at senders only, the path is in the first dimension that differs. */
static sim_time analytical_latency(const struct net *base, uint32_t src, uint32_t dst)
{
    if (((const struct analytical *)base)->shares) {
        return orr_net_path_latency(base->config, src, dst);
    }
    const struct net_route route = orr_net_route(base->config, src, dst);
    if (route.dim == base->config->dims) {
        return 0;
    }
    return orr_time_mul(base->config->dim[route.dim].latency_ps, route.hops);
}

static void analytical_stats(const struct net *base, struct net_dim_stats *stats)
{
    const struct analytical *net = (const struct analytical *)base;
    const uint32_t npus = orr_net_npus(base->config), each = npus / net->slots;
    for (unsigned d = 0; d < base->config->dims; d++) {
        const struct net_dim_stats counted = stats_of(&net->dim[d]);
        stats[d] =
            (struct net_dim_stats){.messages = counted.messages * each,
                                   .bytes = counted.bytes * each,
                                   .busy_ps = counted.busy_ps * each,
                                   .servers = orr_net_servers(base->config, d, net->dim[d].ports)};
    }
}

static void analytical_destroy(struct net *base)
{
    orr_port_slab_fini(&self(base)->slab);
}

static uint32_t ports_of_dim(const struct net_dim *dim)
{
    if (dim->per_npu || dim->block == NET_SWITCH) {
        return 1;
    }
    if (net_passes_on(dim->block)) {
        return 2;
    }
    return dim->npus > 1 ? dim->npus - 1 : 1;
}

static enum orr_status init_ports(struct analytical *net, struct orr_arena *arena,
                                  struct orr_diag *diag)
{
    const size_t count = (size_t)net->slots * net->ports_per_npu;
    if (count > UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network: %u NPUs of %u ports each are too many to be simulated; at "
                             "most 2^32 - 1 ports are supported",
                             net->slots, net->ports_per_npu);
    }
    net->ports = orr_arena_array(arena, count, sizeof *net->ports);
    net->dirty = orr_arena_array(arena, net->slots, sizeof *net->dirty);
    const bool folds = net->slots < orr_net_npus(net->base.config);
    net->trains = folds ? orr_arena_array(arena, count, sizeof *net->trains) : NULL;
    net->freed = net->causes != NULL ? orr_arena_array(arena, count, sizeof *net->freed) : NULL;
    if (net->ports == NULL || net->dirty == NULL || !orr_analytical_ingress_init(net, arena) ||
        (folds && net->trains == NULL) || (net->causes != NULL && net->freed == NULL)) {
        return orr_diag_no_memory(diag, "network ports");
    }
    for (unsigned d = 0; d < net->base.config->dims; d++) {
        for (uint32_t npu = 0; npu < net->slots; npu++) {
            struct port *port =
                &net->ports[(size_t)npu * net->ports_per_npu + net->dim[d].first_port];
            for (uint32_t i = 0; i < net->dim[d].ports; i++) {
                port[i] = (struct port){.line = {.waiting = PORT_NONE, .stream = PORT_UNUSED},
                                        .on_wire = PORT_NONE,
                                        .dim = (uint8_t)d};
            }
        }
    }
    for (uint32_t npu = 0; npu < net->slots; npu++) {
        net->dirty[npu] = PORT_NONE;
    }
    for (uint32_t npu = 0; npu < net->slots && net->heads != NULL; npu++) {
        net->heads[npu] = PORT_NONE;
    }
    return ORR_OK;
}

/* Hops up to which a message occupies only its first port. A path around a ring passes other NPUs;
 * their ports do not count with contention at senders only, or with free ports. */
static uint32_t direct_hops(const struct analytical *net, const struct net_dim *dim)
{
    if (net->base.config->free_ports) {
        return 0;
    }
    return net->shares && net_passes_on(dim->block) ? 1 : UINT32_MAX;
}

static void init_dims(struct analytical *net, const struct net_config *config)
{
    uint32_t stride = 1;
    for (unsigned d = 0; d < config->dims; d++) {
        net->dim[d].stride = stride;
        stride *= config->dim[d].npus;
        net->by[d] = orr_divisor_of(config->dim[d].npus);
        net->dim[d].first_port = net->ports_per_npu;
        net->dim[d].ports = ports_of_dim(&config->dim[d]);
        net->dim[d].port_bytes_per_s = config->dim[d].bandwidth_bytes_per_s;
        net->dim[d].known_ps = net->dim[d].overhead_ps = config->message_overhead_ps;
        net->ports_per_npu += net->dim[d].ports;
        net->dim[d].direct_hops = direct_hops(net, &config->dim[d]);
    }
}

static enum orr_status analytical_create(struct net **out, const struct net_config *config,
                                         struct orr_evq *queue, struct orr_arena *arena,
                                         struct orr_diag *diag)
{
    struct analytical *net = orr_arena_alloc(arena, sizeof *net);
    if (net == NULL) {
        return orr_diag_no_memory(diag, "the analytical network");
    }
    net->base = (struct net){.ops = &orr_net_analytical, .config = config, .queue = queue};
    net->slots = config->fold != NULL ? config->fold->slots : orr_net_npus(config);
    net->shares = !config->free_ports && !senders_only(config);
    net->causes = orr_evq_causes(queue);
    net->slab.keep_waits = net->causes != NULL;
    net->slab.config = config;
    net->slab.free_head = PORT_NONE;
    net->first_stream = NET_MAX_STREAM;
    net->cuts_after = ORR_TIME_MAX;
    orr_analytical_transit_init(net, arena);
    net->dim = orr_arena_array(arena, config->dims, sizeof *net->dim);
    net->by = orr_arena_array(arena, config->dims, sizeof *net->by);
    if (net->dim == NULL || net->by == NULL) {
        return orr_diag_no_memory(diag, "the analytical network");
    }
    init_dims(net, config);
    if (!config->free_ports) {
        const enum orr_status status = init_ports(net, arena, diag);
        if (status != ORR_OK) {
            return status;
        }
        ORR_ASSERT(orr_evq_order(queue) == ORR_ORDER_LABEL); /* no flushes under another order */
        orr_evq_on_flush(queue, on_flush, net);
    }
    orr_evq_handle(queue, EVENT_ARRIVAL, on_arrival, net);
    orr_evq_handle(queue, EVENT_TRAIN_END, orr_analytical_on_train_end, net);
    orr_evq_handle(queue, EVENT_TAIL, orr_analytical_on_tail, net);
    orr_evq_handle(queue, EVENT_PORT_FREE, on_port_free, net);
    orr_evq_handle(queue, EVENT_PORT, orr_analytical_on_port, net);
    orr_evq_handle(queue, EVENT_HEAD, orr_analytical_on_head, net);
    orr_evq_handle(queue, EVENT_ENTRY,
                   net->trains != NULL ? orr_analytical_on_entry_folded : orr_analytical_on_entry,
                   net);
    *out = &net->base;
    return ORR_OK;
}

static const char *const contentions[] = {"links", "senders", NULL};

static const struct orr_key keys[] = {
    {.name = "contention",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct analytical_keys, contention),
     .choices = contentions,
     .default_text = "links",
     .doc = "analytical: where messages contend: at every link of their path, or, as in the model "
            "of ASTRA-sim 2.0, only at the ports of their senders"},
};

static const struct analytical_keys defaults = {0};

static const struct net_backend_keys own = {
    .table = {.keys = keys, .count = sizeof keys / sizeof *keys},
    .bytes = sizeof defaults,
    .defaults = &defaults};

/* In a ring of more than 3 NPUs, or a mesh of more than 2, messages pass other NPUs. */
static bool analytical_has_transit(const struct net_config *config, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    return !senders_only(config) && net_passes_on(dim->block) &&
           dim->npus > (dim->block == NET_MESH ? 2 : 3);
}

static const struct net_fold_ops folding = {.has_transit = analytical_has_transit};

const struct net_ops orr_net_analytical = {
    .name = "analytical",
    .summary = "hops x latency + bytes / bandwidth; one message at a time per port",
    .own = &own,
    .reports_sent = true,
    .holds_ports = true,
    .create = analytical_create,
    .send = analytical_send,
    .latency = analytical_latency,
    .stats = analytical_stats,
    .destroy = analytical_destroy,
    .folding = &folding,
};
