/* Weighted max-min fair shares; see the maths in maxmin.h. */
#include "network/flows/maxmin_private.h"

#include <math.h>

/* Relative difference below which levels and sums are equal: far above rounding. */
#define SAME 1e-11

/* ---- changes ---- */

static void touch_path(struct maxmin *problem, const struct flow *flow)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        if (!link->dirty) {
            link->dirty = true;
            problem->failed |= !push(&problem->dirty_links, flow->path[h]);
        }
    }
}

static bool reserve(struct maxmin *problem, const struct flow *flow)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        /* A path can contain a link several times. */
        if (!orr_maxmin_reserve_entries(problem, flow->path[h], flow->hops)) {
            return false;
        }
    }
    return true;
}

static uint32_t add_member(struct maxmin *problem, uint32_t handle)
{
    struct flow *flow = &problem->flow[handle];
    const uint32_t member = orr_maxmin_new_member(problem, flow->hops);
    if (member == MAXMIN_NONE || !reserve(problem, flow) || !push(&problem->new_members, member)) {
        problem->failed = true;
        return MAXMIN_NONE;
    }
    flow->members++;
    problem->member[member].flow = handle;
    problem->member[member].visited = 0;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        problem->member[member].at[h] = link->count;
        problem->entries[flow->path[h]].entry[link->count++] =
            (struct maxmin_entry){.flow = handle, .member = member};
    }
    touch_path(problem, flow);
    return member;
}

uint32_t orr_maxmin_add(struct maxmin *problem, const uint32_t *path, uint32_t hops, double weight,
                        double bound)
{
    const uint32_t flow = orr_maxmin_new_flow(problem);
    if (flow == MAXMIN_NONE) {
        return MAXMIN_NONE;
    }
    problem->flow[flow] = (struct flow){
        .path = path, .hops = hops, .weight = weight, .bound = bound, .bottleneck = MAXMIN_NONE};
    return add_member(problem, flow);
}

uint32_t orr_maxmin_more(struct maxmin *problem, uint32_t flow)
{
    return add_member(problem, flow);
}

uint32_t orr_maxmin_split(struct maxmin *problem, uint32_t member)
{
    const uint32_t before = problem->member[member].flow;
    if (problem->flow[before].members == 1) {
        return before;
    }
    const uint32_t after = orr_maxmin_new_flow(problem);
    if (after == MAXMIN_NONE) {
        return MAXMIN_NONE;
    }
    struct flow *flow = &problem->flow[after];
    *flow = problem->flow[before];
    flow->members = 1;
    problem->flow[before].members--;
    problem->member[member].flow = after;
    for (uint32_t h = 0; h < flow->hops; h++) {
        problem->entries[flow->path[h]].entry[problem->member[member].at[h]].flow = after;
    }
    return after;
}

void orr_maxmin_set_weight(struct maxmin *problem, uint32_t flow, double weight, double bound)
{
    problem->flow[flow].weight = weight;
    problem->flow[flow].bound = bound;
    touch_path(problem, &problem->flow[flow]);
}

void orr_maxmin_recompute(struct maxmin *problem, const struct maxmin_entry *member,
                          uint32_t members)
{
    for (uint32_t i = 0; i < members; i++) {
        problem->failed |= !push(&problem->new_members, member[i].member);
    }
}

/* Removes an entry of a link; the last one takes its position. */
static void remove_entry(struct maxmin *problem, uint32_t index, uint32_t at)
{
    struct link *link = &problem->link[index];
    struct maxmin_entry *entry = problem->entries[index].entry;
    const struct maxmin_entry last = entry[--link->count];
    const uint32_t *path = problem->flow[last.flow].path;
    uint32_t *positions = problem->member[last.member].at;
    uint32_t h = 0;
    while (path[h] != index || positions[h] != link->count) {
        h++;
    }
    positions[h] = at;
    entry[at] = last;
}

void orr_maxmin_remove(struct maxmin *problem, uint32_t handle)
{
    struct member *member = &problem->member[handle];
    struct flow *flow = &problem->flow[member->flow];
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        remove_entry(problem, flow->path[h], member->at[h]);
        member->at[h] = MAXMIN_NONE; /* the link can recur */
        link->load =
            link->count == 0 ? 0 : link->load - flow->rate; /* rounding must not accumulate */
    }
    if (flow->bottleneck != MAXMIN_NONE) {
        problem->link[flow->bottleneck].held--;
    }
    touch_path(problem, flow);
    if (--flow->members == 0) {
        problem->failed |= !push(&problem->unused, member->flow);
    }
    member->flow = MAXMIN_NONE;
    problem->failed |= !push(&problem->unused_members, handle);
}

