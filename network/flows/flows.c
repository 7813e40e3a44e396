/* Fluid flows as events: see flows.h.
 *
 * Flows that always have equal shares are one stream: without windows those of one path, with
 * windows each flow by itself. A stream knows how many bytes each of its flows would have got since
 * it began (`served`), so that a flow is at its end when that reaches a number fixed at its start,
 * and the flows of a stream wait in a heap by that number (the virtual time of fair queueing). A
 * heap of the streams' next events stands behind a single event of the queue. All events of an
 * instant are taken, then shares are worked out once. */
#include "network/flows/flows.h"

#include <math.h>

#include "network/flows/flows_private.h"

#define NONE UINT32_MAX
static const double fastest_bytes_per_s = 1e30;

struct net_flow_model orr_net_flow_packets(bool windows)
{
    return (struct net_flow_model){.packet_bytes = 8936, .start_bytes = 1, .windows = windows};
}

/* ---- events ---- */

void orr_flows_no_memory(struct net_flows *flows)
{
    orr_evq_stop(flows->config.queue, ORR_ERR_MEMORY);
}

void orr_flows_post(struct net_flows *flows, sim_time time, uint16_t kind, uint64_t cookie)
{
    const struct orr_event event = {.label = (uint64_t)kind << 32 | cookie,
                                    .cookie = cookie,
                                    .entity = flows->entity,
                                    .kind = kind,
                                    .part = ORR_PART_NONE};
    orr_evq_post(flows->config.queue, time, &event);
}

static void post_tick(struct net_flows *flows)
{
    const sim_time stream = orr_due_heap_next(&flows->streams.due);
    const sim_time mark = orr_due_heap_next(&flows->marks);
    const sim_time next = stream < mark ? stream : mark;
    if (next < flows->tick) {
        flows->tick = next;
        orr_flows_post(flows, next, EVENT_TICK, 0);
    }
}

void orr_flows_post_settle(struct net_flows *flows)
{
    if (!flows->settling && orr_maxmin_dirty(flows->shares)) {
        flows->settling = true;
        orr_flows_post(flows, orr_evq_now(flows->config.queue), EVENT_SETTLE, 0);
    }
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
    if (!flows->config.model.windows && flows->paths.path[path].stream != NONE) {
        return flows->paths.path[path].stream;
    }
    const uint32_t index = orr_stream_heap_new(&flows->streams);
    if (index != NONE) {
        *stream_at(&flows->streams, index) =
            (struct stream){.path = path, .share = NONE, .top = NONE};
        flows->paths.path[path].stream = index;
    }
    return index;
}

/* The first flow of a stream. */
static void begin(struct net_flows *flows, struct stream *stream, struct flow_record *record)
{
    const struct flow_path *path = path_of(flows, stream);
    stream->served = stream->rate = 0;
    stream->weight = 1;
    double bound = INFINITY;
    if (flows->config.model.windows) {
        record->target = record->bytes;
        bound = orr_flow_windows_begin(flows, stream, record);
    }
    stream->share = orr_maxmin_add(flows->shares, path->link, path->hops, stream->weight, bound);
}

void orr_flows_join(struct net_flows *flows, uint32_t handle)
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
        orr_flow_windows_weigh(flows, &flows->paths.path[record->path]);
    }
    orr_flows_post_settle(flows);
}

static void on_join(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    if (flows->around != NULL) {
        orr_flows_look_around(flows, (uint32_t)event->cookie);
    }
    orr_flows_join(flows, (uint32_t)event->cookie);
}

/* ---- ending ---- */

static void end_flow(struct net_flows *flows, struct stream *stream)
{
    const uint32_t handle = stream->top;
    const uint64_t cookie = stream_record(&flows->records, handle)->cookie;
    stream->top = orr_stream_pop(&flows->records, handle);
    stream->count--;
    flows->under_way--;
    orr_slab_free(&flows->records, handle);
    flows->config.ended(
        flows->config.context, cookie,
        orr_time_add(orr_evq_now(flows->config.queue), path_of(flows, stream)->tail_ps));
}

void orr_flows_left(struct net_flows *flows, uint32_t index, uint32_t before)
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
    orr_flows_left(flows, index, before);
}

