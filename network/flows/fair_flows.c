/* Max-min fair flows without weights: joining and completion. Flow classes, bottleneck groups and
 * their clocks are explained in fair_private.h. Flows that complete in one instant do so in the
 * order in which their paths were first used; on one path the flow with less to carry is first. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/flows/fair_private.h"

/* ---- ends ---- */

static double rate_of(const struct fair_flows *fair, uint32_t link)
{
    return fair->link[link].level / PS_PER_S;
}

/* When the first flow of the group ends: rounded up to integer ps, except for rounding errors. */
static void schedule(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *fair = fair_of(flows);
    const struct fair_bottleneck *group = &fair->group[link];
    const struct fair_completion *end =
        fair->link[link].held != 0 ? orr_fair_first_end(fair, link) : NULL;
    const double rate = rate_of(fair, link);
    sim_time next = ORR_TIME_MAX;
    if (end != NULL && rate > 0) {
        const double ps = ceil((end->served - group->served) / rate - ROUNDING_PS);
        next = ps < 9e18 ? orr_time_add(group->since, ps > 0 ? (sim_time)ps : 0) : ORR_TIME_MAX;
    }
    orr_due_heap_set(&fair->due, link, next);
}

static void post_tick(struct net_flows *flows)
{
    orr_flows_post_tick(flows, orr_due_heap_next(&fair_of(flows)->due));
}

