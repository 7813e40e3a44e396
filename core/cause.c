/* Causes as counted records in a slab; see cause.h. Invariant: the parts of a record add up to its
 * time, and the current cause is never later than the event being handled. */
#include "core/cause.h"

#include <string.h>

#include "core/diag.h"

struct record {
    uint32_t references; /* must be first: overlaps the slab's free list */
    uint32_t mark;
    sim_time time;
    sim_time part[];
};

struct orr_causes {
    struct orr_slab records, marks;
    orr_cause current;
    unsigned parts;
    bool failed;
    bool without_marks;
};

static struct record *record_at(const struct orr_causes *causes, orr_cause cause)
{
    return orr_slab_at(&causes->records, cause);
}

static size_t record_bytes(const struct orr_causes *causes)
{
    return sizeof(struct record) + causes->parts * sizeof(sim_time);
}

struct orr_causes *orr_causes_create(struct orr_arena *arena, unsigned parts)
{
    struct orr_causes *causes = orr_arena_alloc(arena, sizeof *causes);
    if (causes == NULL) {
        return NULL;
    }
    causes->parts = parts;
    orr_slab_init(&causes->records, arena, record_bytes(causes));
    orr_slab_init(&causes->marks, arena, sizeof(struct orr_mark));
    const uint32_t root = orr_slab_new(&causes->records);
    if (root != ORR_CAUSE_ROOT) {
        return NULL;
    }
    memset(record_at(causes, root), 0, record_bytes(causes));
    *record_at(causes, root) = (struct record){.references = 2, .mark = ORR_MARK_NONE};
    causes->current = root;
    return causes;
}

void orr_causes_keep_plain(struct orr_causes *causes)
{
    causes->without_marks = true;
}

bool orr_causes_failed(const struct orr_causes *causes)
{
    return causes->failed;
}

sim_time orr_cause_part(const struct orr_causes *causes, orr_cause cause, unsigned part)
{
    ORR_ASSERT(part < causes->parts);
    return record_at(causes, cause)->part[part];
}

uint32_t orr_cause_mark(const struct orr_causes *causes, orr_cause cause)
{
    return record_at(causes, cause)->mark;
}

struct orr_mark orr_mark_at(const struct orr_causes *causes, uint32_t mark)
{
    return *(const struct orr_mark *)orr_slab_at(&causes->marks, mark);
}

static orr_cause share(struct orr_causes *causes, orr_cause cause)
{
    record_at(causes, cause)->references++;
    return cause;
}

static void release(struct orr_causes *causes, orr_cause cause)
{
    if (cause != ORR_CAUSE_ROOT && --record_at(causes, cause)->references == 0) {
        orr_slab_free(&causes->records, cause);
    }
}

/* A new record equal to `cause`, or the root when memory is out. */
static orr_cause copy(struct orr_causes *causes, orr_cause cause)
{
    const uint32_t made = orr_slab_new(&causes->records);
    if (made == ORR_SLAB_NONE) {
        causes->failed = true;
        return share(causes, ORR_CAUSE_ROOT);
    }
    memcpy(record_at(causes, made), record_at(causes, cause), record_bytes(causes));
    record_at(causes, made)->references = 1;
    return made;
}

static orr_cause grow(struct orr_causes *causes, orr_cause cause, unsigned part, sim_time until)
{
    const sim_time spent = until - record_at(causes, cause)->time;
    if (spent <= 0) {
        return share(causes, cause);
    }
    const orr_cause grown = copy(causes, cause);
    struct record *record = record_at(causes, grown);
    if (!causes->failed) {
        record->part[part] += spent;
        record->time = until;
    }
    return grown;
}

orr_cause orr_cause_current(const struct orr_causes *causes)
{
    return causes != NULL ? causes->current : ORR_CAUSE_ROOT;
}

orr_cause orr_cause_hold(struct orr_causes *causes, unsigned part, sim_time until)
{
    return causes != NULL ? grow(causes, causes->current, part, until) : ORR_CAUSE_ROOT;
}

void orr_cause_drop(struct orr_causes *causes, orr_cause cause)
{
    if (causes != NULL) {
        release(causes, cause);
    }
}

void orr_cause_begin(struct orr_causes *causes, orr_cause cause)
{
    if (causes != NULL) {
        release(causes, causes->current);
        causes->current = cause;
    }
}

