/* Traces as bytes, written field by field in the protobuf wire format, independently of the code
 * under test; and reading them with a full comparison of the error text. */
#ifndef ORR_TESTS_UNIT_ET_BYTES_H
#define ORR_TESTS_UNIT_ET_BYTES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/et/et.h"

struct orr_arena;
struct orr_trace;

struct bytes {
    size_t count;
    unsigned char data[4096];
};

static inline void put_byte(struct bytes *to, unsigned byte)
{
    assert_true(to->count < sizeof to->data);
    to->data[to->count++] = (unsigned char)byte;
}

static inline void put_varint(struct bytes *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        put_byte(to, (unsigned)(value & 0x7F) | 0x80);
    }
    put_byte(to, (unsigned)value);
}

static inline void put_raw(struct bytes *to, const void *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_byte(to, ((const unsigned char *)data)[i]);
    }
}

static inline void put_number(struct bytes *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3);
    put_varint(to, value);
}

static inline void put_fixed(struct bytes *to, unsigned field, const void *value, size_t count)
{
    put_varint(to, field << 3 | (count == 8 ? 1u : 5u));
    put_raw(to, value, count);
}

static inline void put_part(struct bytes *to, unsigned field, const void *data, size_t count)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, count);
    put_raw(to, data, count);
}

static inline void put_text(struct bytes *to, unsigned field, const char *text)
{
    put_part(to, field, text, strlen(text));
}

static inline void put_record(struct bytes *to, const struct bytes *record)
{
    put_varint(to, record->count);
    put_raw(to, record->data, record->count);
}

/* Fields of the schema. */
enum {
    NODE_ID = 1,
    NODE_NAME,
    NODE_TYPE,
    NODE_CTRL_DEPS,
    NODE_DATA_DEPS,
    NODE_DURATION = 7,
    NODE_INPUTS = 8,
    NODE_ATTR = 10
};
enum {
    ATTR_NAME = 1,
    ATTR_DOUBLE = 3,
    ATTR_FLOAT = 5,
    ATTR_INT32 = 7,
    ATTR_INT64 = 9,
    ATTR_UINT32 = 11,
    ATTR_UINT64 = 13,
    ATTR_SINT32 = 15,
    ATTR_SINT64 = 17,
    ATTR_FIXED32 = 19,
    ATTR_FIXED64 = 21,
    ATTR_SFIXED32 = 23,
    ATTR_SFIXED64 = 25,
    ATTR_BOOL = 27,
    ATTR_BOOL_LIST = 28,
    ATTR_STRING = 29,
    ATTR_STRING_LIST = 30,
    ATTR_BYTES = 31
};

static inline struct bytes node_bytes(uint64_t id, const char *name, unsigned type)
{
    struct bytes node = {0};
    put_number(&node, NODE_ID, id);
    put_text(&node, NODE_NAME, name);
    put_number(&node, NODE_TYPE, type);
    return node;
}

static inline void put_attr(struct bytes *node, const char *name, const struct bytes *value)
{
    struct bytes attr = {0};
    put_text(&attr, ATTR_NAME, name);
    put_raw(&attr, value->data, value->count);
    put_part(node, NODE_ATTR, attr.data, attr.count);
}

static inline void put_attr_number(struct bytes *node, const char *name, unsigned arm,
                                   uint64_t value)
{
    struct bytes bytes = {0};
    put_number(&bytes, arm, value);
    put_attr(node, name, &bytes);
}

static inline void put_attr_text(struct bytes *node, const char *name, const char *text)
{
    struct bytes bytes = {0};
    put_text(&bytes, ATTR_STRING, text);
    put_attr(node, name, &bytes);
}

static inline void put_attr_double(struct bytes *node, const char *name, double value)
{
    struct bytes bytes = {0};
    put_fixed(&bytes, ATTR_DOUBLE, &value, sizeof value);
    put_attr(node, name, &bytes);
}

/* A file that begins with the metadata of version 1 (3 bytes with its length). */
static inline struct bytes begin_file(void)
{
    struct bytes file = {0}, metadata = {0};
    put_text(&metadata, 1, "1");
    put_record(&file, &metadata);
    return file;
}

static inline struct bytes file_of(const struct bytes *node)
{
    struct bytes file = begin_file();
    put_record(&file, node);
    return file;
}

/* ---- reading ---- */

static inline void write_bytes_to(const char *path, const void *data, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline const struct orr_trace *read_bytes(struct orr_arena *arena, const struct bytes *file)
{
    const struct orr_et_bytes bytes = {.name = "t.et", .data = file->data, .count = file->count};
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const enum orr_status status = orr_et_read_memory(arena, &bytes, &trace, &diag);
    if (status != ORR_OK) {
        print_error("unexpected: %s\n", diag.message);
    }
    assert_int_equal(status, ORR_OK);
    return trace;
}

/* Both from memory and from a file, the error must read "t.et: EXPECTED" (or "t.etEXPECTED" when it
 * begins with ':'). The working directory is one of the test's own. */
static inline void expect_error_of(const void *data, size_t count, const char *expected)
{
    char text[8192], wanted[8192];
    (void)snprintf(wanted, sizeof wanted, "t.et: %s", expected);
    write_bytes_to("t.et", data, count);
    for (int from_file = 0; from_file < 2; from_file++) {
        const struct orr_et_bytes bytes = {.name = "t.et", .data = data, .count = count};
        const struct orr_trace *trace = NULL;
        struct orr_arena *arena = orr_arena_create();
        struct orr_diag diag;
        orr_diag_init(&diag);
        const enum orr_status status = from_file != 0
                                           ? orr_et_read_file(arena, "t.et", &trace, &diag)
                                           : orr_et_read_memory(arena, &bytes, &trace, &diag);
        (void)orr_diag_render(&diag, text, sizeof text);
        assert_string_equal(text, wanted);
        assert_int_equal(status, ORR_ERR_INPUT);
        orr_arena_destroy(arena);
    }
    assert_int_equal(remove("t.et"), 0);
}

static inline void expect_error(const struct bytes *file, const char *expected)
{
    expect_error_of(file->data, file->count, expected);
}

/* Group setup and teardown: an empty working directory that is removed behind the tests. */
static inline int enter_scratch(void **state)
{
    static char path[] = "/tmp/orr_test_XXXXXX";
    *state = mkdtemp(path);
    return *state != NULL && chdir(path) == 0 ? 0 : -1;
}

static inline int leave_scratch(void **state)
{
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return chdir("/") == 0 ? system(command) : -1;
}

/* Collects the last warning. */
static inline void keep_warning(void *user, const char *text)
{
    (void)snprintf(user, 1024, "%s", text);
}

#endif
