/* Reference of commands and options, from their tables. */
#ifndef ORR_CLI_SCHEMA_OPTION_REFERENCE_H
#define ORR_CLI_SCHEMA_OPTION_REFERENCE_H

#include <stdio.h>

struct orr_command;

/* Prints all commands as Markdown; returns the exit status. */
int orr_write_option_reference(FILE *out);

/* Prints the first sections of a command's manual page: NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXIT
 * STATUS. NULL: the page of orrery, with a list of the commands. */
void orr_write_manual(FILE *out, const struct orr_command *command);

#endif
