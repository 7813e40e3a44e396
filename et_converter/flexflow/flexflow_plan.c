/* What the tasks of a graph are and where they run; see flexflow_plan.h. */
#include "et_converter/flexflow/flexflow_plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers by id, sorted. */
struct entry {
    uint64_t id;
    uint32_t index;
};

struct maker {
    struct flexflow_plan *plan;
    const struct flexflow_graph *graph;
    struct entry *tasks, *devices; /* sorted */
    struct orr_arena *arena;
    struct orr_diag *diag;
};

/* ---- messages ---- */

const char *orr_flexflow_task_type_name(unsigned type)
{
    static const char *const names[FLEXFLOW_TASK_TYPES] = {"FORWARD",   "BACKWARD", "COMM",
                                                           "UPDATE",    "BARRIER",  "NOMINAL_COMM",
                                                           "ALLREDUCE", "SEND",     "RECV"};
    return type < FLEXFLOW_TASK_TYPES ? names[type] : NULL;
}

const char *orr_flexflow_device_type_name(unsigned type)
{
    static const char *const names[FLEXFLOW_DEVICE_TYPES] = {
        "COMP_GPU",    "COMP_CPU",   "MEM_SYSTEM", "MEM_Z_COPY", "MEM_GPU_FB",
        "COMM_MEMBUS", "UPI_IN",     "UPI_OUT",    "NIC_IN",     "NIC_OUT",
        "PCI_TO_HOST", "PCI_TO_DEV", "NVLINK",     "NW_COMM",    "NW_NOMINAL"};
    return type < FLEXFLOW_DEVICE_TYPES ? names[type] : NULL;
}

char *orr_flexflow_label(const struct flexflow_graph *graph, size_t task,
                         char text[FLEXFLOW_LABEL_BYTES])
{
    const struct flexflow_task *at = &graph->task[task];
    if (at->node != NULL) {
        (void)snprintf(text, FLEXFLOW_LABEL_BYTES, "%.80s", at->node);
    } else {
        (void)snprintf(text, FLEXFLOW_LABEL_BYTES, "tasks[%zu] (%s %" PRIu64 ")", task,
                       orr_flexflow_task_type_name(at->type), at->id);
    }
    return text;
}

enum orr_status orr_flexflow_fail(const struct flexflow_graph *graph, size_t task,
                                  struct orr_diag *diag, const char *format, ...)
{
    char label[FLEXFLOW_LABEL_BYTES], message[512], offset[40] = "";
    const uint64_t at = graph->task[task].place;
    const bool line = !graph->byte_places && at != 0;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (graph->byte_places) {
        (void)snprintf(offset, sizeof offset, "byte offset %" PRIu64 ": ", at);
    }
    const struct orr_place place =
        line ? orr_place_text(graph->file, (unsigned)at, 1) : orr_place_file(graph->file);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%s: %s", offset,
                         orr_flexflow_label(graph, task, label), message);
}

static enum orr_status fail_device(const struct maker *maker, size_t device, const char *format,
                                   ...) ORR_PRINTF(3, 4);

static enum orr_status fail_device(const struct maker *maker, size_t device, const char *format,
                                   ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const struct orr_place place = orr_place_file(maker->graph->file);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                         "byte offset %" PRIu64 ": devices[%zu]: %s",
                         maker->graph->device[device].place, device, message);
}

/* ---- ids ---- */

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

/* The number of an id; UINT32_MAX when there is none. O(log count). */
static uint32_t find(const struct entry *sorted, size_t count, uint64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low].id == id ? sorted[low].index : UINT32_MAX;
}

static enum orr_status index_tasks(struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    for (size_t i = 0; i < graph->tasks; i++) {
        maker->tasks[i] = (struct entry){.id = graph->task[i].id, .index = (uint32_t)i};
    }
    qsort(maker->tasks, graph->tasks, sizeof *maker->tasks, compare);
    for (size_t i = 1; i < graph->tasks; i++) {
        if (maker->tasks[i].id == maker->tasks[i - 1].id) {
            return orr_flexflow_fail(graph, maker->tasks[i].index, maker->diag,
                                     "expected an id of its own, got that of tasks[%" PRIu32 "]",
                                     maker->tasks[i - 1].index);
        }
    }
    return ORR_OK;
}

