/* Parser of a subcommand's --help, from which completions are generated, so that options are
 * documented in one place. Its grammar:
 *
 *   usage: orrery NAME PLATFORM.yml [WORKLOAD.yml]     positional arguments
 *     word     text                                    a possible first argument
 *     --option[=]ARGUMENT    text, may continue on further lines
 *
 * with two blanks of indentation, and two between columns. An argument such as off|auto is a
 * choice; PLATFORM and WORKLOAD are files or names of inputs that ship; one with FILE, PREFIX,
 * FOLDER or a '.' is a file. */
#ifndef ORR_CLI_SHELL_HELP_TEXT_H
#define ORR_CLI_SHELL_HELP_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/cli.h"
#include "core/status.h"

struct orr_arena;
struct orr_diag;

enum orr_value {
    ORR_VALUE_NONE, /* no argument */
    ORR_VALUE_ANY,
    ORR_VALUE_CHOICE,
    ORR_VALUE_FILE,
    ORR_VALUE_PLATFORM,
    ORR_VALUE_WORKLOAD
};

struct orr_help_item {
    const char *name; /* "--fold", or a word */
    const char *text; /* description in one line; "": none */
    enum orr_value value;
    bool optional;       /* the value is optional and follows a '=' */
    const char *choices; /* "off auto"; "" unless value is ORR_VALUE_CHOICE */
};

enum { ORR_MAX_ITEMS = 128 };

struct orr_help {
    const struct orr_command *command;
    struct orr_help_item option[ORR_MAX_ITEMS], word[ORR_MAX_ITEMS];
    size_t options, words;
    bool takes[ORR_VALUE_WORKLOAD + 1]; /* kinds of positional arguments, by the usage */
};

/* Calls the command with --help and parses its output. Texts live in the arena. O(bytes). */
enum orr_status orr_help_read(struct orr_arena *arena, const struct orr_command *command,
                              struct orr_help *help, struct orr_diag *diag);

/* The option --color of every command. */
extern const struct orr_help_item orr_color_item;

#endif
