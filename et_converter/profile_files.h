/* The files of profiles that paths, folders and patterns name. */
#ifndef ORR_ET_CONVERTER_PROFILE_FILES_H
#define ORR_ET_CONVERTER_PROFILE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

struct orr_profile_files {
    const char **path; /* [count], in the arena */
    size_t count, capacity;
};

/* Whether the path is a folder, a pattern that is no file, or a file that begins as a profile of
 * torch.profiler does. */
bool orr_profile_is(const char *path);

/* Lists the files: each path as it is; of a folder its profiles (NAME.json, NAME.json.gz; others
 * are left out, without their folders); of a pattern ("rank?.json") what it finds. Those of a
 * folder or pattern are in the order of the numbers in their names. Errors: a folder or pattern
 * without a profile; a folder that cannot be read; memory. */
enum orr_status orr_profile_files_list(struct orr_arena *arena, const char *const *given,
                                       size_t givens, struct orr_profile_files *out,
                                       struct orr_diag *diag);

#endif
