/* Reads the binary form of task graphs; see docs/file-formats.md. The counts of the header are
 * checked against the size of the input before anything is allocated; every number is checked when
 * it is read, and the graph at the end. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include "core/arena.h"
#include "core/text_escape.h"
#include "workload/taskgraph/tg_file_private.h"
#include "workload/taskgraph/tg_graph.h"

struct reader {
    const char *file;
    const unsigned char *data;
    size_t at, end; /* end: before the checksum */
    struct orr_arena *arena;
    struct orr_diag *diag;
    struct tg_graph *graph;
    struct tg_task *task;
    uint32_t *next, *member;
    uint32_t nexts, members; /* so far */
    uint32_t last_npu, last_name;
    enum orr_status status; /* the first error; afterwards all numbers read as 0 */
};

static void fail(struct reader *reader, size_t at, const char *format, ...) ORR_PRINTF(3, 4);

static void fail(struct reader *reader, size_t at, const char *format, ...)
{
    const struct orr_location location = orr_location_file(reader->file);
    char message[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (reader->status == ORR_OK) {
        reader->status = orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                                       "byte offset %zu: %s", at, message);
    }
    reader->at = reader->end;
}

static uint32_t uint32_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* A varint of several bytes, or the end of the file. */
static ORR_NOINLINE uint64_t read_long_varint(struct reader *reader, const char *what)
{
    const size_t first = reader->at;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (reader->at == reader->end) {
            fail(reader, first, "%s: expected a number, got the end of the file", what);
            return 0;
        }
        const unsigned char byte = reader->data[reader->at++];
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    fail(reader, first, "%s: expected a number below 2^64, got a larger one", what);
    return 0;
}

static inline uint64_t read_varint(struct reader *reader, const char *what)
{
    if (reader->at < reader->end && reader->data[reader->at] < 0x80) {
        return reader->data[reader->at++];
    }
    return read_long_varint(reader, what);
}

/* A number below `limit`, stored as its difference from `from`. */
static uint32_t read_delta(struct reader *reader, uint32_t from, uint32_t limit, const char *what)
{
    const size_t first = reader->at;
    const uint64_t coded = read_varint(reader, what);
    const int64_t half = (int64_t)(coded >> 1);
    const int64_t value = (int64_t)from + ((coded & 1) != 0 ? -half - 1 : half);
    if (coded > UINT64_C(1) << 33 || value < 0 || value >= (int64_t)limit) {
        fail(reader, first, "%s: expected a number below %" PRIu32 ", got %" PRIu32 " and %" PRId64,
             what, limit, from, (coded & 1) != 0 ? -half - 1 : half);
        return 0;
    }
    return (uint32_t)value;
}

/* A count of at most `left`, the remainder of the header's count. */
static uint32_t read_count(struct reader *reader, uint32_t left, const char *what)
{
    const size_t first = reader->at;
    const uint64_t count = read_varint(reader, what);
    if (count > left) {
        fail(reader, first,
             "%s: expected at most the %" PRIu32 " that remain of the header's count, "
             "got %" PRIu64,
             what, left, count);
        return 0;
    }
    return (uint32_t)count;
}

/* ---- the header ---- */

static enum orr_status check_frame(struct reader *reader, size_t count)
{
    const struct orr_location location = orr_location_file(reader->file);
    if (count < TG_HEADER_BYTES + TG_CHECKSUM_BYTES) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                             "byte offset %zu: expected a header of %d bytes and a checksum, got "
                             "the end of the file",
                             count, TG_HEADER_BYTES);
    }
    if (memcmp(reader->data, TG_MAGIC, TG_MAGIC_BYTES) != 0) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                             "byte offset 4: expected the bytes 0D 0A 1A 0A after the name of the "
                             "format; the file was transferred in text mode");
    }
    if (uint32_at(reader->data + 8) != TG_VERSION) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                             "byte offset 8: expected version %d of the format, got %" PRIu32,
                             TG_VERSION, uint32_at(reader->data + 8));
    }
    return ORR_OK;
}

static enum orr_status check_sum(struct reader *reader)
{
    const uint32_t expected_sum = uint32_at(reader->data + reader->end);
    uLong sum = crc32(0, Z_NULL, 0);
    for (size_t at = TG_MAGIC_BYTES; at < reader->end;) {
        const size_t left = reader->end - at, taken = left < 1u << 30 ? left : 1u << 30;
        sum = crc32(sum, reader->data + at, (uInt)taken);
        at += taken;
    }
    if ((uint32_t)sum != expected_sum) {
        fail(reader, reader->end,
             "expected the checksum %08" PRIX32 ", got %08" PRIX32
             ": the file is truncated or was changed",
             (uint32_t)sum, expected_sum);
    }
    return reader->status;
}

