/* Reader of FlexNet task graphs; see flexflow_fbuf.h. Tables and their fields by slot, in the order
 * of the schema's declarations:
 *
 *   TaskGraph   ngpupernode nnode nswitch intergpubw drambw netbw conn ops tasks devices routes
 * rings Task        type taskid deviceid runtime xfersize nexttasks Device      type deviceid
 * nodeid deviceproperty bandwidth Connection  fromnode tonode nconn Operator    opid type name
 *   Route       fromnode tonode paths
 *   Path        hopnode chance
 *   Rings       ringsz ringpaths
 *   RingDescriptor jumps */
#include "et_converter/flexflow/flexflow_fbuf.h"

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/flexflow/flatbuffer.h"

struct reader {
    struct flatbuffer buffer;
    struct orr_arena *arena;
    struct flexflow_graph *graph;
    struct flexflow_path ends; /* of the current route */
    uint64_t ring_servers;     /* of the current rings */
    size_t path_capacity, ring_capacity, next_capacity, hop_capacity, jump_capacity;
};

/* Grows an array to hold `needed` elements; NULL if out of memory. */
static void *grow(struct reader *reader, void *old, size_t *capacity, size_t needed, size_t size)
{
    void *grown = orr_arena_grow(reader->arena, old, capacity, needed, size);
    if (grown == NULL) {
        (void)orr_diag_no_memory(reader->buffer.diag, "a task graph");
    }
    return grown;
}

/* Elements of a vector of tables. */
struct elements {
    void *items; /* NULL if tables.size is 0 */
    size_t count;
};

/* Reads the table of one element; `item` is zeroed. */
typedef enum orr_status (*read_fn)(struct reader *reader, const struct fb_table *table, void *item);

/* A field that is a vector of tables, and the function that reads one of them. */
struct tables {
    struct fb_field field;
    size_t size; /* of an element; 0: `read` stores it elsewhere */
    read_fn read;
};

static enum orr_status read_each(struct reader *reader, const struct fb_table *owner,
                                 const struct tables *tables, struct elements *out)
{
    struct flatbuffer *buffer = &reader->buffer;
    struct fb_vector vector;
    struct fb_table table;
    enum orr_status status = orr_flatbuffer_vector(buffer, owner, &tables->field, 4, &vector);
    if (status == ORR_OK) {
        status = orr_flatbuffer_add_copied(buffer, &vector, 4);
    }
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct elements){.items = orr_arena_array(reader->arena, vector.count, tables->size),
                             .count = vector.count};
    if (out->items == NULL && vector.count * tables->size != 0) {
        return orr_diag_no_memory(buffer->diag, "a task graph");
    }
    for (size_t i = 0; i < vector.count && status == ORR_OK; i++) {
        status = orr_flatbuffer_table_of(buffer, &vector, i, &table);
        if (status == ORR_OK) {
            void *item = out->items != NULL ? (char *)out->items + i * tables->size : NULL;
            status = tables->read(reader, &table, item);
        }
    }
    return status;
}

static enum orr_status check_time(struct reader *reader, const struct fb_table *table, float ms)
{
    return ms >= 0 && isfinite(ms)
               ? ORR_OK
               : orr_flatbuffer_fail(&reader->buffer, table->at, table, "runtime",
                                     "expected a time in ms that is not negative, got %g",
                                     (double)ms);
}

/* ---- tasks ---- */

struct raw_task {
    int16_t type;
    uint64_t id, device, bytes;
    float runtime_ms;
};

static const struct fb_field task_fields[] = {
    {0, FB_INT16, offsetof(struct raw_task, type), "type"},
    {1, FB_UINT64, offsetof(struct raw_task, id), "taskid"},
    {2, FB_UINT64, offsetof(struct raw_task, device), "deviceid"},
    {3, FB_FLOAT, offsetof(struct raw_task, runtime_ms), "runtime"},
    {4, FB_UINT64, offsetof(struct raw_task, bytes), "xfersize"},
};

