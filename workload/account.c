/* The account of where each NPU's time went (docs/models.md, section 2). An instant belongs to the
 * first activity that the NPU is at; a collective, a receive, under rendezvous a send too, waits
 * until the others have begun their parts and communicates from then on. Who begins last says so,
 * which changes counts and no event. Invariant: the spent times of an NPU add up to `since`. */
#include <stdlib.h>
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

/* Of one NPU. */
static int compare_waits(const void *a, const void *b)
{
    const struct wl_wait *first = a, *second = b;
    return (first->node > second->node) - (first->node < second->node);
}

/* Finds each NPU's share of the places, and puts the records there, as they come. */
static void share_out(struct wl_engine *engine, struct wl_wait *to)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < engine->waits.used; i++) {
        engine->npu[wait_at(engine, i)->npu].waits++;
    }
    for (uint32_t npu = 0; npu < engine->npus; npu++) {
        engine->npu[npu].first_wait = place;
        place += engine->npu[npu].waits;
        engine->npu[npu].waits = 0;
    }
    for (uint32_t i = 0; i < engine->waits.used; i++) {
        const struct wl_wait *wait = wait_at(engine, i);
        struct wl_npu *npu = &engine->npu[wait->npu];
        to[npu->first_wait + npu->waits++] = *wait;
    }
}

/* By node; mostly they came so. */
static void sort_share(struct wl_wait *wait, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (wait[i].node < wait[i - 1].node) {
            qsort(wait, count, sizeof *wait, compare_waits);
            return;
        }
    }
}

/* By NPU and node: counted by NPU, and compared only among those of one. */
enum orr_status wl_engine_sort_waits(struct wl_engine *engine, struct orr_diag *diag)
{
    const uint32_t count = engine->waits.used;
    struct wl_wait *sorted = count != 0 ? orr_heap_calloc(count, sizeof *sorted) : NULL;
    if (sorted == NULL) {
        return count != 0 ? orr_diag_no_memory(diag, "the waits of nodes") : ORR_OK;
    }
    share_out(engine, sorted);
    for (uint32_t npu = 0; npu < engine->npus; npu++) {
        sort_share(&sorted[engine->npu[npu].first_wait], engine->npu[npu].waits);
    }
    for (uint32_t i = 0; i < count; i++) {
        *wait_at(engine, i) = sorted[i];
    }
    orr_heap_free(sorted);
    return ORR_OK;
}

sim_time wl_engine_transfer(const struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    const struct wl_npu *of = &engine->npu[npu];
    const bool may_wait = of->waits != 0 && awaits(engine, &of->trace->node[node]);
    uint32_t low = of->first_wait, high = may_wait ? low + of->waits : low;
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

sim_time wl_engine_wall(const struct wl_engine *engine)
{
    return engine->wall_ps;
}
