/* Lowering of a FlexFlow graph to a task graph: roles and devices of its tasks; see
 * flexflow_plan.h. */
#include "et_converter/flexflow/flexflow_plan.h"

#include "core/arena.h"
#include "core/time.h"
#include "et_converter/flexflow/flexflow_order.h"
#include "workload/taskgraph/tg_builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct maker {
    struct flexflow_plan *plan;
    const struct flexflow_graph *graph;
    struct tg_builder *builder;
    struct flexflow_ids devices;
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
    const bool line = !graph->has_byte_offsets && at != 0;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (graph->has_byte_offsets) {
        (void)snprintf(offset, sizeof offset, "byte offset %" PRIu64 ": ", at);
    }
    const struct orr_location place =
        line ? orr_location_text(graph->file, (unsigned)at, 1) : orr_location_file(graph->file);
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
    const struct orr_location place = orr_location_file(maker->graph->file);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                         "byte offset %" PRIu64 ": devices[%zu]: %s",
                         maker->graph->device[device].place, device, message);
}

/* ---- ids ---- */

static int compare(const void *left, const void *right)
{
    const struct flexflow_id *a = left, *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

uint32_t orr_flexflow_number(const struct flexflow_ids *ids, uint64_t id)
{
    size_t low = 0, high = ids->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids->sorted[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ids->count && ids->sorted[low].id == id ? ids->sorted[low].number : UINT32_MAX;
}

static bool allocate_ids(struct maker *maker, struct flexflow_ids *ids, size_t count)
{
    *ids = (struct flexflow_ids){
        .sorted = orr_arena_array(maker->arena, count + 1, sizeof *ids->sorted), .count = count};
    return ids->sorted != NULL;
}

static enum orr_status index_tasks(struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    struct flexflow_id *sorted = maker->plan->ids.sorted;
    for (size_t i = 0; i < graph->tasks; i++) {
        sorted[i] = (struct flexflow_id){.id = graph->task[i].id, .number = (uint32_t)i};
    }
    qsort(sorted, graph->tasks, sizeof *sorted, compare);
    for (size_t i = 1; i < graph->tasks; i++) {
        if (sorted[i].id == sorted[i - 1].id) {
            return orr_flexflow_fail(graph, sorted[i].number, maker->diag,
                                     "expected a unique id, got that of tasks[%" PRIu32 "]",
                                     sorted[i - 1].number);
        }
    }
    return ORR_OK;
}

static enum orr_status index_devices(struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    struct flexflow_id *sorted = maker->devices.sorted;
    for (size_t i = 0; i < graph->devices; i++) {
        sorted[i] = (struct flexflow_id){.id = graph->device[i].id, .number = (uint32_t)i};
    }
    qsort(sorted, graph->devices, sizeof *sorted, compare);
    for (size_t i = 1; i < graph->devices; i++) {
        if (sorted[i].id == sorted[i - 1].id) {
            return fail_device(maker, sorted[i].number,
                               "expected a unique id, got %" PRIu64 " of devices[%" PRIu32 "]",
                               sorted[i].id, sorted[i - 1].number);
        }
    }
    return ORR_OK;
}

/* ---- devices ---- */

/* Checks that accelerators are in a server, at most one in each. */
static enum orr_status check_devices(struct maker *maker)
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
            return fail_device(
                maker, i,
                "expected one COMP_GPU per server, got a second one of server %" PRIu64
                "; the first is devices[%" PRIu32 "]",
                device->server, accelerator[device->server] - 1);
        }
        accelerator[device->server] = (uint32_t)i + 1;
    }
    return ORR_OK;
}

static enum orr_status step_of_transfer(const struct maker *maker, size_t task,
                                        const struct flexflow_device *device, struct tg_task *step)
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
    static const uint8_t roles[FLEXFLOW_TASK_TYPES] = {[FLEXFLOW_COMM] = TG_TRANSFER,
                                                       [FLEXFLOW_NOMINAL_COMM] = TG_TRANSFER,
                                                       [FLEXFLOW_SEND] = TG_SEND,
                                                       [FLEXFLOW_RECV] = TG_RECEIVE};
    *step = (struct tg_task){.role = roles[graph->task[task].type],
                             .bytes = graph->task[task].bytes,
                             .from = (uint32_t)from,
                             .to = (uint32_t)to};
    return ORR_OK;
}

/* Updates and barriers take no time. */
static uint64_t duration_of(const struct flexflow_task *task)
{
    const double ps = (double)((float)task->runtime_ms * 1e9f); /* floats, as in FlexNetPacket */
    if (task->type == FLEXFLOW_UPDATE || task->type == FLEXFLOW_BARRIER) {
        return 0;
    }
    return ps < 9e18 ? (uint64_t)ps : (uint64_t)ORR_TIME_MAX;
}

