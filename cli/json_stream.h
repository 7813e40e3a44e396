/* JSON written piece by piece, through a buffer, plain or compressed with gzip: for files that are
 * too large to be held in memory. The caller puts the commas and brackets. */
#ifndef ORR_CLI_JSON_STREAM_H
#define ORR_CLI_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

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

/* A piece of JSON as it stands. */
void orr_stream_put(struct orr_stream *stream, const char *json);

/* Any text in quotes; bytes that are no UTF-8 become U+FFFD. */
void orr_stream_text(struct orr_stream *stream, const char *text);

void orr_stream_number(struct orr_stream *stream, uint64_t value);

/* Whole ps >= 0 as microseconds with six decimals. */
void orr_stream_us(struct orr_stream *stream, int64_t ps);

#endif
