/* Reading FlatBuffers that nobody has verified: every offset, table, vector and number is checked
 * to lie inside of the buffer, inside of its table and on its alignment before it is used.
 *
 * Tables may share vectors in the format, so that a small file could stand for endless data; what
 * is taken from vectors may therefore not add up to more than four times the bytes of the file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_H

#include "core/core.h"

struct flatbuffer {
    const char *file;
    const unsigned char *data;
    size_t bytes;
    size_t copied_bytes; /* bytes of vectors that were taken */
    struct orr_diag *diag;
};

/* A table whose vtable and extent were checked. It is named by `what`, of a vector with an index.
 */
struct fb_table {
    size_t at, vtable;
    uint16_t vtable_bytes, table_bytes;
    const char *what;
    size_t index; /* SIZE_MAX: not of a vector */
};

struct fb_vector {
    size_t at; /* of the first element */
    size_t count;
    bool is_present;
    const char *what;
};

enum fb_type { FB_INT16, FB_INT32, FB_UINT32, FB_UINT64, FB_FLOAT };

/* A number of a table: where it is kept, and its default is 0. */
struct fb_field {
    unsigned slot;
    enum fb_type type;
    size_t offset; /* of an int16_t, int32_t, uint32_t, uint64_t or float */
    const char *name;
};

/* The root table. Errors: the buffer is too short or larger than the format allows (2 GiB). */
enum orr_status orr_flatbuffer_root(struct flatbuffer *buffer, const char *what,
                                    struct fb_table *out);

/* Reads numbers into a struct; those not given become 0. */
enum orr_status orr_flatbuffer_numbers(struct flatbuffer *buffer, const struct fb_table *table,
                                       const struct fb_field *fields, size_t count, void *target);

/* A vector of elements of so many bytes (1, 2, 4 or 8); one that is absent has none. */
enum orr_status orr_flatbuffer_vector(struct flatbuffer *buffer, const struct fb_table *table,
                                      const struct fb_field *field, size_t element_bytes,
                                      struct fb_vector *out);

/* The index-th table of a vector of tables (elements of 4 bytes). */
enum orr_status orr_flatbuffer_table_of(struct flatbuffer *buffer, const struct fb_vector *vector,
                                        size_t index, struct fb_table *out);

/* Counts a vector that is about to be copied; fails when they are too many. */
enum orr_status orr_flatbuffer_add_copied(struct flatbuffer *buffer, const struct fb_vector *vector,
                                          size_t element_bytes);

/* A terminated copy of a string, with what is not printable as '?'; NULL where it is absent. */
enum orr_status orr_flatbuffer_string(struct flatbuffer *buffer, const struct fb_table *table,
                                      const struct fb_field *field, struct orr_arena *arena,
                                      const char **out);

/* Fails with "FILE: byte offset N: what.name: MESSAGE"; `name` may be NULL. */
enum orr_status orr_flatbuffer_fail(struct flatbuffer *buffer, size_t at,
                                    const struct fb_table *table, const char *name,
                                    const char *format, ...) ORR_PRINTF(5, 6);

uint32_t orr_flatbuffer_uint32_at(const struct flatbuffer *buffer, size_t at);
uint64_t orr_flatbuffer_uint64_at(const struct flatbuffer *buffer, size_t at);

#endif
