/* Solver of max-min fair shares by bottleneck groups (fair_private.h): the sweep of maxmin.h, whose
 * maths holds here, over groups instead of flows.
 *
 * A set S rises from level 0. It contains classes without a holder, and groups.
 * - A group joins S as a unit when the sweep reaches the level at which its link is not full. It
 *   joins at once if its link is found to fill up below that level; that is earlier than necessary
 *   and as good.
 * - Single classes of a group join S, and leave the group, at a full link on which they have more
 *   than S can get.
 * - When a link is full at the level of the sweep, its group stops there as a unit. So do the
 *   classes of S on the link that other links held; they change groups.
 *
 * A group's demand on each link is in its row, so the solver visits classes only if they change
 * groups.
 *
 * A link without a group matters only if it fills up. Such links enter the heap when the sweep is
 * near: those that are full at or below the `horizon`. When the sweep reaches the horizon, it is
 * raised. */
#include <math.h>

#include "network/flows/fair_private.h"

#define SAME FAIR_SAME

/* ---- the heap of links ---- */

static inline void put(struct fair_flows *fair, uint32_t at, struct fair_item item)
{
    fair->heap[at] = item;
    fair->link[item.link].position = at;
}

enum { ARITY = 4 };

static void heap_down(struct fair_flows *fair, struct fair_item moved)
{
    const struct fair_item *heap = fair->heap;
    const uint32_t count = fair->heap_count;
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = ARITY * at + 1) {
        const uint32_t last = child + ARITY < count ? child + ARITY : count;
        for (uint32_t i = child + 1; i < last; i++) {
            child = heap[i].level < heap[child].level ? i : child;
        }
        if (heap[child].level >= moved.level) {
            break;
        }
        put(fair, at, heap[child]);
        at = child;
    }
    put(fair, at, moved);
}

/* Inserts a link, or moves it up. A link that has to move down does so at the top. */
static void heap_at(struct fair_flows *fair, uint32_t link, double level)
{
    uint32_t at = fair->link[link].position;
    if (at == FAIR_NONE) {
        at = fair->heap_count++;
    } else if (fair->heap[at].level <= level) {
        return;
    }
    while (at > 0 && level < fair->heap[(at - 1) / ARITY].level) {
        put(fair, at, fair->heap[(at - 1) / ARITY]);
        at = (at - 1) / ARITY;
    }
    put(fair, at, (struct fair_item){.level = level, .link = link});
}

static void top_out(struct fair_flows *fair)
{
    fair->link[fair->heap[0].link].position = FAIR_NONE;
    if (--fair->heap_count != 0) {
        heap_down(fair, fair->heap[fair->heap_count]);
    }
}

/* ---- links in use ---- */

/* The level at which the link is full, while other flows keep theirs. */
static inline double full_at(const struct fair_link *link)
{
    if (link->rising != 0) {
        return link->free > 0 && link->capacity > 0 ? link->free / link->rising : 0;
    }
    return link->free < -link->slack ? 0 : INFINITY;
}

/* The level of the link's next event: it is full, or the sweep reaches its group's level. */
static inline double next_at(const struct fair_link *link, double full)
{
    return link->state == FAIR_WATCHED && link->level < full ? link->level : full;
}

static inline struct fair_link *touch(struct fair_flows *fair, uint32_t index)
{
    struct fair_link *link = &fair->link[index];
    if (link->visited != fair->solution) {
        link->visited = fair->solution;
        link->rising = link->inside = 0;
        link->state = link->held != 0 ? FAIR_WATCHED : FAIR_IDLE;
        fair->watched += link->held != 0;
        fair->touched[fair->touched_count++] = index;
    }
    return link;
}

static inline void position(struct fair_flows *fair, uint32_t index)
{
    const struct fair_link *link = &fair->link[index];
    const bool early = link->free <= link->rising * fair->horizon + link->slack;
    if (link->state == FAIR_WATCHED || (early && (link->rising != 0 || link->free < 0))) {
        const double level = next_at(link, full_at(link));
        if (level < INFINITY) {
            heap_at(fair, index, level);
        }
    }
}

