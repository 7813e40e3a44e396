/* Finds shipped inputs by their short names. */
#ifndef ORR_SIM_LOAD_FIND_INPUT_H
#define ORR_SIM_LOAD_FIND_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

enum { ORR_INPUT_PATH_BYTES = 4096 };

/* Resolves `name` to a file, *out: a file of that name if it exists; else NAME or NAME.yml in the
 * shipped folder `kind` ("platforms", "workloads", "plans"), or in the root of the shipped inputs;
 * `path` then holds the path. An unresolved name is returned unchanged, for the reader to report,
 * except that a bare word (no '/', no '.') is an error here. */
enum orr_status orr_find_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                               const char **out, struct orr_diag *diag);

/* The shipped name of a kind nearest to an unknown one, truncated or misspelt; NULL: none is near.
 * In the arena. */
const char *orr_nearest_input(struct orr_arena *arena, const char *kind, const char *name);

/* Whether a shipped input has that name; its path is written into `path`. */
bool orr_ships_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES]);

/* The folder of the shipped inputs, for includes. */
void orr_inputs_library(char path[ORR_INPUT_PATH_BYTES]);

/* The shipped inputs of a kind, by name, each with the first sentence of its comment. */
struct orr_shipped_input {
    const char *name, *comment;
};
struct orr_shipped_inputs {
    const char *root, *folder; /* of all inputs; of this kind */
    const struct orr_shipped_input *input;
    size_t count;
};

/* Lists them in the arena. Error: only memory. A missing folder has none. */
enum orr_status orr_shipped_inputs(struct orr_arena *arena, const char *kind,
                                   struct orr_shipped_inputs *out);

#endif
