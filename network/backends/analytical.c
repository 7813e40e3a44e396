/* The analytical backend (ASTRA-sim 2.0, section IV-C): time = hops x latency + bytes / bandwidth,
 * of the first dimension in which source and destination differ, without contention inside the
 * network.
 *
 * By default an NPU's port of a dimension sends one message at a time, so that no dimension
 * delivers more than its bandwidth: a ring has a port each way, a fully connected dimension with
 * bandwidth per link one per peer, everything counted per NPU a single one. Under reference timing
 * messages do not share ports and times are truncated to whole ns. */
#include <math.h>

#include "network/backends/analytical.h"

static struct analytical *self(struct net *net)
{
    return (struct analytical *)net;
}

static void on_arrival(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    net->base.listener.delivered(net->base.listener.context, event->entity, event->label,
                                 event->cookie);
}

static void on_port_free(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t index = (uint32_t)event->label;
    net->ports[index].sending = false;
    if (ORR_KEEPS_CAUSES(net->causes)) {
        orr_cause_drop(net->causes, net->freed[index]);
        net->freed[index] = orr_cause_hold(net->causes, event->part, orr_evq_now(net->base.queue));
    }
    analytical_mark_dirty(net, event->entity, index);
    if (net->base.listener.sent != NULL) {
        net->base.listener.sent(net->base.listener.context, event->entity, event->cookie);
    }
}

/* Makes current what a message's start comes from, until it leaves: what brought it here, or, when
 * it had to wait, the message before it. */
static orr_cause enter_start(struct analytical *net, uint32_t index, uint32_t item, unsigned part)
{
    const sim_time now = orr_evq_now(net->base.queue);
    const struct port_wait *wait = &net->slab.waits[item];
    const orr_cause before =
        orr_cause_enter(net->causes, wait->since < now ? net->freed[index] : wait->cause);
    orr_cause_drop(net->causes, wait->cause);
    orr_cause_spend(net->causes, part, now); /* waited for nobody: a flush comes late */
    orr_cause_spend(net->causes, part, orr_time_add(now, net->slab.items[item].service_ps));
    return before;
}

/* Puts the first waiting message of an idle port on the wire. */
static void start(struct analytical *net, uint32_t npu, uint32_t index)
{
    struct port *port = &net->ports[index];
    if (port->sending || port->waiting == PORT_NONE) {
        return;
    }
    const uint32_t item = port->waiting;
    port->waiting = port_heap_pop(&net->slab, item);
    port->sending = true;
    const struct port_msg *waiting = &net->slab.items[item];
    const sim_time now = orr_evq_now(net->base.queue);
    const sim_time leaves = orr_time_add(now, waiting->service_ps);
    const bool causes = ORR_KEEPS_CAUSES(net->causes);
    const unsigned dim =
        causes ? analytical_dim_of_port(net, index) : 0; /* of no interest otherwise */
    const struct orr_event arrival = {.label = waiting->label,
                                      .cookie = waiting->cookie,
                                      .entity = net_slot(net->base.config, waiting->dst),
                                      .kind = EVENT_ARRIVAL,
                                      .part = (uint8_t)ORR_PART_LATENCY(dim)};
    if (arrival.entity == npu && port->waiting == PORT_NONE &&
        analytical_start_run(net, npu, index, waiting)) {
        port_slab_free(&net->slab, item);
        return;
    }
    const orr_cause before =
        causes ? enter_start(net, index, item, ORR_PART_BANDWIDTH(dim)) : ORR_CAUSE_ROOT;
    orr_evq_post(net->base.queue, orr_time_add(leaves, waiting->flight_ps), &arrival);
    analytical_post_free(net, npu, index, leaves, waiting->source_cookie);
    port_slab_free(&net->slab, item);
    if (causes) {
        orr_cause_leave(net->causes, before);
    }
}

static void analytical_flush(struct net *base, uint32_t npu)
{
    struct analytical *net = self(base);
    while (net->dirty[npu] != PORT_NONE) {
        const uint32_t index = net->dirty[npu];
        struct port *port = &net->ports[index];
        net->dirty[npu] = port->next_dirty;
        port->dirty = false;
        start(net, npu, index);
    }
}

/* Which of the NPU's ports of the dimension a route leaves by. */
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
    const uint32_t back = dim->npus - route->forward;
    const bool against = back < route->forward || (back == route->forward && backwards);
    return state->first_port + (against ? 1 : 0);
}

