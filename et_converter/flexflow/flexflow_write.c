/* Writer of FlexNet's FlatBuffers; see flexflow_write.h. Tables and fields as in flexflow_fbuf.c.
 * The id of a task is its number plus one; the id of a device is a kind and a server, or the two
 * servers of a transfer. */
#include "et_converter/flexflow/flexflow_write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/time.h"
#include "et_converter/flexflow/flatbuffer_write.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_pairs.h"

enum { MEMBUS = 5, KIND_SHIFT = 32, LONG = 8 };

static const uint16_t graph_slots[] = {4, 8, 12, 0, 0, 16, 20, 0, 24, 28, 32, 0};
static const uint16_t task_slots[] = {36, 8, 16, 32, 24, 4};
static const uint16_t device_slots[] = {32, 8, 16, 24, 0};
static const uint16_t connection_slots[] = {4, 8, 12};
static const uint16_t route_slots[] = {4, 8, 12};
static const uint16_t path_slots[] = {4, 8};

struct writer {
    struct fb_writer out;
    const struct tg_graph *graph;
    struct fb_layout root, task, device, connection, route, path;
    uint64_t *device_id; /* [device_count], ascending, each once */
    size_t device_count;
    uint64_t inexact;
};

/* ---- tasks and devices in the file ---- */

/* The device that a task runs on. */
static uint64_t device_of(const struct writer *writer, const struct tg_task *task)
{
    const uint64_t nodes = (uint64_t)writer->graph->npus + 1;
    switch (task->role) {
    case TG_COMPUTE:
        return (UINT64_C(1) << KIND_SHIFT) + task->from;
    case TG_COMPUTE_CPU:
        return (UINT64_C(2) << KIND_SHIFT) + task->from;
    case TG_DELAY:
        return (UINT64_C(3) << KIND_SHIFT) + task->from;
    default:
        return (UINT64_C(4) << KIND_SHIFT) + task->from * nodes + task->to;
    }
}

/* Updates and barriers have no duration in the format; those with one become backward tasks. */
static unsigned type_of(const struct tg_task *task)
{
    static const uint8_t types[TG_PASSES] = {FLEXFLOW_FORWARD, FLEXFLOW_FORWARD, FLEXFLOW_BACKWARD,
                                             FLEXFLOW_UPDATE, FLEXFLOW_BARRIER};
    if (task->role == TG_ALL_REDUCE) {
        return FLEXFLOW_ALLREDUCE;
    }
    if (task->role == TG_DELAY) {
        return FLEXFLOW_COMM;
    }
    if (orr_tg_is_transfer(task)) {
        return FLEXFLOW_NOMINAL_COMM;
    }
    const unsigned type = types[task->pass];
    return task->duration_ps != 0 && type >= FLEXFLOW_UPDATE ? FLEXFLOW_BACKWARD : type;
}

/* The time that readers compute (flexflow_plan.c). */
static uint64_t ps_of(float ms)
{
    const double ps = (double)(ms * 1e9f);
    return ps < 9e18 ? (uint64_t)ps : (uint64_t)ORR_TIME_MAX;
}

/* The float from which readers get the same time, or else the nearest one. */
static float ms_of(struct writer *writer, uint64_t ps)
{
    const float near = (float)((double)ps / 1e9);
    const float tried[] = {near, nextafterf(near, 0), nextafterf(near, INFINITY)};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (ps_of(tried[i]) == ps) {
            return tried[i];
        }
    }
    writer->inexact++;
    return near;
}

/* ---- devices ---- */

