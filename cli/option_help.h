/* --help of a command, from its table. */
#ifndef ORR_CLI_OPTION_HELP_H
#define ORR_CLI_OPTION_HELP_H

#include <stdio.h>

struct orr_command;
struct orr_option;

enum { ORR_HEAD_BYTES = 160, ORR_HELP_COLUMNS = 96 };

void orr_print_help(FILE *out, const struct orr_command *command);

/* "-o, --output FILE", "--explain[=all]" or "PLATFORM.yml": how a row is shown. Returns `text`. */
char *orr_option_head(const struct orr_option *row, char text[ORR_HEAD_BYTES]);

/* Calls `line` with each usage line of the command and of its modes, without "orrery ". */
void orr_usage_lines(const struct orr_command *command,
                     void (*line)(void *context, const char *text), void *context);

/* "Exit status: ..." of the command. */
const char *orr_exit_text(const struct orr_command *command);

#endif
