/* The bytes of an input file, decompressed when it is gzip. */
#ifndef ORR_ET_CONVERTER_INPUT_BYTES_H
#define ORR_ET_CONVERTER_INPUT_BYTES_H

#include "et_converter/converter.h"

struct conv_source {
    const char *name; /* the path, for reports; borrowed */
    unsigned char *data;
    size_t count;
};

/* Reads all of a file of at most `max_bytes`. Errors: cannot be opened or read (ORR_ERR_IO),
 * larger, damaged gzip (ORR_ERR_INPUT). Free it with orr_convert_source_free, after errors too. */
enum orr_status orr_convert_source_read(struct conv_source *source, const char *path,
                                        size_t max_bytes, const struct conv_progress *progress,
                                        struct orr_diag *diag);
void orr_convert_source_free(struct conv_source *source);

/* The first bytes of a file, at most `count`; returns how many, 0 when it cannot be read. */
size_t orr_convert_source_peek(const char *path, unsigned char *data, size_t count);

#endif
