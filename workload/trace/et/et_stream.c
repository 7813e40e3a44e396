/* Bytes and records of a trace file; see et_stream.h. Invariant: the buffer grows only when data to
 * fill it have arrived, so a wrong length in the input costs no memory. */
#include "workload/trace/et/et_stream.h"

#include "core/arena.h"
#include "core/diag.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    BUFFER_BYTES = 128 * 1024,
    RAW_BYTES = 64 * 1024,
    GZIP_WINDOW_BITS = 15 + 16, /* zlib: gzip wrapper only */
    MAX_LENGTH_BYTES = 5        /* of a varint32 */
};

static enum orr_status fail(const struct et_stream *stream, struct orr_diag *diag,
                            const char *message)
{
    const struct orr_location location =
        orr_location_binary(stream->name, stream->record, stream->offset);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s", message);
}

static enum orr_status fail_io(const struct et_stream *stream, struct orr_diag *diag,
                               const char *what)
{
    const struct orr_location location = orr_location_file(stream->name);
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "%s: %s", what, strerror(errno));
}

/* ---- the source ---- */

static enum orr_status read_source(struct et_stream *stream, unsigned char *into, size_t max_bytes,
                                   size_t *count, struct orr_diag *diag)
{
    if (stream->file != NULL) {
        errno = 0;
        *count = fread(into, 1, max_bytes, stream->file);
        if (ferror(stream->file)) {
            return fail_io(stream, diag, "cannot read");
        }
    } else {
        *count = max_bytes < stream->memory_count ? max_bytes : stream->memory_count;
        if (*count != 0) {
            memcpy(into, stream->memory, *count);
            stream->memory += *count;
            stream->memory_count -= *count;
        }
    }
    stream->source_ended = *count < max_bytes;
    orr_et_hash_add(&stream->hash, into, *count);
    return ORR_OK;
}

/* ---- gzip ---- */

static enum orr_status refill_raw(struct et_stream *stream, struct orr_diag *diag)
{
    size_t count = 0;
    if (stream->z.avail_in == 0 && !stream->source_ended) {
        const enum orr_status status = read_source(stream, stream->raw, RAW_BYTES, &count, diag);
        if (status != ORR_OK) {
            return status;
        }
        stream->z.next_in = stream->raw;
        stream->z.avail_in = (unsigned)count;
    }
    return ORR_OK;
}

static enum orr_status fail_gzip(const struct et_stream *stream, int code, struct orr_diag *diag)
{
    if (code == Z_MEM_ERROR) {
        return orr_diag_no_memory(diag, "decompression");
    }
    char message[128];
    (void)snprintf(message, sizeof message, "damaged gzip data: %s",
                   code == Z_BUF_ERROR     ? "the file ends too early"
                   : stream->z.msg != NULL ? stream->z.msg
                                           : "not a gzip stream");
    return fail(stream, diag, message);
}

/* Inflates; a gzip file may have several members in sequence. */
static int inflate_some(struct et_stream *stream)
{
    if (stream->member_ended) {
        if (inflateReset(&stream->z) != Z_OK) {
            return Z_DATA_ERROR;
        }
        stream->member_ended = false;
    }
    const int code = inflate(&stream->z, Z_NO_FLUSH);
    stream->member_ended = code == Z_STREAM_END;
    return code == Z_STREAM_END ? Z_OK : code;
}

/* Reads gzip data; damage is reported after the bytes before it were consumed. */
static enum orr_status read_gzip(struct et_stream *stream, unsigned char *into, size_t max_bytes,
                                 size_t *count, struct orr_diag *diag)
{
    stream->z.next_out = into;
    stream->z.avail_out = max_bytes < UINT32_MAX ? (unsigned)max_bytes : UINT32_MAX;
    const unsigned requested = stream->z.avail_out;
    while (stream->z.avail_out == requested) {
        const enum orr_status status = refill_raw(stream, diag);
        if (status != ORR_OK) {
            return status;
        }
        if (stream->z.avail_in == 0 && stream->member_ended) {
            break;
        }
        const int code = stream->damage != Z_OK ? stream->damage : inflate_some(stream);
        if (code == Z_BUF_ERROR && !stream->source_ended) {
            continue;
        }
        stream->damage = code;
        if (code != Z_OK && stream->z.avail_out == requested) {
            return fail_gzip(stream, code, diag);
        }
    }
    *count = requested - stream->z.avail_out;
    return ORR_OK;
}

static enum orr_status start_gzip(struct et_stream *stream, struct orr_diag *diag)
{
    stream->raw = orr_heap_alloc(RAW_BYTES);
    if (stream->raw == NULL || inflateInit2(&stream->z, GZIP_WINDOW_BITS) != Z_OK) {
        return orr_diag_no_memory(diag, "decompression");
    }
    stream->gzip = true;
    /* The bytes read to detect gzip are the begin of its data. */
    const size_t held = orr_et_stream_available(stream);
    ORR_ASSERT(held <= RAW_BYTES);
    memcpy(stream->raw, stream->buffer + stream->begin, held);
    stream->z.next_in = stream->raw;
    stream->z.avail_in = (unsigned)held;
    stream->begin = stream->end = 0;
    stream->ended = false;
    return ORR_OK;
}

/* ---- the buffer ---- */

