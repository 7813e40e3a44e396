/* FIFO issue of task graphs (docs/models.md, section 2). A finished node starts its children in
 * their order; a node whose stream is busy joins the stream's FIFO queue. Root nodes start by
 * ascending id.
 *
 * With `by_number`, nodes that need a stream wait until the instant has no more events. Then they
 * are queued by id, behind all that became ready before, and free streams start their next node;
 * this repeats until nothing else happens in the instant. Everything else in an instant commutes:
 * counters, flows that start and end, queues that advance. So the state after the instant does not
 * depend on the order of its events, and NPUs that are equal but for renaming stay equal. Folding
 * (docs/models.md, section 9) relies on that. */
#include <stdlib.h>

#include "workload/engine/engine_private.h"

static void begin(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    npu->stream[npu->layout->stream[node]].running++;
    npu->waiting[node] = WL_ISSUED;
    npu->in_flight++;
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    orr_wl_issue(engine, index, node);
    orr_cause_leave(causes, before);
}

static void enqueue(struct wl_npu *npu, struct wl_stream *stream, uint32_t node)
{
    npu->next_in_queue[node] = WL_NONE;
    if (stream->count++ == 0) {
        stream->first = node;
    } else {
        npu->next_in_queue[stream->last] = node;
    }
    stream->last = node;
}

static void add_newly_ready(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_newly_ready *grown =
        orr_arena_grow(engine->parts.arena, engine->newly_ready, &engine->newly_ready_capacity,
                       engine->newly_ready_count + 1, sizeof *grown);
    if (grown == NULL) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return;
    }
    engine->newly_ready = grown;
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    grown[engine->newly_ready_count++] = (struct wl_newly_ready){
        .slot = index.slot,
        .node = node,
        .cause = causes != NULL
                     ? orr_cause_hold(causes, ORR_PART_OTHER, orr_evq_now(engine->parts.queue))
                     : ORR_CAUSE_ROOT};
}

static void acquire_stream(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    struct wl_stream *stream = &npu->stream[npu->layout->stream[node]];
    if (stream->running != 0) {
        enqueue(npu, stream, node);
    } else {
        begin(engine, index, node);
    }
}

static void make_ready(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    const struct wl_npu *npu = &engine->npu[index.slot];
    if (npu->layout->stream[node] == STREAM_FREE) {
        begin(engine, index, node);
    } else if (npu->by_number) {
        add_newly_ready(engine, index, node);
    } else {
        acquire_stream(engine, index, node);
    }
}

/* ---- by number ---- */

static int by_npu_and_node(const void *left, const void *right)
{
    const struct wl_newly_ready *a = left, *b = right;
    if (a->slot != b->slot) {
        return a->slot < b->slot ? -1 : 1;
    }
    return (a->node > b->node) - (a->node < b->node);
}

/* Usually few, and usually in order already. */
static void sort_newly_ready(struct wl_newly_ready *newly_ready, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (by_npu_and_node(&newly_ready[i - 1], &newly_ready[i]) > 0) {
            qsort(newly_ready, count, sizeof *newly_ready, by_npu_and_node);
            return;
        }
    }
}

/* Called when the instant has no more events. */
static bool form_queues(void *context)
{
    struct wl_engine *engine = context;
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    const size_t count = engine->newly_ready_count;
    sort_newly_ready(engine->newly_ready, count);
    for (size_t i = 0; i < count; i++) {
        const struct wl_newly_ready newly_ready = engine->newly_ready[i];
        const orr_cause before = orr_cause_enter(causes, newly_ready.cause);
        acquire_stream(engine, orr_slot(newly_ready.slot), newly_ready.node);
        orr_cause_leave(causes, before);
        orr_cause_drop(causes, newly_ready.cause);
    }
    ORR_ASSERT(engine->newly_ready_count ==
               count); /* a node that got its stream ends in a later event */
    engine->newly_ready_count = 0;
    return count != 0;
}

