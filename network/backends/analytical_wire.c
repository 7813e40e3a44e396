/* Messages on the wire of the analytical backend's ports. They may be long, so other streams need
 * not wait for their ends: a port cuts the message on the wire when that has had its share
 * (port_shares.c), and queues what is left.
 *
 * The events of the end are posted when a message starts, and mean nothing after a cut. So a
 * message on the wire keeps its item, to which these events refer: `child` counts them, `sibling`
 * has the flags below. What is left is a new item. The ingress port takes the part that was sent
 * with its own tail. Without a second stream at the port nothing is ever cut. */
#include "core/fold.h"
#include "network/backends/analytical.h"
#include "network/net.h"
#include "network/net_config.h"

#define WAKES UINT64_MAX /* cookie: the port looks again */

enum { IS_CUT = 1, PASSES = 2 };
enum { PART_SENT = 0x80 }; /* in aux, with the dimension: the part that was sent before a cut */

static void release(struct analytical *net, uint32_t item)
{
    if (--net->slab.items[item].child == 0) {
        port_slab_free(&net->slab, item);
    }
}

static struct orr_event tail_of(const struct analytical *net, uint32_t index, uint32_t item)
{
    const struct port_msg *msg = &net->slab.items[item];
    const unsigned dim = net->ports[index].dim;
    return (struct orr_event){.label = msg->label,
                              .cookie = item,
                              .entity = net_slot(net->base.config, orr_rank(msg->dst)).slot,
                              .kind = EVENT_TAIL,
                              .aux = (uint8_t)dim,
                              .part = (uint8_t)ORR_PART_LATENCY(dim)};
}

static void post_port(struct analytical *net, uint32_t npu, uint32_t index, sim_time time,
                      uint64_t cookie)
{
    const struct orr_event event = {
        .label = PORT_FREE_LABEL | index,
        .cookie = cookie,
        .entity = npu,
        .kind = EVENT_PORT,
        .part = cookie == WAKES ? (uint8_t)ORR_PART_BANDWIDTH((unsigned)net->ports[index].dim) : 0};
    orr_evq_post(net->base.queue, time, &event);
}

/* When another stream has its turn: <= 0: now; ORR_TIME_MAX: not while this message is sent. The
 * port looks again then. */
ORR_NOINLINE static sim_time turn_in(struct analytical *net, uint32_t npu, uint32_t index)
{
    const struct port *port = &net->ports[index];
    const sim_time now = orr_evq_now(net->base.queue), ahead = port->until - now;
    const sim_time turn = orr_port_shares_cut_in(&net->slab, &port->line, ahead);
    if (turn >= ahead) {
        return ORR_TIME_MAX;
    }
    if (turn > 0 && orr_port_shares_wake(&net->slab, &port->line, now, now + turn)) {
        post_port(net, npu, index, now + turn, WAKES);
    }
    return turn;
}

static void occupy(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item)
{
    struct port *port = &net->ports[index];
    const bool cuts = analytical_cuts(net, orr_evq_now(net->base.queue));
    port->on_wire = cuts ? item : PORT_NONE;
    post_port(net, npu, index, port->until, item);
    if (__builtin_expect(cuts && port->line.stream == PORT_SHARED, 0)) {
        (void)turn_in(net, npu, index);
    }
}

void orr_analytical_send_item(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item)
{
    struct port_msg *msg = &net->slab.items[item];
    msg->child = 2;
    msg->sibling = 0;
    const struct orr_event tail = tail_of(net, index, item);
    orr_evq_post(net->base.queue, orr_time_add(net->ports[index].until, msg->flight_ps), &tail);
    occupy(net, npu, index, item);
}

void orr_analytical_send_hop(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item,
                             bool passes)
{
    struct port_msg *msg = &net->slab.items[item];
    msg->child = 1;
    msg->sibling = passes ? PASSES : 0;
    occupy(net, npu, index, item);
}

/* Posts the events of a message that is not cut. */
static void send_whole(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item)
{
    const struct port_msg *msg = &net->slab.items[item];
    const sim_time leaves = net->ports[index].until;
    const unsigned dim = net->ports[index].dim;
    const bool enters =
        net->dim[dim].ingress_ports != NULL; /* the item is kept until the message has entered */
    const uint64_t source_cookie = msg->source_cookie;
    const struct orr_event arrival = {.label = msg->label,
                                      .cookie = enters ? item : msg->cookie,
                                      .entity = net_slot(net->base.config, orr_rank(msg->dst)).slot,
                                      .kind = enters ? EVENT_ENTRY : EVENT_ARRIVAL,
                                      .aux = (uint8_t)dim,
                                      .part = (uint8_t)ORR_PART_LATENCY(dim)};
    const sim_time tail = orr_time_add(leaves, msg->flight_ps);
    if (!enters) {
        port_slab_free(&net->slab, item);
    }
    orr_evq_post(net->base.queue, tail, &arrival);
    analytical_post_free(net, npu, index, leaves, source_cookie);
}

