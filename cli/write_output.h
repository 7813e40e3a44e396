/* The files that commands write their results to, or standard output. */
#ifndef ORR_CLI_WRITE_OUTPUT_H
#define ORR_CLI_WRITE_OUTPUT_H

#include <stdbool.h>

#include "report/report.h"

/* Writes one; says on stderr when that fails. *standard becomes true when it went to standard
 * output. Returns the exit status. */
int orr_write_output(const struct orr_output *output, const void *context, bool *standard);

/* Whether a file can be written, before a long computation of what goes there; it is not made.
 * NULL, "-": yes. Says on stderr why not. Returns the exit status. */
int orr_check_output(const char *path);

#endif
