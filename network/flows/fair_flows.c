/* Flows whose shares of the links are equal, max-min fair: how they join and end. The streams, the
 * groups of links and their clocks are told in fair_private.h. Ends of flows in one instant are
 * taken in the order in which their paths were first used, of one path first the flow that has less
 * to carry. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/flows/fair_private.h"

/* ---- ends ---- */

static double rate_of(const struct fair_flows *equal, uint32_t link)
{
    return equal->link[link].level / PS_PER_S;
}

/* When the first flow of the group ends: rounded up to whole ps, but for what is only rounding
 * itself. */
static void schedule(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *equal = equal_of(flows);
    const struct fair_bottleneck *group = &equal->group[link];
    const struct fair_completion *end =
        equal->link[link].held != 0 ? orr_fair_first_end(equal, link) : NULL;
    const double rate = rate_of(equal, link);
    sim_time next = ORR_TIME_MAX;
    if (end != NULL && rate > 0) {
        const double ps = ceil((end->served - group->served) / rate - ROUNDING_PS);
        next = ps < 9e18 ? orr_time_add(group->since, ps > 0 ? (sim_time)ps : 0) : ORR_TIME_MAX;
    }
    orr_due_heap_set(&equal->due, link, next);
}

static void post_tick(struct net_flows *flows)
{
    orr_flows_post_tick(flows, orr_due_heap_next(&equal_of(flows)->due));
}

