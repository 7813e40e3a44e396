/* Flows whose shares follow congestion windows (dctcp_weights.c), as streams of members that are
 * alike: see dctcp_private.h. A stream knows how many bytes each of its members has got, and
 * when it ends or its window moves. A heap of these stands behind a single event of the queue. All
 * events of an instant are taken, then shares are worked out once. */
#include <math.h>

#include "network/flows/dctcp_private.h"

#define NONE WINDOWED_NONE

/* ---- events ---- */

static void post_tick(struct net_flows *flows)
{
    const sim_time stream = orr_due_heap_next(&flows->windowed->due);
    const sim_time mark = orr_due_heap_next(&flows->windowed->marks);
    orr_flows_post_tick(flows, stream < mark ? stream : mark);
}

static bool is_dirty(const struct net_flows *flows)
{
    return orr_maxmin_dirty(flows->windowed->shares);
}

/* Ends of flows are rounded up to whole ps, but for what is only rounding itself. */
static void schedule(struct net_flows *flows, const struct dctcp_flow_class *stream)
{
    const double mark = stream->update_at < stream->target ? stream->update_at : stream->target;
    const double left = mark - stream->served;
    const double ps = stream->rate > 0 ? left / stream->rate - ROUNDING_PS : INFINITY;
    sim_time next = ORR_TIME_MAX;
    if (ps < 9e18) {
        const sim_time below = ps > 0 ? (sim_time)ps : 0;
        next = orr_time_add(stream->since, (double)below < ps ? below + 1 : below);
    }
    orr_due_heap_set(&flows->windowed->due, stream->first, next);
}

/* ---- joining ---- */

