/* The running system: creation, callbacks of the network, calls of the workload layer. */
#include <stdio.h>
#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "core/sum.h"
#include "network/channel.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_listener.h"
#include "network/ring_links.h"
#include "system/groups/group.h"
#include "system/p2p/p2p.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/run/running.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"
#include "system/sys_counts.h"

/* The low bits of a cookie are the kind of message: 0 collectives (address of the stream), bit 0
 * point-to-point, bit 1 monolithic. */
static void on_delivered(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie)
{
    (void)dst;
    if ((cookie & 3) == 0) {
        orr_sys_collective_delivered(context, label, cookie);
    } else if ((cookie & 1) != 0) {
        orr_p2p_delivered(context, cookie);
    } else {
        orr_sys_mono_delivered(context, cookie);
    }
}

static void on_sent(void *context, struct orr_slot src, uint64_t source_cookie)
{
    (void)src;
    if ((source_cookie & 3) == 0) {
        orr_sys_collective_left(context, source_cookie);
    } else if ((source_cookie & 1) == 0) {
        orr_sys_mono_left(context, source_cookie);
    }
}

static void on_empty(void *context, const struct orr_event *event)
{
    orr_sys_phase_finished(context, (struct sys_stream *)(uintptr_t)event->cookie);
}

static void on_accepted(void *context, const struct orr_event *event)
{
    orr_sys_generic_accept(context, (struct sys_stream *)(uintptr_t)event->cookie,
                           sys_label_step(context, event->label));
}

static void on_forwards(void *context, struct orr_slot npu, int change)
{
    const struct sys *sys = context;
    sys->listener.forwards(sys->listener.context, npu, change);
}

static void listen(struct sys *sys)
{
    sys->net->listener = (struct net_listener){.context = sys, .delivered = on_delivered};
    sys->net->listener.sent = sys->policy->ignores_departures ? NULL : on_sent;
    if (sys->config->advance != SYS_ADVANCE_NEVER && sys->counts_departures) {
        sys->net->listener.repeats = orr_sys_repeats;
        sys->net->listener.repeating = orr_sys_repeating;
        sys->net->listener.repeated = orr_sys_repeated;
        sys->net->listener.interrupted = orr_sys_interrupted;
    }
}

static void register_handlers(struct sys *sys)
{
    orr_evq_handle(sys->queue, EVENT_ACCEPTED, on_accepted, sys);
    orr_evq_handle(sys->queue, EVENT_EMPTY, on_empty, sys);
    orr_evq_handle(sys->queue, EVENT_RENDEZVOUS_SEND, orr_sys_on_rendezvous_send, sys);
    orr_evq_handle(sys->queue, EVENT_DONE, orr_sys_on_done, sys);
    orr_evq_handle(sys->queue, EVENT_SETTLED, orr_sys_on_settled, sys);
    orr_evq_handle(sys->queue, EVENT_SIGNAL, orr_sys_on_signal, sys);
    orr_evq_handle(sys->queue, EVENT_P2P_COMPLETE, orr_sys_on_p2p_complete, sys);
    orr_evq_handle(sys->queue, EVENT_BUFFER_FREE, orr_sys_on_buffer_free, sys);
    orr_evq_handle(sys->queue, EVENT_MONO, orr_sys_on_mono, sys);
    orr_evq_handle(sys->queue, EVENT_CUSTOM_COMPUTE, orr_sys_on_custom_compute, sys);
}

static const struct sys_stepper_ops *stepper_of(const struct sys_operation *operation,
                                                const struct sys_phase *phase)
{
    return operation->custom_program != NULL
               ? &orr_sys_custom_steps
               : operation->sys->policy->chunks->stepper_of(operation, phase);
}

static const struct sys_upward upward = {.stepper_of = stepper_of,
                                         .phase_finished = orr_sys_phase_finished,
                                         .op_done = orr_sys_custom_op_done,
                                         .mono_done = orr_sys_mono_member_done,
                                         .rings_of = orr_mono_phase_rings};