void orr_maxmin_set_capacity(struct maxmin *problem, uint32_t link, double capacity)
{
    problem->link[link].capacity = capacity;
    if (!problem->link[link].dirty) {
        problem->link[link].dirty = true;
        problem->failed |= !push(&problem->dirty_links, link);
    }
}

double orr_maxmin_capacity(const struct maxmin *problem, uint32_t link)
{
    return problem->link[link].capacity;
}

bool orr_maxmin_dirty(const struct maxmin *problem)
{
    return problem->new_members.count + problem->dirty_links.count != 0;
}

/* ---- links in use ---- */

/* The level at which the link is full, while flows outside S keep their rates. */
static double full_at(const struct link *link)
{
    const double left = link->capacity - link->load - link->used;
    if (link->rising != 0) {
        return left > 0 && link->capacity > 0 ? left / link->weights : 0;
    }
    return left < -link->capacity * SAME ? 0 : INFINITY;
}

/* The level of the link's next event: it is full, or the sweep reaches the level of the flows it
 * holds. */
static double next_at(const struct link *link, double full)
{
    return link->watched && link->level < full ? link->level : full;
}

static void unwatch(struct maxmin *problem, struct link *link)
{
    problem->watched -= link->watched ? 1 : 0;
    link->watched = false;
}

/* The first time in a solution. */
static void touch_first(struct maxmin *problem, struct link *link, uint32_t index)
{
    link->visited = problem->solution;
    link->inside = link->rising = 0;
    link->weights = link->used = 0;
    link->watched = link->held != 0;
    link->pending = false;
    problem->watched += link->watched ? 1 : 0;
    problem->failed |= !push(&problem->touched, index);
}

static inline void touch(struct maxmin *problem, uint32_t index)
{
    struct link *link = &problem->link[index];
    if (link->visited != problem->solution) {
        touch_first(problem, link, index);
    }
    if (!link->pending) {
        link->pending = true;
        problem->failed |= !push(&problem->pending, index);
    }
}

static void heap_pending_links(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->pending.count; i++) {
        const uint32_t index = problem->pending.item[i];
        struct link *link = &problem->link[index];
        const double level = next_at(link, full_at(link));
        link->pending = false;
        if (level < INFINITY) {
            orr_maxmin_link_at(problem, index, level);
        }
    }
    problem->pending.count = 0;
}

/* ---- flows that join S, and leave it with a level ---- */

/* Adds value `members` >= 1 times, so that rounding is that of single flows: classes of members are
 * an optimization, not another model. */
static inline double add_each(double sum, double value, uint32_t members)
{
    sum += value;
    for (uint32_t m = 1; m < members; m++) {
        sum += value;
    }
    return sum;
}

/* Adds members of a flow to S. */
static void join(struct maxmin *problem, uint32_t handle, uint32_t members)
{
    struct flow *flow = &problem->flow[handle];
    if (flow->visited != problem->solution) {
        flow->visited = problem->solution;
        flow->joined = flow->stopped = 0;
        problem->failed |= !push(&problem->part, handle);
    }
    flow->joined += members;
    problem->rising += members;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        touch(problem, flow->path[h]);
        link->rising += members;
        link->inside += members;
        link->weights = add_each(link->weights, flow->weight, members);
        link->load = link->inside == link->count ? 0 : add_each(link->load, -flow->rate, members);
    }
    if (flow->bottleneck != MAXMIN_NONE) {
        struct link *link = &problem->link[flow->bottleneck];
        link->held -= members;
        if (link->held == 0) {
            unwatch(problem, link);
        }
        flow->bottleneck = flow->joined == flow->members ? MAXMIN_NONE : flow->bottleneck;
    }
    if (flow->bound < INFINITY) {
        orr_maxmin_bound_at(problem, handle, members, flow->bound / flow->weight);
    }
}