/* A computation or delay inside of a server. */
static enum orr_status step_inside(const struct maker *maker, size_t task,
                                   const struct flexflow_device *device, struct tg_task *step)
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
    *step = (struct tg_task){.role = transfer                            ? TG_DELAY
                                     : device->type == FLEXFLOW_COMP_CPU ? TG_COMPUTE_CPU
                                                                         : TG_COMPUTE,
                             .duration_ps = duration_of(&graph->task[task]),
                             .from = (uint32_t)device->server,
                             .to = (uint32_t)device->server};
    return ORR_OK;
}

static enum orr_status step_of(const struct maker *maker, size_t index, struct tg_task *step)
{
    const struct flexflow_graph *graph = maker->graph;
    const struct flexflow_task *task = &graph->task[index];
    const uint32_t at = orr_flexflow_number(&maker->devices, task->device);
    if (at == UINT32_MAX) {
        return orr_flexflow_fail(graph, index, maker->diag,
                                 "expected the id of a device, got %" PRIu64, task->device);
    }
    const struct flexflow_device *device = &graph->device[at];
    const bool network = device->type >= FLEXFLOW_NW_COMM;
    const bool end = task->type == FLEXFLOW_SEND || task->type == FLEXFLOW_RECV;
    return end || (network && (task->type == FLEXFLOW_COMM || task->type == FLEXFLOW_NOMINAL_COMM))
               ? step_of_transfer(maker, index, device, step)
               : step_inside(maker, index, device, step);
}

/* ---- names ---- */

/* Names for tasks that role and number do not describe. */
static uint32_t name_of(const struct maker *maker, size_t index, unsigned role)
{
    const struct flexflow_task *task = &maker->graph->task[index];
    char text[32];
    if (task->name != NULL) {
        return orr_tg_builder_name(maker->builder, task->name);
    }
    if (task->type == FLEXFLOW_COMM && role == TG_TRANSFER) {
        (void)snprintf(text, sizeof text, "comm_%zu", index);
        return orr_tg_builder_name(maker->builder, text);
    }
    if (task->type == FLEXFLOW_NOMINAL_COMM && role == TG_DELAY) {
        (void)snprintf(text, sizeof text, "transfer_%zu", index);
        return orr_tg_builder_name(maker->builder, text);
    }
    return 0;
}

/* ---- all-reduces ---- */

/* Adds an all-reduce over its distinct servers, collected in `members`. marked[server] is the index
 * of the last all-reduce that has it, plus one. */
static enum orr_status add_reduce(struct maker *maker, size_t index, uint32_t *marked,
                                  uint32_t *members)
{
    struct flexflow_plan *plan = maker->plan;
    const struct flexflow_task *task = &maker->graph->task[index];
    uint32_t count = 0;
    for (uint64_t i = 0; i < task->next_count; i++) {
        const uint64_t server = maker->graph->next[task->first_next + i];
        if (server >= maker->graph->servers) {
            return orr_flexflow_fail(maker->graph, index, maker->diag,
                                     "nexttasks[%" PRIu64 "]: expected a server of the all-reduce, "
                                     "below nnode %" PRIu32 ", got %" PRIu64,
                                     i, maker->graph->servers, server);
        }
        if (marked[server] == (uint32_t)index + 1) {
            plan->repeated_servers++;
            continue;
        }
        marked[server] = (uint32_t)index + 1;
        members[count++] = (uint32_t)server;
    }
    if (count == 0) {
        return orr_flexflow_fail(maker->graph, index, maker->diag,
                                 "expected the servers of the all-reduce in nexttasks, got none");
    }
    const struct tg_task reduce = {.bytes = task->bytes,
                                   .duration_ps = duration_of(task),
                                   .name = name_of(maker, index, TG_ALL_REDUCE)};
    (void)orr_tg_builder_all_reduce(maker->builder, &reduce, members, count);
    return ORR_OK;
}

/* ---- tasks ---- */

static enum orr_status add_task(struct maker *maker, size_t index)
{
    static const uint8_t passes[FLEXFLOW_TASK_TYPES] = {[FLEXFLOW_FORWARD] = TG_FORWARD,
                                                        [FLEXFLOW_BACKWARD] = TG_BACKWARD,
                                                        [FLEXFLOW_UPDATE] = TG_UPDATE,
                                                        [FLEXFLOW_BARRIER] = TG_BARRIER};
    struct tg_task step;
    const enum orr_status status = step_of(maker, index, &step);
    if (status == ORR_OK) {
        step.pass = passes[maker->graph->task[index].type];
        step.name = name_of(maker, index, step.role);
        (void)orr_tg_builder_add(maker->builder, &step);
    }
    return status;
}

