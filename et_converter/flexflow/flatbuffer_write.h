/* Writer of FlatBuffers: tables of a few layouts, front to back, each before the data it refers
 * to. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_WRITE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_writer {
    unsigned char *data; /* on the heap */
    size_t used, capacity;
    bool failed; /* out of memory, or beyond the 2 GiB of the format */
};

/* Layout of a table: the offset of each field by slot; 0: absent. */
struct fb_layout {
    const uint16_t *offset; /* [slots] */
    unsigned slots;
    uint16_t bytes; /* of a table */
    size_t vtable;  /* position of the vtable, once written */
};

void orr_fb_writer_fini(struct fb_writer *writer);

/* Pads with zeros up to a position that is `phase` beyond a multiple of `align`; returns it. */
size_t orr_fb_align(struct fb_writer *writer, size_t align, size_t phase);

/* Appends `bytes` zeros; returns their position. Amortized O(bytes). */
size_t orr_fb_reserve(struct fb_writer *writer, size_t bytes);

/* Stores a number of 2, 4 or 8 bytes at an existing position; no effect once the writer has
 * failed. */
void orr_fb_put(struct fb_writer *writer, size_t at, uint64_t value, unsigned bytes);
void orr_fb_put_float(struct fb_writer *writer, size_t at, float value);

/* Sets the offset at `from` to refer to `to`, which is behind it. */
void orr_fb_set_offset(struct fb_writer *writer, size_t from, size_t to);

void orr_fb_vtable(struct fb_writer *writer, struct fb_layout *layout);
size_t orr_fb_table(struct fb_writer *writer, const struct fb_layout *layout, size_t align);

/* Appends a vector, sets the offset at `from` to it, and returns the position of its zeroed
 * elements. */
size_t orr_fb_vector(struct fb_writer *writer, size_t from, size_t count, size_t element_bytes);

#endif
