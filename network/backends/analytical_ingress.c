/* Ingress ports of the analytical backend: messages that enter an NPU by the only port of a
 * dimension (a switch, or bandwidth per NPU) share its receive bandwidth, as senders share its send
 * bandwidth.
 *
 * An ingress port serves messages in the order of their tails. A message can use the port's free
 * time since its head arrived, and is delivered when it has had its service time, but not before
 * its tail arrives. So no ingress port receives more than its bandwidth; and no message is late if
 * every NPU receives from one other at a time.
 *
 * State: the port's time is used in [begin, free), and partly before `before`; the gap between is
 * free. */
#include "network/backends/analytical.h"

/* A single port that receives from more than one NPU. */
static bool has_ingress(const struct net_dim *dim)
{
    return dim->npus > 2 && (dim->per_npu || dim->block == NET_SWITCH);
}

bool orr_analytical_ingress_init(struct analytical *net, struct orr_arena *arena)
{
    bool any = false;
    orr_slab_init(&net->backlog, arena, sizeof(struct backlog));
    for (unsigned d = 0; d < net->base.config->dims; d++) {
        struct dim_state *state = &net->dim[d];
        if (net->shares && has_ingress(&net->base.config->dim[d])) {
            state->ingress_ports = orr_arena_array(arena, net->slots, sizeof *state->ingress_ports);
            state->ingress_causes =
                net->causes != NULL
                    ? orr_arena_array(arena, net->slots, sizeof *state->ingress_causes)
                    : NULL;
            if (state->ingress_ports == NULL ||
                (net->causes != NULL && state->ingress_causes == NULL)) {
                return false;
            }
            any = true;
        }
    }
    net->heads = any ? orr_arena_array(arena, net->slots, sizeof *net->heads) : NULL;
    return !any || net->heads != NULL;
}

static struct ingress *ingress_at(struct analytical *net, uint32_t npu, unsigned dim)
{
    return &net->dim[dim].ingress_ports[npu];
}

/* When a message whose head came at `head` has had its service time; updates the port. */
static inline sim_time admit(struct ingress *ingress, sim_time head, sim_time service)
{
    if (service == 0) {
        return head < ingress->free ? ingress->free : head;
    }
    if (head >= ingress->free) {
        ingress->before = ingress->free;
        ingress->begin = head;
        ingress->free = orr_time_add(head, service);
        return ingress->free;
    }
    if (head < ingress->begin) {
        const sim_time from = head > ingress->before ? head : ingress->before;
        service -= ingress->begin - from;
        ingress->begin = from;
    }
    ingress->free = orr_time_add(ingress->free, service);
    return ingress->free;
}

/* ---- causes of admissions ---- */

static struct ingress_cause *causes_at(const struct analytical *net, uint32_t npu, unsigned dim)
{
    return &net->dim[dim].ingress_causes[npu];
}

/* The cause `from`, or the current one (NULL), extended by the message's service until `done`. */
static orr_cause served(struct analytical *net, const orr_cause *from, unsigned dim, sim_time done)
{
    const orr_cause before =
        orr_cause_enter(net->causes, from != NULL ? *from : orr_cause_current(net->causes));
    const orr_cause cause = orr_cause_hold(net->causes, ORR_PART_BANDWIDTH(dim), done);
    orr_cause_leave(net->causes, before);
    return cause;
}

/* Keeps the cause of an admission; `was` is the port before it. The message waited for what the
 * port was busy with when the head came; if it could use time before that, for the message before;
 * else for nothing. */
static void keep_cause(struct analytical *net, uint32_t npu, unsigned dim,
                       const struct ingress *was, sim_time head)
{
    struct ingress_cause *of = causes_at(net, npu, dim);
    const sim_time done = ingress_at(net, npu, dim)->free;
    const bool alone = head >= was->free;
    const orr_cause *from = alone                ? NULL
                            : head >= was->begin ? &of->free
                            : head > was->before ? NULL
                                                 : &of->before;
    const orr_cause cause = served(net, from, dim, done);
    if (alone) {
        orr_cause_drop(net->causes, of->before);
        of->before = of->free;
    } else {
        orr_cause_drop(net->causes, of->free);
    }
    of->free = cause;
}

