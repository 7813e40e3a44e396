/* Starting nodes: compute asks the roofline (or replays), memory nodes ask the memory,
 * communication goes to the system layer; metadata and invalid nodes are done at once. */
#include <math.h>

#include "workload/engine_private.h"

bool wl_is_local(const struct wl_engine *engine, const struct orr_node *node)
{
    return (node->flags & ORR_NODE_LOCAL_MEMORY) != 0 && !engine->parts.policy->memory_is_remote;
}

enum wl_activity wl_activity_of(const struct wl_engine *engine, const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        return wl_is_local(engine, node) ? ACT_LOCAL_MEMORY : ACT_REMOTE_MEMORY;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
    case ORR_NODE_COLL:
        return ACT_COMMUNICATION;
    default:
        return (node->flags & ORR_NODE_IS_CPU) != 0 && !engine->parts.policy->five_parts
                   ? ACT_CPU
                   : ACT_COMPUTE;
    }
}

uint8_t wl_part_of(const struct wl_engine *engine, const struct orr_node *node)
{
    switch (wl_activity_of(engine, node)) {
    case ACT_LOCAL_MEMORY:
        return ORR_PART_LOCAL_MEMORY;
    case ACT_REMOTE_MEMORY:
        return ORR_PART_REMOTE_MEMORY;
    case ACT_COMMUNICATION:
        return ORR_PART_REPLAYED;
    default:
        return (node->flags & ORR_NODE_IS_CPU) != 0 ? ORR_PART_CPU : ORR_PART_COMPUTE;
    }
}

enum coll_kind wl_coll_kind(uint8_t comm)
{
    static const enum coll_kind kinds[ORR_COMM_KINDS] = {
        [ORR_COMM_ALL_REDUCE] = COLL_ALL_REDUCE,
        [ORR_COMM_REDUCE] = COLL_REDUCE,
        [ORR_COMM_ALL_GATHER] = COLL_ALL_GATHER,
        [ORR_COMM_GATHER] = COLL_GATHER,
        [ORR_COMM_SCATTER] = COLL_SCATTER,
        [ORR_COMM_BROADCAST] = COLL_BROADCAST,
        [ORR_COMM_ALL_TO_ALL] = COLL_ALL_TO_ALL,
        [ORR_COMM_REDUCE_SCATTER] = COLL_REDUCE_SCATTER,
        [ORR_COMM_REDUCE_SCATTER_BLOCK] = COLL_REDUCE_SCATTER,
        [ORR_COMM_BARRIER] = COLL_BARRIER,
    };
    ORR_ASSERT(comm < ORR_COMM_KINDS);
    return kinds[comm];
}

/* Times a factor, divided by a speed, up to a whole ps; 0 stands for 1. The product of doubles may
 * be a little above the whole ps that it should be. */
static sim_time rescaled(sim_time recorded, double factor, double speed)
{
    if (!(factor > 0) && !(speed > 0)) {
        return recorded;
    }
    const double ps = (double)recorded * (factor > 0 ? factor : 1) / (speed > 0 ? speed : 1);
    return ps < 9.2e18 ? (sim_time)ceil(ps - ps * 4e-16) : ORR_TIME_MAX;
}

static sim_time replay_time(const struct wl_compute *compute, const struct orr_node *node)
{
    const sim_time recorded = (sim_time)node->duration_ps;
    if (recorded == 0) {
        return compute->minimum_replay_ps;
    }
    if (node->kind != ORR_NODE_COMP) {
        return recorded;
    }
    return (node->flags & ORR_NODE_IS_CPU) != 0
               ? rescaled(recorded, 0, compute->cpu_speed)
               : rescaled(recorded, compute->recorded_scale, compute->replay_speed);
}

/* ASTRA-sim 2.0, section IV-A: perf = min(peak, intensity x memory bandwidth). */
static sim_time roofline_time(const struct wl_compute *compute, const struct orr_node *node,
                              enum orr_op_kind kind)
{
    const double operations = (double)node->amount;
    const double bytes = (double)node->of.tensor_bytes;
    double perf = compute->peak_flops;
    double memory_bytes_per_s = compute->memory_bytes_per_s;
    if (compute->efficiency != NULL) {
        perf *= wl_curve_at(&compute->efficiency->peak[kind], operations);
        memory_bytes_per_s *= wl_curve_at(&compute->efficiency->memory[kind], bytes);
    }
    if (bytes > 0 && memory_bytes_per_s * (operations / bytes) < perf) {
        perf = memory_bytes_per_s * (operations / bytes);
    }
    if (compute->truncate_to_ns) {
        const double ns = operations / perf * 1e9;
        return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
    }
    if (operations == 0) {
        return orr_time_of_bytes(node->of.tensor_bytes, memory_bytes_per_s);
    }
    return orr_time_of_seconds(operations / perf);
}

