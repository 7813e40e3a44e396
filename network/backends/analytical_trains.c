/* Message trains: equal messages of an NPU's class to itself that follow each other over a port
 * that nothing else uses, simulated as one event.
 *
 * Invariant: a port is `in_train` from the start of the first message until the last one leaves. A
 * message that is queued at the port in between interrupts the train: the state becomes that of
 * single messages. The same happens if a message enters the NPU through the single port of the
 * dimension. Its ingress port is updated then, or at the end of the train. */
#include "core/sum.h"
#include "network/backends/analytical.h"
#include "network/net.h"
#include "network/net_message.h"

/* Counts the last `count` messages of a train, or undoes that (`back`). */
static void count_train(struct analytical *net, const struct port_train *train, uint32_t count,
                        bool back)
{
    struct net_dim_stats *stats = &net->dim[train->dim].stats;
    const orr_sum messages = back ? -(orr_sum)count : count;
    stats->messages += messages;
    stats->bytes += messages * (orr_sum)train->bytes;
    stats->busy_ps += messages * train->msg.service_ps;
    for (uint32_t k = train->count - count; net->base.use != NULL && k < train->count; k++) {
        const sim_time start = train->first_ps + (sim_time)k * train->step_ps;
        const double busy_ps = (double)train->msg.service_ps;
        net_use(&net->base, train->dim, start, start + train->msg.service_ps,
                back ? -busy_ps : busy_ps);
    }
}

/* The port has no other user, and a new one is noticed. The end event has the label and time that
 * the train's last event would have with single messages: the arrival of the last message, or the
 * end of its port time if both coincide. */
bool orr_analytical_start_train(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item)
{
    const struct port_msg *msg = &net->slab.items[item];
    const struct net_listener *listener = &net->base.listener;
    struct net_repeat repeat;
    if (net->trains == NULL || net->causes != NULL || listener->repeats == NULL ||
        msg->service_ps == 0 ||
        !listener->repeats(listener->context, msg->source_cookie, &repeat)) {
        return false;
    }
    struct port_train train = {
        .msg = *msg,
        .first_ps = orr_evq_now(net->base.queue),
        .step_ps = orr_time_add(msg->service_ps, orr_time_add(msg->flight_ps, repeat.pause_ps)),
        .bytes = repeat.bytes,
        .count = repeat.count,
        .serial = net->trains[index].serial + 1,
        .dim = net->ports[index].dim,
        .stream = net->slab.streams[item]};
    const sim_time end = orr_time_add(train.first_ps, orr_time_mul(train.step_ps, train.count));
    if (!orr_analytical_ingress_is_quiet(net, npu, train.dim, train.first_ps + msg->flight_ps)) {
        return false;
    }
    if (end == ORR_TIME_MAX) {
        return false;
    }
    net->trains[index] = train;
    net->ports[index].in_train = true;
    count_train(net, &train, train.count - 1, false);
    const bool together = train.step_ps == msg->service_ps;
    const struct orr_event event = {.label = together ? PORT_FREE_LABEL | index
                                                      : msg->label + train.count - 1,
                                    .cookie = (uint64_t)train.serial << 32 | index,
                                    .entity = npu,
                                    .kind = EVENT_TRAIN_END};
    orr_evq_post(net->base.queue, end, &event);
    listener->repeating(listener->context, msg->source_cookie);
    return true;
}

/* Adds the train's first `count` messages to its NPU's ingress port. */
static void add_to_ingress(struct analytical *net, uint32_t index, uint32_t count)
{
    struct port_train *train = &net->trains[index];
    if (!train->noted) {
        train->noted = true;
        orr_analytical_ingress_add_train(net, index / net->ports_per_npu, train, count);
    }
}

void orr_analytical_on_train_end(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t index = (uint32_t)event->cookie;
    const struct port_train *train = &net->trains[index];
    if (train->serial != event->cookie >> 32) {
        return; /* the train was interrupted */
    }
    add_to_ingress(net, index, train->count);
    if (net->ports[index].in_train) {
        net->ports[index].in_train = net->ports[index].sending = false;
        analytical_mark_dirty(net, event->entity, index);
    }
    net->base.listener.repeated(net->base.listener.context, train->msg.source_cookie);
}

