/* What completions offer for a command: its options, words and kinds of files, from its table. */
#ifndef ORR_CLI_SHELL_COMPLETION_ITEMS_H
#define ORR_CLI_SHELL_COMPLETION_ITEMS_H

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

struct orr_help {
    const struct orr_command *command;
    struct orr_help_item option[ORR_MAX_ROWS], word[ORR_MAX_ROWS];
    size_t options, words;
    bool takes[ORR_VALUE_WORKLOAD + 1]; /* kinds of positional arguments */
};

/* Lists the items of a command, its modes and actions. Texts live in the arena. O(rows). */
enum orr_status orr_completion_items(struct orr_arena *arena, const struct orr_command *command,
                                     struct orr_help *help, struct orr_diag *diag);

/* The options --color and --plugin of every command. */
extern const struct orr_help_item orr_color_item, orr_plugin_item;

#endif