/* The streams of a group that are due; they have no entry among its ends until they are taken. */
static void collect(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *equal = equal_of(flows);
    const struct fair_completion *end;
    orr_fair_advance(flows, link);
    const double due = equal->group[link].served + ROUNDING_PS * rate_of(equal, link);
    while ((end = orr_fair_first_end(equal, link)) != NULL && end->served <= due) {
        if (!orr_fair_room(equal, &equal->ending, &equal->ending_room, equal->ending_count + 1)) {
            return;
        }
        equal->ending[equal->ending_count++] = end->stream;
        orr_fair_end_out(equal, link);
    }
    schedule(flows, link);
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Ends the flows of a stream that have all of their bytes. The first is the one that its group
 * found to be due: what rounding of the sums beside it takes away does not keep it. */
static void take(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    const double served = equal_served(equal, stream);
    const double tolerance = 2 * ROUNDING_PS * rate_of(equal, stream->holder);
    double slack = 4 * DBL_EPSILON * (fabs(stream->offset) + fabs(served));
    uint32_t count = 0;
    while (stream->top != FAIR_NONE &&
           stream_record(&flows->records, stream->top)->target <= served + tolerance + slack) {
        const uint32_t handle = stream->top;
        stream->top = orr_stream_pop(&flows->records, handle);
        orr_flows_end(flows, handle);
        stream = &equal->stream[index];
        slack = 0;
        count++;
    }
    orr_fair_take(flows, index, count);
    if (stream->flows != 0) {
        orr_fair_end_at(flows, index);
    }
}

static void tick(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    const sim_time now = orr_evq_now(flows->config.queue);
    equal->ending_count = 0;
    while (orr_due_heap_next(&equal->due) <= now && !equal->failed) {
        collect(flows, orr_due_heap_top(&equal->due));
    }
    if (equal->ending_count > 1) {
        qsort(equal->ending, equal->ending_count, sizeof *equal->ending, by_number);
    }
    for (size_t i = 0; i < equal->ending_count && !equal->failed; i++) {
        take(flows, equal->ending[i]);
    }
    if (equal->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

/* ---- joining ---- */

static bool grow_streams(struct fair_flows *equal)
{
    const size_t words = (equal->stream_room + 63) / 64;
    const size_t room = equal->stream_room + equal->stream_room / 2 + 64;
    const size_t more = (room + 63) / 64;
    struct fair_flow_class *grown = orr_heap_realloc(equal->stream, room * sizeof *grown);
    equal->stream = grown != NULL ? grown : equal->stream;
    uint64_t *live = grown != NULL ? orr_heap_realloc(equal->live, more * sizeof *live) : NULL;
    if (live == NULL) {
        return false;
    }
    memset(live + words, 0, (more - words) * sizeof *live);
    equal->live = live;
    equal->stream_room = room;
    return room < FAIR_NONE;
}

static uint32_t new_stream(struct fair_flows *equal, uint32_t path)
{
    if (equal->streams == equal->stream_room && !grow_streams(equal)) {
        equal->failed = true;
        return FAIR_NONE;
    }
    equal->stream[equal->streams] =
        (struct fair_flow_class){.path = path, .holder = FAIR_NONE, .top = FAIR_NONE};
    return equal->streams++;
}

static uint32_t stream_of(struct net_flows *flows, uint32_t path)
{
    struct flow_path *of = flow_path_at(&flows->paths, path);
    if (of->stream == FAIR_NONE) {
        of->stream = new_stream(equal_of(flows), path);
    }
    return of->stream;
}

/* The first flow of a stream: it has no rate before the next solution. */
static void begin_stream(struct fair_flows *equal, uint32_t index)
{
    struct fair_flow_class *stream = &equal->stream[index];
    stream->offset = 0;
    stream->holder = FAIR_NONE;
    if (orr_fair_room(equal, &equal->fresh, &equal->fresh_room, equal->fresh_count + 1)) {
        equal->fresh[equal->fresh_count++] = index;
    }
}

static void join(struct net_flows *flows, uint32_t handle)
{
    struct fair_flows *equal = equal_of(flows);
    struct flow_record *record = stream_record(&flows->records, handle);
    const uint32_t index = stream_of(flows, record->path);
    if (index == FAIR_NONE) {
        orr_flows_no_memory(flows);
        return;
    }
    struct fair_flow_class *stream = &equal->stream[index];
    if (stream->flows == 0) {
        begin_stream(equal, index);
    } else if (stream->holder != FAIR_NONE) {
        orr_fair_advance(flows, stream->holder);
    }
    record->target = equal_served(equal, stream) + record->bytes;
    orr_fair_add(flows, index, 1);
    const uint32_t top = stream->top;
    stream->top = orr_stream_meld(&flows->records, top, handle);
    if (stream->top != top && stream->holder != FAIR_NONE) {
        orr_fair_end_at(flows, index);
    }
    if (equal->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    orr_flows_post_settle(flows);
}

/* ---- shares ---- */

static bool is_dirty(const struct net_flows *flows)
{
    return flows->equal->dirty_count != 0;
}

static void settle(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    orr_fair_solve(flows);
    flows->counts.solutions++;
    flows->counts.shares += equal->changed_count;
    if (equal->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    for (uint32_t i = 0; i < equal->changed_count; i++) {
        schedule(flows, equal->changed[i]);
    }
    post_tick(flows);
}

static double capacity_of(const struct net_flows *flows, uint32_t link)
{
    return flows->equal->link[link].capacity;
}

static void set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    struct fair_flows *equal = equal_of(flows);
    equal_set_capacity(&equal->link[link], bytes_per_s);
    if (orr_fair_room(equal, &equal->dirty, &equal->dirty_room, equal->dirty_count + 1)) {
        equal_soil(equal, link);
    }
}

/* ---- flows that stand still, and that move ---- */

/* Counts each flow once: at the link that holds it. */
static void find_stuck(const struct net_flows *flows, struct net_flows_stuck *stuck)
{
    const struct fair_flows *equal = flows->equal;
    for (uint32_t i = 0; i < equal->streams; i++) {
        const struct fair_flow_class *stream = &equal->stream[i];
        const bool still = stream->flows != 0 && stream->holder != FAIR_NONE &&
                           equal->link[stream->holder].capacity == 0;
        if (still && (stuck->flows == 0 || stream->holder < stuck->link)) {
            stuck->link = stream->holder;
            stuck->cookie = flows_cookie(flows, stream->top);
        }
        stuck->flows += still ? stream->flows : 0;
    }
}

/* Takes the flows of a stream out that find another path, one behind the other by `sibling`. */
static uint32_t take_out_moving(struct net_flows *flows, struct fair_flow_class *stream,
                                uint32_t *moved)
{
    const struct fair_flows *equal = equal_of(flows);
    const double served = equal_served(equal, stream);
    const double rate = stream->holder != FAIR_NONE ? rate_of(equal, stream->holder) : 0;
    uint32_t first = FAIR_NONE, stay = FAIR_NONE;
    uint32_t *last = &first;
    while (stream->top != FAIR_NONE) {
        const uint32_t handle = stream->top;
        struct flow_record *record = stream_record(&flows->records, handle);
        const double left = record->target - served;
        stream->top = orr_stream_pop(&flows->records, handle);
        record->child = record->sibling = FAIR_NONE;
        const bool ends = rate > 0 && left <= 2 * ROUNDING_PS * rate;
        if (!ends && orr_flows_find_around(flows, record, left)) {
            record->bytes = left;
            *last = handle;
            last = &record->sibling;
            ++*moved;
        } else {
            stay = orr_stream_meld(&flows->records, stay, handle);
        }
    }
    stream->top = stay;
    return first;
}

static void move_stream(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *equal = equal_of(flows);
    const uint32_t holder = equal->stream[index].holder;
    uint32_t moved = 0;
    if (holder != FAIR_NONE) {
        orr_fair_advance(flows, holder);
    }
    uint32_t handle = take_out_moving(flows, &equal->stream[index], &moved);
    if (moved != 0) {
        orr_fair_take(flows, index, moved);
    }
    if (equal->stream[index].holder != FAIR_NONE) {
        orr_fair_end_at(flows, index);
    }
    while (handle != FAIR_NONE) {
        struct flow_record *record = stream_record(&flows->records, handle);
        const uint32_t next = record->sibling;
        record->sibling = FAIR_NONE;
        join(flows, handle);
        handle = next;
    }
}

/* The first stream from `index` on that has flows, or `end`. */
static uint32_t next_live(struct fair_flows *equal, uint32_t index, uint32_t end)
{
    while (index < end) {
        const uint64_t bits = equal->live[index / 64] >> index % 64;
        if (bits == 0) {
            index = (index / 64 + 1) * 64;
            continue;
        }
        index += (uint32_t)__builtin_ctzll(bits);
        if (index < end && equal->stream[index].flows != 0) {
            return index;
        }
        equal->live[index / 64] &= ~(index < end ? UINT64_C(1) << index % 64 : 0);
        index++;
    }
    return end;
}

static void reroute(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    const uint32_t streams = equal->streams;
    for (uint32_t i = next_live(equal, 0, streams); i < streams;
         i = next_live(equal, i + 1, streams)) {
        if (orr_flows_closed(flows, equal->stream[i].path)) {
            move_stream(flows, i);
        }
    }
    orr_flows_post_settle(flows);
}

static void visit_all(struct net_flows *flows, net_flow_visit visit, void *context)
{
    struct fair_flows *equal = equal_of(flows);
    for (uint32_t i = next_live(equal, 0, equal->streams); i < equal->streams;
         i = next_live(equal, i + 1, equal->streams)) {
        struct fair_flow_class *stream = &equal->stream[i];
        if (stream->holder != FAIR_NONE) {
            orr_fair_advance(flows, stream->holder);
        }
        const double served = equal_served(equal, stream);
        uint32_t kept = FAIR_NONE;
        while (stream->top != FAIR_NONE) { /* taken out by their ends, and put together again */
            const uint32_t handle = stream->top;
            struct flow_record *record = stream_record(&flows->records, handle);
            stream->top = orr_stream_pop(&flows->records, handle);
            record->child = record->sibling = FAIR_NONE;
            visit(context, record->cookie, record->target - served);
            kept = orr_stream_meld(&flows->records, kept, handle);
        }
        stream->top = kept;
    }
}

/* ---- rounds of which one flow stands for all ---- */

static double left_of(const struct net_flows *flows, uint32_t handle)
{
    const struct fair_flows *equal = flows->equal;
    const struct flow_record *record = stream_record(&flows->records, handle);
    const struct fair_flow_class *stream =
        &equal->stream[flow_path_at(&flows->paths, record->path)->stream];
    if (stream->holder == FAIR_NONE) {
        return record->target - stream->offset;
    }
    const sim_time now = orr_evq_now(flows->config.queue);
    const double rate = rate_of(equal, stream->holder);
    const double since = rate * (double)(now - equal->group[stream->holder].since);
    const double left = record->target - equal_served(equal, stream) - since;
    return left > ROUNDING_PS * rate ? left : 0;
}

static uint64_t flows_on(const struct net_flows *flows, uint32_t link)
{
    return flows->equal->link[link].flows;
}

/* ---- the engine ---- */

/* Each at the beginning of a cache line. */
static struct fair_link *lines_of_links(struct orr_arena *arena, size_t links)
{
    enum { LINE = 64 };
    char *bytes = orr_arena_array(arena, links + 1, sizeof(struct fair_link));
    if (bytes == NULL) {
        return NULL;
    }
    return (struct fair_link *)(void *)(bytes + (LINE - (uintptr_t)bytes % LINE) % LINE);
}

static bool create(struct net_flows *flows)
{
    const size_t links = (size_t)flows_links(flows) + 1;
    struct fair_flows *equal = orr_arena_alloc(flows->arena, sizeof *equal);
    flows->equal = equal;
    if (equal == NULL) {
        return false;
    }
    equal->links = flows_links(flows);
    equal->link = lines_of_links(flows->arena, links);
    equal->group = orr_arena_array(flows->arena, links, sizeof *equal->group);
    equal->heap = orr_arena_array(flows->arena, links, sizeof *equal->heap);
    equal->touched = orr_arena_array(flows->arena, links, sizeof *equal->touched);
    equal->called = orr_arena_array(flows->arena, links, sizeof *equal->called);
    equal->changed = orr_arena_array(flows->arena, links, sizeof *equal->changed);
    if (equal->link == NULL || equal->group == NULL || equal->heap == NULL ||
        equal->touched == NULL || equal->called == NULL || equal->changed == NULL ||
        !orr_due_heap_grow(&equal->due, equal->links)) {
        return false;
    }
    for (uint32_t i = 0; i < equal->links; i++) {
        equal->link[i].place = FAIR_NONE;
        equal_set_capacity(&equal->link[i], flows_first_capacity(flows, i));
    }
    return true;
}

static void destroy(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    for (uint32_t i = 0; equal != NULL && equal->group != NULL && i < equal->links; i++) {
        orr_heap_free(equal->group[i].row.pair);
        orr_heap_free(equal->group[i].row.slot);
        orr_heap_free(equal->group[i].end);
        orr_heap_free(equal->group[i].on);
    }
    if (equal != NULL) {
        orr_due_heap_fini(&equal->due);
        orr_heap_free(equal->stream);
        orr_heap_free(equal->live);
        orr_heap_free(equal->ending);
        orr_heap_free(equal->fresh);
        orr_heap_free(equal->dirty);
    }
}

const struct flows_engine orr_fair_flows = {.create = create,
                                            .destroy = destroy,
                                            .join = join,
                                            .dirty = is_dirty,
                                            .tick = tick,
                                            .settle = settle,
                                            .capacity = capacity_of,
                                            .set_capacity = set_capacity,
                                            .stuck = find_stuck,
                                            .reroute = reroute,
                                            .visit = visit_all,
                                            .number = stream_of,
                                            .left = left_of,
                                            .on = flows_on};