static void list_changed(struct fair_flows *fair, uint32_t link)
{
    if (fair->group[link].changed != fair->solution) {
        fair->group[link].changed = fair->solution;
        fair->changed[fair->changed_count++] = link;
    }
}

/* The sweep has reached the group. */
static void unwatch(struct fair_flows *fair, uint32_t index)
{
    struct fair_link *link = &fair->link[index];
    if (link->state == FAIR_WATCHED) {
        fair->watched--;
        link->state = FAIR_IDLE;
        list_changed(fair, index);
    }
}

/* ---- joining S ---- */

/* Whether a link fills up below its group's level, so that the group has to rise with the others.
 */
static inline bool is_short(const struct fair_link *link)
{
    return link->state == FAIR_WATCHED && link->level > full_at(link) * (1 + SAME);
}

/* Adds `count` flows at that level to S. */
static inline void raise(struct fair_flows *fair, uint32_t index, uint32_t count, double level)
{
    struct fair_link *link = touch(fair, index);
    link->rising += count;
    link->inside += count;
    link->free = link->rising == link->flows ? link->capacity : link->free + count * level;
    if (is_short(link)) {
        fair->called[fair->called_count++] = index;
        unwatch(fair, index);
        link->state = FAIR_CALLED;
    } else if (link->state != FAIR_CALLED) {
        position(fair, index);
    }
}

static void join_group(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_link *own = &fair->link[index];
    const struct fair_row *row = &fair->group[index].row;
    const double level = own->level;
    orr_fair_advance(flows, index);
    unwatch(fair, index);
    own->state = FAIR_RISING;
    fair->rising++;
    list_changed(fair, index);
    for (uint32_t i = 0; i < row->count; i++) {
        raise(fair, row->pair[i].link, row->pair[i].flows, level);
    }
}

/* Joins the called groups before the sweep reaches them, which is as good: flows of S do not end
 * below its level. */
static void join_called(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    while (fair->called_count != 0) {
        const uint32_t index = fair->called[--fair->called_count];
        fair->link[index].state = FAIR_IDLE;
        if (fair->link[index].held != 0) {
            join_group(flows, index);
        } else {
            position(fair, index);
        }
    }
}

static void join_class(struct net_flows *flows, const struct fair_flow_class *class, double level)
{
    struct fair_flows *fair = fair_of(flows);
    const struct net_route_links path = fair_path(flows, class);
    fair->rising++;
    for (uint32_t h = 0; h < path.hops; h++) {
        raise(fair, path.link[h], class->flows, level);
    }
}

/* Removes a class from its group, which does not rise, and lets it rise alone. */
static void pull(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    const uint32_t holder = fair->class[index].holder;
    struct fair_link *link = touch(fair, holder);
    orr_fair_advance(flows, holder);
    orr_fair_release(flows, index);
    list_changed(fair, holder);
    if (link->held == 0) {
        unwatch(fair, holder);
    }
    join_class(flows, &fair->class[index], link -> level);
}

/* The state of a class's holder in this solution. */
static inline enum fair_state state_of(const struct fair_flows *fair, uint32_t holder)
{
    const struct fair_link *link = &fair->link[holder];
    return link->visited == fair->solution ? link->state : FAIR_IDLE;
}

/* Prefetches classes, which are scattered in memory. */
static inline void prefetch(const struct fair_flows *fair, const struct fair_bottleneck *group,
                            uint32_t at)
{
    enum { AHEAD = 8 };
    if (at + AHEAD < group->listed) {
        __builtin_prefetch(&fair->class[group->on[at + AHEAD]]);
    }
}

