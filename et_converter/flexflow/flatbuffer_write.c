/* Writer of FlatBuffers; see flatbuffer_write.h. */
#include "et_converter/flexflow/flatbuffer_write.h"

#include <string.h>

#include "core/arena.h"

enum { OFFSET_BYTES = 4, INITIAL_CAPACITY = 1 << 16 };

void orr_fb_writer_fini(struct fb_writer *writer)
{
    orr_heap_free(writer->data);
}

size_t orr_fb_reserve(struct fb_writer *writer, size_t bytes)
{
    const size_t at = writer->used;
    if (writer->failed || bytes > (size_t)INT32_MAX - at) {
        writer->failed = true;
        return 0;
    }
    if (!orr_heap_reserve(&writer->data, &writer->capacity, at + bytes, 1)) {
        writer->failed = true;
        return 0;
    }
    memset(writer->data + at, 0, bytes);
    writer->used += bytes;
    return at;
}

size_t orr_fb_align(struct fb_writer *writer, size_t align, size_t phase)
{
    const size_t beyond = (writer->used + align - phase) % align;
    (void)orr_fb_reserve(writer, beyond == 0 ? 0 : align - beyond);
    return writer->used;
}

void orr_fb_put(struct fb_writer *writer, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes && !writer->failed; i++) {
        writer->data[at + i] = (unsigned char)(value >> 8 * i);
    }
}

void orr_fb_put_float(struct fb_writer *writer, size_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    orr_fb_put(writer, at, bits, sizeof bits);
}

void orr_fb_set_offset(struct fb_writer *writer, size_t from, size_t to)
{
    orr_fb_put(writer, from, to - from, OFFSET_BYTES);
}

void orr_fb_vtable(struct fb_writer *writer, struct fb_layout *layout)
{
    const unsigned bytes = 4 + 2 * layout->slots;
    (void)orr_fb_align(writer, 2, 0);
    layout->vtable = orr_fb_reserve(writer, bytes);
    orr_fb_put(writer, layout->vtable, bytes, 2);
    orr_fb_put(writer, layout->vtable + 2, layout->bytes, 2);
    for (unsigned i = 0; i < layout->slots; i++) {
        orr_fb_put(writer, layout->vtable + 4 + 2 * i, layout->offset[i], 2);
    }
}

size_t orr_fb_table(struct fb_writer *writer, const struct fb_layout *layout, size_t align)
{
    (void)orr_fb_align(writer, align, 0);
    const size_t at = orr_fb_reserve(writer, layout->bytes);
    orr_fb_put(writer, at, at - layout->vtable, OFFSET_BYTES); /* the distance back to the vtable */
    return at;
}

size_t orr_fb_vector(struct fb_writer *writer, size_t from, size_t count, size_t element_bytes)
{
    const size_t align = element_bytes > OFFSET_BYTES ? element_bytes : OFFSET_BYTES;
    const size_t at = orr_fb_align(writer, align, align - OFFSET_BYTES);
    (void)orr_fb_reserve(writer, OFFSET_BYTES);
    const bool fits = count <= (size_t)INT32_MAX / element_bytes;
    const size_t elements = orr_fb_reserve(writer, fits ? count * element_bytes : SIZE_MAX);
    orr_fb_put(writer, at, count, OFFSET_BYTES);
    orr_fb_set_offset(writer, from, at);
    return elements;
}
