/* orrery completion: completion script of a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/shell/completion.h"
#include "core/arena.h"
#include "core/diag.h"

struct arguments {
    const char *shell;
};

static const struct orr_option rows[] = {
    {NULL, "SHELL", ORR_VALUE | ORR_POSITIONAL, "one of these", ORR_TEXT(struct arguments, shell)},
    ORR_ROWS_END};

static const struct orr_word words[] = {
    {"bash", "in ~/.bashrc: eval \"$(orrery completion bash)\""},
    {"zsh", "in ~/.zshrc, after compinit: eval \"$(orrery completion zsh)\""},
    {"fish", "orrery completion fish > ~/.config/fish/completions/orrery.fish"}};

static bool shell_at(size_t index, struct orr_word *word)
{
    const bool known = index < sizeof words / sizeof *words;
    if (known) {
        *word = words[index];
    }
    return known;
}

typedef void (*print_script)(FILE *out, const struct orr_help *help, size_t count);

static print_script find_shell(const char *name)
{
    return strcmp(name, "bash") == 0   ? orr_completion_bash
           : strcmp(name, "zsh") == 0  ? orr_completion_zsh
           : strcmp(name, "fish") == 0 ? orr_completion_fish
                                       : NULL;
}

static enum orr_status print_all(struct orr_arena *arena, print_script print, struct orr_diag *diag)
{
    size_t count;
    const struct orr_command *const *commands = orr_commands(&count);
    struct orr_help *all = arena != NULL ? orr_arena_array(arena, count, sizeof *all) : NULL;
    if (all == NULL) {
        return orr_diag_no_memory(diag, "the completions");
    }
    for (size_t i = 0; i < count; i++) {
        const enum orr_status status = orr_completion_items(arena, commands[i], &all[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    print(stdout, all, count);
    return ORR_OK;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.shell = NULL};
    const int status = orr_parse_options(call, &argc, argv, &arguments);
    if (status != 0) {
        return status;
    }
    const print_script print = find_shell(arguments.shell);
    if (print == NULL) {
        static const char *const names[] = {"bash", "zsh", "fish"};
        return orr_reject_action("completion", arguments.shell, names,
                                 sizeof names / sizeof *names);
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    (void)print_all(arena, print, &diag);
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}

const struct orr_command orr_command_completion = {
    .name = "completion",
    .summary = "print the completions of bash, zsh or fish",
    .about = "Prints a script that completes subcommands, options and their values. An installed "
             "orrery has them where these shells look for them.",
    .rows = rows,
    .missing = "expected bash, zsh or fish",
    .word = shell_at,
    .words = "Shells",
    .run = run_command};
