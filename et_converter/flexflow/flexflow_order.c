/* An order of the tasks of a graph, or the cycle that there is instead: Kahn's algorithm with a
 * heap of (earliest start, number). A task starts no earlier than what it waits for, so the order
 * is also that of the keys. */
#include <string.h>

#include "et_converter/flexflow/flexflow_plan.h"

struct sorter {
    struct flexflow_plan *plan;
    double *earliest_ms; /* [tasks] */
    uint32_t *waiting;   /* [tasks], tasks still to come before it */
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
    const struct flexflow_plan *plan = sorter->plan;
    const struct flexflow_task *task = &plan->graph->task[index];
    const double end_ms = sorter->earliest_ms[index] + task->runtime_ms;
    for (uint64_t i = 0; task->type != FLEXFLOW_ALLREDUCE && i < task->next_count; i++) {
        const uint32_t next = plan->next[task->first_next + i];
        if (sorter->earliest_ms[next] < end_ms) {
            sorter->earliest_ms[next] = end_ms;
        }
        if (--sorter->waiting[next] == 0) {
            push(sorter, next);
        }
    }
}

/* How many tasks found their place. */
static size_t sort(struct sorter *sorter)
{
    const struct flexflow_plan *plan = sorter->plan;
    size_t done = 0;
    for (uint32_t i = 0; i < plan->graph->tasks; i++) {
        sorter->waiting[i] = plan->first_prev[i + 1] - plan->first_prev[i];
        if (sorter->waiting[i] == 0) {
            push(sorter, i);
        }
    }
    while (sorter->count != 0) {
        const uint32_t task = pop(sorter);
        plan->order[done++] = task;
        release(sorter, task);
    }
    return done;
}

/* ---- cycles ---- */

/* Of what a task waits for, one that found no place either. */
static uint32_t stuck_before(const struct sorter *sorter, uint32_t task)
{
    const struct flexflow_plan *plan = sorter->plan;
    uint32_t at = plan->first_prev[task];
    while (sorter->waiting[plan->prev[at]] == 0) {
        at++;
    }
    return plan->prev[at];
}

/* Who walks back from a stuck task among stuck tasks comes into a cycle. */
static enum orr_status report_cycle(const struct sorter *sorter, struct orr_diag *diag)
{
    const struct flexflow_graph *graph = sorter->plan->graph;
    char label[FLEXFLOW_LABEL_BYTES];
    uint32_t task = 0;
    while (sorter->waiting[task] == 0) {
        task++;
    }
    for (size_t i = 0; i < graph->tasks; i++) {
        task = stuck_before(sorter, task);
    }
    uint32_t *cycle = sorter->heap; /* free now */
    size_t length = 0;
    const uint32_t last = task;
    do {
        cycle[length++] = task;
        task = stuck_before(sorter, task);
    } while (task != last);
    const enum orr_status status = orr_flexflow_fail(
        graph, last, diag, "expected tasks without a cycle, got one of %zu", length);
    for (size_t i = length; i-- > 0 && diag != NULL;) {
        orr_diag_append(diag, "%s%s", i + 1 == length ? ": " : " -> ",
                        orr_flexflow_label(graph, cycle[i], label));
    }
    if (diag != NULL) {
        orr_diag_append(diag, " -> %s", orr_flexflow_label(graph, cycle[length - 1], label));
    }
    return status;
}

enum orr_status orr_flexflow_order(struct flexflow_plan *plan, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    const size_t tasks = plan->graph->tasks;
    struct sorter sorter = {
        .plan = plan,
        .earliest_ms = orr_arena_array(arena, tasks, sizeof *sorter.earliest_ms),
        .waiting = orr_arena_array(arena, tasks, sizeof *sorter.waiting),
        .heap = orr_arena_array(arena, tasks, sizeof *sorter.heap),
    };
    if (sorter.earliest_ms == NULL || sorter.waiting == NULL || sorter.heap == NULL) {
        return orr_diag_no_memory(diag, "the order of a task graph");
    }
    return sort(&sorter) == tasks ? ORR_OK : report_cycle(&sorter, diag);
}
