/* Heaps of flow classes and flows; see flow_heap.h. */
#include "network/flows/flow_heap.h"

#define NONE UINT32_MAX

/* ---- by time ---- */

enum { ARITY = 4 };

bool orr_due_heap_grow(struct due_heap *due, size_t alloc)
{
    struct due *heap = orr_heap_realloc(due->heap, alloc * sizeof *heap);
    due->heap = heap != NULL ? heap : due->heap;
    uint32_t *position = orr_heap_realloc(due->position, alloc * sizeof *position);
    due->position = position != NULL ? position : due->position;
    sim_time *time = orr_heap_realloc(due->time, alloc * sizeof *time);
    due->time = time != NULL ? time : due->time;
    if (heap == NULL || position == NULL || time == NULL) {
        return false;
    }
    for (; due->alloc < alloc; due->alloc++) {
        position[due->alloc] = NONE;
        time[due->alloc] = ORR_TIME_MAX;
    }
    return true;
}

void orr_due_heap_fini(struct due_heap *due)
{
    orr_heap_free(due->heap);
    orr_heap_free(due->position);
    orr_heap_free(due->time);
}

static inline bool before(struct due one, struct due other)
{
    return one.time < other.time || (one.time == other.time && one.number < other.number);
}

static inline void put(struct due_heap *due, size_t at, struct due item)
{
    due->heap[at] = item;
    due->position[item.number] = (uint32_t)at;
}

static size_t sift_up(struct due_heap *due, size_t at, struct due item)
{
    while (at > 0 && before(item, due->heap[(at - 1) / ARITY])) {
        put(due, at, due->heap[(at - 1) / ARITY]);
        at = (at - 1) / ARITY;
    }
    return at;
}

static size_t sift_down(struct due_heap *due, size_t at, struct due item)
{
    const struct due *heap = due->heap;
    for (size_t child = ARITY * at + 1; child < due->count; child = ARITY * at + 1) {
        const size_t end = child + ARITY < due->count ? child + ARITY : due->count;
        size_t first = child;
        for (size_t other = child + 1; other < end; other++) {
            first = before(heap[other], heap[first]) ? other : first;
        }
        if (!before(heap[first], item)) {
            break;
        }
        put(due, at, heap[first]);
        at = first;
    }
    return at;
}

static void settle(struct due_heap *due, size_t at, struct due item)
{
    const size_t up = sift_up(due, at, item);
    put(due, up < at ? up : sift_down(due, at, item), item);
}

static void remove_at(struct due_heap *due, size_t at)
{
    const struct due last = due->heap[--due->count];
    due->position[due->heap[at].number] = NONE;
    if (at < due->count) {
        settle(due, at, last);
    }
}

void orr_due_heap_move(struct due_heap *due, uint32_t number, sim_time time)
{
    const uint32_t position = due->position[number];
    due->time[number] = time;
    if (time == ORR_TIME_MAX) {
        if (position != NONE) {
            remove_at(due, position);
        }
    } else if (position == NONE || time < due->heap[position].time) {
        settle(due, position == NONE ? due->count++ : position,
               (struct due){.time = time, .number = number});
    }
}

sim_time orr_due_heap_next(struct due_heap *due)
{
    if (due->count == 0) {
        return ORR_TIME_MAX;
    }
    struct due top = due->heap[0];
    while (due->time[top.number] != top.time) {
        top.time = due->time[top.number];
        put(due, sift_down(due, 0, top), top);
        top = due->heap[0];
    }
    return top.time;
}

uint32_t orr_due_heap_top(const struct due_heap *due)
{
    return due->heap[0].number;
}

/* ---- the flows of a class ---- */

uint32_t orr_flow_heap_meld(const struct orr_slab *records, uint32_t first, uint32_t other)
{
    if (first == NONE || other == NONE) {
        return first == NONE ? other : first;
    }
    struct flow_record *a = flow_record_at(records, first), *b = flow_record_at(records, other);
    if (b->target < a->target) {
        a->sibling = b->child;
        b->child = first;
        return other;
    }
    b->sibling = a->child;
    a->child = other;
    return first;
}

/* Two-pass pop of a pairing heap: melds the children in pairs from the first on, then the pairs
 * from the last on. */
uint32_t orr_flow_heap_pop(const struct orr_slab *records, uint32_t top)
{
    uint32_t pairs = NONE, rest = flow_record_at(records, top)->child;
    while (rest != NONE) {
        const uint32_t first = rest, second = flow_record_at(records, first)->sibling;
        rest = second == NONE ? NONE : flow_record_at(records, second)->sibling;
        const uint32_t pair = orr_flow_heap_meld(records, first, second);
        flow_record_at(records, pair)->sibling = pairs;
        pairs = pair;
    }
    uint32_t heap = NONE;
    while (pairs != NONE) {
        const uint32_t next = flow_record_at(records, pairs)->sibling;
        heap = orr_flow_heap_meld(records, pairs, heap);
        pairs = next;
    }
    return heap;
}
