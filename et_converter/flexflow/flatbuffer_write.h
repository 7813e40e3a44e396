/* Writing FlatBuffers: tables of a few layouts, front to back, each before what it leads to. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_WRITE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLATBUFFER_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_writer {
    unsigned char *data; /* on the heap */
    size_t used, capacity;
    bool failed; /* memory is out, or the format's 2 GiB are */
};

/* Where the fields of a table are, by slot; 0: absent. */
struct fb_layout {
    const uint16_t *offset; /* [slots] */
    unsigned slots;
    uint16_t bytes; /* of a table */
    size_t vtable;  /* its place, once it is written */
};

void orr_fb_writer_fini(struct fb_writer *writer);

/* Zeroes up to a place that is `phase` beyond a multiple of `align`; returns it. */
size_t orr_fb_align(struct fb_writer *writer, size_t align, size_t phase);

/* So many zeroed bytes; returns their place. Amortized O(bytes). */
size_t orr_fb_reserve(struct fb_writer *writer, size_t bytes);

/* A number of 2, 4 or 8 bytes at a place that there is; nothing once the writer has failed. */
void orr_fb_put(struct fb_writer *writer, size_t at, uint64_t value, unsigned bytes);
void orr_fb_put_float(struct fb_writer *writer, size_t at, float value);

/* Lets the offset at a place lead to another one behind it. */
void orr_fb_set_offset(struct fb_writer *writer, size_t from, size_t to);

void orr_fb_vtable(struct fb_writer *writer, struct fb_layout *layout);
size_t orr_fb_table(struct fb_writer *writer, const struct fb_layout *layout, size_t align);

/* A vector to which the offset at `from` leads; returns the place of its elements, which are zero.
 */
size_t orr_fb_vector(struct fb_writer *writer, size_t from, size_t count, size_t element_bytes);

#endif