static enum orr_status read_next(struct reader *reader, const struct fb_table *table,
                                 struct flexflow_task *task)
{
    static const struct fb_field field = {.slot = 5, .name = "nexttasks"};
    struct flexflow_graph *graph = reader->graph;
    struct fb_vector ids;
    enum orr_status status = orr_flatbuffer_vector(&reader->buffer, table, &field, 8, &ids);
    if (status == ORR_OK) {
        status = orr_flatbuffer_add_copied(&reader->buffer, &ids, 8);
    }
    task->first_next = graph->next_count;
    if (status != ORR_OK || ids.count == 0) {
        return status;
    }
    uint64_t *next = grow(reader, graph->next, &reader->next_capacity,
                          graph->next_count + ids.count, sizeof *next);
    if (next == NULL) {
        return ORR_ERR_MEMORY;
    }
    graph->next = next;
    for (size_t i = 0; i < ids.count; i++) {
        next[graph->next_count++] = orr_flatbuffer_uint64_at(&reader->buffer, ids.at + 8 * i);
    }
    task->next_count = ids.count;
    return ORR_OK;
}

static enum orr_status read_task(struct reader *reader, const struct fb_table *table, void *item)
{
    struct flexflow_task *task = item;
    struct raw_task raw;
    enum orr_status status = orr_flatbuffer_numbers(&reader->buffer, table, task_fields,
                                                    sizeof task_fields / sizeof *task_fields, &raw);
    if (status != ORR_OK) {
        return status;
    }
    if (raw.type < 0 || raw.type > FLEXFLOW_ALLREDUCE) {
        return orr_flatbuffer_fail(
            &reader->buffer, table->at, table, "type",
            "expected a type of task from 0 (FORWARD) to 6 (ALLREDUCE), got %d", (int)raw.type);
    }
    *task = (struct flexflow_task){.id = raw.id,
                                   .device = raw.device,
                                   .bytes = raw.bytes,
                                   .runtime_ms = raw.runtime_ms,
                                   .place = table->at,
                                   .type = (uint8_t)raw.type};
    status = check_time(reader, table, raw.runtime_ms);
    return status == ORR_OK ? read_next(reader, table, task) : status;
}

/* ---- devices, connections, operators ---- */

struct raw_device {
    int16_t type;
    uint64_t id, server, property, bandwidth;
};

static const struct fb_field device_fields[] = {
    {0, FB_INT16, offsetof(struct raw_device, type), "type"},
    {1, FB_UINT64, offsetof(struct raw_device, id), "deviceid"},
    {2, FB_UINT64, offsetof(struct raw_device, server), "nodeid"},
    {3, FB_UINT64, offsetof(struct raw_device, property), "deviceproperty"},
    {4, FB_UINT64, offsetof(struct raw_device, bandwidth), "bandwidth"},
};

static enum orr_status read_device(struct reader *reader, const struct fb_table *table, void *item)
{
    struct flexflow_device *device = item;
    struct raw_device raw;
    const enum orr_status status = orr_flatbuffer_numbers(
        &reader->buffer, table, device_fields, sizeof device_fields / sizeof *device_fields, &raw);
    if (status != ORR_OK) {
        return status;
    }
    if (raw.type < 0 || raw.type >= FLEXFLOW_DEVICE_TYPES) {
        return orr_flatbuffer_fail(
            &reader->buffer, table->at, table, "type",
            "expected a type of device from 0 (COMP_GPU) to 14 (NW_NOMINAL), got %d",
            (int)raw.type);
    }
    *device = (struct flexflow_device){.id = raw.id,
                                       .server = raw.server,
                                       .property = raw.property,
                                       .bandwidth = raw.bandwidth,
                                       .place = table->at,
                                       .type = (uint8_t)raw.type};
    return ORR_OK;
}

static const struct fb_field connection_fields[] = {
    {0, FB_UINT32, offsetof(struct flexflow_connection, from), "fromnode"},
    {1, FB_UINT32, offsetof(struct flexflow_connection, to), "tonode"},
    {2, FB_UINT32, offsetof(struct flexflow_connection, count), "nconn"},
};

static enum orr_status read_connection(struct reader *reader, const struct fb_table *table,
                                       void *item)
{
    return orr_flatbuffer_numbers(&reader->buffer, table, connection_fields,
                                  sizeof connection_fields / sizeof *connection_fields, item);
}

static const struct fb_field op_fields[] = {
    {0, FB_UINT64, offsetof(struct flexflow_op, id), "opid"},
    {1, FB_UINT64, offsetof(struct flexflow_op, type), "type"},
};

static enum orr_status read_op(struct reader *reader, const struct fb_table *table, void *item)
{
    struct flexflow_op *op = item;
    static const struct fb_field name = {.slot = 2, .name = "name"};
    const enum orr_status status = orr_flatbuffer_numbers(&reader->buffer, table, op_fields,
                                                          sizeof op_fields / sizeof *op_fields, op);
    return status == ORR_OK
               ? orr_flatbuffer_string(&reader->buffer, table, &name, reader->arena, &op->name)
               : status;
}

