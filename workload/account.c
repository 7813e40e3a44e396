/* The account of where each NPU's time went (docs/models.md, section 2). An instant belongs to the
 * first activity that the NPU is at; a collective, a receive, under rendezvous a send too, waits
 * until the others have begun their parts and communicates from then on. Who begins last says so,
 * which changes counts and no event. Invariant: the spent times of an NPU add up to `since`. */
#include <string.h>

#include "workload/engine_private.h"

bool wl_spans_create(const struct wl_engine *engine, struct wl_npu *npu)
{
    if (!engine->parts.record_spans) {
        return true;
    }
    npu->span = orr_arena_array(engine->parts.arena, npu->trace->nodes, sizeof *npu->span);
    for (uint32_t i = 0; npu->span != NULL && i < npu->trace->nodes; i++) {
        npu->span[i].start_ps = 1; /* behind its end: it has not run */
    }
    return npu->span != NULL;
}

void wl_settle(const struct wl_engine *engine, struct wl_npu *npu)
{
    const sim_time now = orr_evq_now(engine->parts.queue);
    unsigned activity = 0;
    while (activity < ACTIVITIES && npu->active[activity] == 0) {
        activity++;
    }
    npu->spent[activity] += now - npu->since;
    npu->since = now;
}

/* Whether the node begins with waiting, until the system says that it transfers. */
static bool awaits(const struct wl_engine *engine, const struct orr_node *node)
{
    const bool both_ends = node->kind == ORR_NODE_RECV || node->kind == ORR_NODE_COLL ||
                           (node->kind == ORR_NODE_SEND && engine->sends_wait);
    return both_ends && !engine->parts.policy->five_parts && !wl_is_replayed(engine, node);
}

void wl_node_begins(struct wl_engine *engine, uint32_t index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index];
    const struct orr_node *begun = &npu->trace->node[node];
    wl_settle(engine, npu);
    if (awaits(engine, begun)) {
        npu->waiting[node] = WL_AWAITS;
        npu->active[ACT_WAITING]++;
    } else {
        npu->active[wl_activity_of(engine, begun)]++;
    }
    if (npu->span != NULL) {
        npu->span[node] = (struct wl_span){.start_ps = npu->since, .end_ps = -1};
    }
    orr_cause_add_mark(orr_evq_causes(engine->parts.queue), index, node, npu->since);
}

/* ---- waits ---- */

static void keep_wait(struct wl_engine *engine, uint32_t index, uint32_t node)
{
    const struct wl_npu *npu = &engine->npu[index];
    if (npu->span == NULL || npu->span[node].start_ps == npu->since) {
        return;
    }
    const uint32_t handle = orr_slab_new(&engine->waits);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return;
    }
    *(struct wl_wait *)orr_slab_at(&engine->waits, handle) =
        (struct wl_wait){.npu = index, .node = node, .until_ps = npu->since};
}

void wl_node_transfers(void *context, uint32_t index, uint64_t cookie)
{
    struct wl_engine *engine = context;
    struct wl_npu *npu = &engine->npu[index];
    const uint32_t node = (uint32_t)cookie;
    if (npu->waiting[node] != WL_AWAITS) {
        return;
    }
    wl_settle(engine, npu);
    npu->waiting[node] = WL_ISSUED;
    npu->active[ACT_WAITING]--;
    npu->active[ACT_COMMUNICATION]++;
    keep_wait(engine, index, node);
}

void wl_node_ends(struct wl_engine *engine, uint32_t index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index];
    wl_settle(engine, npu);
    if (npu->waiting[node] == WL_AWAITS) {
        npu->active[ACT_WAITING]--;
        keep_wait(engine, index, node);
    } else {
        npu->active[wl_activity_of(engine, &npu->trace->node[node])]--;
    }
    if (npu->span != NULL) {
        npu->span[node].end_ps = npu->since;
    }
}

static struct wl_wait *wait_at(const struct wl_engine *engine, uint32_t place)
{
    return orr_slab_at(&engine->waits, place);
}

static int compare(const struct wl_wait *wait, uint32_t npu, uint32_t node)
{
    return wait->npu != npu ? (wait->npu > npu) - (wait->npu < npu)
                            : (wait->node > node) - (wait->node < node);
}

/* Lets the record at a place sink in the heap of those below `count`, the largest on top. */
static void sift(struct wl_engine *engine, uint32_t place, uint32_t count)
{
    const struct wl_wait moved = *wait_at(engine, place);
    while (place < count / 2) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < count && compare(wait_at(engine, child), wait_at(engine, child + 1)->npu,
                                         wait_at(engine, child + 1)->node) < 0) {
            child++;
        }
        if (compare(wait_at(engine, child), moved.npu, moved.node) <= 0) {
            break;
        }
        *wait_at(engine, place) = *wait_at(engine, child);
        place = child;
    }
    *wait_at(engine, place) = moved;
}

/* By NPU and node, in place: a heap sort. */
void wl_engine_sort_waits(struct wl_engine *engine)
{
    for (uint32_t place = engine->waits.used / 2; place-- > 0;) {
        sift(engine, place, engine->waits.used);
    }
    for (uint32_t count = engine->waits.used; count > 1; count--) {
        const struct wl_wait largest = *wait_at(engine, 0);
        *wait_at(engine, 0) = *wait_at(engine, count - 1);
        *wait_at(engine, count - 1) = largest;
        sift(engine, 0, count - 1);
    }
    for (uint32_t place = engine->waits.used; place-- > 0;) {
        engine->npu[wait_at(engine, place)->npu].waits++;
        engine->npu[wait_at(engine, place)->npu].first_wait = place;
    }
}

sim_time wl_engine_transfer(const struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    const struct wl_npu *of = &engine->npu[npu];
    const uint8_t kind = of->trace->node[node].kind;
    uint32_t low = of->first_wait, high = low + of->waits;
    if (kind != ORR_NODE_RECV && kind != ORR_NODE_COLL && kind != ORR_NODE_SEND) {
        high = low;
    }
    const uint32_t end = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (wait_at(engine, middle)->node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool waited = low < end && wait_at(engine, low)->node == node;
    return waited ? wait_at(engine, low)->until_ps : of->span[node].start_ps;
}

/* ---- results ---- */

void wl_engine_times(const struct wl_engine *engine, uint32_t index, struct wl_times *times)
{
    const struct wl_npu *npu = &engine->npu[index];
    const sim_time wall = wl_engine_wall(engine);
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

const struct wl_span *wl_engine_spans(const struct wl_engine *engine, uint32_t npu)
{
    return engine->npu[npu].span;
}
