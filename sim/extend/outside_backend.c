/* A network backend from outside. Its messages are records of a slab until it delivers them; what
 * it schedules are events of an entity of its own. Ids that it makes up are found out, as they hold
 * a count that is never used again. */
#include <string.h>

#include "core/arena.h"
#include "core/evq.h"
#include "core/slab.h"
#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "sim/extend/extend_private.h"

enum { EVENT_TIMER = ORR_EVENT_NETWORK, EVENT_ARRIVAL };

/* An entry of the list of backends. */
struct outside_ops {
    struct net_ops ops;
    const struct orrery_backend *given;
};

struct waiting {   /* a message that is not delivered yet */
    uint32_t slot; /* of its receiver; overwritten when the record is free */
    uint64_t id, label, cookie;
};

struct timer {
    void (*call)(void *self, uint64_t argument);
    uint64_t argument;
};

struct outside_net {
    struct net base;
    struct orrery_net host; /* what the part sees */
    const struct orrery_backend *given;
    void *self;
    struct orrery_network network;
    struct orr_slab messages, timers;
    struct net_dim_stats *stats; /* [dims] */
    uint64_t ids, calls;         /* so many so far */
    uint32_t entity;             /* of timers */
    struct orr_diag *creating;   /* NULL: it runs */
};

static struct outside_net *net_of(struct orrery_net *host)
{
    return (struct outside_net *)(void *)((char *)host - offsetof(struct outside_net, host));
}

/* ---- what a part may call ---- */

static void fail(struct orrery_net *host, const char *text)
{
    struct outside_net *net = net_of(host);
    if (net->creating != NULL) {
        (void)orr_diag_fail(net->creating, ORR_ERR_INPUT, NULL, "network backend %s: %s",
                            net->given->name, text);
    } else {
        orr_evq_fail(net->base.queue, "network backend %s: %s", net->given->name, text);
    }
}

static int64_t now_ps(struct orrery_net *host)
{
    return orr_evq_now(net_of(host)->base.queue);
}

static void schedule(struct orrery_net *host, int64_t at_ps,
                     void (*call)(void *self, uint64_t argument), uint64_t argument)
{
    struct outside_net *net = net_of(host);
    if (at_ps < orr_evq_now(net->base.queue) || call == NULL) {
        fail(host, call == NULL ? "schedules no function" : "schedules a call in the past");
        return;
    }
    const uint32_t handle = orr_slab_new(&net->timers);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
        return;
    }
    *(struct timer *)orr_slab_at(&net->timers, handle) = (struct timer){call, argument};
    const struct orr_event event = {
        .label = net->calls++, .cookie = handle, .entity = net->entity, .kind = EVENT_TIMER};
    orr_evq_post(net->base.queue, at_ps, &event);
}

static void on_timer(void *context, const struct orr_event *event)
{
    struct outside_net *net = context;
    const struct timer timer = *(struct timer *)orr_slab_at(&net->timers, (uint32_t)event->cookie);
    orr_slab_free(&net->timers, (uint32_t)event->cookie);
    timer.call(net->self, timer.argument);
}

static void delivered(struct orrery_net *host, uint64_t id)
{
    struct outside_net *net = net_of(host);
    const uint32_t handle = (uint32_t)id;
    struct waiting *waiting =
        handle < net->messages.used ? orr_slab_at(&net->messages, handle) : NULL;
    if (waiting == NULL || waiting->id != id) {
        fail(host, "delivers a message that it was not given, or twice");
        return;
    }
    const struct orr_event event = {.label = waiting->label,
                                    .cookie = waiting->cookie,
                                    .entity = waiting->slot,
                                    .kind = EVENT_ARRIVAL};
    waiting->id = 0;
    orr_slab_free(&net->messages, handle);
    orr_evq_post(net->base.queue, orr_evq_now(net->base.queue), &event);
}

static void on_arrival(void *context, const struct orr_event *event)
{
    struct outside_net *net = context;
    net->base.listener.delivered(net->base.listener.context, orr_slot(event->entity), event->label,
                                 event->cookie);
}

/* ---- what the simulator calls ---- */

static void count(struct outside_net *net, const struct net_msg *msg)
{
    const struct net_route route = orr_net_route(net->base.config, msg->src.rank, msg->dst.rank);
    if (route.dim < net->base.config->dims) {
        net->stats[route.dim].messages++;
        net->stats[route.dim].bytes += msg->bytes;
    }
}

