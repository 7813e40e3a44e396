/* Verified reader of FlatBuffers from untrusted files: every offset, table, vector and number is
 * checked against the bounds of the buffer and of its table and against its alignment before use.
 *
 * In the format, tables may share vectors, so a small file could expand without bound. The bytes of
 * copied vectors are therefore limited to four times the bytes of the file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_H

#include "core/diag.h"

struct orr_arena;

struct flatbuffer {
    const char *file;
    const unsigned char *data;
    size_t bytes;
    size_t copied_bytes; /* bytes of vectors that were copied */
    struct orr_diag *diag;
};

/* A table whose vtable and extent are checked. Messages call it `what`, with [index] if it is an
 * element of a vector. */
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

/* A number of a table and the struct member it is read into. Its default is 0. */
struct fb_field {
    unsigned slot;
    enum fb_type type;
    size_t offset; /* offset of the int16_t, int32_t, uint32_t, uint64_t or float member */
    const char *name;
};

/* Finds the root table, called `what`. Errors: the buffer is too short, or larger than the format
 * allows (2 GiB). */
enum orr_status orr_flatbuffer_root(struct flatbuffer *buffer, const char *what,
                                    struct fb_table *out);

/* Reads `count` numbers into the struct `target`; absent ones become 0. */
enum orr_status orr_flatbuffer_numbers(struct flatbuffer *buffer, const struct fb_table *table,
                                       const struct fb_field *fields, size_t count, void *target);

/* Finds a vector of elements of `element_bytes` (1, 2, 4 or 8); an absent vector is empty. */
enum orr_status orr_flatbuffer_vector(struct flatbuffer *buffer, const struct fb_table *table,
                                      const struct fb_field *field, size_t element_bytes,
                                      struct fb_vector *out);

/* The index-th table of a vector of tables (elements of 4 bytes). */
enum orr_status orr_flatbuffer_table_of(struct flatbuffer *buffer, const struct fb_vector *vector,
                                        size_t index, struct fb_table *out);

/* Adds the bytes of a vector to those that were copied. Fails if the limit is exceeded. */
enum orr_status orr_flatbuffer_add_copied(struct flatbuffer *buffer, const struct fb_vector *vector,
                                          size_t element_bytes);

/* Copies a string into the arena, zero-terminated, with '?' for non-printable bytes; NULL if
 * absent. */
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