static void on_tick(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    const sim_time now = orr_evq_now(flows->config.queue);
    (void)event;
    flows->tick = now == flows->tick ? ORR_TIME_MAX : flows->tick;
    while (orr_due_heap_next(&flows->streams.due) <= now) {
        take(flows, orr_due_heap_top(&flows->streams.due));
    }
    while (orr_due_heap_next(&flows->marks) <= now) {
        orr_flow_windows_mark_due(flows, orr_due_heap_top(&flows->marks));
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

static void on_settle(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    const sim_time now = orr_evq_now(flows->config.queue);
    const uint32_t *changed = NULL;
    (void)event;
    flows->settling = false;
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

/* ---- the interface ---- */

enum orr_status orr_net_flows_create(struct net_flows **out, const struct net_flows_config *config,
                                     struct orr_diag *diag)
{
    struct net_flows *flows = orr_heap_calloc(1, sizeof *flows);
    double *capacity = orr_heap_calloc((size_t)config->graph->links + 1, sizeof *capacity);
    if (flows != NULL && capacity != NULL) {
        for (uint32_t i = 0; i < config->graph->links; i++) {
            /* A rate is finite, on a link that is as fast as one likes too. */
            capacity[i] = fmin(net_link_capacity(&config->graph->link[i]), fastest_bytes_per_s);
        }
        flows->config = *config;
        flows->tick = ORR_TIME_MAX;
        flows->arena = orr_arena_create();
        flows->weighed =
            orr_arena_array(flows->arena, (size_t)config->graph->links + 1, sizeof(sim_time));
        flows->shares = orr_maxmin_create(config->graph->links, capacity);
        flows->entity = orr_evq_add_entities(config->queue, 1);
        flows->paths = (struct flow_paths){
            .arena = flows->arena, .graph = config->graph, .model = config->model};
    }
    orr_heap_free(capacity);
    if (flows == NULL || flows->arena == NULL || flows->shares == NULL || flows->weighed == NULL ||
        flows->entity == UINT32_MAX ||
        (config->model.windows && !orr_due_heap_grow(&flows->marks, config->graph->links))) {
        orr_net_flows_destroy(flows);
        return orr_diag_no_memory(diag, "the flows of the network");
    }
    orr_slab_init(&flows->records, flows->arena, sizeof(struct flow_record));
    orr_evq_handle(config->queue, EVENT_JOIN, on_join, flows);
    orr_evq_handle(config->queue, EVENT_TICK, on_tick, flows);
    orr_evq_handle(config->queue, EVENT_SETTLE, on_settle, flows);
    *out = flows;
    return ORR_OK;
}

void orr_net_flows_destroy(struct net_flows *flows)
{
    if (flows != NULL) {
        orr_maxmin_destroy(flows->shares);
        orr_stream_heap_fini(&flows->streams);
        orr_due_heap_fini(&flows->marks);
        orr_flow_paths_fini(&flows->paths);
        orr_heap_free(flows->owner);
        orr_arena_destroy(flows->arena);
        orr_heap_free(flows);
    }
}

/* Of whole packets, at least one. */
static double wire_bytes(const struct net_flows *flows, uint64_t bytes)
{
    const uint64_t packet = flows->config.model.packet_bytes;
    if (packet == 0) {
        return (double)bytes;
    }
    const uint64_t packets = bytes / packet + (bytes % packet != 0 || bytes == 0);
    return (double)packets * (double)packet;
}

/* What its overhead is worth on its way, in bytes; a link that is down counts as when it is up. */
static double overhead_bytes(const struct net_flows *flows, const struct net_route_links *way)
{
    double least = fastest_bytes_per_s;
    for (uint32_t h = 0; h < way->hops && flows->config.model.overhead_ps != 0; h++) {
        const double now = orr_maxmin_capacity(flows->shares, way->link[h]);
        const double capacity =
            now > 0 ? now : net_link_capacity(&flows->config.graph->link[way->link[h]]);
        least = fmin(least, capacity);
    }
    return (double)flows->config.model.overhead_ps / PS_PER_S * least;
}

void orr_net_flows_start_at(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie, sim_time time)
{
    const uint32_t path = orr_flow_paths_intern(&flows->paths, links);
    const uint32_t handle = path == NONE ? ORR_SLAB_NONE : orr_slab_new(&flows->records);
    if (handle == ORR_SLAB_NONE) {
        orr_flows_no_memory(flows);
        return;
    }
    struct flow_path *taken = &flows->paths.path[path];
    struct flow_record *record = stream_record(&flows->records, handle);
    *record =
        (struct flow_record){.bytes = wire_bytes(flows, bytes), .cookie = cookie, .path = path};
    record->child = record->sibling = NONE;
    taken->flows++;
    taken->bytes += (uint64_t)record->bytes;
    record->bytes += overhead_bytes(flows, links);
    flows->counts.flows++;
    flows->under_way++;
    sim_time join = orr_time_add(time, taken->start_ps);
    if (flows->config.model.windows) {
        join = orr_time_add(join, orr_flow_windows_wait(flows, taken));
    }
    orr_flows_post(flows, join, EVENT_JOIN, handle);
}

void orr_net_flows_start_on(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie)
{
    orr_net_flows_start_at(flows, links, bytes, cookie, orr_evq_now(flows->config.queue));
}

void orr_net_flows_start(struct net_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t key, uint64_t cookie)
{
    struct net_route_links links;
    const enum orr_status status = orr_net_router_path(flows->config.router, src, dst, key, &links);
    if (status != ORR_OK) {
        orr_net_route_failed(flows->config.graph, src, dst, status, flows->config.queue);
        return;
    }
    orr_net_flows_start_on(flows, &links, bytes, cookie);
}

bool orr_net_flows_path(const struct net_flows *flows, size_t index, struct net_path_use *out)
{
    if (index >= flows->paths.paths) {
        return false;
    }
    const struct flow_path *path = &flows->paths.path[index];
    *out = (struct net_path_use){
        .link = path->link, .hops = path->hops, .flows = path->flows, .bytes = path->bytes};
    return true;
}

struct net_flows_counts orr_net_flows_counts(const struct net_flows *flows)
{
    return flows->counts;
}
