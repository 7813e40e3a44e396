/* Subcommands. Each gets its own name in argv[0], prints its own --help and returns the exit
 * status: 0 done, 1 internal error, 2 bad usage or input, 3 the simulated job cannot finish. */
#ifndef ORR_CLI_CLI_H
#define ORR_CLI_CLI_H

#include <stddef.h>

enum { ORR_EXIT_USAGE = 2 };

struct orr_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
};

/* Table of subcommands, from which manual pages and completions are generated. */
const struct orr_command *orr_commands(size_t *count);

int orr_cmd_run(int argc, char **argv);
int orr_cmd_topo(int argc, char **argv);
int orr_cmd_trace(int argc, char **argv);
int orr_cmd_taskgraph(int argc, char **argv);
int orr_cmd_model(int argc, char **argv);
int orr_cmd_plan(int argc, char **argv);
int orr_cmd_fit(int argc, char **argv);
int orr_cmd_bench_collective(int argc, char **argv);
int orr_cmd_diff(int argc, char **argv);
int orr_cmd_report(int argc, char **argv);
int orr_cmd_whatif(int argc, char **argv);
int orr_cmd_failures(int argc, char **argv);
int orr_cmd_sweep(int argc, char **argv);
int orr_cmd_convert(int argc, char **argv);
int orr_cmd_gen(int argc, char **argv);
int orr_cmd_schema(int argc, char **argv);
int orr_cmd_completion(int argc, char **argv);

#endif