static void post_arrival(struct analytical *net, const struct net_msg *msg, sim_time delay,
                         unsigned part)
{
    const struct orr_event arrival = {.label = msg->label,
                                      .cookie = msg->cookie,
                                      .entity = net_slot(net->base.config, msg->dst),
                                      .kind = EVENT_ARRIVAL,
                                      .part = (uint8_t)part};
    orr_evq_post(net->base.queue, orr_time_add(orr_evq_now(net->base.queue), delay), &arrival);
}

/* The reference's delay: one double sum of latency and serialization, truncated to whole ns. */
static sim_time reference_delay(const struct net_dim *dim, unsigned hops, uint64_t bytes)
{
    const double ns =
        hops * dim->reference_latency_ns + (double)bytes / dim->reference_bytes_per_ns;
    return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

/* Delivers after the reference's delay, the latency first. */
static void send_by_reference(struct analytical *net, const struct net_msg *msg,
                              const struct net_route *route)
{
    const struct net_dim *dim = &net->base.config->dim[route->dim];
    const sim_time now = orr_evq_now(net->base.queue);
    const sim_time delay = reference_delay(dim, route->hops, msg->bytes);
    if (!ORR_KEEPS_CAUSES(net->causes)) {
        post_arrival(net, msg, delay, ORR_PART_OTHER);
        return;
    }
    const sim_time latency = reference_delay(dim, route->hops, 0);
    const orr_cause before = orr_cause_enter(net->causes, orr_cause_current(net->causes));
    orr_cause_spend(net->causes, ORR_PART_LATENCY(route->dim), orr_time_add(now, latency));
    post_arrival(net, msg, delay, ORR_PART_BANDWIDTH(route->dim));
    orr_cause_leave(net->causes, before);
}

/* How long a message occupies a port. Most have the size of the one before. */
static sim_time service_time(struct dim_state *dim, uint64_t bytes)
{
    if (dim->known_bytes != bytes) {
        dim->known_bytes = bytes;
        dim->known_ps = orr_time_of_bytes(bytes, dim->port_bytes_per_s);
    }
    return dim->known_ps;
}

static void enqueue(struct analytical *net, const struct net_msg *msg,
                    const struct net_route *route)
{
    const uint32_t item = port_slab_new(&net->slab);
    if (item == PORT_NONE) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
        return;
    }
    struct dim_state *state = &net->dim[route->dim];
    struct port_msg *waiting = &net->slab.items[item];
    waiting->order = msg->order;
    waiting->label = msg->label;
    waiting->cookie = msg->cookie;
    waiting->source_cookie = msg->source_cookie;
    waiting->src = msg->src;
    waiting->dst = msg->dst;
    waiting->service_ps = service_time(state, msg->bytes);
    waiting->flight_ps =
        msg->at_once ? 0 : orr_time_mul(net->base.config->dim[route->dim].latency_ps, route->hops);
    state->stats.busy_ps = orr_time_add(state->stats.busy_ps, waiting->service_ps);
    if (ORR_KEEPS_CAUSES(net->causes)) {
        const sim_time now = orr_evq_now(net->base.queue);
        net->slab.waits[item] = (struct port_wait){
            .since = now, .cause = orr_cause_hold(net->causes, ORR_PART_OTHER, now)};
    }
    const uint32_t slot = net_slot(net->base.config, msg->src);
    const uint32_t index = slot * net->ports_per_npu + port_of(net, route, msg->backwards);
    if (net->ports[index].in_run) {
        analytical_interrupt_run(net, index);
    }
    net->ports[index].waiting = port_heap_push(&net->slab, net->ports[index].waiting, item);
    analytical_mark_dirty(net, slot, index);
}

static void analytical_send(struct net *base, const struct net_msg *msg)
{
    struct analytical *net = self(base);
    const struct net_route route = net_route_by(base->config, net->by, msg->src, msg->dst);
    if (route.dim == base->config->dims) {
        post_arrival(net, msg, 0, ORR_PART_OTHER);
        return;
    }
    struct net_dim_stats *stats = &net->dim[route.dim].stats;
    stats->messages++;
    stats->bytes += msg->bytes;
    if (base->config->reference_timing) {
        send_by_reference(net, msg, &route);
    } else {
        enqueue(net, msg, &route);
    }
}

