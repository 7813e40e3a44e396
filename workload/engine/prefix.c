/* Edges that wait for a part of a collective: the system tells how much of its buffer is there, and
 * the child need not wait for the rest. When each part was there is kept: reports ask for it, and
 * it tells whether the child has been told already. */
#include "workload/engine/engine_private.h"

enum { NOT_THERE = -1 };

enum orr_status orr_wl_prefixes_list(struct wl_layout *layout, struct orr_arena *arena,
                                     struct orr_diag *diag)
{
    const struct orr_trace *trace = layout->trace;
    uint32_t parts = 0;
    for (uint32_t e = 0; trace->prefix != NULL && e < trace->edges; e++) {
        parts += trace->prefix[e] != 0 ? 1 : 0;
    }
    uint32_t *part = orr_arena_array(arena, parts, sizeof *part);
    if (part == NULL) {
        return orr_diag_no_memory(diag, "an NPU's engine");
    }
    layout->prefix = part;
    for (uint32_t e = 0; layout->prefixes < parts; e++) {
        if (trace->prefix[e] != 0) {
            part[layout->prefixes++] = e;
        }
    }
    return ORR_OK;
}

void orr_wl_prefixes_reset(const struct wl_engine *engine, const struct wl_npu *npu)
{
    for (uint32_t i = 0; i < npu->layout->prefixes; i++) {
        engine->there_ps[npu - engine->npu][i] = NOT_THERE;
    }
}

enum orr_status orr_wl_prefixes_create(struct wl_engine *engine, struct orr_diag *diag)
{
    uint32_t with = 0;
    for (uint32_t i = 0; i < engine->npus; i++) {
        with += engine->npu[i].layout->prefixes != 0 ? 1 : 0;
    }
    if (with == 0) {
        return ORR_OK;
    }
    struct orr_arena *arena = engine->parts.arena;
    engine->there_ps = orr_arena_array(arena, engine->npus, sizeof *engine->there_ps);
    for (uint32_t i = 0; i < engine->npus && engine->there_ps != NULL; i++) {
        const uint32_t parts = engine->npu[i].layout->prefixes;
        engine->there_ps[i] = orr_arena_array(arena, parts, sizeof *engine->there_ps[i]);
        if (engine->there_ps[i] == NULL) {
            return orr_diag_no_memory(diag, "an NPU's engine");
        }
        orr_wl_prefixes_reset(engine, &engine->npu[i]);
    }
    return engine->there_ps != NULL ? ORR_OK : orr_diag_no_memory(diag, "the graph engine");
}

/* The first of the layout's parts that is this edge or behind it. O(log parts). */
static uint32_t first_from(const struct wl_layout *layout, uint32_t edge)
{
    uint32_t low = 0, high = layout->prefixes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (layout->prefix[middle] < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool orr_wl_is_watched(const struct wl_npu *npu, uint32_t node)
{
    const struct wl_layout *layout = npu->layout;
    if (layout->prefixes == 0) {
        return false;
    }
    const uint32_t part = first_from(layout, npu->trace->node[node].first_child);
    return part < layout->prefixes && layout->prefix[part] < orr_trace_child_end(npu->trace, node);
}

bool orr_wl_prefix_is_there(const struct wl_engine *engine, const struct wl_npu *npu, uint32_t edge,
                            uint64_t bytes)
{
    const uint64_t prefix = npu->trace->prefix[edge];
    if (prefix == 0) {
        return bytes == UINT64_MAX;
    }
    sim_time *there = &engine->there_ps[npu - engine->npu][first_from(npu->layout, edge)];
    if (prefix > bytes || *there != NOT_THERE) {
        return false;
    }
    *there = orr_evq_now(engine->parts.queue);
    return true;
}

/* ---- results ---- */

uint32_t orr_engine_prefixes(const struct wl_engine *engine, struct orr_slot npu)
{
    return engine->npu[npu.slot].layout->prefixes;
}

struct wl_prefix orr_engine_prefix(const struct wl_engine *engine, struct orr_slot npu,
                                   uint32_t index)
{
    const struct wl_npu *self = &engine->npu[npu.slot];
    const uint32_t edge = self->layout->prefix[index];
    uint32_t low = 0, high = self->trace->nodes;
    while (low + 1 < high) { /* the last node whose children begin at the edge or before */
        const uint32_t middle = low + (high - low) / 2;
        if (self->trace->node[middle].first_child <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (struct wl_prefix){.collective = low,
                              .node = self->trace->children[edge],
                              .bytes = self->trace->prefix[edge],
                              .there_ps = engine->there_ps[npu.slot][index]};
}
