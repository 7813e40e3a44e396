/* Files as bytes, and path utilities; see file.h. */
#include "core/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum orr_status too_large(const char *path, const struct orr_file_kind *kind,
                                 struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "the file is larger than %s may be (%u MiB)",
                         kind->what, kind->max_mib);
}

static enum orr_status fail_io(const char *path, const char *what, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    return errno == EISDIR
               ? orr_diag_fail(diag, ORR_ERR_IO, &place, "expected a file, got a directory")
               : orr_diag_fail(diag, ORR_ERR_IO, &place, "%s: %s", what, strerror(errno));
}

/* The caller's buffer that a file is read into. */
struct target {
    const char *path;
    char **data;
    size_t *bytes;
};

static enum orr_status read_all(FILE *file, const struct target *to,
                                const struct orr_file_kind *kind, struct orr_diag *diag)
{
    size_t capacity = 0, got = 1;
    while (got > 0) {
        if (*to->bytes > (size_t)kind->max_mib << 20) {
            return too_large(to->path, kind, diag);
        }
        if (!orr_heap_reserve(to->data, &capacity, *to->bytes + 1, 1)) {
            return orr_diag_no_memory(diag, kind->memory);
        }
        errno = 0;
        got = fread(*to->data + *to->bytes, 1, capacity - *to->bytes, file);
        *to->bytes += got;
    }
    return ferror(file) == 0 ? ORR_OK : fail_io(to->path, "cannot be read", diag);
}

enum orr_status orr_file_read(const char *path, const struct orr_file_kind *kind, char **data,
                              size_t *bytes, struct orr_diag *diag)
{
    const struct target to = {.path = path, .data = data, .bytes = bytes};
    *data = NULL;
    *bytes = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_io(path, "cannot be opened", diag);
    }
    const enum orr_status status = read_all(file, &to, kind, diag);
    (void)fclose(file);
    return status;
}

const char *orr_path_resolve(struct orr_arena *arena, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    return path[0] == '/' || slash == NULL
               ? path
               : orr_arena_printf(arena, "%.*s/%s", (int)(slash - file), file, path);
}

const char *orr_stem(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

const char *orr_path_stem(struct orr_arena *arena, const char *path)
{
    size_t length = 0;
    const char *name = orr_stem(path, &length);
    return orr_arena_strndup(arena, name, length);
}
