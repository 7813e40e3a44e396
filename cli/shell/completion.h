/* Completion scripts, generated from their tables of options. */
#ifndef ORR_CLI_SHELL_COMPLETION_H
#define ORR_CLI_SHELL_COMPLETION_H

#include "cli/shell/completion_items.h"

/* Print the script for `count` commands. */
void orr_completion_bash(FILE *out, const struct orr_help *help, size_t count);
void orr_completion_zsh(FILE *out, const struct orr_help *help, size_t count);
void orr_completion_fish(FILE *out, const struct orr_help *help, size_t count);

/* A line of shell: prints the names of inputs that ship, one a line, of the kinds in "$1". */
#define ORR_LIST_INPUTS                                                                            \
    " run --list-inputs 2>/dev/null | awk -v kind=\"$1\" '/^[^ ]/ { on = index(kind, $1) > 0 } "   \
    "/^  / && "                                                                                    \
    "on { print $1 }'"

#endif
