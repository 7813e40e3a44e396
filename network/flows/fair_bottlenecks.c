/* Groups of streams, their rows and the streams over each link: see fair_private.h. */
#include "network/flows/fair_private.h"

enum { MIN = 16 };
/* A clock begins anew before its steps are worth picoseconds. */
static const double max_served = 1e9;

bool orr_fair_room(struct fair_flows *equal, uint32_t **list, size_t *room, size_t count)
{
    if (count <= *room) {
        return true;
    }
    const size_t more = count + count / 2 + MIN;
    uint32_t *grown = orr_heap_realloc(*list, more * sizeof *grown);
    if (grown == NULL) {
        equal->failed = true;
        return false;
    }
    *list = grown;
    *room = more;
    return true;
}

/* ---- clocks ---- */

static void begin_clock_anew(struct fair_flows *equal, uint32_t link)
{
    struct fair_bottleneck *group = &equal->group[link];
    for (uint32_t i = 0; i < group->ends; i++) {
        struct fair_completion *end = &group->end[i];
        struct fair_flow_class *stream = &equal->stream[end->stream];
        if (stream->version == end->version) {
            stream->offset += group->served;
        }
        end->served -= group->served;
    }
    group->served = 0;
}

void orr_fair_advance(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_bottleneck *group = &equal->group[link];
    const sim_time now = orr_evq_now(flows->config.queue);
    group->served += equal->link[link].level / PS_PER_S * (double)(now - group->since);
    group->since = now;
    if (group->served > max_served) {
        begin_clock_anew(equal, link);
    }
}

/* ---- rows ---- */

/* A row of more pairs than this has an index: a hash table of 1 + the place of a pair. */
enum { MAX_SEARCHED = 12 };

