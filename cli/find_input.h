/* Finds the inputs that ship with Orrery by their short names. */
#ifndef ORR_CLI_FIND_INPUT_H
#define ORR_CLI_FIND_INPUT_H

#include <stdbool.h>
#include <stdio.h>

enum { ORR_INPUT_PATH_BYTES = 4096 };

/* The file that `name` means: a file of that name if there is one; else NAME or NAME.yml in the
 * folder `kind` ("platforms", "workloads") of the inputs that ship, or in their root. A name that
 * leads nowhere is returned as it is, for the reader to complain of; but a bare word (no '/', no
 * '.') is said to be unknown here, and *status is then the exit status. A path that is not `name`
 * is written into `path`. */
const char *orr_find_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status);

/* Whether an input of that name ships; its path is written into `path`. */
bool orr_ships_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES]);

/* The folder of the inputs that ship, for the includes of files. */
void orr_inputs_library(char path[ORR_INPUT_PATH_BYTES]);

/* Prints the platforms and workloads that ship, each with its first line of comment. Returns the
 * exit status. */
int orr_list_inputs(FILE *out);

#endif
