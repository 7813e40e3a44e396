/* Writes the binary form of task graphs; see docs/file-formats.md. */
#include <string.h>
#include <zlib.h>

#include "workload/taskgraph/tg_file_private.h"

enum { BUFFER_BYTES = 1 << 16, MAX_VARINT_BYTES = 10 };

struct sink {
    FILE *out;
    uLong checksum;
    size_t used;
    unsigned char bytes[BUFFER_BYTES];
};

/* The previous numbers, from which a task's numbers are differences. */
struct last {
    uint32_t npu, name;
};

static void flush(struct sink *sink)
{
    sink->checksum = crc32(sink->checksum, sink->bytes, (uInt)sink->used);
    (void)fwrite(sink->bytes, 1, sink->used, sink->out);
    sink->used = 0;
}

static void write_bytes(struct sink *sink, const void *data, size_t count)
{
    const unsigned char *from = data;
    while (count != 0) {
        const size_t capacity = BUFFER_BYTES - sink->used,
                     taken = count < capacity ? count : capacity;
        memcpy(sink->bytes + sink->used, from, taken);
        sink->used += taken;
        from += taken;
        count -= taken;
        if (sink->used == BUFFER_BYTES) {
            flush(sink);
        }
    }
}

static void write_byte(struct sink *sink, unsigned byte)
{
    if (sink->used == BUFFER_BYTES) {
        flush(sink);
    }
    sink->bytes[sink->used++] = (unsigned char)byte;
}

static void write_uint32(struct sink *sink, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        write_byte(sink, value >> 8 * i & 0xFF);
    }
}

/* A varint: seven bits a byte, the lowest first; the last byte has no high bit. */
static void write_varint(struct sink *sink, uint64_t value)
{
    if (sink->used + MAX_VARINT_BYTES > BUFFER_BYTES) {
        flush(sink);
    }
    for (; value >= 0x80; value >>= 7) {
        sink->bytes[sink->used++] = (unsigned char)(value & 0x7F) | 0x80;
    }
    sink->bytes[sink->used++] = (unsigned char)value;
}

/* The difference of two numbers of 32 bits (zigzag): 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
static void write_delta(struct sink *sink, uint32_t value, uint32_t from)
{
    const int64_t difference = (int64_t)value - from;
    write_varint(sink, difference < 0 ? (uint64_t)(-2 * difference - 1) : (uint64_t)difference * 2);
}

static void write_members(struct sink *sink, const struct tg_graph *graph,
                          const struct tg_task *task, struct last *last)
{
    write_varint(sink, task->to);
    for (uint32_t i = 0; i < task->to; i++) {
        write_delta(sink, graph->member[task->from + i], last->npu);
        last->npu = graph->member[task->from + i];
    }
}

static void write_nexts(struct sink *sink, const struct tg_graph *graph, uint32_t task)
{
    uint32_t count, last = task;
    const uint32_t *next = orr_tg_next(graph, task, &count);
    write_varint(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        write_delta(sink, next[i], last);
        last = next[i];
    }
}

static void write_task(struct sink *sink, const struct tg_graph *graph,
                       const struct tg_names *names, uint32_t index, struct last *last)
{
    const struct tg_task *task = &graph->task[index];
    const uint32_t name = task->name != 0 ? names->number[task->name] : 0;
    write_byte(sink, task->role | (unsigned)task->pass << TG_ROLE_BITS |
                         (task->across ? TG_ACROSS_BIT : 0u) |
                         (name != last->name ? TG_NAMED_BIT : 0u));
    if (name != last->name) {
        write_delta(sink, name, last->name);
        last->name = name;
    }
    if (task->role >= TG_TRANSFER) {
        write_varint(sink, task->bytes);
    }
    if (!orr_tg_is_transfer(task)) {
        write_varint(sink, task->duration_ps);
    }
    if (task->role == TG_ALL_REDUCE) {
        write_members(sink, graph, task, last);
    } else {
        write_delta(sink, task->from, last->npu);
        last->npu = task->from;
    }
    if (orr_tg_is_transfer(task)) {
        write_delta(sink, task->to, last->npu);
        last->npu = task->to;
    }
    write_nexts(sink, graph, index);
}

static void write_header(struct sink *sink, const struct tg_graph *graph,
                         const struct tg_names *names)
{
    uint32_t members = 0; /* every list, as they are written */
    for (uint32_t i = 0; i < graph->tasks; i++) {
        members += graph->task[i].role == TG_ALL_REDUCE ? graph->task[i].to : 0;
    }
    const uint32_t flags = (graph->order != NULL ? TG_HAS_ORDER : 0u) |
                           (graph->first_come ? (uint32_t)TG_FIRST_COME : 0u);
    const uint32_t words[] = {TG_VERSION,   flags,        graph->npus, graph->copies,
                              graph->tasks, graph->nexts, members,     names->count - 1};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        write_uint32(sink, words[i]);
    }
}

void orr_tg_write_binary(const struct tg_graph *graph, const struct tg_names *names, FILE *out)
{
    struct sink sink = {.out = out, .checksum = crc32(0, Z_NULL, 0)};
    struct last last = {.npu = 0};
    (void)fwrite(TG_MAGIC, 1, TG_MAGIC_BYTES, out);
    write_header(&sink, graph, names);
    for (uint32_t i = 1; i < names->count; i++) {
        const size_t length = strlen(names->text[i]);
        write_varint(&sink, length);
        write_bytes(&sink, names->text[i], length);
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        write_task(&sink, graph, names, i, &last);
    }
    for (uint32_t i = 0; graph->order != NULL && i < graph->tasks; i++) {
        write_delta(&sink, graph->order[i], i == 0 ? 0 : graph->order[i - 1]);
    }
    flush(&sink);
    write_uint32(&sink, (uint32_t)sink.checksum);
    (void)fwrite(sink.bytes, 1, sink.used, out);
}
