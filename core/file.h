/* Files as a whole, and paths that are written in them. */
#ifndef ORR_CORE_FILE_H
#define ORR_CORE_FILE_H

#include "core/arena.h"
#include "core/diag.h"

/* What is read, for messages: "a configuration" in "a configuration file", and at most so many MiB
 * of it. */
struct orr_file_kind {
    const char *what, *memory; /* "the file is larger than WHAT may be"; memory for MEMORY is out */
    unsigned max_mib;
};

/* Reads a file into memory that orr_heap_free gives back, even after an error. Errors, with the
 * file as their place: cannot be opened or read (ORR_ERR_IO), larger (ORR_ERR_INPUT), memory.
 * O(bytes). */
enum orr_status orr_file_read(const char *path, const struct orr_file_kind *kind, char **data,
                              size_t *bytes, struct orr_diag *diag);

/* A path that is written in `file` and relative to it. NULL when memory is out. */
const char *orr_path_resolve(struct orr_arena *arena, const char *file, const char *path);

/* Where in `path` the file's name is without its folder and its last ending, *length bytes. */
const char *orr_stem(const char *path, size_t *length);

/* The same as a text of its own. NULL when memory is out. */
const char *orr_path_stem(struct orr_arena *arena, const char *path);

#endif
