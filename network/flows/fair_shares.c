/* Max-min fair shares by the groups of links (fair_private.h): the sweep of maxmin.h, whose maths
 * holds here, over groups instead of flows.
 *
 * A set S rises from level 0: streams that have no holder yet, and groups. A group joins S as a
 * whole when the sweep comes to the level at which its link is not full, and at once when the link
 * is seen to get full below, which is sooner than it has to and as good; single streams of a group
 * join S (and leave the group) where a link is full on which they have more than S can get. When a
 * link is full at the level of the sweep its group stops there as a whole, and so do the streams of
 * S on it that other links held so far; they change groups. What a group takes of the links is in
 * its row, so that a solution looks at streams only where some change groups.
 *
 * A link that holds nothing matters only if it gets full. Such links are not in the heap until the
 * sweep comes near: those that are full at the `horizon` or below are, and when the sweep gets
 * there it is moved on. */
#include <math.h>

#include "network/flows/fair_private.h"

#define SAME FAIR_SAME

/* ---- the heap of links ---- */

static inline void put(struct fair_flows *equal, uint32_t at, struct fair_item item)
{
    equal->heap[at] = item;
    equal->link[item.link].place = at;
}

enum { WAYS = 4 };

static void heap_down(struct fair_flows *equal, struct fair_item moved)
{
    const struct fair_item *heap = equal->heap;
    const uint32_t count = equal->heap_count;
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = WAYS * at + 1) {
        const uint32_t last = child + WAYS < count ? child + WAYS : count;
        for (uint32_t i = child + 1; i < last; i++) {
            child = heap[i].level < heap[child].level ? i : child;
        }
        if (heap[child].level >= moved.level) {
            break;
        }
        put(equal, at, heap[child]);
        at = child;
    }
    put(equal, at, moved);
}

/* Puts a link in, or moves it towards the top; one that is to move down does so when it comes
 * there. */
static void heap_at(struct fair_flows *equal, uint32_t link, double level)
{
    uint32_t at = equal->link[link].place;
    if (at == FAIR_NONE) {
        at = equal->heap_count++;
    } else if (equal->heap[at].level <= level) {
        return;
    }
    while (at > 0 && level < equal->heap[(at - 1) / WAYS].level) {
        put(equal, at, equal->heap[(at - 1) / WAYS]);
        at = (at - 1) / WAYS;
    }
    put(equal, at, (struct fair_item){.level = level, .link = link});
}

static void top_out(struct fair_flows *equal)
{
    equal->link[equal->heap[0].link].place = FAIR_NONE;
    if (--equal->heap_count != 0) {
        heap_down(equal, equal->heap[equal->heap_count]);
    }
}

/* ---- links that are looked at ---- */

/* The level at which the link is full, as long as the others stay. */
static inline double full_at(const struct fair_link *link)
{
    if (link->rising != 0) {
        return link->free > 0 && link->capacity > 0 ? link->free / link->rising : 0;
    }
    return link->free < -link->slack ? 0 : INFINITY;
}

/* When something happens there: it is full, or the level comes to that of its group. */
static inline double next_at(const struct fair_link *link, double full)
{
    return link->state == FAIR_WATCHED && link->level < full ? link->level : full;
}

static inline struct fair_link *touch(struct fair_flows *equal, uint32_t index)
{
    struct fair_link *link = &equal->link[index];
    if (link->seen != equal->solution) {
        link->seen = equal->solution;
        link->rising = link->inside = 0;
        link->state = link->held != 0 ? FAIR_WATCHED : FAIR_IDLE;
        equal->watched += link->held != 0;
        equal->touched[equal->touched_count++] = index;
    }
    return link;
}

static inline void place(struct fair_flows *equal, uint32_t index)
{
    const struct fair_link *link = &equal->link[index];
    const bool early = link->free <= link->rising * equal->horizon + link->slack;
    if (link->state == FAIR_WATCHED || (early && (link->rising != 0 || link->free < 0))) {
        const double level = next_at(link, full_at(link));
        if (level < INFINITY) {
            heap_at(equal, index, level);
        }
    }
}

