/* orrery plugin: contract tests of parts from outside. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "orrery/extend.h"

enum { ERROR_BYTES = 4096 };

struct arguments {
    int unused;
};

static const struct orr_option rows[] = {{NULL,
                                          "FILE.so",
                                          ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
                                          "shared objects that define orrery_plugin",
                                          {.kind = ORR_STORE_NONE}},
                                         ORR_ROWS_END};

static int check(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments;
    int status = orr_parse_options(call, &argc, argv, &arguments);
    for (int i = 1; i < argc && status == 0; i++) {
        char error[ERROR_BYTES];
        if (orrery_check_plugin(argv[i], stdout, error, sizeof error) != ORRERY_OK) {
            orr_print_message("%s\n", error);
            status = ORR_EXIT_USAGE;
        }
    }
    return status;
}

static const struct orr_command orr_plugin_check = {
    .name = "check",
    .parent = "plugin",
    .summary =
        "tests each part by its contract: collectives are proved for 2 to 17 ranks, controllers "
        "decide on 96 views, backends run 5 jobs; prints a line for each, or the first broken "
        "contract (exit status 2)",
    .rows = rows,
    .run = check};

const struct orr_command orr_command_plugin = {
    .name = "plugin",
    .summary = "test network backends, controllers and collectives from outside",
    .about =
        "Parts from outside are structs of functions in a shared object (orrery/extend.h): network "
        "backends, controllers of circuits, collective algorithms. --plugin FILE.so adds them to "
        "any "
        "command, and files name them as those that are built in.",
    .actions = (const struct orr_command *const[]){&orr_plugin_check, NULL}};
