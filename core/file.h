/* Reading whole files, and paths relative to a file. */
#ifndef ORR_CORE_FILE_H
#define ORR_CORE_FILE_H

#include "core/arena.h"
#include "core/diag.h"

/* Kind of a file for messages, "a configuration" in "a configuration file", and its maximum
 * size. */
struct orr_file_kind {
    const char *what, *memory; /* "the file is larger than WHAT may be"; what memory is for */
    unsigned max_mib;
};

/* Reads a file into heap memory (orr_heap_free), to be freed even after an error. Errors, with the
 * file as location: cannot be opened or read (ORR_ERR_IO), too large (ORR_ERR_INPUT), memory.
 * O(bytes). */
enum orr_status orr_file_read(const char *path, const struct orr_file_kind *kind, char **data,
                              size_t *bytes, struct orr_diag *diag);

/* Resolves a path that is written in `file` and relative to it. NULL when memory is out. */
const char *orr_path_resolve(struct orr_arena *arena, const char *file, const char *path);

/* Start of the base name without extension in `path`; its length is *length. */
const char *orr_stem(const char *path, size_t *length);

/* The base name without extension as a copy. NULL when memory is out. */
const char *orr_path_stem(struct orr_arena *arena, const char *path);

#endif