static void note_change(struct fair_flows *equal, uint32_t link)
{
    if (equal->group[link].changed != equal->solution) {
        equal->group[link].changed = equal->solution;
        equal->changed[equal->changed_count++] = link;
    }
}

/* The sweep has come to the group; it may have other ends in any case. */
static void unwatch(struct fair_flows *equal, uint32_t index)
{
    struct fair_link *link = &equal->link[index];
    if (link->state == FAIR_WATCHED) {
        equal->watched--;
        link->state = FAIR_IDLE;
        note_change(equal, index);
    }
}

/* ---- who joins S ---- */

/* A link that gets full below the level of its group: that has to rise with the others. */
static inline bool is_short(const struct fair_link *link)
{
    return link->state == FAIR_WATCHED && link->level > full_at(link) * (1 + SAME);
}

/* `count` flows at that level are part of S from now on. */
static inline void raise(struct fair_flows *equal, uint32_t index, uint32_t count, double level)
{
    struct fair_link *link = touch(equal, index);
    link->rising += count;
    link->inside += count;
    link->free = link->rising == link->flows ? link->capacity : link->free + count * level;
    if (is_short(link)) {
        equal->called[equal->called_count++] = index;
        unwatch(equal, index);
        link->state = FAIR_CALLED;
    } else if (link->state != FAIR_CALLED) {
        place(equal, index);
    }
}

static void join_group(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_link *own = &equal->link[index];
    const struct fair_row *row = &equal->group[index].row;
    const double level = own->level;
    orr_fair_advance(flows, index);
    unwatch(equal, index);
    own->state = FAIR_RISING;
    equal->rising++;
    note_change(equal, index);
    for (uint32_t i = 0; i < row->count; i++) {
        raise(equal, row->pair[i].link, row->pair[i].flows, level);
    }
}

/* Sooner than the sweep comes to them is as good: flows that join S do not end below its level. */
static void join_called(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    while (equal->called_count != 0) {
        const uint32_t index = equal->called[--equal->called_count];
        equal->link[index].state = FAIR_IDLE;
        if (equal->link[index].held != 0) {
            join_group(flows, index);
        } else {
            place(equal, index);
        }
    }
}

static void join_stream(struct net_flows *flows, const struct fair_flow_class *stream, double level)
{
    struct fair_flows *equal = equal_of(flows);
    const struct net_route_links path = equal_path(flows, stream);
    equal->rising++;
    for (uint32_t h = 0; h < path.hops; h++) {
        raise(equal, path.link[h], stream->flows, level);
    }
}

/* A stream leaves its group, which does not rise, and rises by itself. */
static void pull(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *equal = equal_of(flows);
    const uint32_t holder = equal->stream[index].holder;
    struct fair_link *link = touch(equal, holder);
    orr_fair_advance(flows, holder);
    orr_fair_let_go(flows, index);
    note_change(equal, holder);
    if (link->held == 0) {
        unwatch(equal, holder);
    }
    join_stream(flows, &equal->stream[index], link->level);
}

/* The state of a stream's holder in this solution. */
static inline enum fair_state state_of(const struct fair_flows *equal, uint32_t holder)
{
    const struct fair_link *link = &equal->link[holder];
    return link->seen == equal->solution ? link->state : FAIR_IDLE;
}

/* Streams are scattered over memory. */
static inline void expect(const struct fair_flows *equal, const struct fair_bottleneck *group,
                          uint32_t at)
{
    enum { AHEAD = 8 };
    if (at + AHEAD < group->listed) {
        __builtin_prefetch(&equal->stream[group->on[at + AHEAD]]);
    }
}

/* Streams outside of S that have more than S can get on a link join it; false: there are none. */
static bool join_above(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_link *own = &equal->link[index];
    const struct fair_bottleneck *group = &equal->group[index];
    const double min = level * (1 + SAME);
    bool any = false;
    if (own->above <= min || own->inside == own->flows) {
        return false;
    }
    own->above = 0;
    for (uint32_t i = 0; i < group->listed; i++) {
        expect(equal, group, i);
        const struct fair_flow_class *stream = &equal->stream[group->on[i]];
        if (stream->flows == 0 || stream->holder == FAIR_NONE || stream->holder == index) {
            continue;
        }
        const enum fair_state state = state_of(equal, stream->holder);
        const double has = equal->link[stream->holder].level;
        if (has > min && state != FAIR_RISING && state != FAIR_STOPPED) {
            pull(flows, group->on[i]);
            any = true;
        } else if (state != FAIR_RISING) {
            own->above = has > own->above ? has : own->above;
        }
    }
    return any;
}