static bool reserve(struct et_stream *stream)
{
    if (stream->begin != 0) {
        memmove(stream->buffer, stream->buffer + stream->begin, stream->end - stream->begin);
        stream->end -= stream->begin;
        stream->begin = 0;
    }
    return orr_heap_reserve(&stream->buffer, &stream->capacity, stream->end + 1, 1);
}

enum orr_status orr_et_stream_fill(struct et_stream *stream, size_t count, struct orr_diag *diag)
{
    while (orr_et_stream_available(stream) < count && !stream->ended) {
        if (!reserve(stream)) {
            return orr_diag_no_memory(diag, "a record of a trace");
        }
        unsigned char *into = stream->buffer + stream->end;
        const size_t max_bytes = stream->capacity - stream->end;
        size_t got = 0;
        const enum orr_status status = stream->gzip
                                           ? read_gzip(stream, into, max_bytes, &got, diag)
                                           : read_source(stream, into, max_bytes, &got, diag);
        if (status != ORR_OK) {
            return status;
        }
        stream->end += got;
        stream->ended = stream->gzip ? got == 0 : stream->source_ended;
    }
    return ORR_OK;
}

static enum orr_status recognise(struct et_stream *stream, struct orr_diag *diag)
{
    /* Reads only a little first, because gzip's raw buffer must hold it. */
    stream->capacity = RAW_BYTES;
    const enum orr_status status = orr_et_stream_fill(stream, 2, diag);
    stream->capacity = BUFFER_BYTES;
    if (status != ORR_OK) {
        return status;
    }
    const unsigned char *magic = stream->buffer + stream->begin;
    const bool gzip = orr_et_stream_available(stream) >= 2 && magic[0] == 0x1F && magic[1] == 0x8B;
    return gzip ? start_gzip(stream, diag) : ORR_OK;
}

enum orr_status orr_et_stream_open(struct et_stream *stream, const char *name,
                                   const struct orr_et_bytes *bytes, struct orr_diag *diag)
{
    *stream = (struct et_stream){.name = name};
    if (bytes != NULL) {
        stream->memory = bytes->data;
        stream->memory_count = bytes->count;
    } else {
        errno = 0;
        stream->file = fopen(name, "rb");
        if (stream->file == NULL) {
            return fail_io(stream, diag, "cannot open");
        }
        (void)setvbuf(stream->file, NULL, _IONBF, 0); /* this file has its own buffer */
    }
    stream->buffer = orr_heap_alloc(BUFFER_BYTES);
    if (stream->buffer == NULL) {
        return orr_diag_no_memory(diag, "a trace file");
    }
    return recognise(stream, diag);
}

void orr_et_stream_close(struct et_stream *stream)
{
    if (stream->file != NULL) {
        (void)fclose(stream->file);
    }
    if (stream->gzip) {
        (void)inflateEnd(&stream->z);
    }
    orr_heap_free(stream->raw);
    orr_heap_free(stream->buffer);
}

/* ---- records ---- */

static enum orr_status read_length(const struct et_stream *stream, size_t *length, size_t *used,
                                   struct orr_diag *diag)
{
    const unsigned char *bytes = stream->buffer + stream->begin;
    const size_t available = orr_et_stream_available(stream);
    uint64_t value = 0;
    for (*used = 0; *used < MAX_LENGTH_BYTES; ++*used) {
        if (*used == available) {
            return fail(stream, diag, "truncated: the file ends inside the length of a record");
        }
        value |= (uint64_t)(bytes[*used] & 0x7F) << (7 * *used);
        if ((bytes[*used] & 0x80) == 0) {
            ++*used;
            *length = (size_t)value;
            return ORR_OK;
        }
    }
    return fail(stream, diag,
                "the length of a record is not a varint of at most 5 bytes; is this an execution "
                "trace?");
}

static enum orr_status check_length(struct et_stream *stream, size_t length, size_t used,
                                    struct orr_diag *diag)
{
    char message[128];
    if (length > ET_LARGEST_RECORD_BYTES) {
        (void)snprintf(message, sizeof message,
                       "a record of %zu bytes; records may have at most %d bytes (256 MiB)", length,
                       ET_LARGEST_RECORD_BYTES);
        return fail(stream, diag, message);
    }
    const enum orr_status status = orr_et_stream_fill(stream, used + length, diag);
    if (status == ORR_OK && orr_et_stream_available(stream) < used + length) {
        (void)snprintf(message, sizeof message,
                       "truncated: the record should have %zu bytes, but only %zu follow", length,
                       orr_et_stream_available(stream) - used);
        return fail(stream, diag, message);
    }
    return status;
}

enum orr_status orr_et_stream_next(struct et_stream *stream, struct et_record *record, bool *ended,
                                   struct orr_diag *diag)
{
    size_t length = 0, used = 0;
    enum orr_status status = orr_et_stream_fill(stream, MAX_LENGTH_BYTES, diag);
    *ended = status == ORR_OK && orr_et_stream_available(stream) == 0;
    if (status != ORR_OK || *ended) {
        return status;
    }
    status = read_length(stream, &length, &used, diag);
    if (status == ORR_OK) {
        status = check_length(stream, length, used, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    *record = (struct et_record){.data = stream->buffer + stream->begin + used,
                                 .count = length,
                                 .number = stream->record,
                                 .byte_offset = stream->offset};
    stream->begin += used + length;
    stream->offset += used + length;
    stream->record++;
    return ORR_OK;
}
