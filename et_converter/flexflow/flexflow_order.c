/* Topological order of tasks by Kahn's algorithm with a heap of (earliest start, number); see
 * flexflow_order.h. No task starts before its predecessors, so tasks leave the heap by ascending
 * key. */
#include "et_converter/flexflow/flexflow_order.h"

#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"

struct sorter {
    const struct flexflow_graph *graph;
    const struct tg_graph *tasks;
    uint32_t *order;
    double *earliest_ms; /* [tasks] */
    uint32_t *waiting;   /* [tasks] predecessors that are not yet in the order */
    uint32_t *heap;
    size_t count;
};

static bool before(const struct sorter *sorter, uint32_t a, uint32_t b)
{
    const double left = sorter->earliest_ms[a], right = sorter->earliest_ms[b];
    return left < right || (left == right && a < b);
}

static void push(struct sorter *sorter, uint32_t task)
{
    size_t at = sorter->count++;
    while (at > 0 && before(sorter, task, sorter->heap[(at - 1) / 2])) {
        sorter->heap[at] = sorter->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sorter->heap[at] = task;
}

static uint32_t pop(struct sorter *sorter)
{
    const uint32_t first = sorter->heap[0];
    const uint32_t task = sorter->heap[--sorter->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < sorter->count; at = child) {
        if (child + 1 < sorter->count &&
            before(sorter, sorter->heap[child + 1], sorter->heap[child])) {
            child++;
        }
        if (!before(sorter, sorter->heap[child], task)) {
            break;
        }
        sorter->heap[at] = sorter->heap[child];
    }
    sorter->heap[at] = task;
    return first;
}

static void release(struct sorter *sorter, uint32_t index)
{
    const double end_ms = sorter->earliest_ms[index] + sorter->graph->task[index].runtime_ms;
    uint32_t count;
    const uint32_t *next = orr_tg_next(sorter->tasks, index, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sorter->earliest_ms[next[i]] < end_ms) {
            sorter->earliest_ms[next[i]] = end_ms;
        }
        if (--sorter->waiting[next[i]] == 0) {
            push(sorter, next[i]);
        }
    }
}

static void sort(struct sorter *sorter)
{
    const struct tg_graph *tasks = sorter->tasks;
    size_t done = 0;
    for (uint32_t e = 0; e < tasks->nexts; e++) {
        sorter->waiting[tasks->next[e]]++;
    }
    for (uint32_t i = 0; i < tasks->tasks; i++) {
        if (sorter->waiting[i] == 0) {
            push(sorter, i);
        }
    }
    while (sorter->count != 0) {
        const uint32_t task = pop(sorter);
        sorter->order[done++] = task;
        release(sorter, task);
    }
}

enum orr_status orr_flexflow_order(const struct flexflow_graph *graph, struct tg_graph *tasks,
                                   struct orr_arena *arena, struct orr_diag *diag)
{
    struct orr_arena *scratch = orr_arena_create();
    struct sorter sorter = {.graph = graph, .tasks = tasks};
    sorter.order = orr_arena_array(arena, tasks->tasks, sizeof *sorter.order);
    if (scratch != NULL) {
        sorter.earliest_ms = orr_arena_array(scratch, tasks->tasks, sizeof *sorter.earliest_ms);
        sorter.waiting = orr_arena_array(scratch, tasks->tasks, sizeof *sorter.waiting);
        sorter.heap = orr_arena_array(scratch, tasks->tasks, sizeof *sorter.heap);
    }
    const bool made = sorter.order != NULL && sorter.earliest_ms != NULL &&
                      sorter.waiting != NULL && sorter.heap != NULL;
    if (made) {
        sort(&sorter);
        tasks->order = sorter.order;
    }
    orr_arena_destroy(scratch);
    return made ? ORR_OK : orr_diag_no_memory(diag, "the order of a task graph");
}
