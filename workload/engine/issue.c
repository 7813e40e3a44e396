/* Starting nodes. Compute nodes take a duration (compute_time.c), memory nodes access the memory,
 * communication goes to the system layer; metadata and invalid nodes are done at once. */
#include "memory/mem_local.h"
#include "system/sys_collective.h"
#include "workload/engine/engine_private.h"
#include "workload/engine/slowdown.h"
#include "workload/roofline/roofline.h"

static sim_time slowed(const struct wl_engine *engine, struct orr_slot npu,
                       const struct orr_node *node, sim_time duration)
{
    const struct wl_slowdown *slowdown = engine->parts.compute->slowdown;
    return slowdown == NULL
               ? duration
               : orr_time_scale(duration,
                                orr_wl_slowdown_factor(slowdown, wl_rank(engine, npu), node->id));
}

sim_time orr_wl_computation(const struct wl_engine *engine, struct orr_slot index, uint32_t node,
                            bool *skipped)
{
    const struct wl_npu *npu = &engine->npu[index.slot];
    const struct orr_node *work = &npu->trace->node[node];
    const struct wl_compute *compute = engine->parts.compute;
    const uint8_t *kinds = npu->layout->op_kind;
    *skipped = false;
    const sim_time nominal =
        orr_wl_is_replayed(engine, work)
            ? orr_wl_replay_time(compute, work)
            : orr_wl_compute_time(compute, work, kinds != NULL ? kinds[node] : ORR_OP_DEFAULT,
                                  skipped);
    return slowed(engine, index, work, nominal);
}

/* ---- posting ---- */

/* The part of the machine that bounds the computation. Spends the roofline's constant in the
 * current cause. */
static uint8_t part_of_kind(struct wl_engine *engine, struct orr_slot slot, uint32_t index)
{
    const struct wl_npu *npu = &engine->npu[slot.slot];
    const struct orr_node *node = &npu->trace->node[index];
    const uint8_t part = orr_wl_part_of(engine, node);
    struct wl_roofline_parts parts;
    const enum orr_op_kind op =
        npu->layout->op_kind != NULL ? npu->layout->op_kind[index] : ORR_OP_DEFAULT;
    const enum orr_op_kind kind = orr_wl_rate_kind(op, node->comm);
    if (part != ORR_PART_COMPUTE || orr_wl_is_replayed(engine, node) ||
        !orr_wl_compute_parts(engine->parts.compute, node, op, &parts)) {
        return part;
    }
    const unsigned dims = engine->parts.dims;
    orr_cause_spend(orr_evq_causes(engine->parts.queue),
                    ORR_PART_OF_KIND(dims, kind, ORR_PART_CONSTANT),
                    orr_time_add(orr_evq_now(engine->parts.queue),
                                 slowed(engine, slot, node, parts.constant_ps)));
    return (uint8_t)ORR_PART_OF_KIND(dims, kind,
                                     parts.by_memory ? ORR_PART_BY_MEMORY : ORR_PART_BY_PEAK);
}

static void post_done_at(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                         sim_time time, uint8_t part)
{
    struct orr_evq *queue = engine->parts.queue;
    const struct orr_event event = {.label = UINT64_C(1) << 62 | node,
                                    .cookie = node,
                                    .entity = npu.slot,
                                    .kind = EVENT_NODE_DONE,
                                    .part = part};
    if (engine->npu[npu.slot].issues_fifo) {
        orr_evq_post(queue, time, &event);
    } else {
        orr_evq_post_batched(queue, time, &event);
    }
}

void orr_wl_post_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                      sim_time duration)
{
    struct orr_evq *queue = engine->parts.queue;
    const sim_time time = orr_time_add(orr_evq_now(queue), duration);
    struct orr_causes *causes = orr_evq_causes(queue);
    if (!engine->parts.records_kinds || !ORR_KEEPS_CAUSES(causes)) {
        post_done_at(engine, npu, node, time,
                     orr_wl_part_of(engine, &engine->npu[npu.slot].trace->node[node]));
        return;
    }
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    post_done_at(engine, npu, node, time, part_of_kind(engine, npu, node));
    orr_cause_leave(causes, before);
}

