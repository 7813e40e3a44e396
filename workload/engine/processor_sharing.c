/* Processor sharing: nodes of an NPU whose speed changes while they run. Two causes: nodes share
 * the memory bandwidth (memory.local.contention: fair; docs/how-to/memory-capacity.md);
 * computations slow down while the NPU forwards messages of others or runs a collective
 * (compute.forwarding_slowdown, compute.communication_slowdown; docs/models.md, section 2).
 *
 * A node that takes d without sharing and moves b bytes demands the share b / (bandwidth d). If the
 * demands of the running nodes exceed 1 they get max-min fair shares, and a node with less than its
 * demand slows down in proportion. Shares change when a node begins or ends, slowdowns when
 * forwarding or a collective begins or ends. Between two changes the progress of every node is
 * linear, and one event waits for the first end. The remaining time is rounded up to a whole ps
 * only when a node ends, so rounding does not accumulate. */
#include <math.h>

#include "memory/mem_local.h"
#include "workload/engine/engine_private.h"

/* Tolerance between durations in whole ps and rounded doubles. */
#define SLACK_PS 1e-3

/* The node's slowdown by concurrent communication. */
static double pace_of(const struct wl_sharing *sharing, const struct wl_user *user)
{
    return user->is_slowed ? sharing->pace : 1;
}

/* Max-min fair shares: a node that demands no more than an equal part gets its demand, the others
 * share the rest. */
static void assign_shares(struct wl_sharing *sharing)
{
    bool settled[WL_MAX_USERS] = {false};
    double left = 1;
    unsigned open = sharing->users;
    for (bool changed = true; changed && open > 0;) {
        const double even = left / open;
        changed = false;
        for (unsigned i = 0; i < sharing->users; i++) {
            struct wl_user *user = &sharing->user[i];
            const double demand = user->demand / pace_of(sharing, user);
            if (!settled[i] && demand <= even) {
                settled[i] = changed = true;
                user->speed = 1 / pace_of(sharing, user);
                left -= demand;
                open--;
            }
        }
    }
    for (unsigned i = 0; i < sharing->users; i++) {
        if (!settled[i]) {
            sharing->user[i].speed = left / open / sharing->user[i].demand;
        }
    }
}

static void advance(struct wl_sharing *sharing, sim_time now)
{
    for (unsigned i = 0; i < sharing->users; i++) {
        struct wl_user *user = &sharing->user[i];
        user->remaining_ps -= (double)(now - sharing->since) * user->speed;
        sharing->lost_ps +=
            user->is_slowed ? (double)(now - sharing->since) * (1 - 1 / sharing->held_pace) : 0;
    }
    sharing->since = now;
}

/* Sets the speeds and posts the event of the first end. */
static void post_next_end(struct wl_engine *engine, struct orr_slot npu)
{
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    struct wl_user *first = NULL;
    assign_shares(sharing);
    for (unsigned i = 0; i < sharing->users; i++) {
        struct wl_user *user = &sharing->user[i];
        const double lasts = ceil(user->remaining_ps / user->speed - SLACK_PS);
        user->due_ps =
            lasts < 9.2e18 ? orr_time_add(sharing->since, (sim_time)fmax(lasts, 0)) : ORR_TIME_MAX;
        first = first == NULL || user->due_ps < first->due_ps ? user : first;
    }
    sharing->version++;
    if (first != NULL) {
        const struct orr_node *node = &engine->npu[npu.slot].trace->node[first->node];
        const struct orr_event event = {.label = UINT64_C(1) << 61 | sharing->version,
                                        .cookie = sharing->version,
                                        .entity = npu.slot,
                                        .kind = EVENT_SHARE_DONE,
                                        .part = orr_wl_part_of(engine, node)};
        orr_evq_post_batched(engine->parts.queue, first->due_ps, &event);
    }
}

