/* When each node ran. Nodes of many NPUs begin and end together, and one begins when another ends:
 * each instant is kept once, in order, and nodes hold its number. Invariant: instants ascend, and
 * the last one is not later than now. */
#include "workload/engine/engine_private.h"

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

/* The number of the present instant; 0, and the run ends, when memory is out. */
static uint32_t present(struct wl_engine *engine)
{
    const sim_time now = orr_evq_now(engine->parts.queue);
    const uint32_t last = engine->instants.used;
    if (last != 0 && *instant_at(engine, last) == now) {
        return last;
    }
    const bool numbered = last < WL_AWAITS - 1; /* numbers and states are told apart */
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
        npu->marks[node] = (struct wl_marks){.start = present(engine)};
    }
}

void orr_wl_span_transfers(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (npu->marks != NULL) {
        npu->marks[node].end = present(engine);
    }
}

void orr_wl_span_ends(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (npu->marks == NULL) {
        return;
    }
    if (npu->marks[node].end != 0) {
        npu->waiting[node] = npu->marks[node].end;
    }
    npu->marks[node].end = present(engine);
}

/* ---- results ---- */

bool orr_engine_has_spans(const struct wl_engine *engine)
{
    return engine->parts.record_spans;
}

struct wl_span orr_engine_span(const struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    const struct wl_marks *marks = &engine->npu[npu].marks[node];
    if (marks->start == 0 || marks->end == 0) {
        return (struct wl_span){.start_ps = 1, .end_ps = 0}; /* it has not run */
    }
    return (struct wl_span){.start_ps = *instant_at(engine, marks->start),
                            .end_ps = *instant_at(engine, marks->end)};
}

sim_time orr_engine_transfer(const struct wl_engine *engine, uint32_t npu, uint32_t node)
{
    const uint32_t until = engine->npu[npu].waiting[node];
    const bool waited = until != 0 && until < WL_AWAITS;
    return waited ? *instant_at(engine, until) : orr_engine_span(engine, npu, node).start_ps;
}
