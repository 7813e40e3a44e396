/* Edges that wait for a part (prefix) of a collective. The system reports how much of the buffer
 * has arrived, and the child does not wait for the rest. The arrival time of each part is kept, for
 * reports and to release a child only once. */
#include "workload/engine/engine_private.h"

enum { NOT_ARRIVED = -1 };

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
        engine->watch[npu - engine->npu][i] =
            (struct wl_watch){NOT_ARRIVED, NOT_ARRIVED, NOT_ARRIVED, NOT_ARRIVED, NOT_ARRIVED};
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
    engine->watch = orr_arena_array(arena, engine->npus, sizeof *engine->watch);
    for (uint32_t i = 0; i < engine->npus && engine->watch != NULL; i++) {
        const uint32_t prefixes = engine->npu[i].layout->prefixes;
        engine->watch[i] = orr_arena_array(arena, prefixes, sizeof *engine->watch[i]);
        if (engine->watch[i] == NULL) {
            return orr_diag_no_memory(diag, "an NPU's engine");
        }
        orr_wl_prefixes_reset(engine, &engine->npu[i]);
    }
    return engine->watch != NULL ? ORR_OK : orr_diag_no_memory(diag, "the graph engine");
}

/* The first of the layout's parts at this edge or after it. O(log parts). */
static uint32_t first_at_or_after(const struct wl_layout *layout, uint32_t edge)
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
    const uint32_t part = first_at_or_after(layout, npu->trace->node[node].first_child);
    return part < layout->prefixes && layout->prefix[part] < orr_trace_child_end(npu->trace, node);
}

/* The record of a collective, at its first part; NULL: no edge waits for a part of it. */
static struct wl_watch *watch_of(const struct wl_engine *engine, const struct wl_npu *npu,
                                 uint32_t node)
{
    const uint32_t first = first_at_or_after(npu->layout, npu->trace->node[node].first_child);
    return orr_wl_is_watched(npu, node) ? &engine->watch[npu - engine->npu][first] : NULL;
}

void orr_wl_watch_begins(const struct wl_engine *engine, const struct wl_npu *npu, uint32_t node)
{
    watch_of(engine, npu, node)->began_ps = orr_evq_now(engine->parts.queue);
}

void orr_wl_watch_transfers(const struct wl_engine *engine, const struct wl_npu *npu, uint32_t node)
{
    struct wl_watch *watch = watch_of(engine, npu, node);
    if (watch != NULL) {
        watch->all_ps = orr_evq_now(engine->parts.queue);
    }
}

static void update_max(sim_time *longest, sim_time time)
{
    *longest = time > *longest ? time : *longest;
}

void orr_wl_watch_arrives(struct wl_engine *engine, const struct wl_npu *npu, uint32_t node)
{
    const sim_time now = orr_evq_now(engine->parts.queue);
    struct wl_watch *watch = watch_of(engine, npu, node);
    if (watch != NULL && watch->chunk_ps == NOT_ARRIVED && watch->began_ps != NOT_ARRIVED) {
        const sim_time from = watch->all_ps != NOT_ARRIVED ? watch->all_ps : watch->began_ps;
        watch->chunk_ps = now;
        update_max(&engine->queue.turnaround_ps, now - from);
    }
}

/* A part of the collective has arrived, and the NPU's time is settled to now. Waiting since the
 * first part counts for this collective. A replayed collective has not begun. */
static void account_wait(struct wl_engine *engine, const struct wl_npu *npu, struct wl_watch *watch)
{
    if (watch->began_ps == NOT_ARRIVED) {
        return;
    }
    const sim_time waited = npu->spent[ACT_COMMUNICATION] + npu->spent[ACT_WAITING];
    if (watch->waited_ps == NOT_ARRIVED) {
        watch->waited_ps = waited;
        update_max(&engine->queue.first_wait_ps, npu->since - watch->began_ps);
    }
    update_max(&engine->queue.bubbles_ps, waited - watch->waited_ps);
}

/* Whether the part that the edge waits for has arrived with these bytes; true once. */
static bool first_arrival(struct wl_engine *engine, const struct wl_npu *npu, uint32_t node,
                          uint32_t edge, uint64_t bytes)
{
    const uint64_t prefix = npu->trace->prefix[edge];
    if (prefix == 0) {
        return bytes == UINT64_MAX;
    }
    struct wl_watch *watch =
        &engine->watch[npu - engine->npu][first_at_or_after(npu->layout, edge)];
    if (prefix > bytes || watch->there_ps != NOT_ARRIVED) {
        return false;
    }
    watch->there_ps = orr_evq_now(engine->parts.queue);
    account_wait(engine, npu, watch_of(engine, npu, node));
    return true;
}

void orr_wl_prefix_release(struct wl_engine *engine, struct wl_npu *npu, uint32_t node,
                           uint64_t bytes, wl_ready_fn ready)
{
    const struct orr_trace *trace = npu->trace;
    orr_wl_watch_arrives(engine, npu, node);
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        const uint32_t child = trace->children[e];
        if (first_arrival(engine, npu, node, e, bytes) && --npu->waiting[child] == 0) {
            ready(engine, npu, child);
        }
    }
}

/* ---- results ---- */

bool orr_engine_queue(const struct wl_engine *engine, struct wl_queue *queue)
{
    *queue = engine->queue;
    return engine->watch != NULL;
}

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
    while (low + 1 < high) { /* the last node whose first edge is this one or before it */
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
                              .there_ps = engine->watch[npu.slot][index].there_ps};
}
