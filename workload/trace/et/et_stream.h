/* Input of a trace reader: a file or memory, decompressed if it is gzip, through a buffer no larger
 * than the largest piece requested. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_STREAM_H
#define ORR_WORKLOAD_TRACE_ET_ET_STREAM_H

#include <stdio.h>
#include <zlib.h>

#include "workload/trace/et/et.h"
#include "workload/trace/et/et_hash.h"

struct orr_diag;

enum { ET_LARGEST_RECORD_BYTES = 256 * 1024 * 1024 };

struct et_stream {
    const char *name;
    FILE *file;                  /* or NULL: */
    const unsigned char *memory; /* the rest of the source */
    size_t memory_count;
    struct et_hash hash; /* of the source's bytes */
    bool source_ended;   /* the source has ended */
    bool ended;          /* nothing follows the buffer */
    bool gzip, member_ended;
    int damage; /* zlib's code; Z_OK: no damage */
    z_stream z;
    unsigned char *raw; /* compressed bytes, gzip only */
    unsigned char *buffer;
    size_t capacity, begin, end; /* buffer[begin..end) is not consumed */
    uint64_t offset;             /* of buffer[begin] in the decompressed file */
    uint64_t record;             /* number of the next record */
};

/* A record: a message without its length. The bytes are valid until the stream is used again. */
struct et_record {
    const unsigned char *data;
    size_t count;
    uint64_t number, byte_offset; /* the offset is that of the length */
};

/* Opens a file, or memory when bytes is not NULL; name is borrowed. Close it after errors too. */
enum orr_status orr_et_stream_open(struct et_stream *stream, const char *name,
                                   const struct orr_et_bytes *bytes, struct orr_diag *diag);
void orr_et_stream_close(struct et_stream *stream);

/* Makes at least `count` bytes available at buffer + begin, or fewer at the end of the file. */
enum orr_status orr_et_stream_fill(struct et_stream *stream, size_t count, struct orr_diag *diag);

/* Reads the next record, or sets *ended. Errors: truncated or oversized length, truncated record,
 * gzip damage. */
enum orr_status orr_et_stream_next(struct et_stream *stream, struct et_record *record, bool *ended,
                                   struct orr_diag *diag);

static inline size_t orr_et_stream_available(const struct et_stream *stream)
{
    return stream->end - stream->begin;
}

#endif
