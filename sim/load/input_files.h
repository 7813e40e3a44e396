/* The input files of a command: its arguments, and the files that they name in turn. */
#ifndef ORR_SIM_LOAD_INPUT_FILES_H
#define ORR_SIM_LOAD_INPUT_FILES_H

#include "core/strings.h"

struct orr_arena;

struct orr_input_files {
    struct orr_arena *arena;
    const char *library;      /* folder of the shipped inputs, for includes */
    struct orr_strings paths; /* existing regular files */
    struct orr_strings trees; /* configurations already searched */
};

/* Both arguments are borrowed. If memory runs out, files are missing from the list. */
void orr_input_files_init(struct orr_input_files *files, struct orr_arena *arena,
                          const char *library);

/* Adds a file. */
void orr_input_files_add(struct orr_input_files *files, const char *path);

/* Adds the traces PREFIX.RANK.et and PREFIX.RANK.et.gz. */
void orr_input_files_add_traces(struct orr_input_files *files, const char *prefix);

/* Adds a configuration, with all files that it includes and names. O(bytes). */
void orr_input_files_add_tree(struct orr_input_files *files, const char *path);

#endif