void orr_wl_fifo_watch(struct wl_engine *engine)
{
    bool any = false;
    for (uint32_t i = 0; i < engine->npus; i++) {
        any |= engine->npu[i].by_number;
    }
    if (any) {
        orr_evq_on_idle(engine->parts.queue, form_queues, engine);
    }
}

static void serve_next(struct wl_engine *engine, struct orr_slot index, struct wl_stream *stream)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    if (stream->count != 0) {
        const uint32_t node = stream->first;
        stream->first = npu->next_in_queue[node];
        stream->count--;
        begin(engine, index, node);
    }
}

static void release(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    const struct orr_trace *trace = npu->trace;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        const uint32_t child = trace->children[e];
        if (--npu->waiting[child] == 0) {
            make_ready(engine, index, child);
        }
    }
}

static void ready_at(struct wl_engine *engine, struct wl_npu *npu, uint32_t child)
{
    make_ready(engine, orr_slot((uint32_t)(npu - engine->npu)), child);
}

void orr_wl_fifo_progress(struct wl_engine *engine, struct orr_slot index, uint32_t node,
                          uint64_t bytes)
{
    orr_wl_prefix_release(engine, &engine->npu[index.slot], node, bytes, ready_at);
}

/* The children begin before the next node of the same stream. */
void orr_wl_fifo_done(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    const struct orr_trace *trace = npu->trace;
    struct wl_stream *stream = &npu->stream[npu->layout->stream[node]];
    npu->unfinished--;
    npu->in_flight--;
    if (__builtin_expect(trace->prefix != NULL, 0)) {
        orr_wl_settle(engine, npu);
        orr_wl_fifo_progress(engine, index, node, UINT64_MAX);
    } else {
        release(engine, index, node);
    }
    stream->running--;
    if (stream != &npu->stream[STREAM_FREE]) {
        serve_next(engine, index, stream);
    }
}

/* ---- the start ---- */

struct root {
    uint64_t id;
    uint32_t npu, node;
};

static int by_id(const void *left, const void *right)
{
    const struct root *a = left, *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->npu > b->npu) - (a->npu < b->npu);
}

/* The roots of an NPU, ascending. */
static size_t find_roots(const struct wl_engine *engine, uint32_t slot, struct root *root)
{
    const struct wl_npu *npu = &engine->npu[slot];
    size_t count = 0;
    for (uint32_t node = 0; node < npu->trace->nodes; node++) {
        if (npu->waiting[node] == 0) {
            root[count++] = (struct root){npu->trace->node[node].id, slot, node};
        }
    }
    return count;
}

/* Memory for the roots of all NPUs of a job; NULL, and the run stops, when memory is out. */
static struct root *alloc_roots(const struct wl_engine *engine, const struct wl_run *run)
{
    size_t nodes = 1;
    for (uint32_t i = 0; i < run->job.npus; i++) {
        nodes += wl_job_npu(engine, run, i)->trace->nodes;
    }
    struct root *root = orr_heap_calloc(nodes, sizeof *root);
    if (root == NULL) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
    }
    return root;
}

void orr_wl_fifo_start_all(struct wl_engine *engine, const struct wl_run *run)
{
    struct root *root = alloc_roots(engine, run);
    size_t count = 0;
    for (uint32_t i = 0; root != NULL && i < run->job.npus; i++) {
        const struct wl_npu *npu = wl_job_npu(engine, run, i);
        count += find_roots(engine, (uint32_t)(npu - engine->npu), root + count);
    }
    if (count != 0) {
        qsort(root, count, sizeof *root, by_id);
    }
    for (size_t i = 0; i < count; i++) {
        make_ready(engine, orr_slot(root[i].npu), root[i].node);
    }
    orr_heap_free(root);
}

void orr_wl_fifo_start(struct wl_engine *engine, struct orr_slot slot)
{
    const struct wl_npu *npu = &engine->npu[slot.slot];
    for (uint32_t node = 0; node < npu->trace->nodes; node++) {
        if (npu->waiting[node] == 0) {
            make_ready(engine, slot, node);
        }
    }
}