/* ---- routes ---- */

static enum orr_status read_hops(struct reader *reader, const struct fb_table *table,
                                 struct flexflow_path *path)
{
    static const struct fb_field field = {.slot = 0, .name = "hopnode"};
    struct flexflow_graph *graph = reader->graph;
    struct fb_vector hops;
    enum orr_status status = orr_flatbuffer_vector(&reader->buffer, table, &field, 4, &hops);
    if (status == ORR_OK) {
        status = orr_flatbuffer_add_copied(&reader->buffer, &hops, 4);
    }
    path->first_hop = graph->hop_count;
    if (status != ORR_OK || hops.count == 0) {
        return status;
    }
    uint32_t *hop =
        grow(reader, graph->hop, &reader->hop_capacity, graph->hop_count + hops.count, sizeof *hop);
    if (hop == NULL) {
        return ORR_ERR_MEMORY;
    }
    graph->hop = hop;
    for (size_t i = 0; i < hops.count; i++) {
        hop[graph->hop_count++] = orr_flatbuffer_uint32_at(&reader->buffer, hops.at + 4 * i);
    }
    path->hops = hops.count;
    return ORR_OK;
}

static enum orr_status read_path(struct reader *reader, const struct fb_table *table, void *item)
{
    struct flexflow_path ends = reader->ends;
    static const struct fb_field chance = {1, FB_FLOAT, offsetof(struct flexflow_path, chance),
                                           "chance"};
    struct flexflow_graph *graph = reader->graph;
    (void)item;
    const enum orr_status status =
        orr_flatbuffer_numbers(&reader->buffer, table, &chance, 1, &ends);
    if (status != ORR_OK) {
        return status;
    }
    if (!(ends.chance >= 0 && ends.chance <= 1)) {
        return orr_flatbuffer_fail(&reader->buffer, table->at, table, "chance",
                                   "expected a probability from 0 to 1, got %g",
                                   (double)ends.chance);
    }
    struct flexflow_path *path =
        grow(reader, graph->path, &reader->path_capacity, graph->paths + 1, sizeof *path);
    if (path == NULL) {
        return ORR_ERR_MEMORY;
    }
    graph->path = path;
    path[graph->paths] = ends;
    return read_hops(reader, table, &path[graph->paths++]);
}

static const struct fb_field route_fields[] = {
    {0, FB_UINT32, offsetof(struct flexflow_path, from), "fromnode"},
    {1, FB_UINT32, offsetof(struct flexflow_path, to), "tonode"},
};

static enum orr_status read_route(struct reader *reader, const struct fb_table *table, void *item)
{
    static const struct tables paths = {.field = {.slot = 2, .name = "paths"}, .read = read_path};
    struct elements none;
    (void)item;
    const enum orr_status status =
        orr_flatbuffer_numbers(&reader->buffer, table, route_fields, 2, &reader->ends);
    return status == ORR_OK ? read_each(reader, table, &paths, &none) : status;
}

/* ---- rings ---- */