sim_time wl_compute_time(const struct wl_compute *compute, const struct orr_node *node,
                         enum orr_op_kind kind, bool *skipped)
{
    *skipped = false;
    if (!compute->roofline || (node->flags & ORR_NODE_IS_CPU) != 0) {
        return replay_time(compute, node);
    }
    if (node->of.tensor_bytes == 0 && compute->skip_without_bytes) {
        *skipped = true;
        return 0;
    }
    const unsigned given = ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE;
    if ((node->flags & given) == 0 && !compute->skip_without_bytes) {
        return replay_time(compute, node); /* nothing to compute a roofline from */
    }
    /* 0 operations on some bytes: the reference divides 0 by 0, which is no time. */
    if (node->amount == 0 && compute->truncate_to_ns) {
        return 0;
    }
    return roofline_time(compute, node, kind);
}

static sim_time slowed(const struct wl_engine *engine, uint32_t npu, const struct orr_node *node,
                       sim_time duration)
{
    const struct wl_slowdown *slowdown = engine->parts.compute->slowdown;
    return slowdown == NULL
               ? duration
               : orr_time_scale(duration,
                                wl_slowdown_factor(slowdown, wl_rank(engine, npu), node->id));
}

/* ---- posting ---- */

void wl_post_done(struct wl_engine *engine, uint32_t npu, uint32_t node, sim_time duration)
{
    struct orr_evq *queue = engine->parts.queue;
    const struct orr_event event = {.label = UINT64_C(1) << 62 | node,
                                    .cookie = node,
                                    .entity = npu,
                                    .kind = EVENT_NODE_DONE,
                                    .part =
                                        wl_part_of(engine, &engine->npu[npu].trace->node[node])};
    orr_evq_post_own(queue, orr_time_add(orr_evq_now(queue), duration), &event);
}

/* A node that begins, and takes so long. */
static void post_done(struct wl_engine *engine, uint32_t npu, uint32_t node, sim_time duration)
{
    wl_node_begins(engine, npu, node);
    wl_post_done(engine, npu, node, duration);
}

/* A node that uses the NPU's memory, with others when they contend for it. */
static void post_sharing(struct wl_engine *engine, uint32_t npu, uint32_t node, sim_time duration)
{
    const struct wl_sharing *sharing = engine->npu[npu].sharing;
    if (sharing == NULL || sharing->users == WL_MOST_USERS) {
        post_done(engine, npu, node, duration);
    } else {
        wl_node_begins(engine, npu, node);
        wl_sharing_begin(engine, npu, node, duration);
    }
}

static void issue_compute(struct wl_engine *engine, uint32_t index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index];
    const struct orr_node *work = &npu->trace->node[node];
    const uint8_t *kinds = npu->layout->op_kind;
    bool skipped;
    const sim_time nominal = wl_compute_time(
        engine->parts.compute, work, kinds != NULL ? kinds[node] : ORR_OP_DEFAULT, &skipped);
    if (skipped) {
        wl_node_skipped(engine, index, node);
        return;
    }
    const sim_time duration = slowed(engine, index, work, nominal);
    if ((work->flags & ORR_NODE_IS_CPU) == 0) {
        npu->accelerator_compute_ps = orr_time_add(npu->accelerator_compute_ps, duration);
    }
    post_sharing(engine, index, node, duration);
}

struct mem_access wl_access_of(uint32_t npu, uint32_t index, const struct orr_node *node)
{
    return (struct mem_access){.bytes = node->of.tensor_bytes,
                               .label = UINT64_C(1) << 62 | index,
                               .cookie = index,
                               .npu = npu,
                               .store = node->kind == ORR_NODE_MEM_STORE,
                               .gathered = node->comm == ORR_ACCESS_GATHERED};
}

