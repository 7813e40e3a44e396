/* Output to files and memory; see et_sink.h. Compressed bytes depend only on the input: the gzip
 * header has neither time nor name. */
#include "workload/trace/et/et_sink.h"

#include "core/arena.h"
#include "core/diag.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
    CHUNK_BYTES = 64 * 1024,
    GZIP_WINDOW_BITS = 15 + 16, /* zlib: gzip wrapper */
    MEMORY_LEVEL = 8            /* zlib's default */
};

static enum orr_status fail_io(const struct et_sink *sink, const char *what, struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(sink->path);
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "%s: %s", what, strerror(errno));
}

enum orr_status orr_et_sink_open(struct et_sink *sink, const char *path, bool gzip,
                                 struct orr_diag *diag)
{
    *sink = (struct et_sink){.path = path};
    errno = 0;
    if (path != NULL) {
        if (!orr_whole_file_open(&sink->whole, path)) {
            sink->whole.file = NULL;
            return fail_io(sink, "cannot create", diag);
        }
    }
    if (gzip) {
        sink->chunk = orr_heap_alloc(CHUNK_BYTES);
        if (sink->chunk == NULL ||
            deflateInit2(&sink->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS,
                         MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
            return orr_diag_no_memory(diag, "compression");
        }
        sink->gzip = true;
    }
    return ORR_OK;
}

static enum orr_status write_memory(struct et_sink *sink, const void *data, size_t count,
                                    struct orr_diag *diag)
{
    if (!orr_heap_reserve(&sink->memory, &sink->capacity, sink->count + count, 1)) {
        return orr_diag_no_memory(diag, "a written trace");
    }
    memcpy(sink->memory + sink->count, data, count);
    sink->count += count;
    return ORR_OK;
}

static enum orr_status write_raw(struct et_sink *sink, const void *data, size_t count,
                                 struct orr_diag *diag)
{
    if (sink->path == NULL) {
        return write_memory(sink, data, count, diag);
    }
    errno = 0;
    return fwrite(data, 1, count, sink->whole.file) == count ? ORR_OK
                                                             : fail_io(sink, "cannot write", diag);
}

static enum orr_status compress_more(struct et_sink *sink, int flush, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    do {
        sink->z.next_out = sink->chunk;
        sink->z.avail_out = CHUNK_BYTES;
        (void)deflate(&sink->z, flush);
        const size_t made = CHUNK_BYTES - sink->z.avail_out;
        status = made != 0 ? write_raw(sink, sink->chunk, made, diag) : ORR_OK;
    } while (status == ORR_OK && sink->z.avail_out == 0);
    return status;
}

enum orr_status orr_et_sink_write(struct et_sink *sink, const void *data, size_t count,
                                  struct orr_diag *diag)
{
    if (!sink->gzip) {
        return write_raw(sink, data, count, diag);
    }
    ORR_ASSERT(count <= UINT32_MAX);
    sink->z.next_in = (z_const Bytef *)(uintptr_t)data;
    sink->z.avail_in = (unsigned)count;
    return compress_more(sink, Z_NO_FLUSH, diag);
}

enum orr_status orr_et_sink_finish(struct et_sink *sink, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    if (sink->gzip) {
        sink->z.avail_in = 0;
        status = compress_more(sink, Z_FINISH, diag);
    }
    if (sink->whole.file != NULL && status == ORR_OK) {
        errno = 0;
        status = orr_whole_file_keep(&sink->whole) ? ORR_OK : fail_io(sink, "cannot write", diag);
        sink->whole.file = NULL;
    }
    return status;
}

void orr_et_sink_close(struct et_sink *sink)
{
    if (sink->whole.file != NULL) {
        orr_whole_file_drop(&sink->whole);
        sink->whole.file = NULL;
    }
    if (sink->gzip) {
        (void)deflateEnd(&sink->z);
        sink->gzip = false;
    }
    orr_heap_free(sink->chunk);
    orr_heap_free(sink->memory);
    sink->chunk = sink->memory = NULL;
}