static int by_id(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Collects the devices: an accelerator for each server, and those of the tasks. */
static enum orr_status find_devices(struct writer *writer, struct orr_diag *diag)
{
    const struct tg_graph *graph = writer->graph;
    const size_t max = (size_t)graph->npus + graph->tasks;
    uint64_t *id = orr_heap_calloc(max, sizeof *id);
    size_t count = 0, kept = 0;
    if (id == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        id[count++] = (UINT64_C(1) << KIND_SHIFT) + i;
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        if (graph->task[i].role != TG_ALL_REDUCE) {
            id[count++] = device_of(writer, &graph->task[i]);
        }
    }
    qsort(id, count, sizeof *id, by_id);
    for (size_t i = 0; i < count; i++) {
        id[kept] = id[i];
        kept += i + 1 == count || id[i + 1] != id[i];
    }
    writer->device_id = id;
    writer->device_count = kept;
    return ORR_OK;
}

static void write_devices(struct writer *writer, size_t field)
{
    static const uint8_t types[] = {0, FLEXFLOW_COMP_GPU, FLEXFLOW_COMP_CPU, MEMBUS,
                                    FLEXFLOW_NW_NOMINAL};
    struct fb_writer *out = &writer->out;
    const size_t at = orr_fb_vector(out, field, writer->device_count, 4);
    for (size_t i = 0; i < writer->device_count; i++) {
        const uint64_t id = writer->device_id[i];
        const uint64_t kind = id >> KIND_SHIFT < 4 ? id >> KIND_SHIFT : 4;
        const uint64_t server = id & UINT32_MAX;
        const size_t table = orr_fb_table(out, &writer->device, LONG);
        orr_fb_set_offset(out, at + 4 * i, table);
        orr_fb_put(out, table + device_slots[0], types[kind], 2);
        orr_fb_put(out, table + device_slots[1], id, 8);
        orr_fb_put(out, table + device_slots[2], kind == 4 ? UINT64_MAX : server, 8);
        orr_fb_put(out, table + device_slots[3],
                   kind == 4 ? id - (UINT64_C(4) << KIND_SHIFT) : server, 8);
    }
}

/* ---- tasks ---- */

/* Writes the servers of an all-reduce, or the ids of the dependent tasks. */
static void write_nexts(struct writer *writer, uint32_t index, size_t field)
{
    const struct tg_graph *graph = writer->graph;
    const struct tg_task *task = &graph->task[index];
    const bool reduces = task->role == TG_ALL_REDUCE;
    uint32_t count;
    const uint32_t *next = orr_tg_next(graph, index, &count);
    count = reduces ? task->to : count;
    next = reduces ? graph->member + task->from : next;
    const size_t at = orr_fb_vector(&writer->out, field, count, 8);
    for (uint32_t i = 0; i < count; i++) {
        orr_fb_put(&writer->out, at + (size_t)8 * i, (uint64_t)next[i] + (reduces ? 0 : 1), 8);
    }
}

static void write_tasks(struct writer *writer, size_t field)
{
    struct fb_writer *out = &writer->out;
    const struct tg_graph *graph = writer->graph;
    const size_t at = orr_fb_vector(out, field, graph->tasks, 4);
    for (uint32_t i = 0; i < graph->tasks && !out->failed; i++) {
        const struct tg_task *task = &graph->task[i];
        const uint64_t device = task->role == TG_ALL_REDUCE ? 0 : device_of(writer, task);
        const size_t table = orr_fb_table(out, &writer->task, LONG);
        orr_fb_set_offset(out, at + (size_t)4 * i, table);
        orr_fb_put(out, table + task_slots[0], type_of(task), 2);
        orr_fb_put(out, table + task_slots[1], (uint64_t)i + 1, 8);
        orr_fb_put(out, table + task_slots[2], device, 8);
        orr_fb_put_float(out, table + task_slots[3], ms_of(writer, task->duration_ps));
        orr_fb_put(out, table + task_slots[4], task->bytes, 8);
        write_nexts(writer, i, table + task_slots[5]);
    }
}

/* ---- the network ---- */

static void write_connections(struct writer *writer, size_t field)
{
    struct fb_writer *out = &writer->out;
    const uint32_t npus = writer->graph->npus;
    const size_t at = orr_fb_vector(out, field, npus, 4);
    for (uint32_t i = 0; i < npus; i++) {
        const size_t table = orr_fb_table(out, &writer->connection, 4);
        orr_fb_set_offset(out, at + (size_t)4 * i, table);
        orr_fb_put(out, table + connection_slots[0], npus, 4);
        orr_fb_put(out, table + connection_slots[1], i, 4);
        orr_fb_put(out, table + connection_slots[2], 1, 4);
    }
}

/* Writes the route from a server over the switch to another one; to itself it has no path. */
static void write_route(struct writer *writer, size_t field, uint32_t from, uint32_t to)
{
    struct fb_writer *out = &writer->out;
    const uint32_t hop[] = {from, writer->graph->npus, to};
    const size_t route = orr_fb_table(out, &writer->route, 4);
    orr_fb_set_offset(out, field, route);
    orr_fb_put(out, route + route_slots[0], from, 4);
    orr_fb_put(out, route + route_slots[1], to, 4);
    const size_t paths = orr_fb_vector(out, route + route_slots[2], from != to, 4);
    if (from == to) {
        return;
    }
    const size_t path = orr_fb_table(out, &writer->path, 4);
    orr_fb_set_offset(out, paths, path);
    orr_fb_put_float(out, path + path_slots[1], 1);
    const size_t hops = orr_fb_vector(out, path + path_slots[0], 3, 4);
    for (unsigned i = 0; i < 3; i++) {
        orr_fb_put(out, hops + (size_t)4 * i, hop[i], 4);
    }
}

static void write_routes(struct writer *writer, size_t field)
{
    const uint32_t npus = writer->graph->npus;
    const size_t at = orr_fb_vector(&writer->out, field, (size_t)npus * npus, 4);
    for (uint32_t from = 0; from < npus; from++) {
        for (uint32_t to = 0; to < npus && !writer->out.failed; to++) {
            write_route(writer, at + 4 * ((size_t)from * npus + to), from, to);
        }
    }
}

/* ---- all ---- */

static void write_graph(struct writer *writer, double link_bytes_per_s)
{
    struct fb_writer *out = &writer->out;
    struct fb_layout *const layouts[] = {&writer->root,       &writer->task,  &writer->device,
                                         &writer->connection, &writer->route, &writer->path};
    const size_t root = orr_fb_reserve(out, 4);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        orr_fb_vtable(out, layouts[i]);
    }
    const size_t table = orr_fb_table(out, &writer->root, 4);
    orr_fb_set_offset(out, root, table);
    orr_fb_put(out, table + graph_slots[0], 1, 4);
    orr_fb_put(out, table + graph_slots[1], writer->graph->npus, 4);
    orr_fb_put(out, table + graph_slots[2], 1, 4);
    orr_fb_put_float(out, table + graph_slots[5], (float)(link_bytes_per_s / 1e3));
    write_connections(writer, table + graph_slots[6]);
    write_tasks(writer, table + graph_slots[8]);
    write_devices(writer, table + graph_slots[9]);
    write_routes(writer, table + graph_slots[10]);
}

