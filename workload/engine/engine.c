/* The graph engine: readiness and completion. A node is ready when its parents are done. Ready
 * nodes are issued by ascending id when their stream is free. A node that completes releases its
 * children. */
#include <stdlib.h>
#include <string.h>

#include "workload/engine/engine_private.h"

/* ---- creation ---- */

/* The layout of each distinct trace, by the first NPU that has it: open addressing, [mask + 1] NPU
 * + 1, 0: free. */
struct layout_cache {
    uint32_t *npu;
    uint32_t mask;
};

static bool layout_cache_init(struct layout_cache *cache, uint32_t npus)
{
    for (cache->mask = 15; cache->mask < 2 * (uint64_t)npus;) {
        cache->mask = 2 * cache->mask + 1;
    }
    cache->npu = orr_heap_calloc((size_t)cache->mask + 1, sizeof *cache->npu);
    return cache->npu != NULL;
}

/* The layout of an earlier NPU with the same trace; NULL: this is the first. Expected O(1). */
static const struct wl_layout *find_cached_layout(const struct wl_engine *engine, uint32_t npu,
                                                  const struct orr_trace *trace,
                                                  struct layout_cache *cache)
{
    const uint64_t hash = (uint64_t)(uintptr_t)trace * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(hash >> 32) & cache->mask;
    for (; cache->npu[at] != 0; at = (at + 1) & cache->mask) {
        if (engine->npu[cache->npu[at] - 1].trace == trace) {
            return engine->npu[cache->npu[at] - 1].layout;
        }
    }
    cache->npu[at] = npu + 1;
    return NULL;
}