static void outside_send(struct net *base, const struct net_msg *msg)
{
    struct outside_net *net = (struct outside_net *)base;
    const uint32_t handle = orr_slab_new(&net->messages);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    const uint64_t id = ++net->ids << 32 | handle;
    *(struct waiting *)orr_slab_at(&net->messages, handle) =
        (struct waiting){net_slot(base->config, msg->dst).slot, id, msg->label, msg->cookie};
    count(net, msg);
    if (msg->src.rank == msg->dst.rank) {
        delivered(&net->host, id);
        return;
    }
    const struct orrery_net_message message = {id, msg->src.rank, msg->dst.rank, msg->bytes};
    net->given->send(net->self, &message);
}

static sim_time outside_latency(const struct net *base, uint32_t src, uint32_t dst)
{
    const struct outside_net *net = (const struct outside_net *)base;
    const sim_time given = net->given->latency_ps != NULL && src != dst
                               ? net->given->latency_ps(net->self, src, dst)
                               : orr_net_path_latency(base->config, src, dst);
    return given >= 0 ? given : 0;
}

static void outside_stats(const struct net *base, struct net_dim_stats *stats)
{
    const struct outside_net *net = (const struct outside_net *)base;
    memcpy(stats, net->stats, base->config->dims * sizeof *stats);
}

static void outside_destroy(struct net *base)
{
    struct outside_net *net = (struct outside_net *)base;
    if (net->self != NULL && net->given->destroy != NULL) {
        net->given->destroy(net->self);
    }
    net->self = NULL;
}

/* ---- creation ---- */

static bool describe(struct outside_net *net, const struct net_config *config,
                     struct orr_arena *arena)
{
    struct orrery_network_dim *dim = orr_arena_array(arena, config->dims, sizeof *dim);
    net->stats = orr_arena_array(arena, config->dims, sizeof *net->stats);
    if (dim == NULL || net->stats == NULL) {
        return false;
    }
    for (unsigned d = 0; d < config->dims; d++) {
        dim[d] = (struct orrery_network_dim){.block = orr_net_block_name(config->dim[d].block),
                                             .npus = config->dim[d].npus,
                                             .bandwidth_bytes_per_s =
                                                 config->dim[d].bandwidth_bytes_per_s,
                                             .per_npu = config->dim[d].per_npu,
                                             .latency_ps = config->dim[d].latency_ps};
        net->stats[d].servers = orr_net_npus(config);
    }
    net->network = (struct orrery_network){orr_net_npus(config), config->dims, dim};
    return true;
}

static struct outside_net *new_net(const struct net_config *config, struct orr_evq *queue,
                                   struct orr_arena *arena)
{
    const struct outside_ops *entry = orr_extension_find(ORR_EXTENSION_BACKEND, config->backend);
    struct outside_net *net = orr_arena_alloc(arena, sizeof *net);
    if (net == NULL || entry == NULL || !describe(net, config, arena)) {
        return NULL;
    }
    net->base = (struct net){.ops = &entry->ops, .config = config, .queue = queue};
    net->host = (struct orrery_net){now_ps, schedule, delivered, fail};
    net->given = entry->given;
    net->entity = orr_evq_add_entities(queue, 1);
    orr_slab_init(&net->messages, arena, sizeof(struct waiting));
    orr_slab_init(&net->timers, arena, sizeof(struct timer));
    orr_evq_handle(queue, EVENT_TIMER, on_timer, net);
    orr_evq_handle(queue, EVENT_ARRIVAL, on_arrival, net);
    return net->entity != UINT32_MAX ? net : NULL;
}

static enum orr_status outside_create(struct net **out, const struct net_config *config,
                                      struct orr_evq *queue, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    struct outside_net *net = new_net(config, queue, arena);
    if (net == NULL) {
        return orr_diag_no_memory(diag, "a network");
    }
    *out = &net->base;
    net->creating = diag;
    net->self = net->given->create(net->given->user, &net->host, &net->network);
    net->creating = NULL;
    if (net->self != NULL || diag->status != ORR_OK) {
        return diag->status;
    }
    return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory for the network backend %s",
                         net->given->name);
}

static bool has_transit(const struct net_config *config, unsigned dim)
{
    (void)config, (void)dim;
    return true;
}

static const char *why_unfoldable(const struct net_config *config)
{
    (void)config;
    return "the network backend is from outside, and sees every message";
}

static const struct net_fold_ops folding = {.has_transit = has_transit,
                                            .unfoldable = why_unfoldable};

void *orr_outside_backend_create(const struct orrery_backend *given, size_t slot)
{
    (void)slot;
    struct outside_ops *entry = orr_heap_calloc(1, sizeof *entry);
    if (entry != NULL) {
        entry->given = given;
        entry->ops = (struct net_ops){.name = given->name,
                                      .summary = given->summary,
                                      .create = outside_create,
                                      .send = outside_send,
                                      .latency = outside_latency,
                                      .stats = outside_stats,
                                      .destroy = outside_destroy,
                                      .folding = &folding};
    }
    return entry;
}