static enum orr_status read_ring(struct reader *reader, const struct fb_table *table, void *item)
{
    static const struct fb_field field = {.slot = 0, .name = "jumps"};
    struct flexflow_graph *graph = reader->graph;
    struct fb_vector jumps;
    (void)item;
    enum orr_status status = orr_flatbuffer_vector(&reader->buffer, table, &field, 4, &jumps);
    if (status == ORR_OK) {
        status = orr_flatbuffer_add_copied(&reader->buffer, &jumps, 4);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct flexflow_ring *ring =
        grow(reader, graph->ring, &reader->ring_capacity, graph->rings + 1, sizeof *ring);
    int32_t *jump = grow(reader, graph->jump, &reader->jump_capacity,
                         graph->jump_count + jumps.count + 1, sizeof *jump);
    if (ring == NULL || jump == NULL) {
        return ORR_ERR_MEMORY;
    }
    graph->ring = ring;
    graph->jump = jump;
    ring[graph->rings++] = (struct flexflow_ring){
        .servers = reader->ring_servers, .first_jump = graph->jump_count, .jumps = jumps.count};
    for (size_t i = 0; i < jumps.count; i++) {
        jump[graph->jump_count++] =
            (int32_t)orr_flatbuffer_uint32_at(&reader->buffer, jumps.at + 4 * i);
    }
    return ORR_OK;
}

static enum orr_status read_rings(struct reader *reader, const struct fb_table *table, void *item)
{
    static const struct fb_field size = {.slot = 0, .type = FB_UINT64, .name = "ringsz"};
    static const struct tables rings = {.field = {.slot = 1, .name = "ringpaths"},
                                        .read = read_ring};
    struct elements none;
    (void)item;
    const enum orr_status status =
        orr_flatbuffer_numbers(&reader->buffer, table, &size, 1, &reader->ring_servers);
    return status == ORR_OK ? read_each(reader, table, &rings, &none) : status;
}

/* ---- the graph ---- */

struct raw_graph {
    uint32_t accelerators, servers, switches;
    float inter_accelerator, memory, link;
};

static const struct fb_field graph_fields[] = {
    {0, FB_UINT32, offsetof(struct raw_graph, accelerators), "ngpupernode"},
    {1, FB_UINT32, offsetof(struct raw_graph, servers), "nnode"},
    {2, FB_UINT32, offsetof(struct raw_graph, switches), "nswitch"},
    {3, FB_FLOAT, offsetof(struct raw_graph, inter_accelerator), "intergpubw"},
    {4, FB_FLOAT, offsetof(struct raw_graph, memory), "drambw"},
    {5, FB_FLOAT, offsetof(struct raw_graph, link), "netbw"},
};

static enum orr_status read_header(struct reader *reader, const struct fb_table *root)
{
    struct flexflow_graph *graph = reader->graph;
    struct raw_graph raw;
    const enum orr_status status = orr_flatbuffer_numbers(
        &reader->buffer, root, graph_fields, sizeof graph_fields / sizeof *graph_fields, &raw);
    if (status != ORR_OK) {
        return status;
    }
    const float speeds[] = {raw.inter_accelerator, raw.memory, raw.link};
    for (size_t i = 0; i < 3; i++) {
        if (!(speeds[i] >= 0 && isfinite(speeds[i]))) {
            return orr_flatbuffer_fail(&reader->buffer, root->at, root, graph_fields[3 + i].name,
                                       "expected bytes per ms that are not negative, got %g",
                                       (double)speeds[i]);
        }
    }
    graph->accelerators_per_server = raw.accelerators;
    graph->servers = raw.servers;
    graph->switches = raw.switches;
    graph->inter_accelerator_bytes_per_ms = raw.inter_accelerator;
    graph->memory_bytes_per_ms = raw.memory;
    graph->link_bytes_per_ms = raw.link;
    return ORR_OK;
}

/* The vectors of the root, in the order of their slots. */
static const struct tables graph_tables[] = {
    {{.slot = 6, .name = "conn"}, sizeof(struct flexflow_connection), read_connection},
    {{.slot = 7, .name = "ops"}, sizeof(struct flexflow_op), read_op},
    {{.slot = 8, .name = "tasks"}, sizeof(struct flexflow_task), read_task},
    {{.slot = 9, .name = "devices"}, sizeof(struct flexflow_device), read_device},
    {{.slot = 10, .name = "routes"}, 0, read_route},
    {{.slot = 11, .name = "rings"}, 0, read_rings},
};

static enum orr_status read_vectors(struct reader *reader, const struct fb_table *root)
{
    struct flexflow_graph *graph = reader->graph;
    struct elements all[sizeof graph_tables / sizeof *graph_tables] = {{NULL, 0}};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == ORR_OK; i++) {
        status = read_each(reader, root, &graph_tables[i], &all[i]);
    }
    graph->connection = all[0].items;
    graph->connections = all[0].count;
    graph->op = all[1].items;
    graph->ops = all[1].count;
    graph->task = all[2].items;
    graph->tasks = all[2].count;
    graph->device = all[3].items;
    graph->devices = all[3].count;
    graph->routes = all[4].count;
    return status;
}

enum orr_status orr_flexflow_read_fbuf(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                       struct flexflow_graph *out, struct orr_diag *diag)
{
    struct reader reader = {
        .buffer = {.file = bytes->name, .data = bytes->data, .bytes = bytes->count, .diag = diag},
        .arena = arena,
        .graph = out};
    struct fb_table root;
    *out = (struct flexflow_graph){.file = bytes->name, .has_byte_offsets = true, .placed = true};
    enum orr_status status = orr_flatbuffer_root(&reader.buffer, "TaskGraph", &root);
    if (status == ORR_OK) {
        status = read_header(&reader, &root);
    }
    return status == ORR_OK ? read_vectors(&reader, &root) : status;
}