static enum orr_status init_npu(struct wl_engine *engine, struct orr_slot index,
                                const struct orr_trace *trace, struct layout_cache *cache,
                                struct orr_diag *diag)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    struct orr_arena *arena = engine->parts.arena;
    npu->trace = trace;
    npu->layout = find_cached_layout(engine, index.slot, trace, cache);
    if (npu->layout == NULL) {
        const enum orr_status status =
            orr_wl_layout_create(&npu->layout, trace, &engine->parts, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    npu->waiting = orr_arena_array(arena, trace->nodes, sizeof *npu->waiting);
    npu->stream = orr_arena_array(arena, npu->layout->streams, sizeof *npu->stream);
    npu->issues_fifo = wl_has_rules(engine->parts.policy, trace);
    npu->by_number = npu->issues_fifo && strcmp(trace->rules, ORR_RULES_BY_NUMBER) == 0 &&
                     orr_evq_order(engine->parts.queue) == ORR_ORDER_INSERTION;
    npu->busy_streams = orr_arena_array(
        arena, npu->issues_fifo ? trace->nodes : npu->layout->streams, sizeof *npu->busy_streams);
    npu->groups = orr_arena_array(arena, trace->group_count, sizeof *npu->groups);
    if (npu->waiting == NULL || npu->stream == NULL || npu->busy_streams == NULL ||
        npu->groups == NULL || !orr_wl_spans_create(engine, npu) ||
        !orr_wl_gpu_create(engine, npu)) {
        return orr_diag_no_memory(diag, "an NPU's engine");
    }
    if (trace->nodes != 0) {
        memcpy(npu->waiting, trace->parents, trace->nodes * sizeof *npu->waiting);
    }
    npu->unfinished = trace->nodes;
    return ORR_OK;
}

static enum orr_status init_npus(struct wl_engine *engine, const struct orr_trace *const *by_slot,
                                 struct orr_diag *diag)
{
    struct layout_cache cache;
    enum orr_status status = layout_cache_init(&cache, engine->npus)
                                 ? ORR_OK
                                 : orr_diag_no_memory(diag, "the graph engine");
    for (uint32_t i = 0; i < engine->npus && status == ORR_OK; i++) {
        status = init_npu(engine, orr_slot(i), by_slot[i], &cache, diag);
    }
    orr_heap_free(cache.npu);
    return status;
}

/* Nested completions in zero time; a longer chain continues in events. */
enum { MAX_DEPTH = 256 };

static void on_start(void *context, const struct orr_event *event);
static void on_node_done(void *context, const struct orr_event *event);
static void on_done(void *context, struct orr_slot npu, uint64_t node);
static void on_progress(void *context, struct orr_slot npu, uint64_t node, uint64_t bytes);

static void connect(struct wl_engine *engine)
{
    const struct wl_parts *parts = &engine->parts;
    const struct sys_listener listener = {
        .context = engine,
        .done = on_done,
        .transfers = parts->policy->five_parts ? NULL : orr_wl_node_transfers,
        .progress = on_progress,
        .forwards =
            orr_wl_factor(parts->compute->forwarding_slowdown) != 1 ? orr_wl_forwards : NULL};
    engine->sends_wait = orr_sys_sends_wait(parts->sys);
    orr_sys_set_listener(parts->sys, &listener);
    parts->remote->listener = (struct mem_listener){.context = engine, .done = on_done};
    orr_evq_handle(parts->queue, EVENT_START, on_start, engine);
    orr_evq_handle(parts->queue, EVENT_NODE_DONE, on_node_done, engine);
    orr_wl_fifo_watch(engine);
}

enum orr_status orr_engine_create(struct wl_engine **out, const struct wl_parts *parts,
                                  const struct orr_trace *const *by_slot, uint32_t npus,
                                  struct orr_diag *diag)
{
    struct wl_engine *engine = orr_arena_alloc(parts->arena, sizeof *engine);
    if (engine == NULL) {
        return orr_diag_no_memory(diag, "the graph engine");
    }
    engine->parts = *parts;
    engine->npus = npus;
    orr_wl_spans_init(engine);
    engine->npu = orr_arena_array(parts->arena, npus, sizeof *engine->npu);
    engine->finish_order = orr_arena_array(parts->arena, npus, sizeof *engine->finish_order);
    if (engine->npu == NULL || engine->finish_order == NULL) {
        return orr_diag_no_memory(diag, "the graph engine");
    }
    enum orr_status status = init_npus(engine, by_slot, diag);
    if (status != ORR_OK) {
        return status;
    }
    connect(engine);
    *out = engine;
    status = orr_wl_prefixes_create(engine, diag);
    if (status == ORR_OK) {
        status = orr_wl_sharing_create(engine, diag);
    }
    if (status == ORR_OK) {
        status = orr_wl_jobs_create(engine, diag);
    }
    if (status == ORR_OK) {
        status = orr_wl_resolve_groups(engine, diag);
    }
    if (status == ORR_OK) {
        status = orr_wl_uneven_create(engine, diag);
    }
    return status == ORR_OK ? orr_wl_check_nodes(engine, diag) : status;
}

/* ---- readiness ---- */

static void make_ready(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    if (!npu->issuing) {
        orr_wl_stream_push(engine, npu, node);
        return;
    }
    uint32_t *freed = orr_arena_grow(engine->parts.arena, npu->freed, &npu->freed_capacity,
                                     npu->freed_count + (size_t)1, sizeof *freed);
    if (freed == NULL) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return;
    }
    npu->freed = freed;
    freed[npu->freed_count++] = node;
}

static void release(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    const struct orr_trace *trace = npu->trace;
    npu->stream[npu->layout->stream[node]].running--;
    npu->unfinished--;
    npu->in_flight--;
    if (__builtin_expect(trace->prefix != NULL, 0)) {
        orr_wl_settle(engine, npu);
        orr_wl_prefix_release(engine, npu, node, UINT64_MAX, make_ready);
        return;
    }
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        const uint32_t child = trace->children[e];
        if (--npu->waiting[child] == 0) {
            make_ready(engine, npu, child);
        }
    }
}

void orr_wl_node_skipped(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    if (engine->npu[index.slot].issues_fifo) {
        orr_wl_node_begins(engine, index, node);
        orr_wl_post_done(engine, index, node, 0);
        return;
    }
    engine->npu[index.slot].waiting[node] = WL_DONE;
    release(engine, &engine->npu[index.slot], node);
}

static void push_freed(struct wl_engine *engine, struct wl_npu *npu)
{
    for (uint32_t i = 0; i < npu->freed_count; i++) {
        orr_wl_stream_push(engine, npu, npu->freed[i]);
    }
    npu->freed_count = 0;
}

