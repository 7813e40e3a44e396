/* Bottleneck groups of flow classes, their rows, and the classes over each link: see
 * fair_private.h. */
#include "network/flows/fair_private.h"

enum { MIN = 16 };
/* A clock restarts before its resolution reaches picoseconds. */
static const double max_served = 1e9;

bool orr_fair_reserve(struct fair_flows *fair, uint32_t **list, size_t *alloc, size_t count)
{
    if (count <= *alloc) {
        return true;
    }
    const size_t more = count + count / 2 + MIN;
    uint32_t *grown = orr_heap_realloc(*list, more * sizeof *grown);
    if (grown == NULL) {
        fair->failed = true;
        return false;
    }
    *list = grown;
    *alloc = more;
    return true;
}

/* ---- clocks ---- */

static void restart_clock(struct fair_flows *fair, uint32_t link)
{
    struct fair_bottleneck *group = &fair->group[link];
    for (uint32_t i = 0; i < group->ends; i++) {
        struct fair_completion *end = &group->end[i];
        struct fair_flow_class *class = &fair->class[end->class];
        if (class->version == end->version) {
            class->offset += group->served;
        }
        end->served -= group->served;
    }
    group->served = 0;
}

void orr_fair_advance(struct net_flows *flows, uint32_t link)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_bottleneck *group = &fair->group[link];
    const sim_time now = orr_evq_now(flows->config.queue);
    group->served += fair->link[link].level / PS_PER_S * (double)(now - group->since);
    group->since = now;
    if (group->served > max_served) {
        restart_clock(fair, link);
    }
}

/* ---- rows ---- */

/* Rows of more pairs than this have an index: a hash table of 1 + the position of a pair. */
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

/* Position of the link in the row; row->count: not found. */
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

static bool reserve_row(struct fair_row *row)
{
    if (row->count == row->alloc) {
        const uint32_t alloc = row->alloc + row->alloc / 2 + 6;
        struct fair_pair *grown = orr_heap_realloc(row->pair, alloc * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        row->pair = grown;
        row->alloc = alloc;
    }
    return true;
}

static bool append(struct fair_row *row, uint32_t link, uint32_t count)
{
    if (!reserve_row(row)) {
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

/* Moves entries after a freed slot to where a search finds them. */
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

/* Removes a pair; the last pair takes its position. */
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

/* Adds `count` flows of the group over a link, modulo 2^32, so that it can be negative. */
static void row_add(struct fair_flows *fair, struct fair_row *row, uint32_t link, uint32_t count)
{
    const uint32_t at = find(row, link);
    if (at == row->count) {
        fair->failed |= !append(row, link, count);
    } else if ((row->pair[at].flows += count) == 0) {
        drop(row, at);
    }
}

static void row_add_path(struct net_flows *flows, const struct fair_flow_class *class,
                         uint32_t count)
{
    struct fair_flows *fair = fair_of(flows);
    const struct net_route_links path = fair_path(flows, class);
    struct fair_row *row = &fair->group[class->holder].row;
    for (uint32_t h = 0; h < path.hops; h++) {
        row_add(fair, row, path.link[h], count);
    }
}

/* ---- members ---- */

void orr_fair_hold(struct net_flows *flows, uint32_t index, uint32_t link)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    struct fair_bottleneck *group = &fair->group[link];
    if (fair->link[link].held++ == 0) {
        group->served = 0;
        group->since = orr_evq_now(flows->config.queue);
        group->ends = 0;
    }
    class->holder = link;
    class->offset -= group->served;
    row_add_path(flows, class, class->flows);
    orr_fair_end_at(flows, index);
}

void orr_fair_release(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    row_add_path(flows, class, 0 - class->flows);
    class->offset += fair->group[class->holder].served;
    class->version++;
    fair->link[class->holder].held--;
    class->holder = FAIR_NONE;
}

/* ---- classes over links ---- */

/* Drops classes without flows, and duplicates. */
static void clean(struct fair_flows *fair, struct fair_bottleneck *group)
{
    const uint32_t mark = ++fair->marks;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < group->listed; i++) {
        struct fair_flow_class *class = &fair->class[group->on[i]];
        if (class->flows != 0 && class->mark != mark) {
            class->mark = mark;
            group->on[kept++] = group->on[i];
        }
    }
    group->listed = kept;
}

static void list(struct fair_flows *fair, struct fair_bottleneck *group, uint32_t class)
{
    group->classes++;
    if (group->listed != 0 && group->on[group->listed - 1] == class) {
        return;
    }
    if (group->listed >= 2 * group->classes + MIN) {
        clean(fair, group);
    }
    if (group->listed == group->on_alloc) {
        const uint32_t more = group->on_alloc + group->on_alloc / 2 + 4;
        uint32_t *grown = orr_heap_realloc(group->on, more * sizeof *grown);
        if (grown == NULL) {
            fair->failed = true;
            return;
        }
        group->on = grown;
        group->on_alloc = more;
    }
    group->on[group->listed++] = class;
}

/* Marks the links of a path for the next solution. */
static bool mark_links_dirty(struct fair_flows *fair, const struct net_route_links *path)
{
    if (!orr_fair_reserve(fair, &fair->dirty, &fair->dirty_alloc, fair->dirty_count + path->hops)) {
        return false;
    }
    for (uint32_t h = 0; h < path->hops; h++) {
        fair_mark_dirty(fair, path->link[h]);
    }
    return true;
}

void orr_fair_add(struct net_flows *flows, uint32_t index, uint32_t count)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    const struct net_route_links path = fair_path(flows, class);
    const bool held = class->holder != FAIR_NONE;
    const double rate = held ? fair->link[class->holder].level * count : 0;
    for (uint32_t h = 0; h < path.hops; h++) {
        struct fair_link *link = &fair->link[path.link[h]];
        link->flows += count;
        link->free -= rate;
        if (class->flows == 0) {
            list(fair, &fair->group[path.link[h]], index);
        }
    }
    if (class->flows == 0) {
        fair_set_live(fair, index);
    }
    class->flows += count;
    if (held) {
        row_add_path(flows, class, count);
    }
    (void)mark_links_dirty(fair, &path);
}

void orr_fair_subtract(struct net_flows *flows, uint32_t index, uint32_t count)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    const struct net_route_links path = fair_path(flows, class);
    const bool held = class->holder != FAIR_NONE;
    const double rate = held ? fair->link[class->holder].level * count : 0;
    for (uint32_t h = 0; h < path.hops; h++) {
        struct fair_link *link = &fair->link[path.link[h]];
        link->flows -= count;
        link->free = link->flows == 0 ? link->capacity : link->free + rate;
        fair->group[path.link[h]].classes -= class->flows == count ? 1 : 0;
    }
    if (held && class->flows == count) {
        orr_fair_release(flows, index);
    } else if (held) {
        row_add_path(flows, class, 0 - count);
    }
    class->flows -= count;
    (void)mark_links_dirty(fair, &path);
}