/* Fixes the level of members of a flow. */
static void stop(struct maxmin *problem, struct flow *flow, uint32_t members, double level,
                 uint32_t bottleneck)
{
    flow->stopped += members;
    flow->level = level;
    flow->rate = bottleneck == MAXMIN_NONE ? flow->bound : flow->weight * level;
    flow->bottleneck = bottleneck;
    problem->rising -= members;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        link->used = add_each(link->used, flow->rate, members);
        link->rising -= members;
        link->weights = link->rising == 0 ? 0 : add_each(link->weights, -flow->weight, members);
    }
}

static inline bool rises(const struct maxmin *problem, const struct flow *flow)
{
    return flow->visited == problem->solution && flow->stopped < flow->joined;
}

static inline bool is_outside(const struct maxmin *problem, const struct flow *flow)
{
    return flow->visited != problem->solution || flow->joined < flow->members;
}

/* How many of the first `count` entries belong to the same flow. */
static inline uint32_t count_same_flow(const struct maxmin_entry *entry, uint32_t count)
{
    uint32_t same = 1;
    while (same < count && entry[same].flow == entry->flow) {
        same++;
    }
    return same;
}

/* Entries of a flow of one member are its hops. */
static inline uint32_t members_of(const struct flow *flow, uint32_t entries)
{
    return flow->members == 1 ? 1 : entries;
}

static void stop_all(struct maxmin *problem, uint32_t index, double level)
{
    struct link *link = &problem->link[index];
    const struct maxmin_entry *entry = problem->entries[index].entry;
    for (uint32_t e = 0, same = 0; e < link->count && link->rising != 0; e += same) {
        struct flow *flow = &problem->flow[entry[e].flow];
        same = count_same_flow(entry + e, link->count - e);
        if (rises(problem, flow)) {
            const uint32_t members = members_of(flow, same);
            stop(problem, flow, members, level, index);
            link->held += members;
        }
    }
    link->level = level;
    unwatch(problem, link);
    orr_maxmin_top_link_out(problem);
}

static void join_held(struct maxmin *problem, uint32_t index)
{
    struct link *link = &problem->link[index];
    const struct maxmin_entry *entry = problem->entries[index].entry;
    touch(problem, index);
    for (uint32_t e = 0, same = 0; e < link->count && link->watched; e += same) {
        const struct flow *flow = &problem->flow[entry[e].flow];
        same = count_same_flow(entry + e, link->count - e);
        if (flow->bottleneck == index) {
            join(problem, entry[e].flow, members_of(flow, same));
        }
    }
}

/* Flows outside of S that have more than the flows of S can get on a link; false: none. */
static bool join_above(struct maxmin *problem, uint32_t index, double level)
{
    const struct link *link = &problem->link[index];
    const struct maxmin_entry *entry = problem->entries[index].entry;
    const size_t before = problem->part.count;
    for (uint32_t e = 0, same = 0; e < link->count && link->inside != link->count; e += same) {
        const struct flow *flow = &problem->flow[entry[e].flow];
        same = count_same_flow(entry + e, link->count - e);
        if (is_outside(problem, flow) && flow->level > level * (1 + SAME)) {
            join(problem, entry[e].flow, members_of(flow, same));
        }
    }
    return problem->part.count != before;
}

/* ---- the sweep ---- */

/* Starts the next solution; after 2^32 of them all marks are cleared. */
static void count_solution(struct maxmin *problem)
{
    if (++problem->solution != 0) {
        return;
    }
    for (size_t i = 0; i < problem->flows; i++) {
        problem->flow[i].visited = 0;
    }
    for (size_t i = 0; i < problem->members; i++) {
        problem->member[i].visited = 0;
    }
    for (uint32_t i = 0; i < problem->links; i++) {
        problem->link[i].visited = 0;
    }
    problem->solution = 1;
}

/* Adds new and reweighted members to S, each once; some may be gone. */
static void join_new(struct maxmin *problem)
{
    uint32_t flow = MAXMIN_NONE, members = 0;
    for (size_t i = 0; i < problem->new_members.count; i++) {
        struct member *member = &problem->member[problem->new_members.item[i]];
        if (member->flow == MAXMIN_NONE || member->visited == problem->solution) {
            continue;
        }
        member->visited = problem->solution;
        if (member->flow != flow && members != 0) {
            join(problem, flow, members);
            members = 0;
        }
        flow = member->flow;
        members++;
    }
    if (members != 0) {
        join(problem, flow, members);
    }
}