/* Posts the arrival of message k of a train at `time`, as for a single message. */
static void post_tail(struct analytical *net, uint32_t index, uint32_t k, sim_time time)
{
    const struct port_train *train = &net->trains[index];
    const uint32_t npu = index / net->ports_per_npu;
    const struct orr_event arrival = {.label = train->msg.label + k,
                                      .cookie = train->msg.cookie,
                                      .entity = npu,
                                      .kind = EVENT_ARRIVAL};
    if (net->dim[train->dim].ingress_ports == NULL) {
        orr_evq_post(net->base.queue, time, &arrival);
        return;
    }
    uint32_t item;
    struct port_msg *waiting = analytical_new_waiting(net, &item);
    if (waiting != NULL) {
        *waiting = train->msg;
        net->slab.streams[item] = train->stream;
        waiting->label = arrival.label;
        orr_analytical_post_entry(net, npu, train->dim, item, time);
    }
}

/* Makes message k of a train, sent `since` ago, a single message: posts its remaining events. */
static void split_train(struct analytical *net, uint32_t index, uint32_t k, sim_time since)
{
    struct port_train *train = &net->trains[index];
    const struct port_msg *msg = &train->msg;
    const sim_time sent = orr_evq_now(net->base.queue) - since;
    const sim_time leaves = sent + msg->service_ps, arrives = leaves + msg->flight_ps;
    const uint32_t npu = index / net->ports_per_npu;
    struct port *port = &net->ports[index];
    port->in_train = false;
    port->sending = since < msg->service_ps;
    struct net_progress progress = {
        .sent = k + 1, .left = port->sending ? k : k + 1, .taken = k, .taken_ps = -1};
    port->until = leaves;
    if (port->sending && analytical_cuts(net, sent)) {
        uint32_t item;
        struct port_msg *single = analytical_new_waiting(net, &item);
        if (single != NULL) {
            *single = *msg;
            net->slab.streams[item] = train->stream;
            single->label += k;
            orr_analytical_send_item(net, npu, index, item);
        }
    } else if (since < msg->service_ps + msg->flight_ps) {
        if (port->sending) {
            analytical_post_free(net, npu, index, leaves, msg->source_cookie);
        }
        post_tail(net, index, k, arrives);
    } else {
        progress.taken_ps = sent + train->step_ps;
    }
    add_to_ingress(net, index, progress.taken_ps >= 0 ? k + 1 : k);
    train->serial++;
    count_train(net, train, train->count - k - 1, true);
    net->base.listener.interrupted(net->base.listener.context, msg->source_cookie, &progress);
}

/* Interrupts a train. All events of a train are at the beginning of their instants and change only
 * the train and its port. So those of this instant can be taken as over; what they sent waits for
 * the flush, like the new message. */
void orr_analytical_interrupt_train(struct analytical *net, uint32_t index)
{
    struct port_train *train = &net->trains[index];
    struct port *port = &net->ports[index];
    const sim_time since = orr_evq_now(net->base.queue) - train->first_ps;
    const uint32_t k = (uint32_t)(since / train->step_ps);
    const sim_time of_step = since % train->step_ps;
    if (k == train->count) {
        /* The end comes in this round; the port is or becomes free. */
        port->in_train = port->sending = train->step_ps == train->msg.service_ps;
        add_to_ingress(net, index, k);
        return;
    }
    if (of_step != 0 || k == 0 || orr_evq_round(net->base.queue) != 0) {
        split_train(net, index, k, of_step);
        return;
    }
    /* Message k was sent in this instant and has not started. */
    port->in_train = port->sending = false;
    train->serial++;
    add_to_ingress(net, index, k);
    count_train(net, train, train->count - k, true);
    const struct net_progress progress = {.sent = k, .left = k, .taken = k, .taken_ps = -1};
    net->base.listener.interrupted(net->base.listener.context, train->msg.source_cookie, &progress);
}

/* A message enters in the instant of a train's message, and precedes it if its label is smaller.
 * The train's message is then late; none of its later events has happened. */
void orr_analytical_enter_during_train(struct analytical *net, uint32_t index, uint64_t label)
{
    struct port_train *train = &net->trains[index];
    struct port *port = &net->ports[index];
    const sim_time flight = train->msg.service_ps + train->msg.flight_ps;
    const sim_time since = orr_evq_now(net->base.queue) - train->first_ps - flight;
    const uint32_t k = since >= 0 ? (uint32_t)(since / train->step_ps) : 0;
    if (since < 0 || since % train->step_ps != 0 || train->noted ||
        orr_evq_round(net->base.queue) != 0 || label > train->msg.label + k) {
        orr_analytical_interrupt_train(net, index);
        return;
    }
    port->in_train = port->sending = false;
    train->serial++;
    add_to_ingress(net, index, k);
    count_train(net, train, train->count - k - 1, true);
    post_tail(net, index, k, orr_evq_now(net->base.queue));
    const struct net_progress progress = {.sent = k + 1, .left = k + 1, .taken = k, .taken_ps = -1};
    net->base.listener.interrupted(net->base.listener.context, train->msg.source_cookie, &progress);
}
