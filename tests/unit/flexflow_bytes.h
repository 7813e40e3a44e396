/* Small task graphs as FlatBuffers, made by hand: tables whose fields all have 8 bytes, at 8 + 8 x
 * slot, so that a test can find and spoil any of them. */
#ifndef ORR_TESTS_UNIT_FLEXFLOW_BYTES_H
#define ORR_TESTS_UNIT_FLEXFLOW_BYTES_H

#include <stdint.h>
#include <string.h>

#ifndef FF_BUFFER_BYTES
#define FF_BUFFER_BYTES 16384
#endif
enum { FF_TASKS = 6, FF_DEVICES = 4 };

struct ff_buffer {
    unsigned char data[FF_BUFFER_BYTES];
    size_t count;
};

static inline void ff_put(struct ff_buffer *buffer, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        buffer->data[at + i] = (unsigned char)(value >> 8 * i);
    }
}

static inline void ff_put_float(struct ff_buffer *buffer, size_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ff_put(buffer, at, bits, 4);
}

/* The place of a table's field. */
static inline size_t ff_at(size_t table, unsigned slot)
{
    return table + 8 + 8 * (size_t)slot;
}

static inline size_t ff_align(struct ff_buffer *buffer)
{
    buffer->count = (buffer->count + 7) / 8 * 8;
    return buffer->count;
}

/* A table of so many fields, all present and 0, with its vtable before it; its place. */
static inline size_t ff_table(struct ff_buffer *buffer, unsigned fields)
{
    const size_t vtable = ff_align(buffer);
    const size_t table = (vtable + 4 + 2 * (size_t)fields + 7) / 8 * 8;
    ff_put(buffer, vtable, 4 + 2 * fields, 2);
    ff_put(buffer, vtable + 2, 8 + 8 * fields, 2);
    for (unsigned i = 0; i < fields; i++) {
        ff_put(buffer, vtable + 4 + 2 * (size_t)i, 8 + 8 * i, 2);
    }
    ff_put(buffer, table, table - vtable, 4);
    buffer->count = table + 8 + 8 * (size_t)fields;
    return table;
}

/* Lets the offset at `from` lead to `to`. */
static inline void ff_link(struct ff_buffer *buffer, size_t from, size_t to)
{
    ff_put(buffer, from, to - from, 4);
}

/* A vector of numbers of so many bytes for a field; the place of its count. */
static inline size_t ff_vector(struct ff_buffer *buffer, size_t field, size_t count, size_t bytes)
{
    const size_t at = ff_align(buffer) + 4; /* so that elements have a multiple of 8 */
    ff_put(buffer, at, count, 4);
    buffer->count = at + 4 + count * bytes;
    ff_link(buffer, field, at);
    return at;
}

struct ff_task {
    unsigned type;
    uint64_t id, device;
    float runtime_ms;
    uint64_t bytes;
    size_t next_count;
    uint64_t next[4];
};

struct ff_graph {
    struct ff_buffer buffer;
    size_t root, task[FF_TASKS], device[FF_DEVICES], connection[2], op, route, path, rings, ring;
    size_t tasks; /* the place of the vector's count */
};

static inline size_t ff_add_task(struct ff_graph *graph, const struct ff_task *task)
{
    struct ff_buffer *buffer = &graph->buffer;
    const size_t table = ff_table(buffer, 6);
    ff_put(buffer, ff_at(table, 0), task->type, 2);
    ff_put(buffer, ff_at(table, 1), task->id, 8);
    ff_put(buffer, ff_at(table, 2), task->device, 8);
    ff_put_float(buffer, ff_at(table, 3), task->runtime_ms);
    ff_put(buffer, ff_at(table, 4), task->bytes, 8);
    const size_t vector = ff_vector(buffer, ff_at(table, 5), task->next_count, 8);
    for (size_t i = 0; i < task->next_count; i++) {
        ff_put(buffer, vector + 4 + 8 * i, task->next[i], 8);
    }
    return table;
}

/* A vector of tables for a field of the root; the place of its count. */
static inline size_t ff_tables(struct ff_graph *graph, size_t field, size_t count)
{
    return ff_vector(&graph->buffer, field, count, 4);
}

static inline void ff_add_devices(struct ff_graph *graph)
{
    /* type, id, server, property: the NPUs 0 and 1, transfers 0 -> 1 and 1 -> 0 among 3 nodes */
    static const uint64_t given[FF_DEVICES][4] = {
        {0, 100, 0, 0}, {0, 101, 1, 1}, {14, 110, UINT64_MAX, 1}, {14, 111, UINT64_MAX, 3}};
    const size_t vector = ff_tables(graph, ff_at(graph->root, 9), FF_DEVICES);
    for (size_t i = 0; i < FF_DEVICES; i++) {
        graph->device[i] = ff_table(&graph->buffer, 5);
        ff_link(&graph->buffer, vector + 4 + 4 * i, graph->device[i]);
        for (unsigned slot = 0; slot < 4; slot++) {
            ff_put(&graph->buffer, ff_at(graph->device[i], slot), given[i][slot], slot ? 8 : 2);
        }
    }
}