static void begin(struct maxmin *problem)
{
    count_solution(problem);
    problem->part.count = problem->touched.count = problem->bounds.count = 0;
    problem->coming_count = 0;
    problem->min_coming = INFINITY;
    problem->rising = problem->watched = 0;
    problem->sweep = 0;
    for (size_t i = 0; i < problem->dirty_links.count; i++) {
        touch(problem, problem->dirty_links.item[i]);
    }
    join_new(problem);
    for (size_t i = 0; i < problem->dirty_links.count; i++) {
        struct link *link = &problem->link[problem->dirty_links.item[i]];
        link->dirty = false;
        if (link->held == 0 && link->rising == 0 && full_at(link) < INFINITY) {
            (void)join_above(problem, problem->dirty_links.item[i], 0); /* the link lost capacity */
        }
    }
    problem->new_members.count = problem->dirty_links.count = 0;
    heap_pending_links(problem);
}

/* The sweep has reached the next event of the heap's top link. */
static void process_link(struct maxmin *problem)
{
    const struct item top = problem->link_heap.item[0];
    struct link *link = &problem->link[top.id];
    const double full = full_at(link), next = next_at(link, full);
    if (next > top.level * (1 + SAME)) { /* flows of S stopped elsewhere */
        next < INFINITY ? orr_maxmin_top_link_at(problem, next) : orr_maxmin_top_link_out(problem);
        return;
    }
    problem->sweep = next > problem->sweep ? next : problem->sweep;
    if (link->watched && full > link->level * (1 + SAME)) {
        const double left = link->capacity - link->load - link->used;
        if (link->rising == 0 && left <= link->capacity * SAME) { /* flows can stay */
            unwatch(problem, link);
            orr_maxmin_top_link_out(problem);
        } else {
            join_held(problem, top.id);
        }
    } else if (link->watched && link->level > full * (1 + SAME)) {
        join_held(problem, top.id);
    } else if (!join_above(problem, top.id, problem->sweep)) {
        /* With flows that keep their level, exactly that level: rounding must not accumulate. */
        stop_all(problem, top.id, link->watched ? link->level : problem->sweep);
    }
}

static void process_bound(struct maxmin *problem)
{
    const struct item top = problem->bounds.item[0];
    struct flow *flow = &problem->flow[top.id];
    orr_maxmin_top_bound_out(problem);
    if (flow->stopped < flow->joined) {
        problem->sweep = top.level > problem->sweep ? top.level : problem->sweep;
        stop(problem, flow, 1, top.level, MAXMIN_NONE);
    }
}

static void end(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->touched.count; i++) {
        struct link *link = &problem->link[problem->touched.item[i]];
        link->load += link->used;
        problem->position[problem->touched.item[i]] = MAXMIN_NONE;
    }
    problem->link_heap.count = 0;
}

size_t orr_maxmin_solve(struct maxmin *problem, const uint32_t **changed)
{
    begin(problem);
    while ((problem->rising != 0 || problem->watched != 0) && problem->link_heap.count != 0 &&
           !problem->failed) {
        if (orr_maxmin_bound_is_next(problem)) {
            process_bound(problem);
        } else {
            process_link(problem);
            heap_pending_links(problem);
        }
    }
    end(problem);
    *changed = problem->part.item;
    return problem->part.count;
}

bool orr_maxmin_failed(const struct maxmin *problem)
{
    return problem->failed;
}

/* ---- results ---- */

uint32_t orr_maxmin_flow(const struct maxmin *problem, uint32_t member)
{
    return problem->member[member].flow;
}

uint32_t orr_maxmin_members(const struct maxmin *problem)
{
    return (uint32_t)problem->members;
}

double orr_maxmin_rate(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].rate;
}

uint32_t orr_maxmin_bottleneck(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].bottleneck;
}

uint32_t orr_maxmin_held(const struct maxmin *problem, uint32_t link)
{
    return problem->link[link].held;
}

const struct maxmin_entry *orr_maxmin_flows(const struct maxmin *problem, uint32_t link,
                                            uint32_t *count)
{
    *count = problem->link[link].count;
    return problem->entries[link].entry;
}

double orr_maxmin_load(const struct maxmin *problem, uint32_t link)
{
    double sum = 0;
    for (uint32_t e = 0; e < problem->link[link].count; e++) {
        sum += problem->flow[problem->entries[link].entry[e].flow].rate;
    }
    return sum;
}
