/* Multi-port messages of the analytical backend, around a ring or through several dimensions:
 * virtual cut-through over the ports of a dimension-order path.
 *
 * The head requests the port to the next NPU, queues there, and reaches the next NPU one latency
 * after its start; the port is busy for bytes / bandwidth. The tail is through a port at the end of
 * that time, but not before it is through the previous ports. So a message alone takes the
 * latencies of its path + bytes / the smallest bandwidth, and no port carries more than its
 * bandwidth.
 *
 * Events of heads are ordered by the message's label, queues by (order, label, shift from here to
 * the destination): both are invariant under shifts of the topology. */
#include "core/fold.h"
#include "network/backends/analytical.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_message.h"

enum { IS_TAIL = 1 }; /* aux of events of heads */

struct transit_msg {
    struct net_msg msg;
    uint32_t node;    /* the NPU where the head is */
    unsigned dim;     /* of the last requested port; config's dims: none yet */
    sim_time tail_ps; /* when the tail arrives here, as far as known */
    orr_cause tail;   /* the cause of tail_ps */
    uint32_t cuts;    /* rests that wait at ports */
    bool is_late;     /* the tail was due, but for a cut */
};

void orr_analytical_transit_init(struct analytical *net, struct orr_arena *arena)
{
    orr_slab_init(&net->transit_msg, arena, sizeof(struct transit_msg));
}

static struct transit_msg *transit_msg_at(const struct analytical *net, uint64_t handle)
{
    return orr_slab_at(&net->transit_msg, (uint32_t)handle);
}

/* Requests the port by which the head's route leaves its NPU. */
static void request_port(struct analytical *net, uint32_t handle, const struct net_route *route)
{
    struct transit_msg *transit_msg = transit_msg_at(net, handle);
    const struct net_msg *msg = &transit_msg->msg;
    struct dim_state *dim = &net->dim[route->dim];
    if (transit_msg->dim != route->dim) {
        transit_msg->dim = route->dim;
        dim->stats.messages++;
        dim->stats.bytes += msg->bytes;
    }
    uint32_t item;
    struct port_msg *waiting = analytical_new_waiting(net, &item);
    if (waiting == NULL) {
        return;
    }
    waiting->order = msg->order;
    waiting->label = msg->label;
    waiting->cookie = handle;
    waiting->source_cookie = msg->source_cookie;
    waiting->service_ps = analytical_service(dim, msg->bytes);
    dim->stats.busy_ps += waiting->service_ps;
    waiting->flight_ps = PORT_IN_TRANSIT;
    waiting->src = transit_msg->node;
    waiting->dst = msg->dst.rank;
    orr_analytical_enqueue(net, item, transit_msg->node, route, msg);
}

void orr_analytical_begin_transit(struct analytical *net, const struct net_msg *msg,
                                  const struct net_route *route)
{
    const uint32_t handle = orr_slab_new(&net->transit_msg);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
        return;
    }
    *transit_msg_at(net, handle) =
        (struct transit_msg){.msg = *msg, .node = msg->src.rank, .dim = net->base.config->dims};
    request_port(net, handle, route);
}

/* ---- the tail ---- */

/* Sets when the tail arrives, and the held cause of that. */
static void set_tail(struct analytical *net, struct transit_msg *transit_msg, sim_time time,
                     orr_cause cause)
{
    orr_cause_drop(net->causes, transit_msg->tail);
    transit_msg->tail_ps = time;
    transit_msg->tail = cause;
}

static void move_tail(struct analytical *net, struct transit_msg *transit_msg, sim_time latency)
{
    transit_msg->tail_ps = orr_time_add(transit_msg->tail_ps, latency);
    if (ORR_KEEPS_CAUSES(net->causes)) {
        const orr_cause before = orr_cause_enter(net->causes, transit_msg->tail);
        set_tail(
            net, transit_msg, transit_msg->tail_ps,
            orr_cause_hold(net->causes, ORR_PART_LATENCY(transit_msg->dim), transit_msg->tail_ps));
        orr_cause_leave(net->causes, before);
    }
}