static enum orr_status index_devices(struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    for (size_t i = 0; i < graph->devices; i++) {
        maker->devices[i] = (struct entry){.id = graph->device[i].id, .index = (uint32_t)i};
    }
    qsort(maker->devices, graph->devices, sizeof *maker->devices, compare);
    for (size_t i = 1; i < graph->devices; i++) {
        if (maker->devices[i].id == maker->devices[i - 1].id) {
            return fail_device(maker, maker->devices[i].index,
                               "expected an id of its own, got %" PRIu64 " of devices[%" PRIu32 "]",
                               maker->devices[i].id, maker->devices[i - 1].index);
        }
    }
    return ORR_OK;
}

/* ---- devices ---- */

/* Devices that must lie in a server, and accelerators of which a server may have one. */
static enum orr_status check_devices(const struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    uint32_t *accelerator = orr_arena_array(maker->arena, graph->servers, sizeof *accelerator);
    if (accelerator == NULL && graph->servers != 0) {
        return orr_diag_no_memory(maker->diag, "the devices of a task graph");
    }
    for (size_t i = 0; i < graph->devices; i++) {
        const struct flexflow_device *device = &graph->device[i];
        if (device->type != FLEXFLOW_COMP_GPU) {
            continue;
        }
        if (device->server >= graph->servers) {
            return fail_device(
                maker, i, "expected the nodeid of a COMP_GPU below nnode %" PRIu32 ", got %" PRIu64,
                graph->servers, device->server);
        }
        if (accelerator[device->server] != 0) {
            return fail_device(maker, i,
                               "expected one COMP_GPU in a server, got a second one of server "
                               "%" PRIu64 " beside devices[%" PRIu32 "]",
                               device->server, accelerator[device->server] - 1);
        }
        accelerator[device->server] = (uint32_t)i + 1;
    }
    return ORR_OK;
}

static enum orr_status step_of_transfer(const struct maker *maker, size_t task,
                                        const struct flexflow_device *device,
                                        struct flexflow_step *step)
{
    const struct flexflow_graph *graph = maker->graph;
    const uint64_t nodes = (uint64_t)graph->servers + graph->switches;
    const uint64_t from = nodes != 0 ? device->property / nodes : UINT64_MAX;
    const uint64_t to = nodes != 0 ? device->property % nodes : UINT64_MAX;
    if (from >= graph->servers || to >= graph->servers) {
        return orr_flexflow_fail(graph, task, maker->diag,
                                 "expected a transfer between two of the %" PRIu32
                                 " servers, got the device property %" PRIu64
                                 ", which is from node "
                                 "%" PRIu64 " to node %" PRIu64,
                                 graph->servers, device->property, from, to);
    }
    *step = (struct flexflow_step){.role = from == to ? FLEXFLOW_STAYS : FLEXFLOW_TRANSFERS,
                                   .from = (uint32_t)from,
                                   .to = (uint32_t)to};
    return ORR_OK;
}

/* Something that happens inside of a server. */
static enum orr_status step_inside(const struct maker *maker, size_t task,
                                   const struct flexflow_device *device, struct flexflow_step *step)
{
    const struct flexflow_graph *graph = maker->graph;
    const unsigned type = graph->task[task].type;
    const bool transfer = type == FLEXFLOW_COMM || type == FLEXFLOW_NOMINAL_COMM;
    const bool computes = device->type <= FLEXFLOW_COMP_CPU;
    if (transfer == computes) {
        return orr_flexflow_fail(graph, task, maker->diag, "expected a device of type %s, got %s",
                                 transfer ? "NW_NOMINAL or another one that transfers"
                                          : "COMP_GPU or COMP_CPU",
                                 orr_flexflow_device_type_name(device->type));
    }
    if (device->server >= graph->servers) {
        return orr_flexflow_fail(graph, task, maker->diag,
                                 "expected a device of one of the %" PRIu32
                                 " servers, got one of server %" PRIu64,
                                 graph->servers, device->server);
    }
    *step =
        (struct flexflow_step){.role = transfer                            ? FLEXFLOW_DELAYS
                                       : device->type == FLEXFLOW_COMP_CPU ? FLEXFLOW_COMPUTES_CPU
                                                                           : FLEXFLOW_COMPUTES,
                               .from = (uint32_t)device->server,
                               .to = (uint32_t)device->server};
    return ORR_OK;
}