static enum orr_status add_tasks(struct maker *maker)
{
    const struct flexflow_graph *graph = maker->graph;
    uint32_t *marked = orr_arena_array(maker->arena, graph->servers, sizeof *marked);
    uint32_t *members = orr_arena_array(maker->arena, graph->servers, sizeof *members);
    enum orr_status status = marked != NULL && members != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(maker->diag, "a task graph");
    for (size_t i = 0; i < graph->tasks && status == ORR_OK; i++) {
        status = graph->task[i].type == FLEXFLOW_ALLREDUCE ? add_reduce(maker, i, marked, members)
                                                           : add_task(maker, i);
    }
    return status;
}

/* ---- dependencies ---- */

static enum orr_status resolve(struct maker *maker, size_t index)
{
    const struct flexflow_task *task = &maker->graph->task[index];
    for (uint64_t i = 0; i < task->next_count; i++) {
        const uint64_t id = maker->graph->next[task->first_next + i];
        const uint32_t next = orr_flexflow_number(&maker->plan->ids, id);
        if (next == UINT32_MAX) {
            return orr_flexflow_fail(
                maker->graph, index, maker->diag,
                "nexttasks[%" PRIu64 "]: expected the id of a task, got %" PRIu64, i, id);
        }
        orr_tg_builder_wait(maker->builder, next, (uint32_t)index);
        maker->plan->edges++;
    }
    return ORR_OK;
}

static enum orr_status add_waits(struct maker *maker)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < maker->graph->tasks && status == ORR_OK; i++) {
        if (maker->graph->task[i].type != FLEXFLOW_ALLREDUCE) {
            status = resolve(maker, i);
        }
    }
    return status;
}

/* ---- making ---- */

static enum orr_status allocate(struct maker *maker)
{
    return allocate_ids(maker, &maker->plan->ids, maker->graph->tasks) &&
                   allocate_ids(maker, &maker->devices, maker->graph->devices)
               ? ORR_OK
               : orr_diag_no_memory(maker->diag, "a task graph");
}

static enum orr_status check_size(const struct flexflow_graph *graph, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(graph->file);
    if (graph->tasks == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "expected a graph with tasks, got none");
    }
    if (graph->servers == 0 || graph->servers > FLEXFLOW_MAX_SERVERS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "nnode: expected 1 to %d servers, got %" PRIu32,
                             (int)FLEXFLOW_MAX_SERVERS, graph->servers);
    }
    if (graph->tasks >= UINT32_MAX || graph->next_count >= UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected fewer than 2^32 tasks and dependencies, got %zu and %zu",
                             graph->tasks, graph->next_count);
    }
    return ORR_OK;
}

/* Name and location of a task, for messages. */
static void label_of(const void *context, uint32_t task, char text[TG_LABEL_BYTES])
{
    char label[FLEXFLOW_LABEL_BYTES];
    (void)snprintf(text, TG_LABEL_BYTES, "%s", orr_flexflow_label(context, task, label));
}

static struct orr_location location_of(const void *context, uint32_t task, uint64_t *byte)
{
    const struct flexflow_graph *graph = context;
    const uint64_t at = graph->task[task].place;
    if (graph->has_byte_offsets) {
        *byte = at;
    }
    return !graph->has_byte_offsets && at != 0 ? orr_location_text(graph->file, (unsigned)at, 1)
                                               : orr_location_file(graph->file);
}

static enum orr_status make(struct maker *maker)
{
    static enum orr_status (*const stages[])(struct maker *) = {
        allocate, index_tasks, index_devices, check_devices, add_tasks, add_waits};
    const struct tg_origin origin = {
        .label = label_of, .place = location_of, .context = maker->graph};
    enum orr_status status = ORR_OK;
    orr_tg_builder_set_origin(maker->builder, maker->graph->file, &origin);
    orr_tg_builder_first_come(maker->builder);
    for (size_t i = 0; i < sizeof stages / sizeof *stages && status == ORR_OK; i++) {
        status = stages[i](maker);
    }
    if (status == ORR_OK) {
        status =
            orr_tg_builder_finish(maker->builder, maker->arena, &maker->plan->tasks, maker->diag);
    }
    return status == ORR_OK
               ? orr_flexflow_order(maker->graph, &maker->plan->tasks, maker->arena, maker->diag)
               : status;
}

enum orr_status orr_flexflow_plan_make(struct flexflow_plan *plan,
                                       const struct flexflow_graph *graph, struct orr_arena *arena,
                                       struct orr_diag *diag)
{
    struct maker maker = {.plan = plan, .graph = graph, .arena = arena, .diag = diag};
    *plan = (struct flexflow_plan){.graph = graph};
    enum orr_status status = check_size(graph, diag);
    if (status != ORR_OK) {
        return status;
    }
    maker.builder = orr_tg_builder_create(graph->servers, 1);
    status = maker.builder != NULL ? make(&maker) : orr_diag_no_memory(diag, "a task graph");
    orr_tg_builder_destroy(maker.builder);
    return status;
}