/* Posts the arrival of the tail at the destination, where the head is. */
static void post_tail(struct analytical *net, uint32_t handle)
{
    const struct transit_msg *transit_msg = transit_msg_at(net, handle);
    const struct net_msg *msg = &transit_msg->msg;
    const struct orr_event tail = {.label = msg->label,
                                   .cookie = handle,
                                   .entity = net_slot(net->base.config, msg->dst).slot,
                                   .kind = EVENT_HEAD,
                                   .aux = IS_TAIL,
                                   .part = (uint8_t)ORR_PART_LATENCY(transit_msg->dim)};
    if (!ORR_KEEPS_CAUSES(net->causes)) {
        orr_evq_post(net->base.queue, transit_msg->tail_ps, &tail);
        return;
    }
    const orr_cause before = orr_cause_enter(net->causes, transit_msg->tail);
    orr_evq_post(net->base.queue, transit_msg->tail_ps, &tail);
    orr_cause_leave(net->causes, before);
}

/* The tail is due. It is late if a port cut the message: then it comes with the last rest. */
static void on_tail(struct analytical *net, const struct orr_event *event)
{
    const uint32_t handle = (uint32_t)event->cookie;
    struct transit_msg *transit_msg = transit_msg_at(net, handle);
    if (transit_msg->cuts != 0) {
        transit_msg->is_late = true;
    } else if (transit_msg->tail_ps > orr_evq_now(net->base.queue)) {
        post_tail(net, handle);
    } else {
        const uint64_t cookie = transit_msg->msg.cookie;
        orr_cause_drop(net->causes, transit_msg->tail);
        orr_slab_free(&net->transit_msg, handle);
        net->base.listener.delivered(net->base.listener.context, orr_slot(event->entity),
                                     event->label, cookie);
    }
}

/* ---- the head ---- */

/* Heads of a round enter in queue order, equal ones by their shift, not by the order of events. */
static void wait_to_enter(struct analytical *net, uint32_t npu, uint32_t handle)
{
    const struct transit_msg *transit_msg = transit_msg_at(net, handle);
    uint32_t item;
    struct port_msg *waiting = analytical_new_waiting(net, &item);
    if (waiting == NULL) {
        return;
    }
    waiting->order = transit_msg->msg.order;
    waiting->label = transit_msg->msg.label;
    waiting->cookie = handle;
    waiting->src = transit_msg->node;
    waiting->dst = transit_msg->msg.dst.rank;
    waiting->service_ps = analytical_service(&net->dim[transit_msg->dim], transit_msg->msg.bytes);
    if (ORR_KEEPS_CAUSES(net->causes)) {
        const sim_time now = orr_evq_now(net->base.queue);
        net->slab.waits[item].cause = orr_cause_hold(net->causes, ORR_PART_OTHER, now);
    }
    net->heads[npu] = port_heap_push(&net->slab, net->heads[npu], item);
}

/* Continues the head from its NPU; at the destination the message arrives with its tail. */
static void continue_head(struct analytical *net, uint32_t handle)
{
    const struct transit_msg *transit_msg = transit_msg_at(net, handle);
    if (transit_msg->node == transit_msg->msg.dst.rank) {
        post_tail(net, handle);
        return;
    }
    const struct net_route route =
        orr_net_route(net->base.config, transit_msg->node, transit_msg->msg.dst.rank);
    request_port(net, handle, &route);
}

void orr_analytical_enter_heads(struct analytical *net, uint32_t npu)
{
    while (net->heads[npu] != PORT_NONE) {
        const uint32_t item = net->heads[npu];
        const uint32_t handle = (uint32_t)net->slab.items[item].cookie;
        struct transit_msg *transit_msg = transit_msg_at(net, handle);
        orr_cause before = ORR_CAUSE_ROOT;
        if (ORR_KEEPS_CAUSES(net->causes)) {
            before = orr_cause_enter(net->causes, net->slab.waits[item].cause);
            orr_cause_drop(net->causes, net->slab.waits[item].cause);
        }
        const sim_time taken_in = orr_analytical_ingress_admit(
            net, npu, transit_msg->dim, net->slab.items[item].service_ps, transit_msg->msg.stream);
        net->heads[npu] = port_heap_pop(&net->slab, item);
        port_slab_free(&net->slab, item);
        if (taken_in > transit_msg->tail_ps) {
            set_tail(net, transit_msg, taken_in,
                     ORR_KEEPS_CAUSES(net->causes)
                         ? orr_analytical_ingress_cause(net, npu, transit_msg->dim, taken_in)
                         : ORR_CAUSE_ROOT);
        }
        continue_head(net, handle);
        orr_cause_leave(net->causes, before);
    }
}

void orr_analytical_on_head(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t handle = (uint32_t)event->cookie;
    if (event->aux == IS_TAIL) {
        on_tail(net, event);
    } else if (net->dim[transit_msg_at(net, handle)->dim].ingress_ports != NULL) {
        wait_to_enter(net, event->entity, handle);
    } else {
        continue_head(net, handle);
    }
}

