/* Flows whose shares follow congestion windows, or are equal.
 *
 * Flows that always have equal shares are one stream: without windows those of one path, with
 * windows each flow by itself. A stream knows how many bytes each of its flows would have got since
 * it began (`served`), so that a flow is at its end when that reaches a number fixed at its start,
 * and the flows of a stream wait in a heap by that number (the virtual time of fair queueing). A
 * heap of the streams' next events stands behind a single event of the queue. All events of an
 * instant are taken, then shares are worked out once. */
#include <math.h>

#include "network/flows/flows_private.h"

#define NONE UINT32_MAX

/* ---- events ---- */

static void post_tick(struct net_flows *flows)
{
    const sim_time stream = orr_due_heap_next(&flows->streams.due);
    const sim_time mark = orr_due_heap_next(&flows->marks);
    orr_flows_post_tick(flows, stream < mark ? stream : mark);
}

static bool is_dirty(const struct net_flows *flows)
{
    return orr_maxmin_dirty(flows->shares);
}

/* ---- streams ---- */

/* What is served when something happens to the stream next. */
static double next_mark(const struct net_flows *flows, const struct stream *stream)
{
    const double end = stream_record(&flows->records, stream->top)->target;
    if (!flows->config.model.windows) {
        return end;
    }
    return stream->update_at < end ? stream->update_at : end;
}

/* Ends of flows are rounded up to whole ps, but for what is only rounding itself. */
static void schedule(struct net_flows *flows, uint32_t index)
{
    struct stream *stream = stream_at(&flows->streams, index);
    const double left = next_mark(flows, stream) - stream->served;
    const double ps = stream->rate > 0 ? ceil(left / stream->rate - ROUNDING_PS) : INFINITY;
    sim_time next = ORR_TIME_MAX;
    if (ps < 9e18) {
        next = orr_time_add(stream->since, ps > 0 ? (sim_time)ps : 0);
    }
    orr_due_heap_set(&flows->streams.due, index, next);
}

/* ---- joining ---- */

