/* Entry point: runs the subcommand named by the first argument. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/deprecated_options.h"
#include "cli/option_help.h"
#include "cli/schema/option_reference.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/strings.h"
#include "orrery/orrery.h"

#define ORR_COMMAND(command) extern const struct orr_command command;
#include "cli/command_list.h"
#undef ORR_COMMAND

static const struct orr_command *const commands[] = {
#define ORR_COMMAND(command) &command,
#include "cli/command_list.h"
#undef ORR_COMMAND
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const struct orr_command *const *orr_commands(size_t *count)
{
    *count = COMMAND_COUNT;
    return commands;
}

static int widest_name(void)
{
    size_t widest = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const size_t width = strlen(commands[i]->name);
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

static void print_help(FILE *out)
{
    fputs("orrery - simulates distributed deep-learning training\n\n"
          "usage: orrery COMMAND [OPTION...]\n"
          "       orrery COMMAND --help | orrery help COMMAND\n"
          "       orrery --help | --version\n\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-*s  %s\n", widest_name(), commands[i]->name, commands[i]->summary);
    fputs("\noptions of every command:\n"
          "  --color auto|always|never   colour of errors and warnings (default auto: on a "
          "terminal)\n"
          "  --plugin FILE.so            parts from outside (orrery plugin); "
          "ORRERY_PLUGINS=FILE.so:... "
          "as well\n"
          "\nexit status: 0 done, 1 internal error, 2 bad usage or input,\n"
          "             3 the simulated job cannot finish\n",
          out);
}

static const struct orr_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int reject(const char *name)
{
    static const char *const options[] = {"--help", "--version", "--color", "--plugin"};
    enum { OPTIONS = sizeof options / sizeof *options };
    const char *names[COMMAND_COUNT + OPTIONS];
    char suggestion[ORR_SUGGESTION_BYTES];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    for (size_t i = 0; i < OPTIONS; i++)
        names[COMMAND_COUNT + i] = options[i];
    orr_print_message(
        "orrery: unknown %s \"%s\"%s\nSee orrery --help.\n", name[0] == '-' ? "option" : "command",
        name,
        orr_suggest_name(name, names, COMMAND_COUNT + OPTIONS, suggestion, sizeof suggestion));
    return ORR_EXIT_USAGE;
}

static int close_output(int status)
{
    const int kept = orr_keep_outputs();
    status = status == ORR_STOP ? 0 : status;
    status = status == 0 ? kept : status;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("orrery: standard output");
    return status == 0 ? 1 : status;
}

/* orrery help run, orrery help topo show: as orrery run --help. orrery help --roff [run]: the
 * manual page, for cmake/make_man.sh. */
static int print_help_of(int words, char **word)
{
    if (strcmp(word[0], "--roff") == 0 && (words == 1 || find_command(word[1]) != NULL)) {
        orr_write_manual(stdout, words > 1 ? find_command(word[1]) : NULL);
        return 0;
    }
    const struct orr_command *command = find_command(word[0]);
    const struct orr_command *const *action = command != NULL ? command->actions : NULL;
    if (command == NULL) {
        return reject(word[0]);
    }
    while (words > 1 && action != NULL && *action != NULL &&
           strcmp((*action)->name, word[1]) != 0) {
        action++;
    }
    orr_print_help(stdout, words > 1 && action != NULL && *action != NULL ? *action : command);
    return 0;
}

/* What is printed stays in a buffer until the end, but on a terminal: a command that runs out of
 * memory while it prints has printed nothing. */
static void keep_output(void)
{
    static char buffer[1 << 20];
    if (isatty(STDOUT_FILENO) == 0) {
        (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    }
}

int main(int argc, char **argv)
{
    keep_output();
    const int refused = orr_extract_common_options(&argc, argv);
    if (refused != 0)
        return refused;
    if (argc < 2) {
        print_help(stderr);
        return ORR_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 && argc > 2) {
        return close_output(print_help_of(argc - 2, argv + 2));
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return close_output(0);
    }
    if (strcmp(name, "--version") == 0) {
        printf("orrery %s\n", orrery_version());
        return close_output(0);
    }
    const struct orr_command *command = find_command(name);
    if (command == NULL)
        return reject(name);
    orr_replace_deprecated_options(argc - 1, argv + 1);
    return close_output(orr_run_command(command, argc - 1, argv + 1));
}
