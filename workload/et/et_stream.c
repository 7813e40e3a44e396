/* Reading, uncompressing and hashing trace files; see et_stream.h. */
#include "workload/et/et_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define MOST_BYTES (UINT64_C(16) << 30)

static bool grow(struct et_bytes *bytes, size_t *capacity)
{
    const size_t next = *capacity < 65536 ? 65536 : *capacity * 2;
    unsigned char *grown = next <= MOST_BYTES ? orr_heap_realloc(bytes->data, next) : NULL;
    if (grown == NULL) {
        return false;
    }
    bytes->data = grown;
    *capacity = next;
    return true;
}

static enum orr_status too_large(const char *path, struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "the trace does not fit into memory (or is larger than 16 GiB)");
}

static enum orr_status read_stream(FILE *file, const char *path, struct et_bytes *out,
                                   struct orr_diag *diag)
{
    size_t capacity = 0;
    for (;;) {
        if (out->count == capacity && !grow(out, &capacity)) {
            return too_large(path, diag);
        }
        const size_t got = fread(out->data + out->count, 1, capacity - out->count, file);
        out->count += got;
        if (got == 0) {
            break;
        }
    }
    const struct orr_place place = orr_place_file(path);
    return ferror(file) != 0
               ? orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be read: %s", strerror(errno))
               : ORR_OK;
}

enum orr_status et_read_raw(const char *path, struct et_bytes *out, struct orr_diag *diag)
{
    *out = (struct et_bytes){0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        const struct orr_place place = orr_place_file(path);
        return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be opened: %s", strerror(errno));
    }
    const enum orr_status status = read_stream(file, path, out, diag);
    (void)fclose(file);
    if (status != ORR_OK) {
        orr_heap_free(out->data);
        *out = (struct et_bytes){0};
    }
    return status;
}

static enum orr_status damaged(const char *path, size_t offset, const char *what,
                               struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "damaged gzip data after %zu uncompressed bytes: %s", offset,
                         what != NULL ? what : "the file ends too early");
}

static enum orr_status inflate_all(z_stream *stream, const char *path, const struct et_bytes *raw,
                                   struct et_bytes *out, struct orr_diag *diag)
{
    size_t capacity = 0, used = 0;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (out->count == capacity && !grow(out, &capacity)) {
            return too_large(path, diag);
        }
        const size_t left = raw->count - used;
        stream->next_in = raw->data + used;
        stream->avail_in = left > 1u << 30 ? 1u << 30 : (uInt)left;
        stream->next_out = out->data + out->count;
        stream->avail_out =
            capacity - out->count > 1u << 30 ? 1u << 30 : (uInt)(capacity - out->count);
        const uInt before_in = stream->avail_in, before_out = stream->avail_out;
        state = inflate(stream, Z_NO_FLUSH);
        used += before_in - stream->avail_in;
        out->count += before_out - stream->avail_out;
        if (state == Z_BUF_ERROR || (state == Z_OK && left == 0 && stream->avail_out != 0)) {
            return damaged(path, out->count, NULL, diag);
        }
        if (state != Z_OK && state != Z_STREAM_END) {
            return damaged(path, out->count, stream->msg, diag);
        }
        /* Members may follow each other. */
        if (state == Z_STREAM_END && used + 2 < raw->count && raw->data[used] == 0x1F &&
            raw->data[used + 1] == 0x8B) {
            (void)inflateReset(stream);
            state = Z_OK;
        }
    }
    return ORR_OK;
}

enum orr_status et_inflate(const char *path, struct et_bytes raw, struct et_bytes *out,
                           struct orr_diag *diag)
{
    if (raw.count < 2 || raw.data[0] != 0x1F || raw.data[1] != 0x8B) {
        *out = raw;
        return ORR_OK;
    }
    *out = (struct et_bytes){0};
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    enum orr_status status = ORR_OK;
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        status = orr_diag_no_memory(diag, "uncompressing a trace");
    } else {
        status = inflate_all(&stream, path, &raw, out, diag);
        (void)inflateEnd(&stream);
    }
    orr_heap_free(raw.data);
    if (status != ORR_OK) {
        orr_heap_free(out->data);
        *out = (struct et_bytes){0};
    }
    return status;
}

static uint64_t mix(uint64_t hash, uint64_t word, uint64_t factor)
{
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32;
}

struct et_hash et_hash_bytes(const struct et_bytes *bytes)
{
    struct et_hash hash = {bytes->count, ~(uint64_t)bytes->count};
    size_t at = 0;
    for (; at + 8 <= bytes->count; at += 8) {
        uint64_t word;
        memcpy(&word, bytes->data + at, 8);
        hash.low = mix(hash.low, word, UINT64_C(0x9E3779B97F4A7C15));
        hash.high = mix(hash.high, word + hash.low, UINT64_C(0xC2B2AE3D27D4EB4F));
    }
    uint64_t rest = 0;
    if (at < bytes->count) {
        memcpy(&rest, bytes->data + at, bytes->count - at);
    }
    hash.low = mix(hash.low, rest, UINT64_C(0x94D049BB133111EB));
    hash.high = mix(hash.high, rest + hash.low, UINT64_C(0xBF58476D1CE4E5B9));
    return hash;
}
