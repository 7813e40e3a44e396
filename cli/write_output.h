/* Output files of commands, or standard output. */
#ifndef ORR_CLI_WRITE_OUTPUT_H
#define ORR_CLI_WRITE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct orr_output;

/* Gives the written files their names, at the end of a command: until then they are not there.
 * Prints errors on stderr; returns the exit status. */
int orr_keep_outputs(void);

/* Writes a file, which is there after orr_keep_outputs; sets *standard if it is standard output.
 * Prints errors on stderr; returns the exit status. */
int orr_write_output(const struct orr_output *output, const void *context, bool *standard);

/* Checks before a long computation that a file can be written; does not create it. NULL and "-" are
 * fine. Prints errors on stderr; returns the exit status. */
int orr_check_output(const char *path);

/* Writes JSON to the file of --json (NULL: none), and text to standard output unless the JSON goes
 * there; `text` may be NULL. The writers print their errors; returns the exit status. */
int orr_write_json_or_text(const char *path, int (*json)(FILE *out, const void *context),
                           const void *json_context, int (*text)(FILE *out, const void *context),
                           const void *text_context);

#endif
