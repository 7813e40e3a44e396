/* Subcommands. Each gets its own name in argv[0], prints its own --help and returns the exit
 * status: 0 done, 1 internal error, 2 bad usage or input, 3 the simulated job cannot finish. */
#ifndef ORR_CLI_CLI_H
#define ORR_CLI_CLI_H

#include <stddef.h>

enum { ORR_EXIT_USAGE = 2 };

/* Defined in the subcommand's own file, listed in command_list.h. */
struct orr_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
};

/* The subcommands (command_list.h), from which manual pages and completions are generated. */
const struct orr_command *const *orr_commands(size_t *count);

#endif
