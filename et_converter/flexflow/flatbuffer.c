/* Verified reader of FlatBuffers; see flatbuffer.h. The format: a buffer starts with the offset
 * of its root table. A table starts with the distance back to its vtable, which holds its own
 * size, the size of the table, and for each field its offset in the table (0: absent). Vectors,
 * strings and tables in fields are distances forward. Numbers are little-endian and aligned to
 * their size. */
#include "et_converter/flexflow/flatbuffer.h"

#include "core/arena.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OFFSET_BYTES = 4, FIRST_FIELD = 4, MAX_SHARED = 4 };

static bool inside(const struct flatbuffer *buffer, uint64_t at, uint64_t bytes)
{
    return at <= buffer->bytes && bytes <= buffer->bytes - at;
}

static unsigned uint16_at(const struct flatbuffer *buffer, size_t at)
{
    return (unsigned)buffer->data[at] | (unsigned)buffer->data[at + 1] << 8;
}

uint32_t orr_flatbuffer_uint32_at(const struct flatbuffer *buffer, size_t at)
{
    return (uint32_t)uint16_at(buffer, at) | (uint32_t)uint16_at(buffer, at + 2) << 16;
}

uint64_t orr_flatbuffer_uint64_at(const struct flatbuffer *buffer, size_t at)
{
    return orr_flatbuffer_uint32_at(buffer, at) | (uint64_t)orr_flatbuffer_uint32_at(buffer, at + 4)
                                                      << 32;
}

enum orr_status orr_flatbuffer_fail(struct flatbuffer *buffer, size_t at,
                                    const struct fb_table *table, const char *name,
                                    const char *format, ...)
{
    char message[512], index[32] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (table->index != SIZE_MAX) {
        (void)snprintf(index, sizeof index, "[%zu]", table->index);
    }
    const struct orr_location place = orr_location_file(buffer->file);
    return orr_diag_fail(buffer->diag, ORR_ERR_INPUT, &place, "byte offset %zu: %s%s%s%s: %s", at,
                         table->what, index, name != NULL ? "." : "", name != NULL ? name : "",
                         message);
}

/* ---- tables ---- */

/* Checks the vtable of the table at table->at, which lies inside of the file. */
static enum orr_status check_vtable(struct flatbuffer *buffer, struct fb_table *table)
{
    const int64_t back = (int32_t)orr_flatbuffer_uint32_at(buffer, table->at);
    const int64_t vtable = (int64_t)table->at - back;
    if (vtable < 0 || !inside(buffer, (uint64_t)vtable, FIRST_FIELD) || vtable % 2 != 0) {
        return orr_flatbuffer_fail(
            buffer, table->at, table, NULL,
            "expected the distance back to a vtable, at an even offset inside of the "
            "file's %zu bytes, got %" PRId64 ", which is byte %" PRId64,
            buffer->bytes, back, vtable);
    }
    table->vtable = (size_t)vtable;
    table->vtable_bytes = (uint16_t)uint16_at(buffer, table->vtable);
    table->table_bytes = (uint16_t)uint16_at(buffer, table->vtable + 2);
    if (table->vtable_bytes < FIRST_FIELD || table->vtable_bytes % 2 != 0 ||
        !inside(buffer, table->vtable, table->vtable_bytes)) {
        return orr_flatbuffer_fail(
            buffer, table->vtable, table, NULL,
            "expected the even size of a vtable, from 4 to the %zu bytes that follow, "
            "got %u",
            buffer->bytes - table->vtable, (unsigned)table->vtable_bytes);
    }
    if (table->table_bytes < OFFSET_BYTES || !inside(buffer, table->at, table->table_bytes)) {
        return orr_flatbuffer_fail(
            buffer, table->vtable + 2, table, NULL,
            "expected the size of a table, from 4 to the %zu bytes that follow it, got "
            "%u",
            buffer->bytes - table->at, (unsigned)table->table_bytes);
    }
    return ORR_OK;
}

/* Follows the offset at `from` to 4 aligned bytes. */
static enum orr_status follow(struct flatbuffer *buffer, size_t from, const struct fb_table *owner,
                              const char *name, size_t *to)
{
    const uint32_t distance = orr_flatbuffer_uint32_at(buffer, from);
    const uint64_t at = (uint64_t)from + distance;
    if (distance == 0 || at % OFFSET_BYTES != 0 || !inside(buffer, at, OFFSET_BYTES)) {
        return orr_flatbuffer_fail(
            buffer, from, owner, name,
            "expected an offset to a multiple of 4 inside of the file's %zu bytes, got "
            "%" PRIu32 ", which is byte %" PRIu64,
            buffer->bytes, distance, at);
    }
    *to = (size_t)at;
    return ORR_OK;
}

enum orr_status orr_flatbuffer_root(struct flatbuffer *buffer, const char *what,
                                    struct fb_table *out)
{
    *out = (struct fb_table){.what = what, .index = SIZE_MAX};
    if (buffer->bytes < OFFSET_BYTES + OFFSET_BYTES || buffer->bytes > INT32_MAX) {
        return orr_flatbuffer_fail(buffer, 0, out, NULL,
                                   "expected a FlatBuffer of 8 bytes to 2 GiB, got %zu bytes",
                                   buffer->bytes);
    }
    const enum orr_status status = follow(buffer, 0, out, NULL, &out->at);
    return status == ORR_OK ? check_vtable(buffer, out) : status;
}

enum orr_status orr_flatbuffer_table_of(struct flatbuffer *buffer, const struct fb_vector *vector,
                                        size_t index, struct fb_table *out)
{
    *out = (struct fb_table){.what = vector->what, .index = index};
    const enum orr_status status =
        follow(buffer, vector->at + index * OFFSET_BYTES, out, NULL, &out->at);
    return status == ORR_OK ? check_vtable(buffer, out) : status;
}

