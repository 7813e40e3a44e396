/* The time breakdown of each NPU (docs/models.md, section 2). An instant counts for the first
 * activity (enum wl_activity) that the NPU has at that time. A collective, a receive, and under
 * rendezvous a send, waits until the other participants have begun and communicates from then on;
 * the last participant to begin ends the waiting of all, which changes counters and no event.
 * Invariant: the spent times of an NPU add up to `since`. */
#include "workload/engine/engine_private.h"

void orr_wl_settle(const struct wl_engine *engine, struct wl_npu *npu)
{
    const sim_time now = orr_evq_now(engine->parts.queue);
    unsigned activity = 0;
    while (activity < ACTIVITIES && npu->active[activity] == 0) {
        activity++;
    }
    npu->spent[activity] += now - npu->since;
    npu->since = now;
}

/* Whether the node first waits, until the system reports that it transfers. */
static bool awaits(const struct wl_engine *engine, const struct orr_node *node)
{
    const bool both_ends = node->kind == ORR_NODE_RECV || node->kind == ORR_NODE_COLL ||
                           (node->kind == ORR_NODE_SEND && engine->sends_wait);
    return both_ends && !engine->parts.policy->five_parts && !orr_wl_is_replayed(engine, node);
}

void orr_wl_node_begins(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    const struct orr_node *begun = &npu->trace->node[node];
    orr_wl_settle(engine, npu);
    if (awaits(engine, begun)) {
        npu->waiting[node] = WL_AWAITS;
        npu->active[ACT_WAITING]++;
    } else {
        npu->active[orr_wl_activity_of(engine, begun)]++;
    }
    if (npu->sharing != NULL && begun->kind == ORR_NODE_COLL) {
        orr_wl_runs_collective(engine, index, begun, 1);
    }
    orr_wl_span_begins(engine, npu, node);
    orr_wl_gpu_begins(engine, npu, node);
    orr_cause_add_mark(orr_evq_causes(engine->parts.queue), index.slot, node, npu->since);
}

void orr_wl_node_transfers(void *context, struct orr_slot index, uint64_t cookie)
{
    struct wl_engine *engine = context;
    struct wl_npu *npu = &engine->npu[index.slot];
    const uint32_t node = (uint32_t)cookie;
    if (npu->waiting[node] != WL_AWAITS) {
        return;
    }
    orr_wl_settle(engine, npu);
    npu->waiting[node] = WL_ISSUED;
    npu->active[ACT_WAITING]--;
    npu->active[ACT_COMMUNICATION]++;
    orr_wl_span_transfers(engine, npu, node);
    if (engine->watch != NULL) {
        orr_wl_watch_transfers(engine, npu, node);
    }
}

void orr_wl_node_ends(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    orr_wl_settle(engine, npu);
    if (npu->waiting[node] == WL_AWAITS) {
        npu->active[ACT_WAITING]--;
        orr_wl_span_transfers(engine, npu, node);
    } else {
        npu->active[orr_wl_activity_of(engine, &npu->trace->node[node])]--;
    }
    npu->waiting[node] = WL_DONE;
    if (npu->sharing != NULL && npu->trace->node[node].kind == ORR_NODE_COLL) {
        orr_wl_runs_collective(engine, index, &npu->trace->node[node], -1);
    }
    orr_wl_gpu_ends(engine, npu, node);
    orr_wl_span_ends(engine, npu, node);
}

/* ---- results ---- */

void orr_engine_times(const struct wl_engine *engine, struct orr_slot index, struct wl_times *times)
{
    const struct wl_npu *npu = &engine->npu[index.slot];
    const sim_time wall = orr_engine_wall(engine);
    sim_time sum = 0;
    *times = (struct wl_times){.finish_ps = npu->since,
                               .compute_ps = npu->spent[ACT_COMPUTE],
                               .cpu_ps = npu->spent[ACT_CPU],
                               .exposed_local_memory_ps = npu->spent[ACT_LOCAL_MEMORY],
                               .exposed_remote_memory_ps = npu->spent[ACT_REMOTE_MEMORY],
                               .exposed_communication_ps = npu->spent[ACT_COMMUNICATION],
                               .waiting_ps = npu->spent[ACT_WAITING],
                               .idle_ps = npu->spent[ACTIVITIES] + wall - npu->since,
                               .accelerator_compute_ps = npu->accelerator_compute_ps};
    for (unsigned activity = 0; activity < ACTIVITIES; activity++) {
        sum += npu->spent[activity];
    }
    ORR_ASSERT(sum + times->idle_ps == wall);
}

sim_time orr_engine_wall(const struct wl_engine *engine)
{
    return engine->wall_ps;
}