void orr_analytical_start_direct(struct analytical *net, uint32_t npu, uint32_t index,
                                 uint32_t item)
{
    const struct port_msg *msg = &net->slab.items[item];
    const struct port *port = &net->ports[index];
    const unsigned dim = port->dim, part = ORR_PART_BANDWIDTH(dim);
    net_use(&net->base, dim, orr_evq_now(net->base.queue), port->until, (double)msg->service_ps);
    if (port->line.waiting == PORT_NONE && net->trains != NULL &&
        net_slot(net->base.config, orr_rank(msg->dst)).slot == npu &&
        orr_analytical_start_train(net, npu, index, item)) {
        port_slab_free(&net->slab, item);
        return;
    }
    orr_cause before = ORR_CAUSE_ROOT;
    if (ORR_KEEPS_CAUSES(net->causes)) {
        before = orr_analytical_enter_start(net, index, item, part);
        orr_cause_spend(net->causes, part, port->until);
    }
    if (analytical_cuts(net, orr_evq_now(net->base.queue))) {
        orr_analytical_send_item(net, npu, index, item);
    } else {
        send_whole(net, npu, index, item);
    }
    if (ORR_KEEPS_CAUSES(net->causes)) {
        orr_cause_leave(net->causes, before);
    }
}

/* ---- cuts ---- */

/* A new item for what is left of the message on the wire; PORT_NONE: out of memory. */
static uint32_t rest_of(struct analytical *net, uint32_t item, sim_time ahead)
{
    uint32_t rest;
    struct port_msg *msg = analytical_new_waiting(net, &rest);
    if (msg == NULL) {
        return PORT_NONE;
    }
    *msg = net->slab.items[item];
    msg->service_ps = ahead;
    net->slab.streams[rest] = net->slab.streams[item];
    if (ORR_KEEPS_CAUSES(net->causes)) {
        const sim_time now = orr_evq_now(net->base.queue);
        net->slab.waits[rest] = (struct port_wait){
            .since = now, .cause = orr_cause_hold(net->causes, ORR_PART_OTHER, now)};
    }
    return rest;
}

/* The item becomes the part that was sent. */
static void end_part(struct analytical *net, uint32_t index, uint32_t item, sim_time ahead)
{
    struct port_msg *sent = &net->slab.items[item];
    sent->sibling |= IS_CUT;
    sent->service_ps -= ahead;
    if (sent->flight_ps < 0 || sent->service_ps == 0 ||
        net->dim[net->ports[index].dim].ingress_ports == NULL) {
        return;
    }
    struct orr_event part = tail_of(net, index, item);
    part.aux |= PART_SENT;
    sent->child++;
    orr_evq_post(net->base.queue, orr_time_add(orr_evq_now(net->base.queue), sent->flight_ps),
                 &part);
}

bool orr_analytical_cut(struct analytical *net, uint32_t npu, uint32_t index)
{
    struct port *port = &net->ports[index];
    const sim_time now = orr_evq_now(net->base.queue), ahead = port->until - now;
    if (ahead <= 0 || port->on_wire == PORT_NONE || turn_in(net, npu, index) > 0) {
        return false;
    }
    const uint32_t item = port->on_wire;
    const uint32_t rest = rest_of(net, item, ahead);
    if (rest == PORT_NONE) {
        return false;
    }
    net_use(&net->base, port->dim, now, port->until, -(double)ahead);
    end_part(net, index, item, ahead);
    if (net->slab.items[rest].flight_ps < 0) {
        orr_analytical_cut_hop(net, rest);
    }
    orr_port_shares_return(&net->slab, &port->line, rest);
    port->on_wire = PORT_NONE;
    port->sending = false;
    port->until = now;
    return true;
}

/* ---- events ---- */

void orr_analytical_on_tail(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t item = (uint32_t)event->cookie;
    const struct port_msg *msg = &net->slab.items[item];
    const uint64_t cookie = msg->cookie;
    const sim_time service_ps = msg->service_ps;
    const uint32_t stream = net->slab.streams[item];
    const bool is_part = (event->aux & PART_SENT) != 0, is_void = (msg->sibling & IS_CUT) != 0;
    struct orr_event entry = *event;
    entry.aux &= PART_SENT - 1;
    release(net, item);
    if (is_part) {
        orr_analytical_receive_part(net, &entry, service_ps, stream);
    } else if (is_void) {
        return;
    } else if (net->dim[entry.aux].ingress_ports != NULL) {
        orr_analytical_receive(net, &entry, &(struct received){service_ps, cookie, stream});
    } else {
        net->base.listener.delivered(net->base.listener.context, orr_slot(event->entity),
                                     event->label, cookie);
    }
}

void orr_analytical_on_port(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t index = (uint32_t)event->label, item = (uint32_t)event->cookie;
    struct port *port = &net->ports[index];
    if (event->cookie == WAKES) {
        if (orr_port_shares_wakes(&net->slab, &port->line, orr_evq_now(net->base.queue))) {
            analytical_mark_dirty(net, event->entity, index);
        }
        return;
    }
    const struct port_msg *msg = &net->slab.items[item];
    const uint64_t source_cookie = msg->source_cookie;
    const uint32_t flags = msg->sibling;
    release(net, item);
    if ((flags & IS_CUT) == 0) {
        port->on_wire = PORT_NONE;
        orr_analytical_free_port(net, event, source_cookie, (flags & PASSES) == 0);
    }
}
