/* The files that a command reads: those that it is given, and those that they name in turn. */
#ifndef ORR_SIM_LOAD_INPUT_FILES_H
#define ORR_SIM_LOAD_INPUT_FILES_H

#include "core/core.h"

struct orr_input_files {
    struct orr_arena *arena;
    const char *library;      /* folder of the inputs that ship, for includes */
    struct orr_strings paths; /* regular files that are there */
    struct orr_strings trees; /* configurations that were walked */
};

/* Both are borrowed. What there is no memory for is left out. */
void orr_input_files_init(struct orr_input_files *files, struct orr_arena *arena,
                          const char *library);

/* The file itself. */
void orr_input_files_add(struct orr_input_files *files, const char *path);

/* PREFIX.RANK.et and PREFIX.RANK.et.gz: traces. */
void orr_input_files_add_traces(struct orr_input_files *files, const char *prefix);

/* A configuration, with all that it includes and names. O(bytes). */
void orr_input_files_add_tree(struct orr_input_files *files, const char *path);

#endif