static inline uint32_t slot_of(const struct fair_row *row, uint32_t link)
{
    return (uint32_t)((link * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (row->slots - 1);
}

static uint32_t find_slot(const struct fair_row *row, uint32_t link)
{
    uint32_t at = slot_of(row, link);
    while (row->slot[at] != 0 && row->pair[row->slot[at] - 1].link != link) {
        at = (at + 1) & (row->slots - 1);
    }
    return at;
}

/* Where the link stands in the row; its count: nowhere. */
static inline uint32_t find(const struct fair_row *row, uint32_t link)
{
    if (row->slots != 0) {
        const uint32_t slot = row->slot[find_slot(row, link)];
        return slot != 0 ? slot - 1 : row->count;
    }
    uint32_t at = 0;
    while (at < row->count && row->pair[at].link != link) {
        at++;
    }
    return at;
}

static bool make_index(struct fair_row *row)
{
    uint32_t slots = 32;
    while (slots < 2 * row->count) {
        slots *= 2;
    }
    uint32_t *slot = orr_heap_calloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    orr_heap_free(row->slot);
    row->slot = slot;
    row->slots = slots;
    for (uint32_t i = 0; i < row->count; i++) {
        slot[find_slot(row, row->pair[i].link)] = i + 1;
    }
    return true;
}

static bool row_room(struct fair_row *row)
{
    if (row->count == row->room) {
        const uint32_t room = row->room + row->room / 2 + 6;
        struct fair_pair *grown = orr_heap_realloc(row->pair, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        row->pair = grown;
        row->room = room;
    }
    return true;
}

static bool append(struct fair_row *row, uint32_t link, uint32_t count)
{
    if (!row_room(row)) {
        return false;
    }
    row->pair[row->count++] = (struct fair_pair){.link = link, .flows = count};
    if (4 * row->count > 3 * row->slots && row->count > MAX_SEARCHED) {
        return make_index(row);
    }
    if (row->slots != 0) {
        row->slot[find_slot(row, link)] = row->count;
    }
    return true;
}

/* Those behind a slot that is free now move up to where they are found. */
static void free_slot(struct fair_row *row, uint32_t at)
{
    const uint32_t mask = row->slots - 1;
    row->slot[at] = 0;
    for (uint32_t next = (at + 1) & mask; row->slot[next] != 0; next = (next + 1) & mask) {
        const uint32_t home = slot_of(row, row->pair[row->slot[next] - 1].link);
        if (((next - home) & mask) >= ((next - at) & mask)) {
            row->slot[at] = row->slot[next];
            row->slot[next] = 0;
            at = next;
        }
    }
}

/* The last pair takes its place. */
static void drop(struct fair_row *row, uint32_t at)
{
    if (row->slots != 0) {
        free_slot(row, find_slot(row, row->pair[at].link));
    }
    const uint32_t last = --row->count;
    if (at != last) {
        if (row->slots != 0) {
            row->slot[find_slot(row, row->pair[last].link)] = at + 1;
        }
        row->pair[at] = row->pair[last];
    }
}

/* `count` more flows of the group over a link; modulo 2^32, so that it may be fewer. */
static void row_add(struct fair_flows *equal, struct fair_row *row, uint32_t link, uint32_t count)
{
    const uint32_t at = find(row, link);
    if (at == row->count) {
        equal->failed |= !append(row, link, count);
    } else if ((row->pair[at].flows += count) == 0) {
        drop(row, at);
    }
}

static void row_add_path(struct net_flows *flows, const struct fair_flow_class *stream,
                         uint32_t count)
{
    struct fair_flows *equal = equal_of(flows);
    const struct net_route_links path = equal_path(flows, stream);
    struct fair_row *row = &equal->group[stream->holder].row;
    for (uint32_t h = 0; h < path.hops; h++) {
        row_add(equal, row, path.link[h], count);
    }
}

/* ---- members ---- */

void orr_fair_hold(struct net_flows *flows, uint32_t index, uint32_t link)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    struct fair_bottleneck *group = &equal->group[link];
    if (equal->link[link].held++ == 0) {
        group->served = 0;
        group->since = orr_evq_now(flows->config.queue);
        group->ends = 0;
    }
    stream->holder = link;
    stream->offset -= group->served;
    row_add_path(flows, stream, stream->flows);
    orr_fair_end_at(flows, index);
}

void orr_fair_let_go(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    row_add_path(flows, stream, 0 - stream->flows);
    stream->offset += equal->group[stream->holder].served;
    stream->version++;
    equal->link[stream->holder].held--;
    stream->holder = FAIR_NONE;
}

/* ---- streams over links ---- */

/* Drops those that are gone or stand there twice. */
static void clean(struct fair_flows *equal, struct fair_bottleneck *group)
{
    const uint32_t mark = ++equal->marks;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < group->listed; i++) {
        struct fair_flow_class *stream = &equal->stream[group->on[i]];
        if (stream->flows != 0 && stream->mark != mark) {
            stream->mark = mark;
            group->on[kept++] = group->on[i];
        }
    }
    group->listed = kept;
}

static void list(struct fair_flows *equal, struct fair_bottleneck *group, uint32_t stream)
{
    group->streams++;
    if (group->listed != 0 && group->on[group->listed - 1] == stream) {
        return;
    }
    if (group->listed >= 2 * group->streams + MIN) {
        clean(equal, group);
    }
    if (group->listed == group->on_room) {
        const uint32_t more = group->on_room + group->on_room / 2 + 4;
        uint32_t *grown = orr_heap_realloc(group->on, more * sizeof *grown);
        if (grown == NULL) {
            equal->failed = true;
            return;
        }
        group->on = grown;
        group->on_room = more;
    }
    group->on[group->listed++] = stream;
}

/* The links of a path are looked at in the next solution. */
static bool soil(struct fair_flows *equal, const struct net_route_links *path)
{
    if (!orr_fair_room(equal, &equal->dirty, &equal->dirty_room, equal->dirty_count + path->hops)) {
        return false;
    }
    for (uint32_t h = 0; h < path->hops; h++) {
        equal_soil(equal, path->link[h]);
    }
    return true;
}

void orr_fair_add(struct net_flows *flows, uint32_t index, uint32_t count)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    const struct net_route_links path = equal_path(flows, stream);
    const bool held = stream->holder != FAIR_NONE;
    const double rate = held ? equal->link[stream->holder].level * count : 0;
    for (uint32_t h = 0; h < path.hops; h++) {
        struct fair_link *link = &equal->link[path.link[h]];
        link->flows += count;
        link->free -= rate;
        if (stream->flows == 0) {
            list(equal, &equal->group[path.link[h]], index);
        }
    }
    if (stream->flows == 0) {
        equal_set_live(equal, index);
    }
    stream->flows += count;
    if (held) {
        row_add_path(flows, stream, count);
    }
    (void)soil(equal, &path);
}

void orr_fair_take(struct net_flows *flows, uint32_t index, uint32_t count)
{
    struct fair_flows *equal = equal_of(flows);
    struct fair_flow_class *stream = &equal->stream[index];
    const struct net_route_links path = equal_path(flows, stream);
    const bool held = stream->holder != FAIR_NONE;
    const double rate = held ? equal->link[stream->holder].level * count : 0;
    for (uint32_t h = 0; h < path.hops; h++) {
        struct fair_link *link = &equal->link[path.link[h]];
        link->flows -= count;
        link->free = link->flows == 0 ? link->capacity : link->free + rate;
        equal->group[path.link[h]].streams -= stream->flows == count ? 1 : 0;
    }
    if (held && stream->flows == count) {
        orr_fair_let_go(flows, index);
    } else if (held) {
        row_add_path(flows, stream, 0 - count);
    }
    stream->flows -= count;
    (void)soil(equal, &path);
}