/* Reads the header and checks that its counts fit into the bytes that follow. */
static enum orr_status read_header(struct reader *reader)
{
    static const char *const counts[] = {"tasks", "dependencies", "members", "names"};
    struct tg_graph *graph = reader->graph;
    const unsigned char *header = reader->data + TG_MAGIC_BYTES;
    const size_t left = reader->end - TG_HEADER_BYTES;
    const uint32_t flags = uint32_at(header + 4);
    uint32_t *const count[] = {&graph->tasks, &graph->nexts, &graph->members, &graph->names};
    graph->npus = uint32_at(header + 8);
    graph->copies = uint32_at(header + 12);
    graph->first_come = (flags & TG_FIRST_COME) != 0;
    if (flags > (TG_HAS_ORDER | TG_FIRST_COME)) {
        fail(reader, 12, "flags: expected 0 to 3, got %" PRIu32, flags);
    }
    for (unsigned i = 0; i < 4; i++) {
        const size_t min = i == 0 ? TG_MIN_TASK_BYTES + (flags & TG_HAS_ORDER) : 1;
        *count[i] = uint32_at(header + 16 + 4 * i);
        if (*count[i] > left / min || *count[i] == UINT32_MAX) {
            fail(reader, 24 + 4 * i,
                 "%s: expected at most as many as fit into the %zu bytes that follow, got %" PRIu32,
                 counts[i], left, *count[i]);
        }
    }
    if (graph->npus == 0 || graph->npus > TG_MAX_NPUS || graph->copies == 0 ||
        graph->npus % graph->copies != 0) {
        fail(reader, 16,
             "expected 1 to %d NPUs, and copies that divide them, got %" PRIu32 " and %" PRIu32,
             TG_MAX_NPUS, graph->npus, graph->copies);
    }
    graph->names++;
    reader->at = TG_HEADER_BYTES;
    return reader->status;
}

/* ---- sections ---- */

static bool is_printable(const char *text, size_t length)
{
    char clean[64];
    for (size_t at = 0; at < length;) {
        char part[8] = "";
        const size_t bytes = orr_utf8_bytes(text + at);
        if (text[at] == '\0' || bytes == 0 || bytes > length - at || bytes >= sizeof part) {
            return false;
        }
        memcpy(part, text + at, bytes);
        if (strcmp(orr_text_escape(part, false, clean, sizeof clean), part) != 0) {
            return false;
        }
        at += bytes;
    }
    return true;
}