orr_cause orr_cause_enter(struct orr_causes *causes, orr_cause cause)
{
    if (causes == NULL) {
        return ORR_CAUSE_ROOT;
    }
    const orr_cause before = causes->current;
    causes->current = share(causes, cause);
    return before;
}

void orr_cause_leave(struct orr_causes *causes, orr_cause before)
{
    if (causes != NULL) {
        release(causes, causes->current);
        causes->current = before;
    }
}

void orr_cause_spend(struct orr_causes *causes, unsigned part, sim_time until)
{
    if (causes != NULL) {
        const orr_cause grown = grow(causes, causes->current, part, until);
        release(causes, causes->current);
        causes->current = grown;
    }
}

static void set_mark(struct orr_causes *causes, uint32_t mark)
{
    const orr_cause marked = copy(causes, causes->current);
    if (!causes->failed) {
        record_at(causes, marked)->mark = mark;
    }
    release(causes, causes->current);
    causes->current = marked;
}

void orr_cause_add_mark(struct orr_causes *causes, uint32_t entity, uint32_t item, sim_time time)
{
    if (causes == NULL || causes->without_marks) {
        return;
    }
    const uint32_t mark = orr_slab_new(&causes->marks);
    if (mark == ORR_SLAB_NONE) {
        causes->failed = true;
        return;
    }
    *(struct orr_mark *)orr_slab_at(&causes->marks, mark) =
        (struct orr_mark){.previous = orr_cause_mark(causes, causes->current),
                          .entity = entity,
                          .item = item,
                          .time = time};
    set_mark(causes, mark);
}

void orr_cause_follow(struct orr_causes *causes, orr_cause reference, unsigned part, sim_time until)
{
    if (causes == NULL || causes->without_marks) {
        return;
    }
    const uint32_t own_mark = orr_cause_mark(causes, causes->current);
    const orr_cause grown = grow(causes, reference, part, until);
    release(causes, causes->current);
    causes->current = grown;
    if (own_mark != ORR_MARK_NONE) {
        ((struct orr_mark *)orr_slab_at(&causes->marks, own_mark))->previous =
            orr_cause_mark(causes, reference);
        set_mark(causes, own_mark);
    }
}

/* ---- joins: what waits for several events ---- */

static int order_of(sim_time a, sim_time b)
{
    return (a > b) - (a < b);
}

/* Order of two causes, > 0 if `a` wins: later time, then the parts, then the last marks. 0:
 * indistinguishable. */
static int compare(const struct orr_causes *causes, orr_cause a, orr_cause b)
{
    const struct record *first = record_at(causes, a), *second = record_at(causes, b);
    int order = order_of(first->time, second->time);
    for (unsigned p = 0; p < causes->parts && order == 0; p++) {
        order = order_of(first->part[p], second->part[p]);
    }
    if (order != 0 || first->mark == ORR_MARK_NONE || second->mark == ORR_MARK_NONE) {
        return order != 0 ? order
                          : (first->mark != ORR_MARK_NONE) - (second->mark != ORR_MARK_NONE);
    }
    const struct orr_mark one = orr_mark_at(causes, first->mark),
                          other = orr_mark_at(causes, second->mark);
    order = order_of(one.time, other.time);
    return order != 0 ? order : order_of(one.item, other.item);
}

void orr_cause_join(struct orr_causes *causes, struct orr_cause_last *last, sim_time until,
                    bool newest)
{
    if (causes == NULL) {
        return;
    }
    const orr_cause candidate = grow(causes, causes->current, ORR_PART_OTHER, until);
    const int order = last->any ? compare(causes, candidate, last->cause) : 1;
    if (order > 0 || (order == 0 && newest)) {
        orr_cause_forget(causes, last);
        *last = (struct orr_cause_last){.cause = candidate, .any = true};
    } else {
        release(causes, candidate);
    }
}

orr_cause orr_cause_joined(struct orr_causes *causes, struct orr_cause_last *last)
{
    if (causes == NULL) {
        return ORR_CAUSE_ROOT;
    }
    const orr_cause before = causes->current;
    causes->current = last->any ? last->cause : share(causes, before);
    last->any = false;
    return before;
}

void orr_cause_forget(struct orr_causes *causes, struct orr_cause_last *last)
{
    if (causes != NULL && last->any) {
        release(causes, last->cause);
        last->any = false;
    }
}
