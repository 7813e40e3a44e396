/* Heaps of the max-min solver: see maxmin_private.h. */
#include "network/flows/maxmin_private.h"

#include <math.h>

static bool reserve_item(struct maxmin *problem, struct item_heap *heap)
{
    const bool reserved =
        orr_heap_reserve(&heap->item, &heap->alloc, heap->count + 1, sizeof *heap->item);
    problem->failed |= !reserved;
    return reserved;
}

/* ---- links, with their positions ---- */

static inline void put(struct maxmin *problem, size_t at, struct item item)
{
    problem->link_heap.item[at] = item;
    problem->position[item.id] = (uint32_t)at;
}

static void link_down(struct maxmin *problem, struct item moved)
{
    const struct item *heap = problem->link_heap.item;
    const size_t count = problem->link_heap.count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1].level < heap[child].level) {
            child++;
        }
        if (heap[child].level >= moved.level) {
            break;
        }
        put(problem, at, heap[child]);
        at = child;
    }
    put(problem, at, moved);
}

void orr_maxmin_link_at(struct maxmin *problem, uint32_t link, double level)
{
    const struct item moved = {.level = level, .id = link};
    size_t at = problem->position[link];
    if (at == MAXMIN_NONE) {
        if (!reserve_item(problem, &problem->link_heap)) {
            return;
        }
        at = problem->link_heap.count++;
    } else if (problem->link_heap.item[at].level <= level) {
        return; /* noticed when the link is at the top */
    }
    while (at > 0 && level < problem->link_heap.item[(at - 1) / 2].level) {
        put(problem, at, problem->link_heap.item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(problem, at, moved);
}

void orr_maxmin_top_link_at(struct maxmin *problem, double level)
{
    link_down(problem, (struct item){.level = level, .id = problem->link_heap.item[0].id});
}

void orr_maxmin_top_link_out(struct maxmin *problem)
{
    struct item_heap *heap = &problem->link_heap;
    problem->position[heap->item[0].id] = MAXMIN_NONE;
    if (--heap->count > 0) {
        link_down(problem, heap->item[heap->count]);
    }
}

/* ---- members at their bounds ---- */

void orr_maxmin_bound_at(struct maxmin *problem, uint32_t flow, uint32_t members, double level)
{
    if (!orr_heap_reserve(&problem->coming, &problem->coming_alloc, problem->coming_count + 1,
                          sizeof *problem->coming)) {
        problem->failed = true;
        return;
    }
    problem->coming[problem->coming_count++] =
        (struct bound){.level = level, .flow = flow, .members = members};
    problem->min_coming = level < problem->min_coming ? level : problem->min_coming;
}

static void push_bound(struct maxmin *problem, struct item item)
{
    struct item_heap *heap = &problem->bounds;
    if (!reserve_item(problem, heap)) {
        return;
    }
    size_t at = heap->count++;
    for (; at > 0 && item.level < heap->item[(at - 1) / 2].level; at = (at - 1) / 2) {
        heap->item[at] = heap->item[(at - 1) / 2];
    }
    heap->item[at] = item;
}

/* Inserts each member separately, so that equal levels have the order of single flows. */
static void push_coming(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->coming_count; i++) {
        const struct bound *bound = &problem->coming[i];
        for (uint32_t m = 0; m < bound->members; m++) {
            push_bound(problem, (struct item){.level = bound->level, .id = bound->flow});
        }
    }
    problem->coming_count = 0;
    problem->min_coming = INFINITY;
}

bool orr_maxmin_bound_is_next(struct maxmin *problem)
{
    const double link = problem->link_heap.item[0].level;
    const struct item_heap *heap = &problem->bounds;
    if (!(problem->min_coming < link) && (heap->count == 0 || heap->item[0].level >= link)) {
        return false;
    }
    push_coming(problem);
    return heap->count != 0; /* else out of memory */
}

void orr_maxmin_top_bound_out(struct maxmin *problem)
{
    struct item_heap *heap = &problem->bounds;
    const struct item moved = heap->item[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && heap->item[child + 1].level < heap->item[child].level) {
            child++;
        }
        if (heap->item[child].level >= moved.level) {
            break;
        }
        heap->item[at] = heap->item[child];
        at = child;
    }
    heap->item[at] = moved;
}
