/* Bytes of an input file; see input_bytes.h. */
#include "et_converter/input_bytes.h"

#include "core/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { STEP_BYTES = 1 << 20 };

static enum orr_status fail_open(const char *path, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot open: %s", strerror(errno));
}

static enum orr_status fail_read(const struct conv_source *source, gzFile file,
                                 struct orr_diag *diag)
{
    int code;
    const struct orr_location place = orr_location_file(source->name);
    const char *text = gzerror(file, &code);
    if (code == Z_ERRNO) {
        return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be read: %s", strerror(errno));
    }
    const size_t name = strlen(source->name); /* zlib's message starts with it */
    const bool named = strncmp(text, source->name, name) == 0 && strncmp(text + name, ": ", 2) == 0;
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "the gzip data are damaged: %s",
                         named ? text + name + 2 : text);
}

struct source_limits {
    uint64_t file_bytes; /* compressed, on disk */
    size_t max_bytes;
};

static enum orr_status read_all(struct conv_source *source, gzFile file,
                                const struct source_limits *limits,
                                const struct conv_progress *progress, struct orr_diag *diag)
{
    size_t capacity = 0;
    while (source->count <= limits->max_bytes) {
        if (!orr_heap_reserve(&source->data, &capacity, source->count + 1, 1)) {
            return orr_diag_no_memory(diag, "an input file");
        }
        const size_t room = capacity - source->count;
        const int got = gzread(file, source->data + source->count,
                               (unsigned)(room < STEP_BYTES ? room : STEP_BYTES));
        if (got <= 0) {
            int code;
            (void)gzerror(file, &code);
            return got == 0 && code == Z_OK ? ORR_OK : fail_read(source, file, diag);
        }
        source->count += (size_t)got;
        if (progress->show != NULL) {
            progress->show(progress->user, (uint64_t)gzoffset(file), limits->file_bytes);
        }
    }
    const struct orr_location place = orr_location_file(source->name);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "the file exceeds the maximum of %zu MiB",
                         limits->max_bytes >> 20);
}

enum orr_status orr_convert_source_read(struct conv_source *source, const char *path,
                                        size_t max_bytes, const struct conv_progress *progress,
                                        struct orr_diag *diag)
{
    struct stat info;
    *source = (struct conv_source){.name = path};
    gzFile file = stat(path, &info) == 0 ? gzopen(path, "rb") : NULL;
    if (file == NULL) {
        return fail_open(path, diag);
    }
    const struct source_limits limits = {(uint64_t)info.st_size, max_bytes};
    const enum orr_status status = read_all(source, file, &limits, progress, diag);
    (void)gzclose(file);
    return status;
}

void orr_convert_source_free(struct conv_source *source)
{
    orr_heap_free(source->data);
    source->data = NULL;
}

size_t orr_convert_source_peek(const char *path, unsigned char *data, size_t count)
{
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    const int got = gzread(file, data, (unsigned)count);
    (void)gzclose(file);
    return got > 0 ? (size_t)got : 0;
}