/* ---- fields ---- */

/* Sets *at to the position of a field of `bytes` bytes; 0 if it is absent. */
static enum orr_status find(struct flatbuffer *buffer, const struct fb_table *table,
                            const struct fb_field *field, size_t bytes, size_t *at)
{
    const size_t entry = FIRST_FIELD + 2 * (size_t)field->slot;
    *at = 0;
    if (entry + 2 > table->vtable_bytes) {
        return ORR_OK;
    }
    const unsigned offset = uint16_at(buffer, table->vtable + entry);
    if (offset == 0) {
        return ORR_OK;
    }
    if (offset < OFFSET_BYTES || offset + bytes > table->table_bytes ||
        (table->at + offset) % bytes != 0) {
        return orr_flatbuffer_fail(
            buffer, table->vtable + entry, table, field->name,
            "expected the offset of %zu aligned bytes in a table of %u bytes at byte %zu,"
            " got %u",
            bytes, (unsigned)table->table_bytes, table->at, offset);
    }
    *at = table->at + offset;
    return ORR_OK;
}

static size_t size_of(enum fb_type type)
{
    static const uint8_t sizes[] = {
        [FB_INT16] = 2, [FB_INT32] = 4, [FB_UINT32] = 4, [FB_UINT64] = 8, [FB_FLOAT] = 4};
    return sizes[type];
}

/* Loads the little-endian number at a position (0: absent, the number is 0). */
static void load(const struct flatbuffer *buffer, size_t at, size_t bytes, void *out)
{
    const uint64_t wide = at == 0      ? 0
                          : bytes == 2 ? uint16_at(buffer, at)
                          : bytes == 4 ? orr_flatbuffer_uint32_at(buffer, at)
                                       : orr_flatbuffer_uint64_at(buffer, at);
    const uint32_t word = (uint32_t)wide;
    const uint16_t half = (uint16_t)wide;
    memcpy(out,
           bytes == 2   ? (const void *)&half
           : bytes == 4 ? (const void *)&word
                        : (const void *)&wide,
           bytes);
}

enum orr_status orr_flatbuffer_numbers(struct flatbuffer *buffer, const struct fb_table *table,
                                       const struct fb_field *fields, size_t count, void *target)
{
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = size_of(fields[i].type);
        size_t at;
        const enum orr_status status = find(buffer, table, &fields[i], bytes, &at);
        if (status != ORR_OK) {
            return status;
        }
        load(buffer, at, bytes, (char *)target + fields[i].offset);
    }
    return ORR_OK;
}

enum orr_status orr_flatbuffer_vector(struct flatbuffer *buffer, const struct fb_table *table,
                                      const struct fb_field *field, size_t element_bytes,
                                      struct fb_vector *out)
{
    size_t at, start;
    *out = (struct fb_vector){.what = field->name};
    enum orr_status status = find(buffer, table, field, OFFSET_BYTES, &at);
    if (status != ORR_OK || at == 0) {
        return status;
    }
    status = follow(buffer, at, table, field->name, &start);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t count = orr_flatbuffer_uint32_at(buffer, start);
    const size_t first = start + OFFSET_BYTES;
    if (!inside(buffer, first, (uint64_t)count * element_bytes)) {
        return orr_flatbuffer_fail(
            buffer, start, table, field->name,
            "expected a vector inside of the file, with at most the %zu elements of %zu "
            "bytes that follow, got %" PRIu32,
            (buffer->bytes - first) / element_bytes, element_bytes, count);
    }
    if (first % element_bytes != 0 && count != 0) {
        return orr_flatbuffer_fail(buffer, first, table, field->name,
                                   "expected elements at a multiple of %zu bytes", element_bytes);
    }
    *out = (struct fb_vector){.at = first, .count = count, .is_present = true, .what = field->name};
    return ORR_OK;
}

enum orr_status orr_flatbuffer_add_copied(struct flatbuffer *buffer, const struct fb_vector *vector,
                                          size_t element_bytes)
{
    buffer->copied_bytes += vector->count * element_bytes;
    if (buffer->copied_bytes / MAX_SHARED <= buffer->bytes) {
        return ORR_OK;
    }
    const struct fb_table table = {.what = vector->what, .index = SIZE_MAX};
    return orr_flatbuffer_fail(
        buffer, vector->at, &table, NULL,
        "expected vectors of at most %d times the file's %zu bytes together, got %zu; they "
        "overlap",
        MAX_SHARED, buffer->bytes, buffer->copied_bytes);
}

enum orr_status orr_flatbuffer_string(struct flatbuffer *buffer, const struct fb_table *table,
                                      const struct fb_field *field, struct orr_arena *arena,
                                      const char **out)
{
    struct fb_vector text;
    *out = NULL;
    enum orr_status status = orr_flatbuffer_vector(buffer, table, field, 1, &text);
    if (status == ORR_OK) {
        status = orr_flatbuffer_add_copied(buffer, &text, 1);
    }
    if (status != ORR_OK || !text.is_present) {
        return status;
    }
    if (!inside(buffer, text.at + text.count, 1) || buffer->data[text.at + text.count] != 0) {
        return orr_flatbuffer_fail(buffer, text.at + text.count, table, field->name,
                                   "expected the zero byte behind a string of %zu bytes",
                                   text.count);
    }
    char *copy = orr_arena_strndup(arena, (const char *)buffer->data + text.at, text.count);
    if (copy == NULL) {
        return orr_diag_no_memory(buffer->diag, "a string of a FlatBuffer");
    }
    for (size_t i = 0; i < text.count; i++) {
        copy[i] = copy[i] >= ' ' && copy[i] <= '~' ? copy[i] : '?';
    }
    *out = copy;
    return ORR_OK;
}