orr_cause orr_analytical_ingress_cause(const struct analytical *net, uint32_t npu, unsigned dim,
                                       sim_time taken_in)
{
    const sim_time now = orr_evq_now(net->base.queue);
    if (taken_in <= now) {
        return orr_cause_hold(net->causes, ORR_PART_OTHER, now);
    }
    if (taken_in < net->dim[dim].ingress_ports[npu].free) {
        return orr_cause_hold(net->causes, ORR_PART_BANDWIDTH(dim), taken_in);
    }
    const orr_cause before = orr_cause_enter(net->causes, causes_at(net, npu, dim)->free);
    const orr_cause cause = orr_cause_hold(net->causes, ORR_PART_OTHER, taken_in);
    orr_cause_leave(net->causes, before);
    return cause;
}

/* ---- streams ---- */

static struct backlog *backlog_at(struct analytical *net, uint32_t handle)
{
    return orr_slab_at(&net->backlog, handle);
}

/* The port has taken in all that came: from now on it has one stream. */
static void set_stream(struct analytical *net, struct ingress *ingress, uint32_t stream)
{
    while (ingress->stream == PORT_SHARED && ingress->backlog != PORT_NONE) {
        const uint32_t handle = ingress->backlog;
        ingress->backlog = backlog_at(net, handle)->next;
        orr_slab_free(&net->backlog, handle);
    }
    ingress->stream = stream;
}

static struct backlog *add_backlog(struct analytical *net, struct ingress *ingress, uint32_t stream,
                                   sim_time free)
{
    const uint32_t handle = orr_slab_new(&net->backlog);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
        return NULL;
    }
    *backlog_at(net, handle) =
        (struct backlog){.stream = stream, .free = free, .next = ingress->backlog};
    ingress->backlog = handle;
    return backlog_at(net, handle);
}

/* A message of another stream than what the port is taking in does not wait for all of that: n
 * streams get 1/n each. Returns when the message is taken in, at the latest when it would be by
 * the order of tails (`last`). */
ORR_NOINLINE static sim_time share(struct analytical *net, struct ingress *ingress,
                                   const struct ingress *was, uint32_t stream, sim_time head,
                                   sim_time service)
{
    if (ingress->stream != PORT_SHARED) {
        const uint32_t first = ingress->stream;
        ingress->stream = PORT_SHARED;
        ingress->backlog = PORT_NONE;
        if (add_backlog(net, ingress, first, was->free) == NULL) {
            return ingress->free;
        }
    }
    struct backlog *own = NULL;
    sim_time streams = 1;
    for (uint32_t i = ingress->backlog; i != PORT_NONE; i = backlog_at(net, i)->next) {
        struct backlog *backlog = backlog_at(net, i);
        if (backlog->stream == stream) {
            own = backlog;
        } else {
            streams += backlog->free > head ? 1 : 0;
        }
    }
    if (own == NULL) {
        own = add_backlog(net, ingress, stream, head);
    }
    if (own == NULL) {
        return ingress->free;
    }
    const sim_time from = own->free > head ? own->free : head;
    const sim_time fair = orr_time_add(from, orr_time_mul(service, (unsigned)streams));
    own->free = fair < ingress->free ? fair : ingress->free;
    return own->free;
}

static inline sim_time admit_at(struct analytical *net, uint32_t npu, unsigned dim, sim_time head,
                                sim_time service, uint32_t stream)
{
    struct ingress *ingress = ingress_at(net, npu, dim);
    const struct ingress was = *ingress;
    if (head >= was.free) {
        set_stream(net, ingress, stream);
    }
    const sim_time done = admit(ingress, head, service);
    if (ORR_KEEPS_CAUSES(net->causes) && service != 0) {
        keep_cause(net, npu, dim, &was, head);
    }
    if (__builtin_expect(ingress->stream != stream && service != 0, 0)) {
        return share(net, ingress, &was, stream, head, service);
    }
    return done;
}

/* ---- messages ---- */

bool orr_analytical_ingress_is_quiet(struct analytical *net, uint32_t npu, unsigned dim,
                                     sim_time head)
{
    return net->dim[dim].ingress_ports == NULL || head >= ingress_at(net, npu, dim)->free;
}

void orr_analytical_ingress_add_train(struct analytical *net, uint32_t npu,
                                      const struct port_train *train, uint32_t count)
{
    if (net->dim[train->dim].ingress_ports == NULL || count == 0) {
        return;
    }
    struct ingress *ingress = ingress_at(net, npu, train->dim);
    set_stream(net, ingress, train->stream);
    const sim_time tail = train->first_ps + train->msg.service_ps + train->msg.flight_ps +
                          (sim_time)(count - 1) * train->step_ps;
    *ingress = (struct ingress){.before = count > 1 ? tail - train->step_ps : ingress->free,
                                .begin = tail - train->msg.service_ps,
                                .free = tail,
                                .stream = train->stream};
}