/* Begins a node of fixed duration. */
static void post_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                      sim_time duration)
{
    orr_wl_node_begins(engine, npu, node);
    orr_wl_post_done(engine, npu, node, duration);
}

/* Begins a computation or memory access of varying speed. */
static void post_sharing(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                         sim_time duration)
{
    if (!orr_wl_shares(engine, npu, &engine->npu[npu.slot].trace->node[node])) {
        post_done(engine, npu, node, duration);
    } else {
        orr_wl_node_begins(engine, npu, node);
        orr_wl_sharing_begin(engine, npu, node, duration);
    }
}

/* In full replay nodes do not share memory bandwidth; the slowdown of computations still applies.
 */
static void post_replayed(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          sim_time duration)
{
    const struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    const bool computes = engine->npu[npu.slot].trace->node[node].kind == ORR_NODE_COMP;
    if (sharing != NULL && sharing->is_slowed && computes) {
        post_sharing(engine, npu, node, duration);
    } else {
        post_done(engine, npu, node, duration);
    }
}

static void issue_compute(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    const struct orr_node *work = &npu->trace->node[node];
    bool skipped;
    const sim_time duration = orr_wl_computation(engine, index, node, &skipped);
    if (skipped) {
        orr_wl_node_skipped(engine, index, node);
        return;
    }
    if ((work->flags & ORR_NODE_IS_CPU) == 0) {
        npu->accelerator_compute_ps = orr_time_add(npu->accelerator_compute_ps, duration);
    }
    post_sharing(engine, index, node, duration);
}

static void issue_memory(struct wl_engine *engine, struct orr_slot npu, uint32_t node)
{
    const struct wl_parts *parts = &engine->parts;
    const struct orr_node *access = &engine->npu[npu.slot].trace->node[node];
    if (orr_wl_is_local(engine, access)) {
        post_sharing(engine, npu, node, orr_mem_local_time(parts->local, access->of.tensor_bytes));
        return;
    }
    orr_wl_node_begins(engine, npu, node);
    const struct mem_access request = orr_wl_access_of(npu, node, access);
    parts->remote->ops->access(parts->remote, &request);
}

static void issue_communication(struct wl_engine *engine, struct orr_slot npu, uint32_t node)
{
    struct sys *sys = engine->parts.sys;
    orr_wl_node_begins(engine, npu, node);
    if (engine->npu[npu.slot].trace->node[node].kind == ORR_NODE_COLL) {
        const struct sys_collective request = orr_wl_collective_of(engine, npu, node);
        if (request.watched) {
            orr_wl_watch_begins(engine, &engine->npu[npu.slot], node);
        }
        orr_sys_collective_start(sys, &request);
        return;
    }
    const struct sys_message message = orr_wl_message_of(engine, npu, node);
    if (engine->npu[npu.slot].trace->node[node].kind == ORR_NODE_SEND) {
        orr_sys_send(sys, &message);
    } else {
        orr_sys_recv(sys, &message);
    }
}

void orr_wl_issue(struct wl_engine *engine, struct orr_slot npu, uint32_t index)
{
    const struct orr_node *node = &engine->npu[npu.slot].trace->node[index];
    if (orr_wl_is_replayed(engine, node)) {
        const sim_time recorded = orr_wl_replay_time(engine->parts.compute, node);
        const sim_time duration =
            node->kind == ORR_NODE_COMP ? slowed(engine, npu, node, recorded) : recorded;
        if (node->kind == ORR_NODE_COMP && (node->flags & ORR_NODE_IS_CPU) == 0) {
            engine->npu[npu.slot].accelerator_compute_ps =
                orr_time_add(engine->npu[npu.slot].accelerator_compute_ps, duration);
        }
        post_replayed(engine, npu, index, duration);
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
        orr_wl_node_skipped(engine, npu, index);
        break;
    }
}