static bool own(struct net_flows *flows, uint32_t share, uint32_t stream)
{
    if (share >= flows->owners) {
        const size_t owners = 2 * ((size_t)share + 32);
        uint32_t *grown = orr_heap_realloc(flows->owner, owners * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        flows->owner = grown;
        flows->owners = owners;
    }
    flows->owner[share] = stream;
    return true;
}

/* A stream of its own, or that of the path. */
static uint32_t take_stream(struct net_flows *flows, uint32_t path)
{
    struct flow_path *of = flow_path_at(&flows->paths, path);
    if (!flows->config.model.windows && of->stream != NONE) {
        return of->stream;
    }
    const uint32_t index = orr_stream_heap_new(&flows->streams);
    if (index != NONE) {
        *stream_at(&flows->streams, index) =
            (struct stream){.path = path, .share = NONE, .top = NONE};
        of->stream = index;
    }
    return index;
}

/* The first flow of a stream. */
static void begin(struct net_flows *flows, struct stream *stream, struct flow_record *record)
{
    const struct net_route_links way = flow_path_links(&flows->paths, path_of(flows, stream));
    stream->served = stream->rate = 0;
    stream->weight = 1;
    double bound = INFINITY;
    if (flows->config.model.windows) {
        bound = orr_flow_windows_begin(flows, stream, record);
    }
    stream->share = orr_maxmin_add(flows->shares, way.link, way.hops, stream->weight, bound);
}

void orr_windowed_join(struct net_flows *flows, uint32_t handle)
{
    struct flow_record *record = stream_record(&flows->records, handle);
    const uint32_t index = take_stream(flows, record->path);
    if (index == NONE) {
        orr_flows_no_memory(flows);
        return;
    }
    struct stream *stream = stream_at(&flows->streams, index);
    stream_advance(stream, orr_evq_now(flows->config.queue));
    if (stream->count++ == 0) {
        begin(flows, stream, record);
        if (stream->share == MAXMIN_NONE || !own(flows, stream->share, index)) {
            orr_flows_no_memory(flows);
            return;
        }
    } else {
        stream->weight = stream->count;
        orr_maxmin_set_weight(flows->shares, stream->share, stream->weight, INFINITY);
    }
    record->target = stream->served + record->bytes;
    stream->top = orr_stream_meld(&flows->records, stream->top, handle);
    if (flows->config.model.windows) {
        orr_flow_windows_weigh(flows, flow_path_at(&flows->paths, record->path));
    }
    orr_flows_post_settle(flows);
}

/* ---- ending ---- */

static void end_flow(struct net_flows *flows, struct stream *stream)
{
    const uint32_t handle = stream->top;
    stream->top = orr_stream_pop(&flows->records, handle);
    stream->count--;
    orr_flows_end(flows, handle);
}

void orr_windowed_left(struct net_flows *flows, uint32_t index, uint32_t before)
{
    struct stream *stream = stream_at(&flows->streams, index);
    if (stream->count == 0) {
        orr_maxmin_remove(flows->shares, stream->share);
        stream->share = NONE;
        orr_due_heap_set(&flows->streams.due, index, ORR_TIME_MAX);
        if (flows->config.model.windows) {
            orr_flow_windows_weigh(flows, path_of(flows, stream));
            orr_stream_heap_free(&flows->streams, index);
        }
        return;
    }
    if (flows->config.model.windows) {
        orr_flow_windows_follow(flows, stream);
    } else if (stream->count != before) {
        stream->weight = stream->count;
        orr_maxmin_set_weight(flows->shares, stream->share, stream->weight, INFINITY);
    }
    schedule(flows, index);
}

/* A stream whose next event is due. */
static void take(struct net_flows *flows, uint32_t index)
{
    struct stream *stream = stream_at(&flows->streams, index);
    const uint32_t before = stream->count;
    stream_advance(stream, orr_evq_now(flows->config.queue));
    const double tolerance = 2 * ROUNDING_PS * stream->rate;
    while (stream->top != NONE &&
           stream_record(&flows->records, stream->top)->target <= stream->served + tolerance) {
        end_flow(flows, stream);
        stream = stream_at(&flows->streams, index);
    }
    orr_windowed_left(flows, index, before);
}

static void tick(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    while (orr_due_heap_next(&flows->streams.due) <= now) {
        take(flows, orr_due_heap_top(&flows->streams.due));
    }
    while (orr_due_heap_next(&flows->marks) <= now) {
        orr_flow_windows_mark_due(flows, orr_due_heap_top(&flows->marks));
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

static void settle(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    const uint32_t *changed = NULL;
    const size_t count = orr_maxmin_solve(flows->shares, &changed);
    flows->counts.solutions++;
    flows->counts.shares += count;
    if (orr_maxmin_failed(flows->shares)) {
        orr_flows_no_memory(flows);
        return;
    }
    enum { AHEAD = 8 };
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(stream_at(&flows->streams, flows->owner[changed[i + AHEAD]]));
        }
        const uint32_t index = flows->owner[changed[i]];
        struct stream *stream = stream_at(&flows->streams, index);
        stream_advance(stream, now);
        stream->rate =
            orr_maxmin_rate(flows->shares, changed[i]) / (double)stream->count / PS_PER_S;
        schedule(flows, index);
        if (flows->config.model.windows) {
            orr_flow_windows_mark(flows, stream);
        }
    }
    post_tick(flows);
}

/* ---- the engine ---- */

static bool create(struct net_flows *flows)
{
    const struct net_graph *graph = flows->config.graph;
    double *capacity = orr_heap_calloc((size_t)graph->links + 1, sizeof *capacity);
    for (uint32_t i = 0; capacity != NULL && i < graph->links; i++) {
        capacity[i] = flows_capacity(&graph->link[i]);
    }
    flows->shares = capacity != NULL ? orr_maxmin_create(graph->links, capacity) : NULL;
    flows->weighed =
        orr_arena_array(flows->arena, (size_t)graph->links + 1, sizeof *flows->weighed);
    orr_heap_free(capacity);
    return flows->shares != NULL && flows->weighed != NULL &&
           (!flows->config.model.windows || orr_due_heap_grow(&flows->marks, graph->links));
}

static void destroy(struct net_flows *flows)
{
    orr_maxmin_destroy(flows->shares);
    orr_stream_heap_fini(&flows->streams);
    orr_due_heap_fini(&flows->marks);
    orr_heap_free(flows->owner);
}

static double capacity_of(const struct net_flows *flows, uint32_t link)
{
    return orr_maxmin_capacity(flows->shares, link);
}

static void set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    orr_maxmin_set_capacity(flows->shares, link, bytes_per_s);
}

static sim_time wait(const struct net_flows *flows, const struct flow_path *path)
{
    return flows->config.model.windows ? orr_flow_windows_wait(flows, path) : 0;
}