/* Records the cause of this finish if it is the latest so far, and of the lowest rank among the
 * latest. */
static void record_path(struct wl_engine *engine, struct orr_slot index)
{
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    const sim_time now = orr_evq_now(engine->parts.queue);
    if (causes == NULL ||
        (engine->has_path && now == engine->wall_ps && index.slot > engine->path_npu.slot)) {
        return;
    }
    if (engine->has_path) {
        orr_cause_drop(causes, engine->path);
    }
    engine->path = orr_cause_hold(causes, ORR_PART_OTHER, now);
    engine->path_npu = index;
    engine->has_path = true;
}

static void finish_if_done(struct wl_engine *engine, struct orr_slot index)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    if (npu->unfinished == 0 && !npu->finished) {
        npu->finished = true;
        orr_wl_settle(engine, npu);
        record_path(engine, index);
        engine->wall_ps = npu->since; /* time only grows */
        orr_wl_job_part_done(engine, index);
    }
}

/* Issues what can start. Nodes that skipped nodes release are tried in the same instant; under the
 * reference's policy they wait for the NPU's next completion, if one is pending. */
static void issue_ready(struct wl_engine *engine, struct orr_slot index)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    if (npu->issuing) {
        return;
    }
    do {
        npu->issuing = true;
        for (uint32_t node = orr_wl_stream_pop(npu); node != WL_NONE;
             node = orr_wl_stream_pop(npu)) {
            npu->waiting[node] = WL_ISSUED;
            npu->in_flight++;
            const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
            orr_wl_issue(engine, index, node);
            orr_cause_leave(causes, before);
        }
        npu->issuing = false;
        if (npu->freed_count == 0) {
            break;
        }
        push_freed(engine, npu);
    } while (!engine->parts.policy->sparse_wakeup || npu->in_flight == 0);
    finish_if_done(engine, index);
}

/* Begins the NPU's part of an iteration, or retries what it could not issue before. */
static void begin_npu(struct wl_engine *engine, struct orr_slot index)
{
    struct wl_npu *npu = &engine->npu[index.slot];
    for (uint32_t node = 0; !npu->begun && node < npu->trace->nodes; node++) {
        if (npu->waiting[node] == 0) {
            orr_wl_stream_push(engine, npu, node);
        }
    }
    npu->begun = true;
    issue_ready(engine, index);
}

/* Begins all NPUs of a job with FIFO issue. */
static void begin_job(struct wl_engine *engine, struct wl_run *run)
{
    for (uint32_t i = 0; i < run->job.npus; i++) {
        struct wl_npu *npu = wl_job_npu(engine, run, i);
        if (npu->finished) {
            orr_wl_npu_reset(engine, npu);
        }
    }
    orr_wl_fifo_start_all(engine, run);
    for (uint32_t i = 0; i < run->job.npus; i++) {
        finish_if_done(engine, orr_slot((uint32_t)(wl_job_npu(engine, run, i) - engine->npu)));
    }
}

static void on_start(void *context, const struct orr_event *event)
{
    struct wl_engine *engine = context;
    const struct orr_slot index = orr_slot(event->entity);
    struct wl_npu *npu = &engine->npu[index.slot];
    if (event->aux != 0) {
        begin_job(engine, &engine->run[event->cookie]);
        return;
    }
    if (npu->finished) {
        orr_wl_npu_reset(engine, npu);
    }
    if (!npu->issues_fifo) {
        begin_npu(engine, index);
        return;
    }
    orr_wl_fifo_start(engine, index);
    finish_if_done(engine, index);
}

static void finish_fifo(struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    if (engine->depth == MAX_DEPTH) {
        orr_wl_post_done(engine, index, node, 0);
        return;
    }
    engine->depth++;
    orr_wl_node_ends(engine, index, node);
    orr_wl_fifo_done(engine, index, node);
    finish_if_done(engine, index);
    engine->depth--;
}