/* ---- who leaves S with a level ---- */

static inline void lower(struct fair_flows *equal, uint32_t index, uint32_t count, double level)
{
    struct fair_link *link = &equal->link[index];
    link->rising -= count;
    link->free -= count * level;
    link->above = level > link->above ? level : link->above;
}

static void stop_group(struct fair_flows *equal, uint32_t index, double level)
{
    const struct fair_row *row = &equal->group[index].row;
    struct fair_link *own = &equal->link[index];
    const double above = own->above;
    own->state = FAIR_STOPPED;
    own->level = level;
    equal->rising--;
    for (uint32_t i = 0; i < row->count; i++) {
        lower(equal, row->pair[i].link, row->pair[i].flows, level);
    }
    own->above = above;
}

/* A stream of S, of a group that rises or by itself, is held by that link from now on. */
static void stop_stream(struct net_flows *flows, uint32_t index, uint32_t link, double level)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    const struct net_route_links path = equal_path(flows, stream);
    const uint32_t before = stream->holder;
    if (before != FAIR_NONE) {
        orr_fair_let_go(flows, index);
    }
    if (before == FAIR_NONE || equal->link[before].held == 0) {
        equal->rising--;
    }
    if (before != FAIR_NONE && equal->link[before].held == 0) {
        equal->link[before].state = FAIR_IDLE;
    }
    const double above = equal->link[link].above;
    for (uint32_t h = 0; h < path.hops; h++) {
        lower(equal, path.link[h], stream->flows, level);
    }
    equal->link[link].above = above;
    orr_fair_hold(flows, index, link);
}

/* The streams of S on a link that is no longer held by where they were. */
static void stop_others(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_link *own = &equal->link[index];
    const struct fair_bottleneck *group = &equal->group[index];
    if (own->held != 0) {
        orr_fair_advance(flows, index);
    }
    own->level = level;
    note_change(equal, index);
    for (uint32_t i = 0; i < group->listed && own->rising != 0; i++) {
        expect(equal, group, i);
        const struct fair_flow_class *stream = &equal->stream[group->on[i]];
        if (stream->flows != 0 && stream->holder != index &&
            (stream->holder == FAIR_NONE || state_of(equal, stream->holder) == FAIR_RISING)) {
            stop_stream(flows, group->on[i], index, level);
        }
    }
}

/* The link is full: what rises on it stops. */
static void stop_all(struct net_flows *flows, uint32_t index, double level)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_link *own = &equal->link[index];
    const bool rose = own->state == FAIR_RISING;
    unwatch(equal, index);
    if (rose) {
        stop_group(equal, index, level);
    }
    if (own->rising != 0) {
        stop_others(flows, index, level);
    }
    if (rose || own->held != 0) {
        own->state = FAIR_STOPPED;
    }
    top_out(equal);
}

/* ---- the sweep ---- */

static void begin_solution(struct fair_flows *equal)
{
    if (++equal->solution == 0) { /* after 2^32 solutions all marks are old */
        for (uint32_t i = 0; i < equal->links; i++) {
            equal->link[i].seen = equal->group[i].changed = 0;
        }
        equal->solution = 1;
    }
    equal->touched_count = equal->changed_count = 0;
    equal->watched = equal->rising = equal->called_count = 0;
    equal->sweep = equal->horizon = 0;
}

/* Groups that have been given more flows, or less of their link, rise at once: so do the new ones
 * on other links, before these are looked at. */