static sim_time analytical_latency(const struct net *base, uint32_t src, uint32_t dst)
{
    const struct net_route route = net_route(base->config, src, dst);
    if (route.dim == base->config->dims) {
        return 0;
    }
    return orr_time_mul(base->config->dim[route.dim].latency_ps, route.hops);
}

static void analytical_stats(const struct net *base, struct net_dim_stats *stats)
{
    const struct analytical *net = (const struct analytical *)base;
    const uint32_t npus = net_npus(base->config), each = npus / net->slots;
    for (unsigned d = 0; d < base->config->dims; d++) {
        const struct net_dim_stats *counted = &net->dim[d].stats;
        stats[d] = (struct net_dim_stats){.messages = counted->messages * each,
                                          .bytes = counted->bytes * each,
                                          .busy_ps = orr_time_mul(counted->busy_ps, each),
                                          .servers = (uint64_t)npus * net->dim[d].ports};
    }
}

static void analytical_destroy(struct net *base)
{
    port_slab_fini(&self(base)->slab);
}

static uint32_t ports_of_dim(const struct net_dim *dim)
{
    if (dim->per_npu || dim->block == NET_SWITCH) {
        return 1;
    }
    if (dim->block == NET_RING) {
        return 2;
    }
    return dim->npus > 1 ? dim->npus - 1 : 1;
}

static enum orr_status init_ports(struct analytical *net, struct orr_arena *arena,
                                  struct orr_diag *diag)
{
    const size_t count = (size_t)net->slots * net->ports_per_npu;
    net->ports = orr_arena_array(arena, count, sizeof *net->ports);
    net->dirty = orr_arena_array(arena, net->slots, sizeof *net->dirty);
    const bool folds = net->slots < net_npus(net->base.config);
    net->runs = folds ? orr_arena_array(arena, count, sizeof *net->runs) : NULL;
    net->freed = net->causes != NULL ? orr_arena_array(arena, count, sizeof *net->freed) : NULL;
    if (net->ports == NULL || net->dirty == NULL || (folds && net->runs == NULL) ||
        (net->causes != NULL && net->freed == NULL)) {
        return orr_diag_no_memory(diag, "network ports");
    }
    for (size_t i = 0; i < count; i++) {
        net->ports[i].waiting = PORT_NONE;
    }
    for (uint32_t npu = 0; npu < net->slots; npu++) {
        net->dirty[npu] = PORT_NONE;
    }
    return ORR_OK;
}

static void init_dims(struct analytical *net, const struct net_config *config)
{
    for (unsigned d = 0; d < config->dims; d++) {
        net->by[d] = orr_divisor_of(config->dim[d].npus);
        net->dim[d].first_port = net->ports_per_npu;
        net->dim[d].ports = ports_of_dim(&config->dim[d]);
        net->dim[d].port_bytes_per_s = config->dim[d].bandwidth_bytes_per_s;
        net->ports_per_npu += net->dim[d].ports;
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
    net->base = (struct net){.ops = &net_analytical, .config = config, .queue = queue};
    net->slots = config->fold != NULL ? config->fold->slots : net_npus(config);
    net->causes = orr_evq_causes(queue);
    net->slab.keep_waits = net->causes != NULL;
    net->slab.config = config;
    net->slab.free_head = PORT_NONE;
    net->dim = orr_arena_array(arena, config->dims, sizeof *net->dim);
    net->by = orr_arena_array(arena, config->dims, sizeof *net->by);
    if (net->dim == NULL || net->by == NULL) {
        return orr_diag_no_memory(diag, "the analytical network");
    }
    init_dims(net, config);
    if (!config->reference_timing) {
        const enum orr_status status = init_ports(net, arena, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    orr_evq_handle(queue, EVENT_ARRIVAL, on_arrival, net);
    orr_evq_handle(queue, EVENT_PORT_FREE, on_port_free, net);
    orr_evq_handle(queue, EVENT_RUN_END, analytical_on_run_end, net);
    *out = &net->base;
    return ORR_OK;
}

static const char *const keys[] = {NULL};

const struct net_ops net_analytical = {
    .name = "analytical",
    .summary = "hops x latency + bytes / bandwidth; one message at a time per port",
    .keys = keys,
    .tells_sent = true,
    .create = analytical_create,
    .send = analytical_send,
    .latency = analytical_latency,
    .flush = analytical_flush,
    .stats = analytical_stats,
    .destroy = analytical_destroy,
};
