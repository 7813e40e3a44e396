/* JSON written incrementally through a buffer, plain or compressed with gzip, for files that are
 * too large for memory. The caller writes commas and brackets. */
#ifndef ORR_REPORT_TIMELINE_JSON_STREAM_H
#define ORR_REPORT_TIMELINE_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/sum.h"

enum { ORR_STREAM_BYTES = 1 << 16 };

struct orr_stream {
    FILE *file;
    gzFile zip; /* NULL: plain */
    int error;  /* errno of the first failure, 0: none; nothing is written after a failure */
    size_t used;
    char buffer[ORR_STREAM_BYTES];
};

/* Begins writing to an empty file. Failures are reported by orr_stream_close. */
void orr_stream_open(struct orr_stream *stream, FILE *file, bool gzip);

/* Writes the rest of the buffer; the file stays open. Returns 0, or 1 with errno set to the first
 * error. */
int orr_stream_close(struct orr_stream *stream);

/* Writes bytes unchanged. */
void orr_stream_put_bytes(struct orr_stream *stream, const char *bytes, size_t count);

/* Writes a piece of JSON unchanged. Inline, so that the lengths of literals are known when
 * compiling. */
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

/* Writes any text as a JSON string; bytes that are not UTF-8 become U+FFFD. */
void orr_stream_text(struct orr_stream *stream, const char *text);

/* Write an integer. */
void orr_stream_number(struct orr_stream *stream, uint64_t value);
void orr_stream_sum(struct orr_stream *stream, orr_sum value);

/* Writes ps >= 0 as microseconds with six decimals. */
void orr_stream_us(struct orr_stream *stream, int64_t ps);

#endif
