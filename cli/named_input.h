/* Inputs that a command names: found, or refused on stderr; and their list. */
#ifndef ORR_CLI_NAMED_INPUT_H
#define ORR_CLI_NAMED_INPUT_H

#include <stdio.h>

#include "sim/sim.h"

/* As orr_find_input; what is wrong with the name is said on stderr, and *status is then the exit
 * status. */
const char *orr_input_file(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status);

/* Prints the platforms and workloads that ship, each with its first sentence of comment. Returns
 * the exit status. */
int orr_list_inputs(FILE *out);

#endif