/* Moves the head over the port on which it starts; returns the latency of the hop. */
static sim_time move_head(struct analytical *net, struct transit_msg *transit_msg)
{
    const struct net_config *config = net->base.config;
    const struct net_route route =
        orr_net_route(config, transit_msg->node, transit_msg->msg.dst.rank);
    const struct net_dim *dim = &config->dim[route.dim];
    uint32_t steps = route.forward;
    if (net_passes_on(dim->block)) {
        steps = net_goes_down(dim, &route, transit_msg->msg.backwards) ? dim->npus - 1 : 1;
    }
    transit_msg->node = orr_net_ahead(dim, net->dim[route.dim].stride, transit_msg->node, steps);
    const unsigned hops = dim->block == NET_SWITCH ? 2 : 1;
    return transit_msg->msg.at_once ? 0 : orr_time_mul(dim->latency_ps, hops);
}

static void post_head(struct analytical *net, const struct transit_msg *transit_msg,
                      uint64_t handle, sim_time time)
{
    const struct orr_event head = {.label = transit_msg->msg.label,
                                   .cookie = handle,
                                   .entity =
                                       net_slot(net->base.config, orr_rank(transit_msg->node)).slot,
                                   .kind = EVENT_HEAD,
                                   .part = (uint8_t)ORR_PART_LATENCY(transit_msg->dim)};
    orr_evq_post(net->base.queue, time, &head);
}

/* The tail leaves a port at `leaves`. */
static void hold_tail(struct analytical *net, struct transit_msg *transit_msg, sim_time leaves)
{
    if (leaves >= transit_msg->tail_ps) {
        const unsigned part = ORR_PART_BANDWIDTH(transit_msg->dim);
        set_tail(net, transit_msg, leaves, orr_cause_hold(net->causes, part, leaves));
    }
}

void orr_analytical_cut_hop(struct analytical *net, uint32_t item)
{
    struct port_msg *rest = &net->slab.items[item];
    rest->flight_ps = PORT_REST;
    transit_msg_at(net, rest->cookie)->cuts++;
}

/* Starts a rest: the head is at an NPU ahead, and the tail follows it by the latencies between. */
static void start_rest(struct analytical *net, struct transit_msg *transit_msg, uint32_t handle,
                       uint32_t src, sim_time leaves)
{
    const sim_time latency = transit_msg->msg.at_once
                                 ? 0
                                 : orr_net_path_latency(net->base.config, src, transit_msg->node);
    hold_tail(net, transit_msg, orr_time_add(leaves, latency));
    if (--transit_msg->cuts == 0 && transit_msg->is_late) {
        transit_msg->is_late = false;
        post_tail(net, handle);
    }
}

/* Starts a hop: the head goes ahead. */
static void start_head(struct analytical *net, struct transit_msg *transit_msg, uint32_t handle,
                       sim_time leaves)
{
    const sim_time now = orr_evq_now(net->base.queue);
    const sim_time latency = move_head(net, transit_msg);
    hold_tail(net, transit_msg, leaves);
    move_tail(net, transit_msg, latency);
    if (transit_msg->node == transit_msg->msg.dst.rank &&
        net->dim[transit_msg->dim].ingress_ports == NULL) {
        post_tail(net, handle);
    } else {
        post_head(net, transit_msg, handle, orr_time_add(now, latency));
    }
}

void orr_analytical_start_hop(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item)
{
    const struct port_msg *waiting = &net->slab.items[item];
    const uint32_t handle = (uint32_t)waiting->cookie, src = waiting->src;
    struct transit_msg *transit_msg = transit_msg_at(net, handle);
    const unsigned dim = net->ports[index].dim, part = ORR_PART_BANDWIDTH(dim);
    const sim_time leaves = net->ports[index].until;
    const orr_cause before = ORR_KEEPS_CAUSES(net->causes)
                                 ? orr_analytical_enter_start(net, index, item, part)
                                 : ORR_CAUSE_ROOT;
    net_use(&net->base, dim, orr_evq_now(net->base.queue), leaves, (double)waiting->service_ps);
    if (waiting->flight_ps == PORT_REST) {
        start_rest(net, transit_msg, handle, src, leaves);
    } else {
        start_head(net, transit_msg, handle, leaves);
    }
    orr_cause_spend(net->causes, part, leaves);
    orr_analytical_send_hop(net, npu, index, item, src != transit_msg->msg.src.rank);
    orr_cause_leave(net->causes, before);
}
