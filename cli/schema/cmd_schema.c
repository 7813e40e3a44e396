/* orrery schema: JSON Schema of files, and references of keys and results. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "planner/schema.h"

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery schema [platform | workload | sweep | jobs | model | strategy | plan |\n"
    "                      keys | results]\n"
    "\n"
    "Prints schemas of files, from their readers' tables, and references of keys and results.\n"
    "\n"
    "  platform    JSON Schema (draft 2020-12) of platform files (default)\n"
    "  workload    JSON Schema of workload files\n"
    "  sweep       JSON Schema of the files of orrery sweep\n"
    "  jobs        JSON Schema of the files of orrery run --cluster\n"
    "  model       JSON Schema of the files of orrery model\n"
    "  strategy    JSON Schema of strategies of models\n"
    "  plan        JSON Schema of the files of orrery plan topoopt\n"
    "  keys        reference of all keys, as Markdown (docs/keys.md)\n"
    "  results     reference of all results, as Markdown (docs/results.md)\n"
    "\n"
    "An editor with the YAML language server completes and checks a file that begins with\n"
    "  # yaml-language-server: $schema=platform.schema.json\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage.\n";

static int write(const char *what)
{
    if (!orr_schema_exists(what)) {
        static const char *const names[] = {"platform", "workload", "sweep", "jobs",   "model",
                                            "strategy", "plan",     "keys",  "results"};
        return orr_reject_action("schema", what, names, sizeof names / sizeof *names);
    }
    return orr_schema_print(stdout, what);
}

static int run_command(int argc, char **argv)
{
    opterr = 0;
    optind = 1;
    const int option = getopt_long(argc, argv, ":", options, NULL);
    if (option == 'h') {
        (void)fputs(help, stdout);
        return 0;
    }
    if (option != -1) {
        return orr_reject_option("schema", options, option, argv[optind - 1]);
    }
    if (argc - optind > 1) {
        return orr_usage_error("schema", "unexpected argument ", argv[optind + 1]);
    }
    return write(optind < argc ? argv[optind] : "platform");
}

const struct orr_command orr_command_schema = {
    "schema", "print the JSON Schema and the reference of platform and workload files",
    run_command};
