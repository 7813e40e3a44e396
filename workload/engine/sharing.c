/* An NPU's memory that compute and local accesses share (memory.local.contention: fair;
 * docs/memory.md).
 *
 * A node that takes d alone and moves b bytes uses the share b / (bandwidth d) of the bandwidth.
 * While the shares of the nodes under way exceed 1, they get max-min fair parts of it, and those
 * that get less than they use run slower in proportion. Parts change when a node begins or ends
 * only, so that between two changes every node's progress is linear; one event waits for the first
 * to end. */
#include <math.h>

#include "workload/engine/engine_private.h"

/* Between durations in whole ps and rounded doubles. */
#define SLACK_PS 1e-3

/* Max-min fair: who uses no more than an even part gets what it uses, the others share the rest. */
static void share_out(struct wl_sharing *sharing)
{
    bool settled[WL_MOST_USERS] = {false};
    double left = 1;
    unsigned open = sharing->users;
    for (bool changed = true; changed && open > 0;) {
        const double even = left / open;
        changed = false;
        for (unsigned i = 0; i < sharing->users; i++) {
            struct wl_user *user = &sharing->user[i];
            if (!settled[i] && user->demand <= even) {
                settled[i] = changed = true;
                user->speed = 1;
                left -= user->demand;
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
        sharing->user[i].left_ps -= (double)(now - sharing->since) * sharing->user[i].speed;
    }
    sharing->since = now;
}

/* New speeds, and the event of the first node to end. */
static void await(struct wl_engine *engine, struct orr_slot npu)
{
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    struct wl_user *first = NULL;
    share_out(sharing);
    for (unsigned i = 0; i < sharing->users; i++) {
        struct wl_user *user = &sharing->user[i];
        const double lasts = ceil(user->left_ps / user->speed - SLACK_PS);
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
        orr_evq_post_own(engine->parts.queue, first->due_ps, &event);
    }
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
            orr_wl_post_done(engine, orr_slot(event->entity), sharing->user[i].node, 0);
        } else {
            sharing->user[kept++] = sharing->user[i];
        }
    }
    sharing->users = kept;
    await(engine, orr_slot(event->entity));
}

void orr_wl_sharing_begin(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          sim_time duration)
{
    struct wl_sharing *sharing = engine->npu[npu.slot].sharing;
    const struct orr_node *work = &engine->npu[npu.slot].trace->node[node];
    const bool on_cpu = work->kind == ORR_NODE_COMP && (work->flags & ORR_NODE_IS_CPU) != 0;
    const double moving =
        on_cpu ? 0
               : (double)work->of.tensor_bytes * 1e12 / engine->parts.local->bandwidth_bytes_per_s;
    ORR_ASSERT(sharing->users < WL_MOST_USERS);
    advance(sharing, orr_evq_now(engine->parts.queue));
    sharing->user[sharing->users++] = (struct wl_user){
        .node = node,
        .left_ps = (double)duration,
        .demand = duration > 0 && moving > 0 ? fmin(moving / (double)duration, 1) : 0,
        .speed = 1};
    await(engine, npu);
}

enum orr_status orr_wl_sharing_create(struct wl_engine *engine, struct orr_diag *diag)
{
    struct wl_sharing *all = orr_arena_array(engine->parts.arena, engine->npus, sizeof *all);
    if (all == NULL) {
        return orr_diag_no_memory(diag, "an NPU's memory");
    }
    for (uint32_t i = 0; i < engine->npus; i++) {
        engine->npu[i].sharing = &all[i];
    }
    orr_evq_handle(engine->parts.queue, EVENT_SHARE_DONE, on_share_done, engine);
    return ORR_OK;
}