static void issue_memory(struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    const struct wl_parts *parts = &engine->parts;
    const struct orr_node *access = &engine->npu[npu].trace->node[node];
    if (wl_is_local(engine, access)) {
        post_sharing(engine, npu, node, mem_local_time(parts->local, access->of.tensor_bytes));
        return;
    }
    wl_node_begins(engine, npu, node);
    const struct mem_access request = wl_access_of(npu, node, access);
    parts->remote->ops->access(parts->remote, &request);
}

uint32_t wl_dim_mask(const struct orr_trace *trace, const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    if (extra == NULL || !extra->has_involved_dim) {
        return UINT32_MAX;
    }
    const uint32_t given =
        extra->involved_dims >= 32 ? UINT32_MAX : (1u << extra->involved_dims) - 1;
    return (extra->involved_mask & given) | ~given;
}

struct sys_collective wl_collective_of(const struct wl_engine *engine, uint32_t npu, uint32_t index)
{
    const struct wl_npu *self = &engine->npu[npu];
    const struct orr_node *node = &self->trace->node[index];
    const struct orr_node_extra *extra = orr_trace_extra(self->trace, node);
    const uint32_t group = node->group != 0 ? self->groups[node->group - 1] : 0;
    const uint32_t mask = group == 0 ? wl_dim_mask(self->trace, node) : UINT32_MAX;
    return (struct sys_collective){
        .npu = npu,
        .group = group,
        .kind = wl_coll_kind(node->comm),
        .bytes = node->amount,
        .root = extra != NULL ? extra->root : 0,
        .ordinal = self->layout->ordinal != NULL ? self->layout->ordinal[index] : 0,
        .dim_mask = mask,
        .priority = extra != NULL ? extra->priority : 0,
        .cookie = index,
        .name = node->name,
        .node_id = node->id};
}

struct sys_message wl_message_of(const struct wl_engine *engine, uint32_t npu, uint32_t index)
{
    const struct orr_node *node = &engine->npu[npu].trace->node[index];
    const uint32_t tags = engine->parts.policy->tags;
    return (struct sys_message){.npu = npu,
                                .peer = wl_peer(engine, npu, node),
                                .tag = tags != 0 ? node->of.p2p.tag % tags : node->of.p2p.tag,
                                .bytes = node->amount,
                                .cookie = index};
}

bool wl_is_replayed(const struct wl_engine *engine, const struct orr_node *node)
{
    return engine->parts.compute->replay_only ||
           (node->kind == ORR_NODE_COLL && node->comm == ORR_COMM_BROADCAST &&
            engine->parts.policy->replay_broadcast);
}

static void issue_communication(struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    struct sys *sys = engine->parts.sys;
    wl_node_begins(engine, npu, node);
    if (engine->npu[npu].trace->node[node].kind == ORR_NODE_COLL) {
        const struct sys_collective request = wl_collective_of(engine, npu, node);
        sys_collective_start(sys, &request);
        return;
    }
    const struct sys_message message = wl_message_of(engine, npu, node);
    if (engine->npu[npu].trace->node[node].kind == ORR_NODE_SEND) {
        sys_send(sys, &message);
    } else {
        sys_recv(sys, &message);
    }
}

void wl_issue(struct wl_engine *engine, uint32_t npu, uint32_t index)
{
    const struct orr_node *node = &engine->npu[npu].trace->node[index];
    if (wl_is_replayed(engine, node)) {
        const sim_time recorded = replay_time(engine->parts.compute, node);
        const sim_time duration =
            node->kind == ORR_NODE_COMP ? slowed(engine, npu, node, recorded) : recorded;
        if (node->kind == ORR_NODE_COMP && (node->flags & ORR_NODE_IS_CPU) == 0) {
            engine->npu[npu].accelerator_compute_ps =
                orr_time_add(engine->npu[npu].accelerator_compute_ps, duration);
        }
        post_done(engine, npu, index, duration);
        return;
    }
    switch (node->kind) {
    case ORR_NODE_COMP:
        issue_compute(engine, npu, index);
        break;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        issue_memory(engine, npu, index);
        break;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
    case ORR_NODE_COLL:
        issue_communication(engine, npu, index);
        break;
    default:
        wl_node_skipped(engine, npu, index);
        break;
    }
}
