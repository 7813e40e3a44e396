/* orrery schema: JSON Schema of files, and references of keys, results and options. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/schema/option_reference.h"
#include "planner/schema.h"

struct arguments {
    const char *what;
};

static const struct orr_option rows[] = {{NULL, "WHAT", ORR_VALUE | ORR_POSITIONAL | ORR_OPTIONAL,
                                          "one of these (default: platform)",
                                          ORR_TEXT(struct arguments, what)},
                                         ORR_ROWS_END};

static const struct orr_word words[] = {
    {"platform", "JSON Schema (draft 2020-12) of platform files (default)"},
    {"workload", "JSON Schema of workload files"},
    {"sweep", "JSON Schema of the files of orrery sweep"},
    {"jobs", "JSON Schema of the files of orrery run --cluster"},
    {"model", "JSON Schema of the files of orrery model"},
    {"strategy", "JSON Schema of strategies of models"},
    {"plan", "JSON Schema of the files of orrery plan topoopt"},
    {"keys", "reference of all keys, as Markdown (docs/keys.md)"},
    {"results", "reference of all results, as Markdown (docs/results.md)"},
    {"options", "reference of all commands and options, as Markdown (docs/options.md)"}};

enum { WORDS = sizeof words / sizeof *words };

static bool word_at(size_t index, struct orr_word *word)
{
    if (index < WORDS) {
        *word = words[index];
    }
    return index < WORDS;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.what = "platform"};
    const int status = orr_parse_options(call, &argc, argv, &arguments);
    if (status != 0) {
        return status;
    }
    if (strcmp(arguments.what, "options") == 0) {
        return orr_write_option_reference(stdout);
    }
    if (!orr_schema_exists(arguments.what)) {
        const char *names[WORDS];
        for (size_t i = 0; i < WORDS; i++) {
            names[i] = words[i].name;
        }
        return orr_reject_action("schema", arguments.what, names, WORDS);
    }
    return orr_schema_print(stdout, arguments.what);
}

const struct orr_command orr_command_schema = {
    .name = "schema",
    .summary = "print the JSON Schema and the reference of platform and workload files",
    .about = "Prints schemas of files, from their readers' tables, and references of keys, results "
             "and options.",
    .rows = rows,
    .word = word_at,
    .words = "WHAT",
    .notes =
        "An editor with the YAML language server completes and checks a file that begins with\n"
        "  # yaml-language-server: $schema=platform.schema.json",
    .run = run_command};