/* An end of a transfer is on one NPU. */
static enum orr_status step_of_end(const struct maker *maker, size_t task,
                                   const struct flexflow_device *device, struct flexflow_step *step)
{
    const enum orr_status status = step_of_transfer(maker, task, device, step);
    if (status != ORR_OK || step->role == FLEXFLOW_STAYS) {
        return status;
    }
    const bool sends = maker->graph->task[task].type == FLEXFLOW_SEND;
    const uint32_t here = sends ? step->from : step->to, there = sends ? step->to : step->from;
    *step = (struct flexflow_step){.role = sends ? FLEXFLOW_SENDS : FLEXFLOW_RECEIVES,
                                   .from = here,
                                   .to = here,
                                   .peer = there,
                                   .mate = UINT32_MAX};
    return ORR_OK;
}

static enum orr_status step_of(const struct maker *maker, size_t index, struct flexflow_step *step)
{
    const struct flexflow_graph *graph = maker->graph;
    const struct flexflow_task *task = &graph->task[index];
    const uint32_t at = find(maker->devices, graph->devices, task->device);
    if (at == UINT32_MAX) {
        return orr_flexflow_fail(graph, index, maker->diag,
                                 "expected the id of a device, got %" PRIu64, task->device);
    }
    const struct flexflow_device *device = &graph->device[at];
    const bool network = device->type >= FLEXFLOW_NW_COMM;
    if (task->type == FLEXFLOW_SEND || task->type == FLEXFLOW_RECV) {
        return step_of_end(maker, index, device, step);
    }
    return network && (task->type == FLEXFLOW_COMM || task->type == FLEXFLOW_NOMINAL_COMM)
               ? step_of_transfer(maker, index, device, step)
               : step_inside(maker, index, device, step);
}

/* ---- all-reduces ---- */

/* Distinct servers go to plan->next; seen[server] is the last all-reduce that had it, plus one. */
static enum orr_status step_of_reduce(const struct maker *maker, size_t index, uint32_t *seen,
                                      struct flexflow_step *step)
{
    struct flexflow_plan *plan = maker->plan;
    const struct flexflow_task *task = &maker->graph->task[index];
    uint32_t count = 0;
    for (uint64_t i = 0; i < task->next_count; i++) {
        const uint64_t server = maker->graph->next[task->first_next + i];
        if (server >= plan->npus) {
            return orr_flexflow_fail(maker->graph, index, maker->diag,
                                     "nexttasks[%" PRIu64 "]: expected a server of the all-reduce, "
                                     "below nnode %" PRIu32 ", got %" PRIu64,
                                     i, plan->npus, server);
        }
        if (seen[server] == (uint32_t)index + 1) {
            plan->repeated_servers++;
            continue;
        }
        seen[server] = (uint32_t)index + 1;
        plan->next[task->first_next + count++] = (uint32_t)server;
    }
    if (count == 0) {
        return orr_flexflow_fail(maker->graph, index, maker->diag,
                                 "expected the servers of the all-reduce in nexttasks, got none");
    }
    plan->members[index] = count;
    *step = (struct flexflow_step){.role = count > 1 ? FLEXFLOW_REDUCES : FLEXFLOW_ALONE,
                                   .from = plan->next[task->first_next],
                                   .to = plan->next[task->first_next]};
    return ORR_OK;
}

static enum orr_status make_steps(const struct maker *maker)
{
    struct flexflow_plan *plan = maker->plan;
    uint32_t *seen = orr_arena_array(maker->arena, plan->npus, sizeof *seen);
    enum orr_status status =
        seen != NULL || plan->npus == 0 ? ORR_OK : orr_diag_no_memory(maker->diag, "a task graph");
    for (size_t i = 0; i < maker->graph->tasks && status == ORR_OK; i++) {
        status = maker->graph->task[i].type == FLEXFLOW_ALLREDUCE
                     ? step_of_reduce(maker, i, seen, &plan->step[i])
                     : step_of(maker, i, &plan->step[i]);
    }
    return status;
}

/* ---- dependencies ---- */

static enum orr_status resolve(const struct maker *maker, size_t index)
{
    struct flexflow_plan *plan = maker->plan;
    const struct flexflow_task *task = &maker->graph->task[index];
    for (uint64_t i = 0; i < task->next_count; i++) {
        const uint64_t id = maker->graph->next[task->first_next + i];
        const uint32_t next = find(maker->tasks, maker->graph->tasks, id);
        if (next == UINT32_MAX) {
            return orr_flexflow_fail(
                maker->graph, index, maker->diag,
                "nexttasks[%" PRIu64 "]: expected the id of a task, got %" PRIu64, i, id);
        }
        plan->next[task->first_next + i] = next;
        plan->first_prev[next + 1]++;
        plan->edges++;
    }
    return ORR_OK;
}

