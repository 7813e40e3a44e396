/* NPUs for tasks of which only the times are known; see flexflow_plan.h. An NPU computes one task
 * at a time, and has one delay (a transfer of unknown size) at a time beside it. Tasks are taken in
 * the order of their start; so the NPUs are as few as they can be when nobody asks for one. */
#include <stdlib.h>

#include "et_converter/flexflow/flexflow_plan.h"

#define NOWHERE UINT32_MAX

enum { LANES = 2, TRANSFER_DEVICE = 5 /* COMM_MEMBUS */ };

struct starting {
    double start_ms;
    uint32_t task;
};

/* NPUs of a lane by the time when they are free: a heap, in which what is outdated stays. */
struct lane {
    double *free_ms;       /* [npus] */
    struct starting *heap; /* start_ms: when free; task: the NPU */
    size_t count;
};

struct placer {
    struct flexflow_graph *graph;
    struct lane lane[LANES];
    uint32_t *wish; /* [tasks] */
    uint32_t npus;
};

static int compare(const void *left, const void *right)
{
    const struct starting *a = left, *b = right;
    if (a->start_ms != b->start_ms) {
        return a->start_ms < b->start_ms ? -1 : 1;
    }
    return (a->task > b->task) - (a->task < b->task);
}

static void push(struct lane *lane, struct starting entry)
{
    size_t at = lane->count++;
    for (; at > 0 && compare(&entry, &lane->heap[(at - 1) / 2]) < 0; at = (at - 1) / 2) {
        lane->heap[at] = lane->heap[(at - 1) / 2];
    }
    lane->heap[at] = entry;
}

static void pop(struct lane *lane)
{
    const struct starting entry = lane->heap[--lane->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < lane->count; at = child) {
        if (child + 1 < lane->count && compare(&lane->heap[child + 1], &lane->heap[child]) < 0) {
            child++;
        }
        if (compare(&lane->heap[child], &entry) >= 0) {
            break;
        }
        lane->heap[at] = lane->heap[child];
    }
    if (lane->count != 0) {
        lane->heap[at] = entry;
    }
}

/* The NPU that is free for the longest time, or a new one. */
static uint32_t free_npu(struct placer *placer, unsigned index, double start_ms)
{
    struct lane *lane = &placer->lane[index];
    while (lane->count != 0 && lane->heap[0].start_ms < lane->free_ms[lane->heap[0].task]) {
        pop(lane);
    }
    if (lane->count != 0 && lane->heap[0].start_ms <= start_ms) {
        return lane->heap[0].task;
    }
    const uint32_t npu = placer->npus++;
    for (unsigned i = 0; i < LANES; i++) {
        push(&placer->lane[i], (struct starting){.start_ms = 0, .task = npu});
    }
    return npu;
}

static void place(struct placer *placer, uint32_t index)
{
    struct flexflow_task *task = &placer->graph->task[index];
    const unsigned at = task->type == FLEXFLOW_COMM ? 1 : 0;
    struct lane *lane = &placer->lane[at];
    uint32_t npu = placer->wish[index];
    if (npu == NOWHERE || lane->free_ms[npu] > task->start_ms) {
        npu = free_npu(placer, at, task->start_ms);
    }
    lane->free_ms[npu] = task->end_ms;
    push(lane, (struct starting){.start_ms = task->end_ms, .task = npu});
    task->device = (uint64_t)LANES * npu + at;
    for (uint64_t i = 0; i < task->next_count; i++) {
        uint32_t *wish = &placer->wish[placer->graph->next[task->first_next + i]];
        *wish = *wish == NOWHERE ? npu : *wish;
    }
}

static enum orr_status make_devices(struct placer *placer, struct orr_arena *arena,
                                    struct orr_diag *diag)
{
    struct flexflow_graph *graph = placer->graph;
    graph->servers = placer->npus;
    graph->devices = (size_t)LANES * placer->npus;
    graph->device = orr_arena_array(arena, graph->devices, sizeof *graph->device);
    if (graph->device == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    for (size_t i = 0; i < graph->devices; i++) {
        graph->device[i] =
            (struct flexflow_device){.id = i,
                                     .server = i / LANES,
                                     .type = i % LANES == 0 ? FLEXFLOW_COMP_GPU : TRANSFER_DEVICE};
    }
    return ORR_OK;
}

enum orr_status orr_flexflow_place(struct flexflow_graph *graph, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    const size_t tasks = graph->tasks;
    struct placer placer = {.graph = graph};
    struct starting *order = orr_arena_array(arena, tasks, sizeof *order);
    placer.wish = orr_arena_array(arena, tasks, sizeof *placer.wish);
    bool made = order != NULL && placer.wish != NULL;
    for (unsigned i = 0; i < LANES; i++) {
        struct lane *lane = &placer.lane[i];
        lane->free_ms = orr_arena_array(arena, tasks, sizeof *lane->free_ms);
        lane->heap = orr_arena_array(arena, 2 * tasks, sizeof *lane->heap);
        made = made && lane->free_ms != NULL && lane->heap != NULL;
    }
    if (!made) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    for (size_t i = 0; i < tasks; i++) {
        order[i] = (struct starting){.start_ms = graph->task[i].start_ms, .task = (uint32_t)i};
        placer.wish[i] = NOWHERE;
    }
    qsort(order, tasks, sizeof *order, compare);
    for (size_t i = 0; i < tasks; i++) {
        place(&placer, order[i].task);
    }
    return make_devices(&placer, arena, diag);
}
