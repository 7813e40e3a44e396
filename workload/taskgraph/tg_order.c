/* Topological order of a task graph, or the cycle that prevents it; see tg_graph.h. Kahn's
 * algorithm with a heap of numbers. If all dependencies lead to larger numbers, the order is that
 * of the numbers, and this is skipped. */
#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"

#include <string.h>

struct sorter {
    const struct tg_graph *graph;
    uint32_t *waiting; /* [tasks], unfinished predecessors */
    uint32_t *heap;    /* [tasks] */
    uint32_t count;
};

static void push(struct sorter *sorter, uint32_t task)
{
    uint32_t *heap = sorter->heap, at = sorter->count++;
    for (; at > 0 && task < heap[(at - 1) / 2]; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = task;
}

static uint32_t pop(struct sorter *sorter)
{
    uint32_t *heap = sorter->heap, at = 0;
    const uint32_t first = heap[0], task = heap[--sorter->count], count = sorter->count;
    for (uint32_t child; at < count / 2; at = child) {
        child = 2 * at + 1;
        child += child + 1 < count && heap[child + 1] < heap[child] ? 1 : 0;
        if (task <= heap[child]) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = task;
    return first;
}

static void count_waiting(struct sorter *sorter)
{
    for (uint32_t e = 0; e < sorter->graph->nexts; e++) {
        sorter->waiting[sorter->graph->next[e]]++;
    }
    for (uint32_t i = 0; i < sorter->graph->tasks; i++) {
        if (sorter->waiting[i] == 0) {
            push(sorter, i);
        }
    }
}

/* Returns the number of tasks that were ordered. */
static uint32_t sort(struct sorter *sorter, uint32_t *order)
{
    uint32_t done = 0, count;
    count_waiting(sorter);
    while (sorter->count != 0) {
        const uint32_t task = pop(sorter);
        const uint32_t *next = orr_tg_next(sorter->graph, task, &count);
        order[done++] = task;
        for (uint32_t i = 0; i < count; i++) {
            if (--sorter->waiting[next[i]] == 0) {
                push(sorter, next[i]);
            }
        }
    }
    return done;
}

/* ---- cycles ---- */

/* For each stuck task: the smallest stuck predecessor; in the heap's memory, which is free. */
static void find_stuck(const struct sorter *sorter)
{
    const struct tg_graph *graph = sorter->graph;
    for (uint32_t i = graph->tasks, count; i-- > 0;) {
        const uint32_t *next = orr_tg_next(graph, i, &count);
        for (uint32_t n = 0; n < count && sorter->waiting[i] != 0; n++) {
            sorter->heap[next[n]] = i;
        }
    }
}

/* Walking from a stuck task to stuck predecessors reaches a cycle. */
static uint32_t find_cycle(const struct sorter *sorter)
{
    uint32_t task = 0;
    while (sorter->waiting[task] == 0) {
        task++;
    }
    for (uint32_t i = 0; i < sorter->graph->tasks; i++) {
        task = sorter->heap[task];
    }
    return task;
}

static enum orr_status report_cycle(const struct sorter *sorter, uint32_t *cycle,
                                    struct orr_diag *diag)
{
    const struct tg_graph *graph = sorter->graph;
    char label[TG_LABEL_BYTES];
    uint32_t length = 0;
    find_stuck(sorter);
    const uint32_t last = find_cycle(sorter);
    uint32_t task = last;
    do {
        cycle[length++] = task;
        task = sorter->heap[task];
    } while (task != last);
    const enum orr_status status = orr_tg_fail(
        graph, last, diag, "expected tasks without a cycle, got one of %u", (unsigned)length);
    for (uint32_t i = length; i-- > 0 && diag != NULL;) {
        orr_diag_append(diag, "%s%s", i + 1 == length ? ": " : " -> ",
                        orr_tg_label(graph, cycle[i], label));
    }
    if (diag != NULL) {
        orr_diag_append(diag, " -> %s", orr_tg_label(graph, cycle[length - 1], label));
    }
    return status;
}

/* ---- the order ---- */

static bool is_ascending(const struct tg_graph *graph)
{
    for (uint32_t i = 0, count; i < graph->tasks; i++) {
        const uint32_t *next = orr_tg_next(graph, i, &count);
        for (uint32_t n = 0; n < count; n++) {
            if (next[n] <= i) {
                return false;
            }
        }
    }
    return true;
}

/* Checks the graph's own order; position[task]: its position, plus one. */
static enum orr_status check_graph_order(const struct tg_graph *graph, uint32_t *position,
                                         struct orr_diag *diag)
{
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const uint32_t task = graph->order[i];
        if (task >= graph->tasks || position[task] != 0) {
            const struct orr_location file =
                orr_location_file(graph->file != NULL ? graph->file : "");
            return orr_diag_fail(diag, ORR_ERR_INPUT, graph->file != NULL ? &file : NULL,
                                 "order[%u]: expected each of the %u tasks once, got %u",
                                 (unsigned)i, (unsigned)graph->tasks, (unsigned)task);
        }
        position[task] = i + 1;
    }
    for (uint32_t i = 0, count; i < graph->tasks; i++) {
        const uint32_t *next = orr_tg_next(graph, i, &count);
        for (uint32_t n = 0; n < count; n++) {
            if (position[next[n]] < position[i]) {
                return orr_tg_fail(
                    graph, next[n], diag,
                    "expected a position in the order after tasks[%u], got one before",
                    (unsigned)i);
            }
        }
    }
    return ORR_OK;
}

static enum orr_status order_by_number(const struct tg_graph *graph, uint32_t *order,
                                       struct orr_arena *scratch, struct orr_diag *diag)
{
    struct sorter sorter = {.graph = graph,
                            .waiting = orr_arena_array(scratch, graph->tasks, sizeof(uint32_t)),
                            .heap = orr_arena_array(scratch, graph->tasks, sizeof(uint32_t))};
    if (sorter.waiting == NULL || sorter.heap == NULL) {
        return orr_diag_no_memory(diag, "the order of a task graph");
    }
    return sort(&sorter, order) == graph->tasks ? ORR_OK : report_cycle(&sorter, order, diag);
}

static enum orr_status order_with(const struct tg_graph *graph, uint32_t *order,
                                  struct orr_arena *scratch, struct orr_diag *diag)
{
    if (graph->order == NULL) {
        return order_by_number(graph, order, scratch, diag);
    }
    uint32_t *position = orr_arena_array(scratch, graph->tasks, sizeof *position);
    if (position == NULL) {
        return orr_diag_no_memory(diag, "the order of a task graph");
    }
    memcpy(order, graph->order, graph->tasks * sizeof *order);
    return check_graph_order(graph, position, diag);
}

enum orr_status orr_tg_order(const struct tg_graph *graph, uint32_t *order, struct orr_diag *diag)
{
    if (graph->order == NULL && is_ascending(graph)) {
        for (uint32_t i = 0; i < graph->tasks; i++) {
            order[i] = i;
        }
        return ORR_OK;
    }
    struct orr_arena *scratch = orr_arena_create();
    const enum orr_status status = scratch != NULL
                                       ? order_with(graph, order, scratch, diag)
                                       : orr_diag_no_memory(diag, "the order of a task graph");
    orr_arena_destroy(scratch);
    return status;
}
