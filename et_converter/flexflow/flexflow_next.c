/* See flexflow_next.h. */
#include "et_converter/flexflow/flexflow_next.h"

#include <stdlib.h>

bool orr_flexflow_next_init(struct flexflow_next *next, const struct flexflow_plan *plan,
                            struct orr_arena *arena)
{
    const size_t tasks = plan->graph->tasks;
    *next = (struct flexflow_next){.plan = plan, .arena = arena};
    next->node = orr_arena_array(arena, tasks, sizeof *next->node);
    next->first = orr_arena_array(arena, tasks + 1, sizeof *next->first);
    next->place = orr_arena_array(arena, tasks, sizeof *next->place);
    return next->node != NULL && next->first != NULL && next->place != NULL;
}

bool orr_flexflow_next_add(struct flexflow_next *next, uint32_t task, uint32_t behind,
                           uint64_t node)
{
    struct flexflow_edge *grown =
        orr_arena_grow(next->arena, next->edge, &next->edge_room, next->edges + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    next->edge = grown;
    grown[next->edges++] = (struct flexflow_edge){.task = task, .behind = behind, .node = node};
    return true;
}

static int by_task(const void *left, const void *right)
{
    const struct flexflow_edge *a = left, *b = right;
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->behind > b->behind) - (a->behind < b->behind);
}

bool orr_flexflow_next_sort(struct flexflow_next *next)
{
    next->ids = orr_arena_array(next->arena, next->edges + 1, sizeof *next->ids);
    if (next->ids == NULL) {
        return false;
    }
    if (next->edges != 0) {
        qsort(next->edge, next->edges, sizeof *next->edge, by_task);
    }
    size_t at = 0;
    for (size_t task = 0; task < next->plan->graph->tasks; task++) {
        next->first[task] = at;
        while (at < next->edges && next->edge[at].task == task) {
            at++;
        }
    }
    next->first[next->plan->graph->tasks] = at;
    return true;
}

/* The edge of a task to one that waits for it, or NULL: they are sorted. */
static const struct flexflow_edge *edge_to(const struct flexflow_next *next, uint32_t task,
                                           uint32_t behind)
{
    size_t low = next->first[task], high = next->first[task + 1];
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (next->edge[middle].behind < behind) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && next->edge[low].behind == behind ? &next->edge[low] : NULL;
}

struct orr_deps orr_flexflow_next_of(struct flexflow_next *next, uint32_t task)
{
    const struct flexflow_task *from = &next->plan->graph->task[task];
    const bool reduces = next->plan->step[task].role == FLEXFLOW_REDUCES;
    size_t count = 0;
    bool ascending = true;
    for (uint64_t n = 0; n < from->next_count && !reduces; n++) {
        const uint32_t behind = next->plan->next[from->first_next + n];
        const struct flexflow_edge *edge = edge_to(next, task, behind);
        if (edge == NULL || next->place[behind] == task + 1) {
            continue; /* it is told otherwise, or again */
        }
        next->place[behind] = task + 1;
        const uint64_t id = edge->node != FLEXFLOW_NEXT_ITSELF ? edge->node : next->node[behind];
        ascending = ascending && (count == 0 || next->ids[count - 1] < id);
        next->ids[count++] = id;
    }
    return (struct orr_deps){.ids = next->ids, .count = ascending ? 0 : count};
}
