/* Bytes of an input file, decompressed if it is gzip. */
#ifndef ORR_ET_CONVERTER_INPUT_BYTES_H
#define ORR_ET_CONVERTER_INPUT_BYTES_H

#include "et_converter/converter.h"

struct conv_source {
    const char *name; /* the path, for messages; borrowed */
    unsigned char *data;
    size_t count;
};

/* Reads a file of at most `max_bytes`. Errors: cannot be opened or read (ORR_ERR_IO); larger, or
 * damaged gzip (ORR_ERR_INPUT). Free it with orr_convert_source_free, after errors too.
 * O(bytes). */
enum orr_status orr_convert_source_read(struct conv_source *source, const char *path,
                                        size_t max_bytes, const struct conv_progress *progress,
                                        struct orr_diag *diag);
void orr_convert_source_free(struct conv_source *source);

/* Reads at most `count` first bytes of a file; returns their number, 0 if it cannot be read. */
size_t orr_convert_source_peek(const char *path, unsigned char *data, size_t count);

#endif