void orr_analytical_post_entry(struct analytical *net, uint32_t npu, unsigned dim, uint32_t item,
                               sim_time time)
{
    const struct orr_event entry = {.label = net->slab.items[item].label,
                                    .cookie = item,
                                    .entity = npu,
                                    .kind = EVENT_ENTRY,
                                    .aux = (uint8_t)dim,
                                    .part = (uint8_t)ORR_PART_LATENCY(dim)};
    orr_evq_post(net->base.queue, time, &entry);
}

/* The message arrives late, because others used the ingress port. */
ORR_NOINLINE static void arrive_late(struct analytical *net, const struct orr_event *entry,
                                     uint64_t cookie, sim_time time)
{
    const struct orr_event arrival = {.label = entry->label,
                                      .cookie = cookie,
                                      .entity = entry->entity,
                                      .kind = EVENT_ARRIVAL,
                                      .part = (uint8_t)ORR_PART_BANDWIDTH(entry->aux)};
    if (!ORR_KEEPS_CAUSES(net->causes) || time < ingress_at(net, entry->entity, entry->aux)->free) {
        orr_evq_post(net->base.queue, time, &arrival);
        return;
    }
    const orr_cause before =
        orr_cause_enter(net->causes, causes_at(net, entry->entity, entry->aux)->free);
    orr_evq_post(net->base.queue, time, &arrival);
    orr_cause_leave(net->causes, before);
}

static inline void receive(struct analytical *net, const struct orr_event *event,
                           const struct received *msg)
{
    const sim_time now = orr_evq_now(net->base.queue);
    const sim_time done = admit_at(net, event->entity, event->aux, now - msg->service_ps,
                                   msg->service_ps, msg->stream);
    if (done > now) {
        arrive_late(net, event, msg->cookie, done);
    } else {
        net->base.listener.delivered(net->base.listener.context, orr_slot(event->entity),
                                     event->label, msg->cookie);
    }
}

static inline void enter(struct analytical *net, const struct orr_event *event)
{
    const uint32_t item = (uint32_t)event->cookie;
    const struct received msg = {.service_ps = net->slab.items[item].service_ps,
                                 .cookie = net->slab.items[item].cookie,
                                 .stream = net->slab.streams[item]};
    port_slab_free(&net->slab, item);
    receive(net, event, &msg);
}

void orr_analytical_on_entry(void *context, const struct orr_event *event)
{
    enter(context, event);
}

ORR_NOINLINE static void enter_during_train(struct analytical *net, const struct orr_event *event,
                                            uint32_t port)
{
    if (net->slab.items[(uint32_t)event->cookie].service_ps != 0) {
        orr_analytical_enter_during_train(net, port, event->label);
    }
    enter(net, event);
}

void orr_analytical_on_entry_folded(void *context, const struct orr_event *event)
{
    struct analytical *net = context;
    const uint32_t port = event->entity * net->ports_per_npu + net->dim[event->aux].first_port;
    if (net->ports[port].in_train) {
        enter_during_train(net, event, port);
    } else {
        enter(net, event);
    }
}

static void interrupt_train(struct analytical *net, const struct orr_event *event)
{
    const uint32_t port = event->entity * net->ports_per_npu + net->dim[event->aux].first_port;
    if (net->ports[port].in_train) { /* of a folded network only */
        orr_analytical_enter_during_train(net, port, event->label);
    }
}

void orr_analytical_receive(struct analytical *net, const struct orr_event *event,
                            const struct received *msg)
{
    interrupt_train(net, event);
    receive(net, event, msg);
}

void orr_analytical_receive_part(struct analytical *net, const struct orr_event *event,
                                 sim_time service, uint32_t stream)
{
    interrupt_train(net, event);
    (void)admit_at(net, event->entity, event->aux, orr_evq_now(net->base.queue) - service, service,
                   stream);
}

sim_time orr_analytical_ingress_admit(struct analytical *net, uint32_t npu, unsigned dim,
                                      sim_time service, uint32_t stream)
{
    const uint32_t port = npu * net->ports_per_npu + net->dim[dim].first_port;
    if (net->ports[port].in_train && service != 0) {
        orr_analytical_enter_during_train(net, port, UINT64_MAX);
    }
    return admit_at(net, npu, dim, orr_evq_now(net->base.queue), service, stream);
}
