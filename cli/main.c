/* The command: finds the subcommand by its name and runs it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "core/core.h"
#include "orrery/orrery.h"

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
};

static const struct command commands[] = {
    {"run", "simulate a workload on a platform and report the time", orr_cmd_run},
    {"whatif", "run a job with one thing changed at a time, and rank the changes", orr_cmd_whatif},
    {"bench-collective", "time a collective: sizes, algorithms, schedulers",
     orr_cmd_bench_collective},
    {"diff", "say what changed between two results", orr_cmd_diff},
    {"gen", "generate the execution traces of a training job", orr_cmd_gen},
    {"topo", "show or draw a network", orr_cmd_topo},
    {"trace", "inspect and check execution traces", orr_cmd_trace},
    {"schema", "the JSON Schema and the reference of platform and workload files", orr_cmd_schema},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out)
{
    fputs("orrery - simulates distributed deep-learning training\n\n"
          "usage: orrery COMMAND [OPTION...]\n"
          "       orrery COMMAND --help\n"
          "       orrery --help | --version\n\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-16s %s\n", commands[i].name, commands[i].summary);
    fputs("\nexit status: 0 done, 1 internal error, 2 bad usage or input,\n"
          "             3 the simulated job cannot finish\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int reject(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    const char *nearest = orr_nearest_name(name, names, COMMAND_COUNT);
    fprintf(stderr, "orrery: unknown %s \"%s\"", name[0] == '-' ? "option" : "command", name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean \"%s\"?", nearest);
    fputs("\nSee orrery --help.\n", stderr);
    return ORR_EXIT_USAGE;
}

static int close_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("orrery: standard output");
    return status == 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return ORR_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return close_output(0);
    }
    if (strcmp(name, "--version") == 0) {
        printf("orrery %s\n", orrery_version());
        return close_output(0);
    }
    const struct command *command = find_command(name);
    return command != NULL ? close_output(command->run(argc - 1, argv + 1)) : reject(name);
}
