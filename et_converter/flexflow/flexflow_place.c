/* Placement of tasks that have times only, by interval partitioning; see flexflow_plan.h. An NPU
 * runs at most one computation and one delay (a transfer of unknown size) at a time. Tasks are
 * placed by ascending start, so the number of NPUs is minimal if no task prefers an NPU. */
#include <stdlib.h>

#include "core/arena.h"
#include "et_converter/flexflow/flexflow_plan.h"

#define NO_NPU UINT32_MAX

enum { RESOURCES = 2, TRANSFER_DEVICE = 5 /* COMM_MEMBUS */ };

struct timed_entry {
    double start_ms;
    uint32_t task;
};

/* One resource of all NPUs: a heap by the time at which it is free, with outdated entries. */
struct resource {
    double *free_ms;          /* [npus] */
    struct timed_entry *heap; /* start_ms: time when free; task: the NPU */
    size_t count;
};

struct placer {
    struct flexflow_graph *graph;
    struct resource resource[RESOURCES];
    uint32_t *preferred; /* [tasks] */
    uint32_t npus;
};

static int compare(const void *left, const void *right)
{
    const struct timed_entry *a = left, *b = right;
    if (a->start_ms != b->start_ms) {
        return a->start_ms < b->start_ms ? -1 : 1;
    }
    return (a->task > b->task) - (a->task < b->task);
}

static void push(struct resource *resource, struct timed_entry entry)
{
    size_t at = resource->count++;
    for (; at > 0 && compare(&entry, &resource->heap[(at - 1) / 2]) < 0; at = (at - 1) / 2) {
        resource->heap[at] = resource->heap[(at - 1) / 2];
    }
    resource->heap[at] = entry;
}

static void pop(struct resource *resource)
{
    const struct timed_entry entry = resource->heap[--resource->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < resource->count; at = child) {
        if (child + 1 < resource->count &&
            compare(&resource->heap[child + 1], &resource->heap[child]) < 0) {
            child++;
        }
        if (compare(&resource->heap[child], &entry) >= 0) {
            break;
        }
        resource->heap[at] = resource->heap[child];
    }
    if (resource->count != 0) {
        resource->heap[at] = entry;
    }
}

/* The NPU that has been free longest, or a new one. */
static uint32_t free_npu(struct placer *placer, unsigned index, double start_ms)
{
    struct resource *resource = &placer->resource[index];
    while (resource->count != 0 &&
           resource->heap[0].start_ms < resource->free_ms[resource->heap[0].task]) {
        pop(resource);
    }
    if (resource->count != 0 && resource->heap[0].start_ms <= start_ms) {
        return resource->heap[0].task;
    }
    const uint32_t npu = placer->npus++;
    for (unsigned i = 0; i < RESOURCES; i++) {
        push(&placer->resource[i], (struct timed_entry){.start_ms = 0, .task = npu});
    }
    return npu;
}

static void place_task(struct placer *placer, uint32_t index)
{
    struct flexflow_task *task = &placer->graph->task[index];
    const unsigned at = task->type == FLEXFLOW_COMM ? 1 : 0;
    struct resource *resource = &placer->resource[at];
    uint32_t npu = placer->preferred[index];
    if (npu == NO_NPU || resource->free_ms[npu] > task->start_ms) {
        npu = free_npu(placer, at, task->start_ms);
    }
    resource->free_ms[npu] = task->end_ms;
    push(resource, (struct timed_entry){.start_ms = task->end_ms, .task = npu});
    task->device = (uint64_t)RESOURCES * npu + at;
    for (uint64_t i = 0; i < task->next_count; i++) {
        uint32_t *preferred = &placer->preferred[placer->graph->next[task->first_next + i]];
        *preferred = *preferred == NO_NPU ? npu : *preferred;
    }
}

static enum orr_status make_devices(struct placer *placer, struct orr_arena *arena,
                                    struct orr_diag *diag)
{
    struct flexflow_graph *graph = placer->graph;
    graph->servers = placer->npus;
    graph->devices = (size_t)RESOURCES * placer->npus;
    graph->device = orr_arena_array(arena, graph->devices, sizeof *graph->device);
    if (graph->device == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    for (size_t i = 0; i < graph->devices; i++) {
        graph->device[i] = (struct flexflow_device){.id = i,
                                                    .server = i / RESOURCES,
                                                    .type = i % RESOURCES == 0 ? FLEXFLOW_COMP_GPU
                                                                               : TRANSFER_DEVICE};
    }
    return ORR_OK;
}

enum orr_status orr_flexflow_place(struct flexflow_graph *graph, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    const size_t tasks = graph->tasks;
    struct placer placer = {.graph = graph};
    struct timed_entry *order = orr_arena_array(arena, tasks, sizeof *order);
    placer.preferred = orr_arena_array(arena, tasks, sizeof *placer.preferred);
    bool made = order != NULL && placer.preferred != NULL;
    for (unsigned i = 0; i < RESOURCES; i++) {
        struct resource *resource = &placer.resource[i];
        resource->free_ms = orr_arena_array(arena, tasks, sizeof *resource->free_ms);
        resource->heap = orr_arena_array(arena, 2 * tasks, sizeof *resource->heap);
        made = made && resource->free_ms != NULL && resource->heap != NULL;
    }
    if (!made) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    for (size_t i = 0; i < tasks; i++) {
        order[i] = (struct timed_entry){.start_ms = graph->task[i].start_ms, .task = (uint32_t)i};
        placer.preferred[i] = NO_NPU;
    }
    qsort(order, tasks, sizeof *order, compare);
    for (size_t i = 0; i < tasks; i++) {
        place_task(&placer, order[i].task);
    }
    return make_devices(&placer, arena, diag);
}