/* Forward on NPU 0 (1.5 ms) -> 1000 bytes to NPU 1 -> forward (0.25 ms) -> backward (0.5 ms) on it;
 * backward on NPU 0 after its forward; an all-reduce of 4096 bytes after both backward tasks. */
static inline void ff_add_tasks(struct ff_graph *graph)
{
    static const struct ff_task given[FF_TASKS] = {
        {0, 10, 100, 1.5F, 0, 2, {11, 14}}, {5, 11, 110, 9.0F, 1000, 1, {12}},
        {0, 12, 101, 0.25F, 0, 1, {13}},    {1, 13, 101, 0.5F, 0, 1, {15}},
        {1, 14, 100, 2.0F, 0, 1, {15}},     {6, 15, 0, 0.125F, 4096, 2, {0, 1}},
    };
    graph->tasks = ff_tables(graph, ff_at(graph->root, 8), FF_TASKS);
    for (size_t i = 0; i < FF_TASKS; i++) {
        graph->task[i] = ff_add_task(graph, &given[i]);
        ff_link(&graph->buffer, graph->tasks + 4 + 4 * i, graph->task[i]);
    }
}

static inline void ff_add_network(struct ff_graph *graph)
{
    struct ff_buffer *buffer = &graph->buffer;
    size_t vector = ff_tables(graph, ff_at(graph->root, 6), 2);
    for (size_t i = 0; i < 2; i++) { /* the switch is node 2; two links to server 1 */
        graph->connection[i] = ff_table(buffer, 3);
        ff_link(buffer, vector + 4 + 4 * i, graph->connection[i]);
        ff_put(buffer, ff_at(graph->connection[i], 0), 2, 4);
        ff_put(buffer, ff_at(graph->connection[i], 1), i, 4);
        ff_put(buffer, ff_at(graph->connection[i], 2), i + 1, 4);
    }
    vector = ff_tables(graph, ff_at(graph->root, 10), 1);
    graph->route = ff_table(buffer, 3);
    ff_link(buffer, vector + 4, graph->route);
    ff_put(buffer, ff_at(graph->route, 1), 1, 4);
    vector = ff_tables(graph, ff_at(graph->route, 2), 1);
    graph->path = ff_table(buffer, 2);
    ff_link(buffer, vector + 4, graph->path);
    ff_put_float(buffer, ff_at(graph->path, 1), 1.0F);
    vector = ff_vector(buffer, ff_at(graph->path, 0), 3, 4); /* 0, 2, 1 */
    ff_put(buffer, vector + 8, 2, 4);
    ff_put(buffer, vector + 12, 1, 4);
    vector = ff_tables(graph, ff_at(graph->root, 11), 1);
    graph->rings = ff_table(buffer, 2);
    ff_link(buffer, vector + 4, graph->rings);
    ff_put(buffer, ff_at(graph->rings, 0), 2, 8);
    vector = ff_tables(graph, ff_at(graph->rings, 1), 1);
    graph->ring = ff_table(buffer, 1);
    ff_link(buffer, vector + 4, graph->ring);
    vector = ff_vector(buffer, ff_at(graph->ring, 0), 2, 4); /* 1, -1 */
    ff_put(buffer, vector + 4, 1, 4);
    ff_put(buffer, vector + 8, UINT32_MAX, 4);
}

static inline void ff_add_op(struct ff_graph *graph)
{
    struct ff_buffer *buffer = &graph->buffer;
    const size_t vector = ff_tables(graph, ff_at(graph->root, 7), 1);
    graph->op = ff_table(buffer, 3);
    ff_link(buffer, vector + 4, graph->op);
    ff_put(buffer, ff_at(graph->op, 0), 7, 8);
    ff_put(buffer, ff_at(graph->op, 1), 5, 8);
    const size_t name = ff_vector(buffer, ff_at(graph->op, 2), 5, 1);
    memcpy(buffer->data + name + 4, "Dense", 6);
    buffer->count++;
}

/* Two servers at a switch, links of 12500 bytes/ms. */
static inline void ff_make(struct ff_graph *graph)
{
    memset(graph, 0, sizeof *graph);
    struct ff_buffer *buffer = &graph->buffer;
    buffer->count = 8;
    graph->root = ff_table(buffer, 12);
    ff_link(buffer, 0, graph->root);
    ff_put(buffer, ff_at(graph->root, 0), 1, 4);
    ff_put(buffer, ff_at(graph->root, 1), 2, 4);
    ff_put(buffer, ff_at(graph->root, 2), 1, 4);
    ff_put_float(buffer, ff_at(graph->root, 5), 12500.0F);
    ff_add_devices(graph);
    ff_add_tasks(graph);
    ff_add_op(graph);
    ff_add_network(graph);
    (void)ff_align(buffer);
}

#endif
