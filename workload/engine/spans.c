/* Spans: when each node ran. Many nodes begin and end in the same instants, so each instant is
 * stored once, in order, and nodes hold its number. Invariant: instants ascend, and the last one is
 * not later than now.
 *
 * A node has two words. marks: the start while the node runs, afterwards the end; 0: not begun.
 * wl_npu.waiting: its state until it is done, then its start. For the few nodes that waited for
 * peers it holds the handle of a wl_wait instead of the start. */
#include "workload/engine/engine_private.h"

#define WAITED (UINT32_C(1) << 31) /* flag: the rest is the handle of a wl_wait */

/* Instants: the start, and when the node no longer waited for peers. */
struct wl_wait {
    uint32_t start, until;
};

void orr_wl_spans_init(struct wl_engine *engine)
{
    orr_slab_init(&engine->instants, engine->parts.arena, sizeof(sim_time));
    orr_slab_init(&engine->waits, engine->parts.arena, sizeof(struct wl_wait));
}

bool orr_wl_spans_create(const struct wl_engine *engine, struct wl_npu *npu)
{
    if (!engine->parts.record_spans) {
        return true;
    }
    npu->marks = orr_arena_array(engine->parts.arena, npu->trace->nodes, sizeof *npu->marks);
    return npu->marks != NULL;
}

static sim_time *instant_at(const struct wl_engine *engine, uint32_t number)
{
    return orr_slab_at(&engine->instants, number - 1);
}

/* The number of the current instant; 0, and the run stops, when memory is out. */
static uint32_t current_instant(struct wl_engine *engine)
{
    const sim_time now = orr_evq_now(engine->parts.queue);
    const uint32_t last = engine->instants.used;
    if (last != 0 && *instant_at(engine, last) == now) {
        return last;
    }
    const bool numbered = last < WAITED - 1; /* numbers and handles must differ */
    const uint32_t handle = numbered ? orr_slab_new(&engine->instants) : ORR_SLAB_NONE;
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return 0;
    }
    *instant_at(engine, handle + 1) = now;
    return handle + 1;
}

void orr_wl_span_begins(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (npu->marks != NULL) {
        npu->marks[node] = current_instant(engine);
    }
}

void orr_wl_span_transfers(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (npu->marks == NULL || npu->marks[node] == current_instant(engine)) {
        return;
    }
    const uint32_t handle = orr_slab_new(&engine->waits);
    if (handle >= (WL_AWAITS & ~WAITED)) { /* handles and states must differ */
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return;
    }
    *(struct wl_wait *)orr_slab_at(&engine->waits, handle) =
        (struct wl_wait){.start = npu->marks[node], .until = current_instant(engine)};
    npu->marks[node] = WAITED | handle;
}

void orr_wl_span_ends(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (npu->marks != NULL) {
        npu->waiting[node] = npu->marks[node];
        npu->marks[node] = current_instant(engine);
    }
}

/* ---- results ---- */

bool orr_engine_has_spans(const struct wl_engine *engine)
{
    return engine->parts.record_spans;
}

/* Start and end of waiting of a node that is done, as instant numbers; false: it has not run. */
static bool began(const struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                  struct wl_wait *wait)
{
    const uint32_t start = engine->npu[npu.slot].waiting[node];
    if (engine->npu[npu.slot].marks[node] == 0 || start >= WL_AWAITS) {
        return false;
    }
    *wait = (start & WAITED) != 0
                ? *(const struct wl_wait *)orr_slab_at(&engine->waits, start & ~WAITED)
                : (struct wl_wait){.start = start, .until = start};
    return true;
}

struct wl_span orr_engine_span(const struct wl_engine *engine, struct orr_slot npu, uint32_t node)
{
    struct wl_wait wait;
    if (!began(engine, npu, node, &wait)) {
        return (struct wl_span){.start_ps = 1, .end_ps = 0}; /* it has not run */
    }
    return (struct wl_span){.start_ps = *instant_at(engine, wait.start),
                            .end_ps = *instant_at(engine, engine->npu[npu.slot].marks[node])};
}

sim_time orr_engine_transfer(const struct wl_engine *engine, struct orr_slot npu, uint32_t node)
{
    struct wl_wait wait;
    return began(engine, npu, node, &wait) ? *instant_at(engine, wait.until) : 1;
}