/* Lets classes outside S join it that have more than S can get on a link; false: none. */
static bool join_above(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_link *own = &fair->link[index];
    const struct fair_bottleneck *group = &fair->group[index];
    const double min = level * (1 + SAME);
    bool any = false;
    if (own->above <= min || own->inside == own->flows) {
        return false;
    }
    own->above = 0;
    for (uint32_t i = 0; i < group->listed; i++) {
        prefetch(fair, group, i);
        const struct fair_flow_class *class = &fair->class[group->on[i]];
        if (class->flows == 0 || class->holder == FAIR_NONE || class->holder == index) {
            continue;
        }
        const enum fair_state state = state_of(fair, class->holder);
        const double has = fair->link[class->holder].level;
        if (has > min && state != FAIR_RISING && state != FAIR_STOPPED) {
            pull(flows, group->on[i]);
            any = true;
        } else if (state != FAIR_RISING) {
            own->above = has > own->above ? has : own->above;
        }
    }
    return any;
}

/* ---- leaving S with a level ---- */

static inline void lower(struct fair_flows *fair, uint32_t index, uint32_t count, double level)
{
    struct fair_link *link = &fair->link[index];
    link->rising -= count;
    link->free -= count * level;
    link->above = level > link->above ? level : link->above;
}

static void stop_group(struct fair_flows *fair, uint32_t index, double level)
{
    const struct fair_row *row = &fair->group[index].row;
    struct fair_link *own = &fair->link[index];
    const double above = own->above;
    own->state = FAIR_STOPPED;
    own->level = level;
    fair->rising--;
    for (uint32_t i = 0; i < row->count; i++) {
        lower(fair, row->pair[i].link, row->pair[i].flows, level);
    }
    own->above = above;
}

/* Stops a class of S; its bottleneck is that link from now on. */
static void stop_class(struct net_flows *flows, uint32_t index, uint32_t link, double level)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    const struct net_route_links path = fair_path(flows, class);
    const uint32_t before = class->holder;
    if (before != FAIR_NONE) {
        orr_fair_release(flows, index);
    }
    if (before == FAIR_NONE || fair->link[before].held == 0) {
        fair->rising--;
    }
    if (before != FAIR_NONE && fair->link[before].held == 0) {
        fair->link[before].state = FAIR_IDLE;
    }
    const double above = fair->link[link].above;
    for (uint32_t h = 0; h < path.hops; h++) {
        lower(fair, path.link[h], class->flows, level);
    }
    fair->link[link].above = above;
    orr_fair_hold(flows, index, link);
}

/* Stops the classes of S on a link that had other bottlenecks. */
static void stop_others(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_link *own = &fair->link[index];
    const struct fair_bottleneck *group = &fair->group[index];
    if (own->held != 0) {
        orr_fair_advance(flows, index);
    }
    own->level = level;
    list_changed(fair, index);
    for (uint32_t i = 0; i < group->listed && own->rising != 0; i++) {
        prefetch(fair, group, i);
        const struct fair_flow_class *class = &fair->class[group->on[i]];
        if (class->flows != 0 && class->holder != index &&
            (class->holder == FAIR_NONE || state_of(fair, class->holder) == FAIR_RISING)) {
            stop_class(flows, group->on[i], index, level);
        }
    }
}

/* The link is full: stops all rising flows on it. */
static void stop_all(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_link *own = &fair->link[index];
    const bool rose = own->state == FAIR_RISING;
    unwatch(fair, index);
    if (rose) {
        stop_group(fair, index, level);
    }
    if (own->rising != 0) {
        stop_others(flows, index, level);
    }
    if (rose || own->held != 0) {
        own->state = FAIR_STOPPED;
    }
    top_out(fair);
}

/* ---- the sweep ---- */

static void begin_solution(struct fair_flows *fair)
{
    if (++fair->solution == 0) { /* after 2^32 solutions clear all marks */
        for (uint32_t i = 0; i < fair->links; i++) {
            fair->link[i].visited = fair->group[i].changed = 0;
        }
        fair->solution = 1;
    }
    fair->touched_count = fair->changed_count = 0;
    fair->watched = fair->rising = fair->called_count = 0;
    fair->sweep = fair->horizon = 0;
}

/* Starts a solution. Groups with more flows, or less capacity, rise at once; so do new groups on
 * other links, before these are used. */
