/* orrery completion: completion script of a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/shell/completion.h"
#include "core/arena.h"
#include "core/diag.h"

enum { OPT_HELP = 256 };

static const struct option options[] = {{"help", no_argument, NULL, OPT_HELP}, {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery completion bash|zsh|fish\n"
    "\n"
    "Prints a script that completes subcommands, options and their values.\n"
    "\n"
    "  bash     in ~/.bashrc: eval \"$(orrery completion bash)\"\n"
    "  zsh      in ~/.zshrc, after compinit: eval \"$(orrery completion zsh)\"\n"
    "  fish     orrery completion fish > ~/.config/fish/completions/orrery.fish\n"
    "\n"
    "An installed orrery has them where these shells look for them.\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage.\n";

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
        const enum orr_status status = orr_help_read(arena, commands[i], &all[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    print(stdout, all, count);
    return ORR_OK;
}

static int run_command(int argc, char **argv)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        return orr_reject_option("completion", options, option, argv[optind - 1]);
    }
    if (optind + 1 != argc) {
        return orr_usage_error("completion", "expected bash, zsh or fish", NULL);
    }
    const print_script print = find_shell(argv[optind]);
    if (print == NULL) {
        static const char *const names[] = {"bash", "zsh", "fish"};
        return orr_reject_action("completion", argv[optind], names, sizeof names / sizeof *names);
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    (void)print_all(arena, print, &diag);
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}

const struct orr_command orr_command_completion = {
    "completion", "print the completions of bash, zsh or fish", run_command};
