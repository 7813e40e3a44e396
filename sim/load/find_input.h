/* Finds the inputs that ship with Orrery by their short names. */
#ifndef ORR_SIM_LOAD_FIND_INPUT_H
#define ORR_SIM_LOAD_FIND_INPUT_H

#include <stdbool.h>

#include "core/core.h"

enum { ORR_INPUT_PATH_BYTES = 4096 };

/* The file that `name` means, into *out: a file of that name if there is one; else NAME or NAME.yml
 * in the folder `kind` ("platforms", "workloads", "plans") of the inputs that ship, or in their
 * root, whose path is then written into `path`. A name that leads nowhere is handed back as it is,
 * for the reader to complain of; but a bare word (no '/', no '.') is an error here. */
enum orr_status orr_find_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                               const char **out, struct orr_diag *diag);

/* The name nearest to a wrong one among those of a kind that ship, cut short or misspelt; NULL:
 * none is near. In the arena. */
const char *orr_nearest_input(struct orr_arena *arena, const char *kind, const char *name);

/* Whether an input of that name ships; its path is written into `path`. */
bool orr_ships_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES]);

/* The folder of the inputs that ship, for the includes of files. */
void orr_inputs_library(char path[ORR_INPUT_PATH_BYTES]);

/* The inputs of a kind that ship, by name, each with the first sentence of its comment. */
struct orr_shipped_input {
    const char *name, *comment;
};
struct orr_shipped_inputs {
    const char *root, *folder; /* of all inputs; of this kind */
    const struct orr_shipped_input *input;
    size_t count;
};

/* All of it in the arena; ORR_ERR_MEMORY at most. A folder that is not there has none. */
enum orr_status orr_shipped_inputs(struct orr_arena *arena, const char *kind,
                                   struct orr_shipped_inputs *out);

#endif