static void begin(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    begin_solution(fair);
    for (size_t i = 0; i < fair->dirty_count; i++) {
        const struct fair_link *link = touch(fair, fair->dirty[i]);
        if (link->state == FAIR_WATCHED && full_at(link) == 0) {
            join_group(flows, fair->dirty[i]);
        }
    }
    const uint32_t mark = ++fair->marks;
    for (size_t i = 0; i < fair->fresh_count; i++) { /* with duplicates */
        struct fair_flow_class *class = &fair->class[fair->fresh[i]];
        if (class->flows != 0 && class->mark != mark) {
            class->mark = mark;
            join_class(flows, class, 0);
        }
    }
    join_called(flows);
    for (size_t i = 0; i < fair->dirty_count; i++) {
        const struct fair_link *link = &fair->link[fair->dirty[i]];
        position(fair, fair->dirty[i]);
        if (link->state == FAIR_IDLE && link->rising == 0 && full_at(link) == 0) {
            (void)join_above(flows, fair->dirty[i], 0); /* the link lost capacity */
        }
    }
    for (size_t i = 0; i < fair->dirty_count; i++) {
        fair->group[fair->dirty[i]].dirty = false;
    }
    join_called(flows);
    fair->dirty_count = fair->fresh_count = 0;
}

/* Raises the horizon: inserts the links that fill up before the sweep's next level, and before
 * twice that level. */
static void move_horizon(struct fair_flows *fair)
{
    double min = fair->heap_count != 0 ? fair->heap[0].level : INFINITY;
    for (uint32_t i = 0; i < fair->touched_count && fair->heap_count == 0; i++) {
        const struct fair_link *link = &fair->link[fair->touched[i]];
        const double full = link->rising != 0 ? full_at(link) : INFINITY;
        min = full < min ? full : min;
    }
    if (!(min < INFINITY)) {
        return;
    }
    fair->horizon = 2 * min;
    for (uint32_t i = 0; i < fair->touched_count; i++) {
        if (fair->link[fair->touched[i]].rising != 0) {
            position(fair, fair->touched[i]);
        }
    }
}

static void process_first(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    const struct fair_item top = fair->heap[0];
    struct fair_link *link = &fair->link[top.link];
    const double full = full_at(link), next = next_at(link, full);
    const bool watched = link->state == FAIR_WATCHED;
    if (is_short(link)) { /* only by rounding: others were called */
        join_group(flows, top.link);
        return;
    }
    if (next > top.level * (1 + SAME)) { /* flows of S joined or stopped elsewhere */
        if (next < INFINITY) {
            heap_down(fair, (struct fair_item){.level = next, .link = top.link});
        } else {
            top_out(fair);
        }
        return;
    }
    fair->sweep = next > fair->sweep ? next : fair->sweep;
    if (watched && full > link->level * (1 + SAME)) {
        if (link->rising == 0 && link->free <= link->slack) { /* flows can stay */
            unwatch(fair, top.link);
            top_out(fair);
        } else {
            join_group(flows, top.link);
        }
    } else if (!join_above(flows, top.link, fair->sweep)) {
        /* With flows that keep their level, exactly that level: rounding must not accumulate. */
        stop_all(flows, top.link, watched ? link->level : fair->sweep);
    }
}

static void process_link(struct net_flows *flows)
{
    process_first(flows);
    join_called(flows);
}

/* Whether a link still carries more than its reduced capacity: its rising flows may have stopped
 * elsewhere, at 0. */
static bool is_overfull(const struct fair_flows *fair)
{
    return fair->heap_count != 0 && fair->heap[0].level <= 0;
}

void orr_fair_solve(struct net_flows *flows)
{
    struct fair_flows *fair = fair_of(flows);
    begin(flows);
    while ((fair->rising != 0 || fair->watched != 0 || is_overfull(fair)) && !fair->failed) {
        if (fair->rising != 0 && (fair->heap_count == 0 || fair->heap[0].level > fair->horizon)) {
            move_horizon(fair);
        }
        if (fair->heap_count == 0) {
            break;
        }
        process_link(flows);
    }
    for (uint32_t i = 0; i < fair->heap_count; i++) {
        fair->link[fair->heap[i].link].position = FAIR_NONE;
    }
    fair->heap_count = 0;
}