/* prev is next, turned round: a counting sort. */
static enum orr_status turn_round(const struct maker *maker)
{
    struct flexflow_plan *plan = maker->plan;
    const struct flexflow_graph *graph = maker->graph;
    uint32_t *fill = orr_arena_array(maker->arena, graph->tasks, sizeof *fill);
    plan->prev = orr_arena_array(maker->arena, plan->edges, sizeof *plan->prev);
    if ((fill == NULL && graph->tasks != 0) || (plan->prev == NULL && plan->edges != 0)) {
        return orr_diag_no_memory(maker->diag, "the dependencies of a task graph");
    }
    for (size_t i = 0; i < graph->tasks; i++) {
        plan->first_prev[i + 1] += plan->first_prev[i];
        fill[i] = plan->first_prev[i];
    }
    for (size_t i = 0; i < graph->tasks; i++) {
        const struct flexflow_task *task = &graph->task[i];
        for (uint64_t e = 0; task->type != FLEXFLOW_ALLREDUCE && e < task->next_count; e++) {
            plan->prev[fill[plan->next[task->first_next + e]]++] = (uint32_t)i;
        }
    }
    return ORR_OK;
}

static enum orr_status make_edges(const struct maker *maker)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < maker->graph->tasks && status == ORR_OK; i++) {
        if (maker->graph->task[i].type != FLEXFLOW_ALLREDUCE) {
            status = resolve(maker, i);
        }
    }
    return status == ORR_OK ? turn_round(maker) : status;
}

/* ---- making ---- */

static enum orr_status allocate(struct maker *maker)
{
    struct flexflow_plan *plan = maker->plan;
    const struct flexflow_graph *graph = maker->graph;
    struct orr_arena *arena = maker->arena;
    const size_t tasks = graph->tasks + 1; /* so that no array is empty */
    maker->tasks = orr_arena_array(arena, tasks, sizeof *maker->tasks);
    maker->devices = orr_arena_array(arena, graph->devices + 1, sizeof *maker->devices);
    plan->step = orr_arena_array(arena, tasks, sizeof *plan->step);
    plan->next = orr_arena_array(arena, graph->next_count + 1, sizeof *plan->next);
    plan->members = orr_arena_array(arena, tasks, sizeof *plan->members);
    plan->first_prev = orr_arena_array(arena, tasks, sizeof *plan->first_prev);
    plan->order = orr_arena_array(arena, tasks, sizeof *plan->order);
    return maker->tasks != NULL && maker->devices != NULL && plan->step != NULL &&
                   plan->next != NULL && plan->members != NULL && plan->first_prev != NULL &&
                   plan->order != NULL
               ? ORR_OK
               : orr_diag_no_memory(maker->diag, "a task graph");
}

static enum orr_status check_size(const struct flexflow_graph *graph, struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(graph->file);
    if (graph->tasks == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "expected a graph with tasks, got none");
    }
    if (graph->servers == 0 || graph->servers > FLEXFLOW_MOST_SERVERS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "nnode: expected 1 to %d servers, got %" PRIu32,
                             (int)FLEXFLOW_MOST_SERVERS, graph->servers);
    }
    if (graph->tasks >= UINT32_MAX || graph->next_count >= UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected fewer than 2^32 tasks and dependencies, got %zu and %zu",
                             graph->tasks, graph->next_count);
    }
    return ORR_OK;
}

enum orr_status orr_flexflow_plan_make(struct flexflow_plan *plan,
                                       const struct flexflow_graph *graph, struct orr_arena *arena,
                                       struct orr_diag *diag)
{
    struct maker maker = {.plan = plan, .graph = graph, .arena = arena, .diag = diag};
    *plan = (struct flexflow_plan){.graph = graph, .npus = graph->servers};
    enum orr_status (*const stages[])(struct maker *) = {allocate, index_tasks, index_devices};
    enum orr_status status = check_size(graph, diag);
    for (size_t i = 0; i < sizeof stages / sizeof *stages && status == ORR_OK; i++) {
        status = stages[i](&maker);
    }
    enum orr_status (*const checks[])(const struct maker *) = {check_devices, make_steps,
                                                               make_edges};
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ORR_OK; i++) {
        status = checks[i](&maker);
    }
    if (status == ORR_OK) {
        status = orr_flexflow_mate(plan, arena, diag);
    }
    return status == ORR_OK ? orr_flexflow_order(plan, arena, diag) : status;
}
