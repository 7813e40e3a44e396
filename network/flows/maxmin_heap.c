/* The heaps of max-min problems: see maxmin_private.h. */
#include "network/flows/maxmin_private.h"

static bool has_room(struct maxmin *problem, struct item_heap *heap)
{
    if (heap->count < heap->room) {
        return true;
    }
    const size_t room = heap->room == 0 ? 64 : heap->room * 2;
    struct item *grown = orr_heap_realloc(heap->item, room * sizeof *grown);
    if (grown == NULL) {
        problem->failed = true;
        return false;
    }
    heap->item = grown;
    heap->room = room;
    return true;
}

/* ---- links, which know their place ---- */

static inline void put(struct maxmin *problem, size_t at, struct item item)
{
    problem->link_heap.item[at] = item;
    problem->link[item.what].place = (uint32_t)at;
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
    const struct item moved = {.level = level, .what = link};
    size_t at = problem->link[link].place;
    if (at == MAXMIN_NONE) {
        if (!has_room(problem, &problem->link_heap)) {
            return;
        }
        at = problem->link_heap.count++;
    } else if (problem->link_heap.item[at].level <= level) {
        return; /* found to be higher when it is at the top */
    }
    while (at > 0 && level < problem->link_heap.item[(at - 1) / 2].level) {
        put(problem, at, problem->link_heap.item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(problem, at, moved);
}

void orr_maxmin_top_link_at(struct maxmin *problem, double level)
{
    link_down(problem, (struct item){.level = level, .what = problem->link_heap.item[0].what});
}

void orr_maxmin_top_link_out(struct maxmin *problem)
{
    struct item_heap *heap = &problem->link_heap;
    problem->link[heap->item[0].what].place = MAXMIN_NONE;
    if (--heap->count > 0) {
        link_down(problem, heap->item[heap->count]);
    }
}

/* ---- flows at their bounds ---- */

void orr_maxmin_bound_at(struct maxmin *problem, uint32_t flow, double level)
{
    struct item_heap *heap = &problem->bounds;
    if (!has_room(problem, heap)) {
        return;
    }
    size_t at = heap->count++;
    for (; at > 0 && level < heap->item[(at - 1) / 2].level; at = (at - 1) / 2) {
        heap->item[at] = heap->item[(at - 1) / 2];
    }
    heap->item[at] = (struct item){.level = level, .what = flow};
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
