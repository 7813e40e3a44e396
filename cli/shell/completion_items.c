/* What completions offer for a command; see completion_items.h. */
#include "cli/shell/completion_items.h"

#include <string.h>

#include "core/arena.h"
#include "core/diag.h"

const struct orr_help_item orr_plugin_item = {"--plugin", "parts from outside, a shared object",
                                              ORR_VALUE_FILE, false, NULL};
const struct orr_help_item orr_color_item = {"--color", "colour of errors and warnings",
                                             ORR_VALUE_CHOICE, false, "auto always never"};

static enum orr_value value_of(unsigned role)
{
    switch (role & ORR_ROLE_MASK) {
    case ORR_FLAG:
        return ORR_VALUE_NONE;
    case ORR_CHOICE:
        return ORR_VALUE_CHOICE;
    case ORR_PLATFORM:
        return ORR_VALUE_PLATFORM;
    case ORR_WORKLOAD:
        return ORR_VALUE_WORKLOAD;
    case ORR_INPUT:
    case ORR_OUTPUT:
    case ORR_PREFIX:
    case ORR_FOLDER:
        return ORR_VALUE_FILE;
    default:
        return ORR_VALUE_ANY;
    }
}

static bool add_option(struct orr_arena *arena, const struct orr_option *row, struct orr_help *help)
{
    struct orr_help_item *item = &help->option[help->options++];
    char *choices = orr_arena_strdup(arena, row->argument != NULL ? row->argument : "");
    *item = (struct orr_help_item){.name = orr_arena_printf(arena, "--%s", row->name),
                                   .text = row->help != NULL ? row->help : "",
                                   .value = value_of(row->role),
                                   .optional = (row->role & ORR_OPTIONAL_VALUE) != 0};
    for (char *bar = choices; bar != NULL && (bar = strchr(bar, '|')) != NULL;) {
        *bar = ' ';
    }
    item->choices = item->value == ORR_VALUE_CHOICE ? choices : "";
    return item->name != NULL && choices != NULL;
}

static void add_words(const struct orr_command *command, struct orr_help *help)
{
    struct orr_word word;
    for (size_t i = 0; command->word != NULL && command->word(i, &word); i++) {
        help->word[help->words++] =
            (struct orr_help_item){.name = word.name, .text = word.text, .choices = ""};
    }
    for (size_t i = 0; command->actions != NULL && command->actions[i] != NULL; i++) {
        help->word[help->words++] = (struct orr_help_item){
            .name = command->actions[i]->name, .text = command->actions[i]->summary, .choices = ""};
    }
}

enum orr_status orr_completion_items(struct orr_arena *arena, const struct orr_command *command,
                                     struct orr_help *help, struct orr_diag *diag)
{
    struct orr_rows rows;
    *help = (struct orr_help){.command = command};
    orr_collect_rows(command, true, &rows);
    add_words(command, help);
    for (size_t i = 0; i < rows.count; i++) {
        const struct orr_option *row = rows.row[i];
        if ((row->role & ORR_POSITIONAL) != 0) {
            help->takes[value_of(row->role)] = true;
        } else if (row->name != NULL && !rows.hidden[i] && !add_option(arena, row, help)) {
            return orr_diag_no_memory(diag, "the options of a command");
        }
    }
    return ORR_OK;
}