/* Collects the due classes of a group; they have no completion entry until they are processed. */
static void collect(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *fair = fair_of(flows);
    const struct fair_completion *end;
    orr_fair_advance(flows, link);
    const double due = fair->group[link].served + ROUNDING_PS * rate_of(fair, link);
    while ((end = orr_fair_first_end(fair, link)) != NULL && end->served <= due) {
        if (!orr_fair_reserve(fair, &fair->ending, &fair->ending_alloc, fair->ending_count + 1)) {
            return;
        }
        fair->ending[fair->ending_count++] = end->class;
        orr_fair_end_out(fair, link);
    }
    schedule(flows, link);
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Ends the flows of a class that have all their bytes. The first one ends in any case, because its
 * group found it due: rounding of sums must not delay it. */
static void end_due_flows(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    const double served = fair_served(fair, class);
    const double tolerance = 2 * ROUNDING_PS * rate_of(fair, class->holder);
    double slack = 4 * DBL_EPSILON * (fabs(class->offset) + fabs(served));
    uint32_t count = 0;
    while (class->top != FAIR_NONE &&
           flow_record_at(&flows->records, class->top)->target <= served + tolerance + slack) {
        const uint32_t handle = class->top;
        class->top = orr_flow_heap_pop(&flows->records, handle);
        count += flow_record_at(&flows->records, handle)->weight;
        class->records--;
        orr_flows_end(flows, handle);
        class = &fair->class[index];
        slack = 0;
    }
    orr_fair_subtract(flows, index, count);
    if (class->flows != 0) {
        orr_fair_end_at(flows, index);
    }
}

static void tick(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    const sim_time now = orr_evq_now(flows->config.queue);
    fair->ending_count = 0;
    while (orr_due_heap_next(&fair->due) <= now && !fair->failed) {
        collect(flows, orr_due_heap_top(&fair->due));
    }
    if (fair->ending_count > 1) {
        qsort(fair->ending, fair->ending_count, sizeof *fair->ending, by_number);
    }
    for (size_t i = 0; i < fair->ending_count && !fair->failed; i++) {
        end_due_flows(flows, fair->ending[i]);
    }
    if (fair->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

/* ---- joining ---- */

static bool grow_classes(struct fair_flows *fair)
{
    const size_t words = (fair->class_alloc + 63) / 64;
    const size_t alloc = fair->class_alloc + fair->class_alloc / 2 + 64;
    const size_t more = (alloc + 63) / 64;
    struct fair_flow_class *grown = orr_heap_realloc(fair->class, alloc * sizeof *grown);
    fair->class = grown != NULL ? grown : fair->class;
    uint64_t *live = grown != NULL ? orr_heap_realloc(fair->live, more * sizeof *live) : NULL;
    if (live == NULL) {
        return false;
    }
    memset(live + words, 0, (more - words) * sizeof *live);
    fair->live = live;
    fair->class_alloc = alloc;
    return alloc < FAIR_NONE;
}

static uint32_t new_class(struct fair_flows *fair, uint32_t path)
{
    if (fair->classes == fair->class_alloc && !grow_classes(fair)) {
        fair->failed = true;
        return FAIR_NONE;
    }
    fair->class[fair->classes] =
        (struct fair_flow_class){.path = path, .holder = FAIR_NONE, .top = FAIR_NONE};
    return fair->classes++;
}

static uint32_t class_of(struct net_flows *flows, uint32_t path)
{
    struct flow_path *of = flow_path_at(&flows->paths, path);
    if (of->class == FAIR_NONE) {
        of->class = new_class(fair_of(flows), path);
    }
    return of->class;
}

/* Starts a class with its first flow; it has no rate before the next solution. */
static void begin_class(struct fair_flows *fair, uint32_t index)
{
    struct fair_flow_class *class = &fair->class[index];
    class->offset = 0;
    class->holder = FAIR_NONE;
    if (orr_fair_reserve(fair, &fair->fresh, &fair->fresh_alloc, fair->fresh_count + 1)) {
        fair->fresh[fair->fresh_count++] = index;
    }
}

static void join(struct net_flows *flows, uint32_t handle)
{
    struct fair_flows *fair = fair_of(flows);
    struct flow_record *record = flow_record_at(&flows->records, handle);
    const uint32_t index = class_of(flows, record->path);
    if (index == FAIR_NONE) {
        orr_flows_no_memory(flows);
        return;
    }
    struct fair_flow_class *class = &fair->class[index];
    if (class->flows == 0) {
        begin_class(fair, index);
    } else if (class->holder != FAIR_NONE) {
        orr_fair_advance(flows, class->holder);
    }
    record->target = fair_served(fair, class) + record->bytes / record->weight;
    orr_fair_add(flows, index, record->weight);
    class->records++;
    const uint32_t top = class->top;
    class->top = orr_flow_heap_meld(&flows->records, top, handle);
    if (class->top != top && class->holder != FAIR_NONE) {
        orr_fair_end_at(flows, index);
    }
    if (fair->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    orr_flows_post_settle(flows);
}

/* Rebuilds the heap of a class after a target has changed. O(records log records). */
static void sort_class(struct net_flows *flows, struct fair_flow_class *class)
{
    uint32_t kept = FAIR_NONE;
    if (class->records == 1) {
        return;
    }
    while (class->top != FAIR_NONE) {
        const uint32_t top = class->top;
        struct flow_record *record = flow_record_at(&flows->records, top);
        class->top = orr_flow_heap_pop(&flows->records, top);
        record->child = record->sibling = FAIR_NONE;
        kept = orr_flow_heap_meld(&flows->records, kept, top);
    }
    class->top = kept;
}

/* A flow of weight w is w flows that each carry that part of its bytes: they end at once. */
static void set_weight(struct net_flows *flows, uint32_t handle, uint16_t weight)
{
    struct fair_flows *fair = fair_of(flows);
    struct flow_record *record = flow_record_at(&flows->records, handle);
    const uint32_t index = flow_path_at(&flows->paths, record->path)->class;
    struct fair_flow_class *class = &fair->class[index];
    if (class->holder != FAIR_NONE) {
        orr_fair_advance(flows, class->holder);
    }
    const double served = fair_served(fair, class);
    const uint16_t before = record->weight;
    record->target = served + (record->target - served) * before / weight;
    record->weight = weight;
    sort_class(flows, class);
    if (weight > before) {
        orr_fair_add(flows, index, (uint32_t)weight - before);
    } else {
        orr_fair_subtract(flows, index, (uint32_t)before - weight);
    }
    if (class->holder != FAIR_NONE) {
        orr_fair_end_at(flows, index);
    }
    if (fair->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    orr_flows_post_settle(flows);
}

/* ---- shares ---- */

static bool is_dirty(const struct net_flows *flows)
{
    return flows->fair->dirty_count != 0;
}

static void settle(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    orr_fair_solve(flows);
    flows->counts.solutions++;
    flows->counts.shares += fair->changed_count;
    if (fair->failed) {
        orr_flows_no_memory(flows);
        return;
    }
    for (uint32_t i = 0; i < fair->changed_count; i++) {
        schedule(flows, fair->changed[i]);
    }
    post_tick(flows);
}

static double capacity_of(const struct net_flows *flows, uint32_t link)
{
    return flows->fair->link[link].capacity;
}

static void set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    struct fair_flows *fair = fair_of(flows);
    fair_set_capacity(&fair->link[link], bytes_per_s);
    if (orr_fair_reserve(fair, &fair->dirty, &fair->dirty_alloc, fair->dirty_count + 1)) {
        fair_mark_dirty(fair, link);
    }
}

/* ---- stalled flows, rerouting ---- */

/* Counts each flow once, at its bottleneck. */
static void find_stuck(const struct net_flows *flows, struct net_flows_stuck *stuck)
{
    const struct fair_flows *fair = flows->fair;
    for (uint32_t i = 0; i < fair->classes; i++) {
        const struct fair_flow_class *class = &fair->class[i];
        const bool still = class->flows != 0 && class->holder != FAIR_NONE &&
                           fair->link[class->holder].capacity == 0;
        if (still && (stuck->flows == 0 || class->holder < stuck->link)) {
            stuck->link = class->holder;
            stuck->cookie = flows_cookie(flows, class->top);
        }
        stuck->flows += still ? class->records : 0;
    }
}

/* Removes the flows of a class that find another path, linked by `sibling`; adds their weights. */
static uint32_t remove_rerouted(struct net_flows *flows, struct fair_flow_class *class,
                                uint32_t *moved)
{
    const struct fair_flows *fair = fair_of(flows);
    const double served = fair_served(fair, class);
    const double rate = class->holder != FAIR_NONE ? rate_of(fair, class->holder) : 0;
    uint32_t first = FAIR_NONE, stay = FAIR_NONE;
    uint32_t *last = &first;
    while (class->top != FAIR_NONE) {
        const uint32_t handle = class->top;
        struct flow_record *record = flow_record_at(&flows->records, handle);
        const double left = record->target - served;
        class->top = orr_flow_heap_pop(&flows->records, handle);
        record->child = record->sibling = FAIR_NONE;
        const bool ends = rate > 0 && left <= 2 * ROUNDING_PS * rate;
        if (!ends && orr_flows_find_around(flows, record, left * record->weight)) {
            record->bytes = left * record->weight;
            *last = handle;
            last = &record->sibling;
            *moved += record->weight;
            class->records--;
        } else {
            stay = orr_flow_heap_meld(&flows->records, stay, handle);
        }
    }
    class->top = stay;
    return first;
}

static void move_class(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    const uint32_t holder = fair->class[index].holder;
    uint32_t moved = 0;
    if (holder != FAIR_NONE) {
        orr_fair_advance(flows, holder);
    }
    uint32_t handle = remove_rerouted(flows, &fair->class[index], &moved);
    if (moved != 0) {
        orr_fair_subtract(flows, index, moved);
    }
    if (fair->class[index].holder != FAIR_NONE) {
        orr_fair_end_at(flows, index);
    }
    while (handle != FAIR_NONE) {
        struct flow_record *record = flow_record_at(&flows->records, handle);
        const uint32_t next = record->sibling;
        record->sibling = FAIR_NONE;
        join(flows, handle);
        handle = next;
    }
}

/* The first class from `index` on that has flows, or `end`. */
static uint32_t next_live(struct fair_flows *fair, uint32_t index, uint32_t end)
{
    while (index < end) {
        const uint64_t bits = fair->live[index / 64] >> index % 64;
        if (bits == 0) {
            index = (index / 64 + 1) * 64;
            continue;
        }
        index += (uint32_t)__builtin_ctzll(bits);
        if (index < end && fair->class[index].flows != 0) {
            return index;
        }
        fair->live[index / 64] &= ~(index < end ? UINT64_C(1) << index % 64 : 0);
        index++;
    }
    return end;
}

static void reroute(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    const uint32_t classes = fair->classes;
    for (uint32_t i = next_live(fair, 0, classes); i < classes;
         i = next_live(fair, i + 1, classes)) {
        if (orr_flows_closed(flows, fair->class[i].path)) {
            move_class(flows, i);
        }
    }
    orr_flows_post_settle(flows);
}

static void visit_all(struct net_flows *flows, net_flow_visit visit, void *context)
{
    struct fair_flows *fair = fair_of(flows);
    for (uint32_t i = next_live(fair, 0, fair->classes); i < fair->classes;
         i = next_live(fair, i + 1, fair->classes)) {
        struct fair_flow_class *class = &fair->class[i];
        if (class->holder != FAIR_NONE) {
            orr_fair_advance(flows, class->holder);
        }
        const double served = fair_served(fair, class);
        uint32_t kept = FAIR_NONE;
        while (class->top != FAIR_NONE) { /* pops all flows, and rebuilds the heap */
            const uint32_t handle = class->top;
            struct flow_record *record = flow_record_at(&flows->records, handle);
            class->top = orr_flow_heap_pop(&flows->records, handle);
            record->child = record->sibling = FAIR_NONE;
            visit(context, record->cookie, (record->target - served) * record->weight);
            kept = orr_flow_heap_meld(&flows->records, kept, handle);
        }
        class->top = kept;
    }
}

/* ---- aggregated rounds ---- */

static double left_of(const struct net_flows *flows, uint32_t handle)
{
    const struct fair_flows *fair = flows->fair;
    const struct flow_record *record = flow_record_at(&flows->records, handle);
    const struct fair_flow_class *class =
        &fair->class[flow_path_at(&flows->paths, record->path)->class];
    if (class->holder == FAIR_NONE) {
        return record->target - class->offset;
    }
    const sim_time now = orr_evq_now(flows->config.queue);
    const double rate = rate_of(fair, class->holder);
    const double since = rate * (double)(now - fair->group[class->holder].since);
    const double left = record->target - fair_served(fair, class) - since;
    return left > ROUNDING_PS * rate ? left : 0;
}

static uint64_t flows_on(const struct net_flows *flows, uint32_t link)
{
    return flows->fair->link[link].flows;
}

/* ---- the engine ---- */

/* Allocates links aligned to cache lines. */
static struct fair_link *align_links(struct orr_arena *arena, size_t links)
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
    struct fair_flows *fair = orr_arena_alloc(flows->arena, sizeof *fair);
    flows->fair = fair;
    if (fair == NULL) {
        return false;
    }
    fair->links = flows_links(flows);
    fair->link = align_links(flows->arena, links);
    fair->group = orr_arena_array(flows->arena, links, sizeof *fair->group);
    fair->heap = orr_arena_array(flows->arena, links, sizeof *fair->heap);
    fair->touched = orr_arena_array(flows->arena, links, sizeof *fair->touched);
    fair->called = orr_arena_array(flows->arena, links, sizeof *fair->called);
    fair->changed = orr_arena_array(flows->arena, links, sizeof *fair->changed);
    if (fair->link == NULL || fair->group == NULL || fair->heap == NULL || fair->touched == NULL ||
        fair->called == NULL || fair->changed == NULL ||
        !orr_due_heap_grow(&fair->due, fair->links)) {
        return false;
    }
    for (uint32_t i = 0; i < fair->links; i++) {
        fair->link[i].position = FAIR_NONE;
        fair_set_capacity(&fair->link[i], flows_first_capacity(flows, i));
    }
    return true;
}

static void destroy(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    for (uint32_t i = 0; fair != NULL && fair->group != NULL && i < fair->links; i++) {
        orr_heap_free(fair->group[i].row.pair);
        orr_heap_free(fair->group[i].row.slot);
        orr_heap_free(fair->group[i].end);
        orr_heap_free(fair->group[i].on);
    }
    if (fair != NULL) {
        orr_due_heap_fini(&fair->due);
        orr_heap_free(fair->class);
        orr_heap_free(fair->live);
        orr_heap_free(fair->ending);
        orr_heap_free(fair->fresh);
        orr_heap_free(fair->dirty);
    }
}

const struct flows_engine orr_fair_flows = {.create = create,
                                            .destroy = destroy,
                                            .join = join,
                                            .set_weight = set_weight,
                                            .dirty = is_dirty,
                                            .tick = tick,
                                            .settle = settle,
                                            .capacity = capacity_of,
                                            .set_capacity = set_capacity,
                                            .stuck = find_stuck,
                                            .reroute = reroute,
                                            .visit = visit_all,
                                            .number = class_of,
                                            .left = left_of,
                                            .on = flows_on};