/* The place of a stream; NULL: no memory. May move the others. */
static struct dctcp_flow_class *place_stream(struct dctcp_flows *windowed, uint32_t index)
{
    if (index >= windowed->stream_room) {
        const size_t room = 2 * ((size_t)index + 32);
        struct dctcp_flow_class *grown = orr_heap_realloc(windowed->stream, room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        windowed->stream = grown;
        windowed->stream_room = room;
    }
    return &windowed->stream[index];
}

static bool place_member(struct dctcp_flows *windowed, uint32_t member)
{
    if (member < windowed->member_room) {
        return true;
    }
    const size_t room = 2 * ((size_t)member + 32);
    struct dctcp_member *grown = orr_heap_realloc(windowed->member, room * sizeof *grown);
    windowed->member = grown != NULL ? grown : windowed->member;
    if (grown == NULL || !orr_due_heap_grow(&windowed->due, room)) {
        return false;
    }
    windowed->member_room = room;
    return true;
}

/* Into the list of its stream, by number: they mostly come in order, up or down. */
static void list_member(struct dctcp_flows *windowed, struct dctcp_flow_class *stream,
                        uint32_t member)
{
    uint32_t *at = &stream->first;
    if (stream->members != 0 && stream->last < member) {
        at = &windowed->member[stream->last].next;
    }
    while (*at != NONE && *at < member) {
        at = &windowed->member[*at].next;
    }
    windowed->member[member].next = *at;
    *at = member;
    stream->last = windowed->member[member].next == NONE ? member : stream->last;
    stream->members++;
}

static bool has_link_twice(struct net_route_links way)
{
    for (uint32_t h = 0; h < way.hops; h++) {
        for (uint32_t i = 0; i < h; i++) {
            if (way.link[h] == way.link[i]) {
                return true;
            }
        }
    }
    return false;
}

/* A fresh stream of the path. */
static bool is_fresh(const struct net_flows *flows, uint32_t index, uint32_t path)
{
    const struct dctcp_flow_class *stream = &flows->windowed->stream[index];
    return stream->members != 0 && stream->fresh && stream->path == path;
}

/* The stream that the flow is a member of; NONE: it begins one. Few are looked at. */
static uint32_t find_alike(const struct net_flows *flows, const struct flow_record *record)
{
    enum { LOOKED_AT = 8, MAX_MEMBERS = 256 };
    uint32_t index = flow_path_at(&flows->paths, record->path)->stream;
    for (int i = 0; i < LOOKED_AT && index != NONE && is_fresh(flows, index, record->path); i++) {
        const struct dctcp_flow_class *stream = &flows->windowed->stream[index];
        if (stream->target == record->bytes && stream->members < MAX_MEMBERS) {
            return flows->windowed->twice ? NONE : index;
        }
        index = stream->older;
    }
    return NONE;
}

/* A stream of one flow; its member, NONE when memory is out. */
static uint32_t begin_stream(struct net_flows *flows, const struct flow_record *record)
{
    struct dctcp_flows *windowed = flows->windowed;
    struct flow_path *path = flow_path_at(&flows->paths, record->path);
    struct dctcp_flow_class stream = {.path = record->path,
                                      .way = flow_path_links(&flows->paths, path),
                                      .round_trip_ps =
                                          flow_path_times(&flows->paths, path)->round_trip_ps,
                                      .target = record->bytes,
                                      .since = orr_evq_now(flows->config.queue),
                                      .first = NONE,
                                      .last = NONE,
                                      .older = NONE,
                                      .fresh = true};
    if (path->stream == NONE) {
        windowed->twice |= has_link_twice(stream.way);
    } else if (is_fresh(flows, path->stream, record->path)) {
        stream.older = path->stream;
    }
    orr_dctcp_weights_begin(flows, &stream);
    const uint32_t member = orr_maxmin_add(windowed->shares, stream.way.link, stream.way.hops,
                                           stream.weight, stream.bound);
    if (member == NONE) {
        return NONE;
    }
    path->stream = orr_maxmin_flow(windowed->shares, member);
    struct dctcp_flow_class *place = place_stream(windowed, path->stream);
    if (place == NULL) {
        return NONE;
    }
    *place = stream;
    return member;
}

static void join(struct net_flows *flows, uint32_t handle)
{
    struct dctcp_flows *windowed = flows->windowed;
    const struct flow_record *record = stream_record(&flows->records, handle);
    const uint32_t alike = find_alike(flows, record);
    const uint32_t member =
        alike == NONE ? begin_stream(flows, record) : orr_maxmin_more(windowed->shares, alike);
    if (member == NONE || !place_member(windowed, member)) {
        orr_flows_no_memory(flows);
        return;
    }
    windowed->member[member].record = handle;
    struct dctcp_flow_class *stream = &windowed->stream[orr_maxmin_flow(windowed->shares, member)];
    list_member(windowed, stream, member);
    orr_dctcp_weights_weigh(flows, stream->way);
    orr_flows_post_settle(flows);
}

/* ---- ending ---- */

/* The first member of a stream leaves its path; the next one has its time. */
static void leave(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *windowed = flows->windowed;
    struct dctcp_flow_class *stream = &windowed->stream[index];
    const uint32_t member = stream->first;
    const sim_time due = windowed->due.time[member];
    stream->first = windowed->member[member].next;
    stream->members--;
    orr_maxmin_remove(windowed->shares, member);
    orr_due_heap_set(&windowed->due, member, ORR_TIME_MAX);
    if (stream->members != 0) {
        orr_due_heap_set(&windowed->due, stream->first, due);
    }
    orr_dctcp_weights_weigh(flows, stream->way);
}

/* Makes every member a stream by itself; the first one keeps its number. False: no memory. */
static bool part(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *windowed = flows->windowed;
    const uint32_t first = windowed->stream[index].first;
    const sim_time due = windowed->due.time[first];
    uint32_t member = windowed->member[first].next;
    windowed->stream[index].fresh = false;
    windowed->stream[index].members = 1;
    windowed->stream[index].last = first;
    windowed->member[first].next = NONE;
    while (member != NONE) {
        const uint32_t next = windowed->member[member].next;
        const uint32_t other = orr_maxmin_part(windowed->shares, member);
        struct dctcp_flow_class *stream = other == NONE ? NULL : place_stream(windowed, other);
        if (stream == NULL) {
            orr_flows_no_memory(flows);
            return false;
        }
        *stream = windowed->stream[index];
        stream->first = stream->last = member;
        windowed->member[member].next = NONE;
        orr_due_heap_set(&windowed->due, member, due);
        member = next;
    }
    return true;
}

/* The first member of a stream whose next event is due. */
static void take(struct net_flows *flows, uint32_t member)
{
    struct dctcp_flows *windowed = flows->windowed;
    const uint32_t index = orr_maxmin_flow(windowed->shares, member);
    struct dctcp_flow_class *stream = &windowed->stream[index];
    windowed_advance(stream, orr_evq_now(flows->config.queue));
    if (stream->target <= stream->served + 2 * ROUNDING_PS * stream->rate) {
        orr_flows_end(flows, windowed->member[member].record);
        leave(flows, index);
    } else if (stream->members == 1 || part(flows, index)) {
        stream = &windowed->stream[index];
        orr_dctcp_weights_follow(flows, stream);
        schedule(flows, stream);
    }
}

static void tick(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct dctcp_flows *windowed = flows->windowed;
    while (orr_due_heap_next(&windowed->due) <= now) {
        take(flows, orr_due_heap_top(&windowed->due));
    }
    while (orr_due_heap_next(&windowed->marks) <= now) {
        orr_dctcp_weights_mark_due(flows, orr_due_heap_top(&windowed->marks));
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

static void settle(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct dctcp_flows *windowed = flows->windowed;
    const uint32_t *changed = NULL;
    const size_t count = orr_maxmin_solve(windowed->shares, &changed);
    flows->counts.solutions++;
    flows->counts.shares += count;
    if (orr_maxmin_failed(windowed->shares)) {
        orr_flows_no_memory(flows);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct dctcp_flow_class *stream = &windowed->stream[changed[i]];
        windowed_advance(stream, now);
        stream->rate = orr_maxmin_rate(windowed->shares, changed[i]) / PS_PER_S;
        stream->fresh = false;
        schedule(flows, stream);
        orr_dctcp_weights_mark(flows, changed[i]);
    }
    post_tick(flows);
}

/* ---- the engine ---- */

static bool create(struct net_flows *flows)
{
    const struct net_graph *graph = flows->config.graph;
    struct dctcp_flows *windowed = orr_heap_calloc(1, sizeof *windowed);
    double *capacity = orr_heap_calloc((size_t)graph->links + 1, sizeof *capacity);
    flows->windowed = windowed;
    if (windowed != NULL && capacity != NULL) {
        for (uint32_t i = 0; i < graph->links; i++) {
            capacity[i] = flows_capacity(&graph->link[i]);
        }
        windowed->shares = orr_maxmin_create(graph->links, capacity);
        windowed->weighed =
            orr_arena_array(flows->arena, (size_t)graph->links + 1, sizeof *windowed->weighed);
    }
    orr_heap_free(capacity);
    return windowed != NULL && windowed->shares != NULL && windowed->weighed != NULL &&
           orr_due_heap_grow(&windowed->marks, graph->links);
}

static void destroy(struct net_flows *flows)
{
    struct dctcp_flows *windowed = flows->windowed;
    if (windowed != NULL) {
        orr_maxmin_destroy(windowed->shares);
        orr_due_heap_fini(&windowed->due);
        orr_due_heap_fini(&windowed->marks);
        orr_heap_free(windowed->stream);
        orr_heap_free(windowed->member);
        orr_heap_free(windowed);
    }
}

static double capacity_of(const struct net_flows *flows, uint32_t link)
{
    return orr_maxmin_capacity(flows->windowed->shares, link);
}

static void set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    orr_maxmin_set_capacity(flows->windowed->shares, link, bytes_per_s);
}

/* Counts each flow once: at the link that holds it. */
static void find_stuck(const struct net_flows *flows, struct net_flows_stuck *stuck)
{
    const struct dctcp_flows *windowed = flows->windowed;
    for (uint32_t link = 0; link < flows->config.graph->links; link++) {
        const uint32_t held = orr_maxmin_held(windowed->shares, link);
        if (held != 0 && orr_maxmin_capacity(windowed->shares, link) == 0) {
            uint32_t count = 0;
            const struct maxmin_entry *entry = orr_maxmin_flows(windowed->shares, link, &count);
            while (orr_maxmin_bottleneck(windowed->shares, entry->flow) != link) {
                entry++;
            }
            flows_stuck_at(flows, stuck, link, windowed->member[entry->member].record);
            stuck->flows += held;
        }
    }
}

/* ---- flows that move to other paths ---- */

/* A flow by itself leaves its path when it finds another one for the bytes that it has left. It
 * joins there when it has left, since those who join have the flows of their links weighed. */
static void move(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *windowed = flows->windowed;
    struct dctcp_flow_class *stream = &windowed->stream[index];
    const uint32_t handle = windowed->member[stream->first].record;
    struct flow_record *record = stream_record(&flows->records, handle);
    windowed_advance(stream, orr_evq_now(flows->config.queue));
    const double left = stream->target - stream->served;
    const bool ends = stream->rate > 0 && left <= 2 * ROUNDING_PS * stream->rate;
    if (!ends && orr_flows_find_around(flows, record, left)) {
        record->bytes = left;
        leave(flows, index);
        orr_flows_post_settle(flows);
        join(flows, handle);
    }
}

static void reroute(struct net_flows *flows)
{
    struct dctcp_flows *windowed = flows->windowed;
    const uint32_t members = orr_maxmin_members(windowed->shares);
    for (uint32_t member = 0; member < members; member++) {
        const uint32_t index = orr_maxmin_flow(windowed->shares, member);
        if (index != NONE && orr_flows_closed(flows, windowed->stream[index].path) &&
            (windowed->stream[index].members == 1 || part(flows, index))) {
            move(flows, orr_maxmin_flow(windowed->shares, member));
        }
    }
}

static void visit_all(struct net_flows *flows, net_flow_visit visit, void *context)
{
    struct dctcp_flows *windowed = flows->windowed;
    for (uint32_t member = 0; member < orr_maxmin_members(windowed->shares); member++) {
        const uint32_t index = orr_maxmin_flow(windowed->shares, member);
        if (index != NONE) {
            struct dctcp_flow_class *stream = &windowed->stream[index];
            windowed_advance(stream, orr_evq_now(flows->config.queue));
            visit(context, stream_record(&flows->records, windowed->member[member].record)->cookie,
                  stream->target - stream->served);
        }
    }
}

const struct flows_engine orr_windowed_flows = {.create = create,
                                                .destroy = destroy,
                                                .join = join,
                                                .wait = orr_dctcp_weights_wait,
                                                .dirty = is_dirty,
                                                .tick = tick,
                                                .settle = settle,
                                                .capacity = capacity_of,
                                                .set_capacity = set_capacity,
                                                .stuck = find_stuck,
                                                .reroute = reroute,
                                                .visit = visit_all};