/* Whether the way takes the link of the hop there for the first time. */
static bool is_first(struct net_route_links way, uint32_t hop)
{
    uint32_t h = 0;
    while (way.link[h] != way.link[hop]) {
        h++;
    }
    return h == hop;
}

/* Counts each flow once: at the link that holds it. */
static void find_stuck(const struct net_flows *flows, struct net_flows_stuck *stuck)
{
    for (uint32_t link = 0; link < flows->config.graph->links; link++) {
        uint32_t count = 0;
        const struct maxmin_entry *entry = orr_maxmin_flows(flows->shares, link, &count);
        for (uint32_t e = 0; e < count && orr_maxmin_capacity(flows->shares, link) == 0; e++) {
            const struct stream *stream = stream_at(&flows->streams, flows->owner[entry[e].flow]);
            if (orr_maxmin_bottleneck(flows->shares, entry[e].flow) == link &&
                is_first(flow_path_links(&flows->paths, path_of(flows, stream)), entry[e].hop)) {
                flows_stuck_at(flows, stuck, link, stream->top);
                stuck->flows += stream->count;
            }
        }
    }
}

/* ---- flows that move to other paths ---- */

/* Takes the flows out of a stream that find another path, with the bytes that they have left; the
 * first of them, by `sibling`. */
static uint32_t take_out_moving(struct net_flows *flows, struct stream *stream)
{
    uint32_t stay = NONE, first = NONE, *last = &first;
    while (stream->top != NONE) {
        const uint32_t handle = stream->top;
        struct flow_record *record = stream_record(&flows->records, handle);
        const double left = record->target - stream->served;
        stream->top = orr_stream_pop(&flows->records, handle);
        record->child = record->sibling = NONE;
        const bool ends = stream->rate > 0 && left <= 2 * ROUNDING_PS * stream->rate;
        if (!ends && orr_flows_find_around(flows, record, left)) {
            stream->count--;
            record->bytes = left;
            *last = handle;
            last = &record->sibling;
        } else {
            stay = orr_stream_meld(&flows->records, stay, handle);
        }
    }
    stream->top = stay;
    return first;
}

/* All flows of a stream leave it that find another path. They join there when the stream is in
 * order again, since those who join have the flows of their links weighed. */
static void move_stream(struct net_flows *flows, uint32_t index)
{
    struct stream *stream = stream_at(&flows->streams, index);
    const uint32_t before = stream->count;
    stream_advance(stream, orr_evq_now(flows->config.queue));
    uint32_t handle = take_out_moving(flows, stream);
    if (stream->count != before) {
        orr_windowed_left(flows, index, before);
        orr_flows_post_settle(flows);
    }
    while (handle != NONE) {
        struct flow_record *record = stream_record(&flows->records, handle);
        const uint32_t next = record->sibling;
        record->sibling = NONE;
        orr_windowed_join(flows, handle);
        handle = next;
    }
}

static void reroute(struct net_flows *flows)
{
    const size_t streams = flows->streams.count;
    for (size_t index = 0; index < streams; index++) {
        const struct stream *stream = stream_at(&flows->streams, (uint32_t)index);
        if (stream->count != 0 && orr_flows_closed(flows, stream->path)) {
            move_stream(flows, (uint32_t)index);
        }
    }
}

static void visit_all(struct net_flows *flows, net_flow_visit visit, void *context)
{
    for (size_t index = 0; index < flows->streams.count; index++) {
        struct stream *stream = stream_at(&flows->streams, (uint32_t)index);
        if (stream->count == 0) {
            continue;
        }
        stream_advance(stream, orr_evq_now(flows->config.queue));
        uint32_t kept = NONE;
        while (stream->top != NONE) { /* taken out by their ends, and put together again */
            const uint32_t handle = stream->top;
            struct flow_record *record = stream_record(&flows->records, handle);
            stream->top = orr_stream_pop(&flows->records, handle);
            record->child = record->sibling = NONE;
            visit(context, record->cookie, record->target - stream->served);
            kept = orr_stream_meld(&flows->records, kept, handle);
        }
        stream->top = kept;
    }
}

const struct flows_engine orr_windowed_flows = {.create = create,
                                                .destroy = destroy,
                                                .join = orr_windowed_join,
                                                .wait = wait,
                                                .dirty = is_dirty,
                                                .tick = tick,
                                                .settle = settle,
                                                .capacity = capacity_of,
                                                .set_capacity = set_capacity,
                                                .stuck = find_stuck,
                                                .reroute = reroute,
                                                .visit = visit_all};