static enum orr_status read_names(struct reader *reader)
{
    const char **name = orr_arena_array(reader->arena, reader->graph->names, sizeof *name);
    if (name == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    name[0] = "";
    for (uint32_t i = 1; i < reader->graph->names && reader->status == ORR_OK; i++) {
        const size_t first = reader->at;
        const uint64_t length = read_varint(reader, "a name");
        if (length == 0 || length > reader->end - reader->at) {
            fail(reader, first, "expected a name of 1 to %zu bytes, got one of %" PRIu64,
                 reader->end - reader->at, length);
            break;
        }
        char *text = orr_arena_strndup(reader->arena, (const char *)reader->data + reader->at,
                                       (size_t)length);
        if (text == NULL) {
            return orr_diag_no_memory(reader->diag, "a task graph");
        }
        if (!is_printable(text, (size_t)length)) {
            fail(reader, reader->at, "expected a name of printable UTF-8");
        }
        name[i] = text;
        reader->at += reader->status == ORR_OK ? (size_t)length : 0;
    }
    reader->graph->name = name;
    return reader->status;
}

static void read_members(struct reader *reader, struct tg_task *task)
{
    const struct tg_graph *graph = reader->graph;
    const uint32_t npus = orr_tg_group_npus(graph);
    task->from = reader->members;
    task->to = read_count(reader, graph->members - reader->members, "members");
    for (uint32_t i = 0; i < task->to; i++) {
        reader->last_npu = read_delta(reader, reader->last_npu, npus, "a member");
        reader->member[reader->members++] = reader->last_npu;
    }
}

static void read_npus(struct reader *reader, struct tg_task *task)
{
    const uint32_t npus = orr_tg_group_npus(reader->graph);
    task->from = read_delta(reader, reader->last_npu, npus, "an NPU");
    task->to =
        orr_tg_is_transfer(task) ? read_delta(reader, task->from, npus, "an NPU") : task->from;
    reader->last_npu = task->to;
}

static void read_nexts(struct reader *reader, uint32_t index)
{
    const struct tg_graph *graph = reader->graph;
    const uint32_t count =
        read_count(reader, graph->nexts - reader->nexts, "tasks that wait for a task");
    uint32_t last = index;
    for (uint32_t i = 0; i < count; i++) {
        last = read_delta(reader, last, graph->tasks, "a task that waits");
        reader->next[reader->nexts++] = last;
    }
}

static void read_task(struct reader *reader, uint32_t index)
{
    struct tg_task *task = &reader->task[index];
    const size_t first = reader->at;
    const unsigned head = reader->at < reader->end ? reader->data[reader->at++] : 0xFF;
    *task = (struct tg_task){.role = head & ((1u << TG_ROLE_BITS) - 1),
                             .pass = head >> TG_ROLE_BITS & ((1u << TG_PASS_BITS) - 1),
                             .across = (head & TG_ACROSS_BIT) != 0,
                             .first_next = reader->nexts};
    if (first == reader->end) {
        fail(reader, first, "a task: expected a role, got the end of the file");
        return;
    }
    if (task->role >= TG_ROLES || task->pass >= TG_PASSES) {
        fail(reader, first, "a task: expected a role below %d and a pass below %d, got %u and %u",
             (int)TG_ROLES, (int)TG_PASSES, (unsigned)task->role, (unsigned)task->pass);
        return;
    }
    if ((head & TG_NAMED_BIT) != 0) {
        reader->last_name = read_delta(reader, reader->last_name, reader->graph->names, "a name");
    }
    task->name = reader->last_name;
    task->bytes = task->role >= TG_TRANSFER ? read_varint(reader, "bytes") : 0;
    task->duration_ps = orr_tg_is_transfer(task) ? 0 : read_varint(reader, "a duration");
    if (task->role == TG_ALL_REDUCE) {
        read_members(reader, task);
    } else {
        read_npus(reader, task);
    }
    read_nexts(reader, index);
}

static enum orr_status read_order(struct reader *reader)
{
    uint32_t last = 0, *order = NULL;
    if ((uint32_at(reader->data + 12) & TG_HAS_ORDER) == 0 || reader->status != ORR_OK) {
        return reader->status;
    }
    order =
        orr_arena_alloc_raw(reader->arena, reader->graph->tasks * sizeof *order + 1, sizeof *order);
    if (order == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    for (uint32_t i = 0; i < reader->graph->tasks; i++) {
        order[i] = last = read_delta(reader, last, reader->graph->tasks, "the order");
    }
    reader->graph->order = order;
    return reader->status;
}

static enum orr_status allocate(struct reader *reader)
{
    const struct tg_graph *graph = reader->graph;
    reader->task = orr_arena_alloc_raw(reader->arena, graph->tasks * sizeof *reader->task + 1,
                                       sizeof(uint64_t));
    reader->next =
        orr_arena_alloc_raw(reader->arena, graph->nexts * sizeof(uint32_t) + 1, sizeof(uint32_t));
    reader->member =
        orr_arena_alloc_raw(reader->arena, graph->members * sizeof(uint32_t) + 1, sizeof(uint32_t));
    return reader->task != NULL && reader->next != NULL && reader->member != NULL
               ? ORR_OK
               : orr_diag_no_memory(reader->diag, "a task graph");
}

static enum orr_status read_tasks(struct reader *reader)
{
    struct tg_graph *graph = reader->graph;
    for (uint32_t i = 0; i < graph->tasks && reader->status == ORR_OK; i++) {
        read_task(reader, i);
    }
    if (reader->status == ORR_OK &&
        (reader->nexts != graph->nexts || reader->members != graph->members)) {
        fail(reader, reader->at,
             "expected %" PRIu32 " dependencies and %" PRIu32 " members as the header says, got "
             "%" PRIu32 " and %" PRIu32,
             graph->nexts, graph->members, reader->nexts, reader->members);
    }
    graph->task = reader->task;
    graph->next = reader->next;
    graph->member = reader->member;
    return reader->status;
}

static enum orr_status check_end(struct reader *reader)
{
    if (reader->status == ORR_OK && reader->at != reader->end) {
        fail(reader, reader->at, "expected the end of the file, got %zu more bytes",
             reader->end - reader->at);
    }
    return reader->status;
}

enum orr_status orr_tg_read_binary(struct orr_arena *arena, const struct tg_bytes *bytes,
                                   struct tg_graph *out, struct orr_diag *diag)
{
    struct reader reader = {
        .file = bytes->name, .data = bytes->data, .arena = arena, .diag = diag, .graph = out};
    static enum orr_status (*const stages[])(struct reader *) = {
        check_sum, read_header, allocate, read_names, read_tasks, read_order, check_end};
    *out = (struct tg_graph){.file = bytes->name};
    enum orr_status status = check_frame(&reader, bytes->count);
    if (status == ORR_OK) {
        reader.end = bytes->count - TG_CHECKSUM_BYTES;
    }
    for (size_t i = 0; i < sizeof stages / sizeof *stages && status == ORR_OK; i++) {
        status = stages[i](&reader);
    }
    return status == ORR_OK ? orr_tg_check(out, diag) : status;
}