static void begin(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    begin_solution(equal);
    for (size_t i = 0; i < equal->dirty_count; i++) {
        const struct fair_link *link = touch(equal, equal->dirty[i]);
        if (link->state == FAIR_WATCHED && full_at(link) == 0) {
            join_group(flows, equal->dirty[i]);
        }
    }
    const uint32_t mark = ++equal->marks;
    for (size_t i = 0; i < equal->fresh_count; i++) { /* some are there twice */
        struct fair_flow_class *stream = &equal->stream[equal->fresh[i]];
        if (stream->flows != 0 && stream->mark != mark) {
            stream->mark = mark;
            join_stream(flows, stream, 0);
        }
    }
    join_called(flows);
    for (size_t i = 0; i < equal->dirty_count; i++) {
        const struct fair_link *link = &equal->link[equal->dirty[i]];
        place(equal, equal->dirty[i]);
        if (link->state == FAIR_IDLE && link->rising == 0 && full_at(link) == 0) {
            (void)join_above(flows, equal->dirty[i], 0); /* it lost capacity */
        }
    }
    for (size_t i = 0; i < equal->dirty_count; i++) {
        equal->group[equal->dirty[i]].dirty = false;
    }
    join_called(flows);
    equal->dirty_count = equal->fresh_count = 0;
}

/* Puts the links into the heap that are full before the level that the sweep comes to next, and
 * before twice as much. */
static void move_horizon(struct fair_flows *equal)
{
    double min = equal->heap_count != 0 ? equal->heap[0].level : INFINITY;
    for (uint32_t i = 0; i < equal->touched_count && equal->heap_count == 0; i++) {
        const struct fair_link *link = &equal->link[equal->touched[i]];
        const double full = link->rising != 0 ? full_at(link) : INFINITY;
        min = full < min ? full : min;
    }
    if (!(min < INFINITY)) {
        return;
    }
    equal->horizon = 2 * min;
    for (uint32_t i = 0; i < equal->touched_count; i++) {
        if (equal->link[equal->touched[i]].rising != 0) {
            place(equal, equal->touched[i]);
        }
    }
}

static void take_first(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    const struct fair_item top = equal->heap[0];
    struct fair_link *link = &equal->link[top.link];
    const double full = full_at(link), next = next_at(link, full);
    const bool watched = link->state == FAIR_WATCHED;
    if (is_short(link)) { /* by rounding: others have been called */
        join_group(flows, top.link);
        return;
    }
    if (next > top.level * (1 + SAME)) { /* flows of S joined or stopped elsewhere since */
        if (next < INFINITY) {
            heap_down(equal, (struct fair_item){.level = next, .link = top.link});
        } else {
            top_out(equal);
        }
        return;
    }
    equal->sweep = next > equal->sweep ? next : equal->sweep;
    if (watched && full > link->level * (1 + SAME)) {
        if (link->rising == 0 && link->free <= link->slack) { /* they may stay */
            unwatch(equal, top.link);
            top_out(equal);
        } else {
            join_group(flows, top.link);
        }
    } else if (!join_above(flows, top.link, equal->sweep)) {
        /* Beside flows that keep their level, just that: rounding does not pile up. */
        stop_all(flows, top.link, watched ? link->level : equal->sweep);
    }
}

static void take_link(struct net_flows *flows)
{
    take_first(flows);
    join_called(flows);
}

/* Whether a link has lost capacity that nobody has given back yet: what rose on it may have stopped
 * elsewhere, at 0. */
static bool is_overfull(const struct fair_flows *equal)
{
    return equal->heap_count != 0 && equal->heap[0].level <= 0;
}

void orr_fair_solve(struct net_flows *flows)
{
    struct fair_flows *equal = equal_of(flows);
    begin(flows);
    while ((equal->rising != 0 || equal->watched != 0 || is_overfull(equal)) && !equal->failed) {
        if (equal->rising != 0 &&
            (equal->heap_count == 0 || equal->heap[0].level > equal->horizon)) {
            move_horizon(equal);
        }
        if (equal->heap_count == 0) {
            break;
        }
        take_link(flows);
    }
    for (uint32_t i = 0; i < equal->heap_count; i++) {
        equal->link[equal->heap[i].link].place = FAIR_NONE;
    }
    equal->heap_count = 0;
}
