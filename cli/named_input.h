/* Inputs by name: lookup with errors on stderr, and their list. */
#ifndef ORR_CLI_NAMED_INPUT_H
#define ORR_CLI_NAMED_INPUT_H

#include <stdio.h>

#include "sim/load/find_input.h"

/* As orr_find_input; prints errors on stderr and sets *status to the exit status. */
const char *orr_input_file(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status);

/* Prints the platforms and workloads that ship, each with its first sentence of comment. Returns
 * the exit status. */
int orr_list_inputs(FILE *out);

#endif