/* Ends the node. Its cause spans from its start, whatever changed its speed last. */
static void end_user(struct wl_engine *engine, struct orr_slot npu, const struct wl_user *user)
{
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    if (!user->has_cause) {
        orr_wl_post_done(engine, npu, user->node, 0);
        return;
    }
    const struct orr_node *node = &engine->npu[npu.slot].trace->node[user->node];
    const orr_cause before = orr_cause_enter(causes, user->cause);
    orr_cause_drop(causes, user->cause);
    orr_cause_spend(causes, orr_wl_part_of(engine, node), orr_evq_now(engine->parts.queue));
    orr_wl_post_done(engine, npu, user->node, 0);
    orr_cause_leave(causes, before);
}

static void on_share_done(void *context, const struct orr_event *event)
{
    struct wl_engine *engine = context;
    struct wl_sharing *sharing = engine->npu[event->entity].sharing;
    const sim_time now = orr_evq_now(engine->parts.queue);
    if (event->cookie != sharing->version) {
        return;
    }
    advance(sharing, now);
    unsigned kept = 0;
    for (unsigned i = 0; i < sharing->users; i++) {
        if (sharing->user[i].due_ps <= now) {
            end_user(engine, orr_slot(event->entity), &sharing->user[i]);
        } else {
            sharing->user[kept++] = sharing->user[i];
        }
    }
    sharing->users = kept;
    post_next_end(engine, orr_slot(event->entity));
}

static double demand_of(const struct wl_engine *engine, const struct orr_node *node,
                        sim_time duration)
{
    const double moving =
        (double)node->of.tensor_bytes * 1e12 / engine->parts.local->bandwidth_bytes_per_s;
    return duration > 0 && moving > 0 ? fmin(moving / (double)duration, 1) : 0;
}

bool orr_wl_shares(const struct wl_engine *engine, struct orr_slot npu, const struct orr_node *node)
{
    const struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    if (sharing == NULL || sharing->users == WL_MAX_USERS) {
        return false;
    }
    const bool on_cpu = (node->flags & ORR_NODE_IS_CPU) != 0;
    return sharing->is_fair || (sharing->is_slowed && node->kind == ORR_NODE_COMP && !on_cpu);
}

void orr_wl_sharing_begin(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          sim_time duration)
{
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    const struct orr_node *work = &engine->npu[npu.slot].trace->node[node];
    const bool computes = work->kind == ORR_NODE_COMP;
    const bool on_cpu = computes && (work->flags & ORR_NODE_IS_CPU) != 0;
    const sim_time now = orr_evq_now(engine->parts.queue);
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    ORR_ASSERT(sharing->users < WL_MAX_USERS);
    advance(sharing, now);
    struct wl_user *user = &sharing->user[sharing->users++];
    *user = (struct wl_user){
        .node = node,
        .remaining_ps = (double)duration,
        .demand = sharing->is_fair && !on_cpu ? demand_of(engine, work, duration) : 0,
        .is_slowed = sharing->is_slowed && computes && !on_cpu,
        .speed = 1};
    if (user->is_slowed && causes != NULL) {
        user->has_cause = true;
        user->cause = orr_cause_hold(causes, ORR_PART_OTHER, now);
    }
    post_next_end(engine, npu);
}

/* ---- concurrent communication ---- */

/* Kernels of collectives hold SMs, which computations lack: S of S - c (DeepSeek-V3 2024, section
 * 3.2.2; measured beside collectives 1.19, arXiv 2507.03114, with 20 of 132 this says 1.18). */
static double pace_by_sms(const struct wl_compute *compute, const struct wl_sharing *sharing)
{
    const double held = (sharing->tokens > 0 ? compute->token_sms : 0) +
                        (sharing->collectives > sharing->tokens ? compute->collective_sms : 0);
    return compute->sms > held ? compute->sms / (compute->sms - held) : 1;
}

