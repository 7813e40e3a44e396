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

/* The ids of the nodes behind a task, from the last on; how many. */
static size_t take_backwards(struct flexflow_next *next, uint32_t task)
{
    const struct flexflow_task *from = &next->plan->graph->task[task];
    size_t count = 0;
    for (uint64_t n = from->next_count; n-- > 0;) {
        const uint32_t behind = next->plan->next[from->first_next + n];
        const struct flexflow_edge *edge = edge_to(next, task, behind);
        if (edge == NULL || next->place[behind] == task + 1) {
            continue; /* it is told otherwise; or waits for the task several times, to the last */
        }
        next->place[behind] = task + 1;
        next->ids[count++] = edge->node != FLEXFLOW_NEXT_ITSELF ? edge->node : next->node[behind];
    }
    return count;
}

struct orr_deps orr_flexflow_next_of(struct flexflow_next *next, uint32_t task)
{
    const bool reduces = next->plan->step[task].role == FLEXFLOW_REDUCES;
    const size_t count = reduces ? 0 : take_backwards(next, task);
    uint64_t *ids = next->ids;
    bool ascending = true;
    for (size_t i = 0; i < count / 2; i++) {
        const uint64_t kept = ids[i];
        ids[i] = ids[count - 1 - i];
        ids[count - 1 - i] = kept;
    }
    for (size_t i = 1; i < count; i++) {
        ascending = ascending && ids[i - 1] < ids[i];
    }
    return (struct orr_deps){.ids = ids, .count = ascending ? 0 : count};
}