static void on_done(void *context, struct orr_slot index, uint64_t cookie)
{
    struct wl_engine *engine = context;
    const uint32_t node = (uint32_t)cookie;
    if (engine->npu[index.slot].issues_fifo) {
        finish_fifo(engine, index, node);
        return;
    }
    orr_wl_node_ends(engine, index, node);
    release(engine, &engine->npu[index.slot], node);
    issue_ready(engine, index);
}

static void on_progress(void *context, struct orr_slot index, uint64_t cookie, uint64_t bytes)
{
    struct wl_engine *engine = context;
    struct wl_npu *npu = &engine->npu[index.slot];
    orr_wl_settle(engine, npu);
    if (npu->issues_fifo) {
        orr_wl_fifo_progress(engine, index, (uint32_t)cookie, bytes);
        return;
    }
    orr_wl_prefix_release(engine, npu, (uint32_t)cookie, bytes, make_ready);
    issue_ready(engine, index);
}

static void on_node_done(void *context, const struct orr_event *event)
{
    on_done(context, orr_slot(event->entity), event->cookie);
}

/* ---- the run ---- */

static void start(struct wl_engine *engine)
{
    engine->started = true;
    for (uint32_t j = 0; j < engine->runs; j++) {
        engine->run[j].began_ps = engine->run[j].job.start_ps;
        orr_wl_job_post(engine, j, engine->run[j].job.start_ps);
    }
    for (uint32_t i = 0; engine->part != NULL && i < engine->npus; i++) {
        if (engine->part[i].job == WL_NONE) {
            finish_if_done(engine, orr_slot(i)); /* it has nothing to do */
        }
    }
}

/* No event is pending and nodes are left: lets collectives start out of program order, once. */
static bool relax(struct wl_engine *engine)
{
    bool any = false;
    for (uint32_t i = 0; i < engine->npus; i++) {
        if (!engine->npu[i].finished && orr_wl_streams_relax(&engine->npu[i])) {
            const struct orr_event event = {.entity = i, .kind = EVENT_START};
            orr_evq_post(engine->parts.queue, orr_evq_now(engine->parts.queue), &event);
            any = true;
        }
    }
    return any;
}

static enum orr_status check_end(struct wl_engine *engine, bool *finished, struct orr_diag *diag)
{
    *finished = false;
    if (engine->finished < engine->npus && relax(engine)) {
        return ORR_OK;
    }
    *finished = true;
    return engine->finished == engine->npus ? orr_wl_check_unmatched(engine, diag)
                                            : orr_wl_deadlock_report(engine, diag);
}

enum orr_status orr_engine_run_some(struct wl_engine *engine, uint64_t instants, bool *finished,
                                    struct orr_diag *diag)
{
    *finished = false;
    if (!engine->started) {
        start(engine);
    }
    bool empty = false;
    const enum orr_status status = orr_evq_run_some(engine->parts.queue, instants, &empty, diag);
    return status == ORR_OK && empty ? check_end(engine, finished, diag) : status;
}

enum orr_status orr_engine_run(struct wl_engine *engine, struct orr_diag *diag)
{
    bool finished = false;
    enum orr_status status = ORR_OK;
    while (!finished && status == ORR_OK) {
        status = orr_engine_run_some(engine, UINT64_MAX, &finished, diag);
    }
    return status;
}

/* ---- results ---- */

size_t orr_engine_npu_bytes(void)
{
    return sizeof(struct wl_npu);
}

bool orr_engine_path(const struct wl_engine *engine, struct wl_path *path)
{
    const struct orr_causes *causes = orr_evq_causes(engine->parts.queue);
    if (causes == NULL || !engine->has_path || orr_causes_failed(causes)) {
        return false;
    }
    *path = (struct wl_path){.causes = causes, .end = engine->path, .npu = engine->path_npu};
    return true;
}

uint32_t orr_engine_group(const struct wl_engine *engine, struct orr_slot index, uint32_t node)
{
    const struct wl_npu *npu = &engine->npu[index.slot];
    const uint32_t group = npu->trace->node[node].group;
    return group != 0 ? npu->groups[group - 1] : npu->all;
}

const uint32_t *orr_engine_finish_order(const struct wl_engine *engine)
{
    return engine->finish_order;
}

uint32_t orr_engine_finished(const struct wl_engine *engine)
{
    return engine->finished;
}