/* Recomputes the NPU's slowdown. */
static void update_slowdown(struct wl_engine *engine, struct orr_slot npu)
{
    const struct wl_compute *compute = engine->parts.compute;
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    double pace = 1;
    if (sharing->forwarding != 0 || sharing->keeps_forwarding) {
        pace *= orr_wl_factor(compute->forwarding_slowdown);
    }
    if (sharing->collectives != 0) {
        pace *= orr_wl_factor(compute->communication_slowdown);
    }
    const double by_sms = pace_by_sms(compute, sharing);
    pace *= by_sms;
    if (pace == sharing->pace) {
        return;
    }
    advance(sharing, orr_evq_now(engine->parts.queue));
    sharing->pace = pace;
    sharing->held_pace = by_sms;
    if (sharing->users != 0) {
        post_next_end(engine, npu);
    }
}

void orr_wl_forwards(void *context, struct orr_slot npu, int change)
{
    struct wl_engine *engine = context;
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    if (sharing == NULL || !sharing->is_slowed) {
        return;
    }
    sharing->forwarding += (uint32_t)change;
    sharing->keeps_forwarding =
        sharing->keeps_forwarding ||
        (engine->parts.compute->forwarding_lasts && sharing->collectives != 0 && change > 0);
    update_slowdown(engine, npu);
}

void orr_wl_runs_collective(struct wl_engine *engine, struct orr_slot npu,
                            const struct orr_node *node, int change)
{
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    if (!sharing->is_slowed) {
        return;
    }
    sharing->collectives += (uint32_t)change;
    sharing->tokens += node->op == ORR_COLL_TOKENS ? (uint32_t)change : 0;
    sharing->keeps_forwarding = sharing->keeps_forwarding && sharing->collectives != 0;
    update_slowdown(engine, npu);
}

/* NPUs whose computations may be slowed: all, or those that channels pass through. */
static bool find_slowed(const struct wl_engine *engine, bool *slowed)
{
    const struct wl_compute *compute = engine->parts.compute;
    const bool by_own = orr_wl_factor(compute->communication_slowdown) != 1 ||
                        (compute->sms > 0 && compute->collective_sms > 0);
    const bool by_tokens = compute->sms > 0 && compute->token_sms > 0;
    for (uint32_t i = 0; i < engine->npus; i++) {
        slowed[i] = by_own || (by_tokens && engine->npu[i].trace->has_tokens);
    }
    if (orr_wl_factor(compute->forwarding_slowdown) != 1) {
        orr_sys_forwarders(engine->parts.sys, slowed);
    }
    bool any = false;
    for (uint32_t i = 0; i < engine->npus; i++) {
        any = any || slowed[i];
    }
    return any;
}

enum orr_status orr_wl_sharing_create(struct wl_engine *engine, struct orr_diag *diag)
{
    const bool is_fair = engine->parts.local->contention == MEM_CONTENTION_FAIR;
    bool *slowed = orr_arena_array(engine->parts.arena, engine->npus, sizeof *slowed);
    if (slowed == NULL) {
        return orr_diag_no_memory(diag, "an NPU's memory");
    }
    if (!find_slowed(engine, slowed) && !is_fair) {
        return ORR_OK;
    }
    struct wl_sharing *all = orr_arena_array(engine->parts.arena, engine->npus, sizeof *all);
    if (all == NULL) {
        return orr_diag_no_memory(diag, "an NPU's memory");
    }
    for (uint32_t i = 0; i < engine->npus; i++) {
        all[i] = (struct wl_sharing){
            .is_fair = is_fair, .is_slowed = slowed[i], .pace = 1, .held_pace = 1};
        engine->npu[i].sharing = is_fair || slowed[i] ? &all[i] : NULL;
    }
    orr_evq_handle(engine->parts.queue, EVENT_SHARE_DONE, on_share_done, engine);
    return ORR_OK;
}

sim_time orr_engine_contention(const struct wl_engine *engine, struct orr_slot npu)
{
    const struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    return sharing != NULL ? (sim_time)(sharing->lost_ps + 0.5) : 0;
}
