/* JSON written piece by piece, through a buffer, plain or compressed with gzip: for files that are
 * too large to be held in memory. The caller puts the commas and brackets. */
#ifndef ORR_REPORT_TIMELINE_JSON_STREAM_H
#define ORR_REPORT_TIMELINE_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/core.h"

enum { ORR_STREAM_BYTES = 1 << 16 };

struct orr_stream {
    FILE *file;
    gzFile zip; /* NULL: plain */
    int error;  /* errno of the first failure, 0 when there was none; no more is written then */
    size_t used;
    char buffer[ORR_STREAM_BYTES];
};

/* Begins to write to a file that nothing was written to yet. A failure shows when closing. */
void orr_stream_open(struct orr_stream *stream, FILE *file, bool gzip);

/* Writes what is left; the file stays open. Returns 0, or 1 with errno set to the first error. */
int orr_stream_close(struct orr_stream *stream);

/* Bytes as they stand. */
void orr_stream_put_bytes(struct orr_stream *stream, const char *bytes, size_t count);

/* A piece of JSON as it stands. Here, so that lengths of literals are known when compiling. */
static inline void orr_stream_put(struct orr_stream *stream, const char *json)
{
    const size_t count = strlen(json);
    if (count > ORR_STREAM_BYTES - stream->used) {
        orr_stream_put_bytes(stream, json, count);
        return;
    }
    memcpy(stream->buffer + stream->used, json, count);
    stream->used += count;
}

/* Any text in quotes; bytes that are no UTF-8 become U+FFFD. */
void orr_stream_text(struct orr_stream *stream, const char *text);

void orr_stream_number(struct orr_stream *stream, uint64_t value);
void orr_stream_sum(struct orr_stream *stream, orr_sum value);

/* Whole ps >= 0 as microseconds with six decimals. */
void orr_stream_us(struct orr_stream *stream, int64_t ps);

#endif