static bool add_world(struct sys *sys)
{
    struct sys_group *world = orr_arena_alloc(sys->arena, sizeof *world);
    struct sys_group **groups =
        orr_arena_grow(sys->arena, NULL, &sys->all.capacity, 1, sizeof *groups);
    if (world == NULL || groups == NULL) {
        return false;
    }
    world->name = "0";
    world->size = sys->npus;
    world->whole = true;
    sys->all.groups = groups;
    sys->all.groups[sys->all.count++] = world;
    return orr_sys_group_fold(sys, world, NULL) == ORR_OK;
}

static bool allocate(struct sys *sys)
{
    sys->started = orr_arena_array(sys->arena, sys->slots, sizeof *sys->started);
    sys->priority = orr_arena_array(sys->arena, sys->slots, sizeof *sys->priority);
    orr_sys_unexpected_init(sys);
    return sys->started != NULL && sys->priority != NULL &&
           (sys->policy->chunks->create == NULL || sys->policy->chunks->create(sys)) &&
           orr_sys_loads_create(sys) && orr_sys_monos_create(sys) && add_world(sys);
}

enum { NAMES_BYTES = 128 };

static bool holds_ports(const struct net_ops *ops)
{
    return ops->holds_ports;
}

enum orr_status orr_sys_open(struct sys **out, const struct sys_config *config, struct net *net,
                             struct orr_evq *queue, struct orr_arena *arena, struct orr_diag *diag)
{
    if (config->service == SYS_BY_PHASE && !net->ops->holds_ports) {
        char names[NAMES_BYTES];
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "system.dimension_service: phase needs network.backend: %s, got %s",
                             orr_net_backends_that(holds_ports, " or ", names, sizeof names),
                             net->ops->name);
    }
    struct sys *sys = orr_arena_alloc(arena, sizeof *sys);
    if (sys == NULL) {
        return orr_diag_no_memory(diag, "the system layer");
    }
    sys->up = upward;
    sys->config = sys->planning.given = config;
    sys->planning.tuning_cache = config->tuning_cache;
    sys->policy = config->policy;
    sys->net = net;
    sys->queue = queue;
    sys->keeps_ring_links =
        net_keeps_ring_links(net->config) && net_graph_has_rings(net->config->graph);
    sys->counts_departures = net->ops->reports_sent && !sys->policy->ignores_departures;
    sys->arena = arena;
    sys->npus = orr_net_npus(net->config);
    sys->slots = net->config->fold != NULL ? net->config->fold->slots : sys->npus;
    if (!allocate(sys) || orr_p2p_create(sys, diag) != ORR_OK) {
        orr_sys_destroy(sys);
        return orr_diag_no_memory(diag, "the system layer");
    }
    listen(sys);
    register_handlers(sys);
    *out = sys;
    return ORR_OK;
}

void orr_sys_destroy(struct sys *sys)
{
    if (sys != NULL) {
        orr_sys_monos_destroy(sys);
        orr_sys_operations_destroy(sys);
        orr_p2p_destroy(sys);
        orr_sys_unexpected_fini(sys);
        orr_sys_log_fini(sys);
    }
}

void orr_sys_forwarders(const struct sys *sys, bool *npu)
{
    (void)orr_net_channels_forward(sys->net->config,
                                   npu); /* a network with channels is not folded */
}

void orr_sys_set_listener(struct sys *sys, const struct sys_listener *listener)
{
    sys->listener = *listener;
    sys->net->listener.forwards = listener->forwards != NULL ? on_forwards : NULL;
}

enum orr_status orr_sys_set_tenants(struct sys *sys, const struct sys_tenants *tenants,
                                    struct orr_diag *diag)
{
    sys->tally.tenant = orr_arena_array(sys->arena, tenants->count, sizeof *sys->tally.tenant);
    if (sys->tally.tenant == NULL) {
        return orr_diag_no_memory(diag, "the jobs of a system");
    }
    sys->tally.tenants = *tenants;
    return ORR_OK;
}

struct sys_tenant_counts orr_sys_tenant_counts(const struct sys *sys, uint32_t tenant)
{
    return sys->tally.tenant[tenant].counts;
}

orr_sum orr_sys_messages(const struct sys *sys)
{
    return (orr_sum)sys->tally.messages * (sys->npus / sys->slots);
}

size_t orr_sys_bytes(const struct sys *sys)
{
    return sys->tally.operation_bytes;
}