/* Rejects graphs that the format cannot express. */
static enum orr_status check(const struct tg_graph *graph, uint32_t *mate, struct orr_diag *diag)
{
    enum orr_status status = orr_tg_pair_ends(graph, mate, diag);
    for (uint32_t i = 0, count; i < graph->tasks && status == ORR_OK; i++) {
        (void)orr_tg_next(graph, i, &count);
        if (mate[i] != TG_NONE) {
            status =
                orr_tg_fail(graph, i, diag,
                            "expected whole transfers: FlatBuffers of FlexFlow have none whose "
                            "ends are two tasks");
        } else if (graph->task[i].role == TG_ALL_REDUCE && count != 0) {
            status = orr_tg_fail(graph, i, diag,
                                 "expected nothing to wait for an all-reduce: FlatBuffers of "
                                 "FlexFlow have no such dependency, got %" PRIu32,
                                 count);
        }
    }
    return status;
}

static enum orr_status write_file(const struct fb_writer *out, const char *path,
                                  struct orr_diag *diag)
{
    const struct orr_location server = orr_location_file(path);
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(out->data, 1, out->used, file) == out->used;
    if (file != NULL && fclose(file) != 0) {
        written = false;
    }
    return written
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, &server, "cannot be written: %s", strerror(errno));
}

static enum orr_status write_plain(const struct tg_graph *graph, double link_bytes_per_s,
                                   const char *path, uint64_t *inexact, struct orr_diag *diag)
{
    struct writer writer = {.graph = graph,
                            .root = {graph_slots, 12, 36, 0},
                            .task = {task_slots, 6, 40, 0},
                            .device = {device_slots, 5, 40, 0},
                            .connection = {connection_slots, 3, 16, 0},
                            .route = {route_slots, 3, 16, 0},
                            .path = {path_slots, 2, 12, 0}};
    const struct orr_location server = orr_location_file(path);
    enum orr_status status = find_devices(&writer, diag);
    if (status == ORR_OK) {
        write_graph(&writer, link_bytes_per_s);
        status = writer.out.failed ? orr_diag_fail(diag, ORR_ERR_INPUT, &server,
                                                   "expected a FlatBuffer of at most 2 GiB, got a "
                                                   "task graph of more, or no memory")
                                   : write_file(&writer.out, path, diag);
    }
    *inexact = writer.inexact;
    orr_fb_writer_fini(&writer.out);
    orr_heap_free(writer.device_id);
    return status;
}

enum orr_status orr_flexflow_write(const struct tg_graph *graph, double link_bytes_per_s,
                                   const char *path, uint64_t *inexact, struct orr_diag *diag)
{
    struct tg_graph plain;
    struct orr_arena *arena = orr_arena_create();
    *inexact = 0;
    enum orr_status status = arena != NULL ? orr_tg_expand(arena, graph, &plain, diag)
                                           : orr_diag_no_memory(diag, "a task graph");
    uint32_t *mate = status == ORR_OK ? orr_arena_array(arena, plain.tasks, sizeof *mate) : NULL;
    if (status == ORR_OK) {
        status =
            mate != NULL ? check(&plain, mate, diag) : orr_diag_no_memory(diag, "a task graph");
    }
    if (status == ORR_OK) {
        status = write_plain(&plain, link_bytes_per_s, path, inexact, diag);
    }
    orr_arena_destroy(arena);
    return status;
}
