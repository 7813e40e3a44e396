/* Output files of commands, or standard output. */
#ifndef ORR_CLI_WRITE_OUTPUT_H
#define ORR_CLI_WRITE_OUTPUT_H

#include <stdbool.h>

struct orr_output;

/* Writes a file; sets *standard if it is standard output. Prints errors on stderr; returns the exit
 * status. */
int orr_write_output(const struct orr_output *output, const void *context, bool *standard);

/* Checks before a long computation that a file can be written; does not create it. NULL and "-" are
 * fine. Prints errors on stderr; returns the exit status. */
int orr_check_output(const char *path);

#endif
