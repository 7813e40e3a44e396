/* orrery diff: comparison of two results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "core/diag.h"
#include "report/table_text.h"
#include "study/diff.h"
#include "study/diff_report.h"

struct arguments {
    const char *json, *csv;
    const char *path[2];
};

static const struct orr_option rows[] = {
    {NULL, "A.json", ORR_INPUT | ORR_POSITIONAL, "the result of orrery run --json to compare with",
     ORR_TEXT(struct arguments, path[0])},
    {NULL, "B.json", ORR_INPUT | ORR_POSITIONAL, "another one",
     ORR_TEXT(struct arguments, path[1])},
    ORR_ROW_JSON(struct arguments, json, "the differences", 0),
    ORR_ROW_CSV(struct arguments, csv, "a line for each quantity that differs"),
    ORR_ROWS_END};

static int report(const struct arguments *arguments, const struct orr_diff *diff)
{
    const struct orr_output outputs[] = {{arguments->json, orr_diff_json},
                                         {arguments->csv, orr_diff_csv}};
    bool quiet = false;
    for (unsigned i = 0; i < 2; i++) {
        const int result = orr_write_output(&outputs[i], diff, &quiet);
        if (result != 0) {
            return result;
        }
    }
    if (!quiet) {
        orr_diff_table(stdout, diff);
    }
    return 0;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {0};
    const int usage = orr_parse_options(call, &argc, argv, &arguments);
    if (usage != 0) {
        return usage;
    }
    struct orr_diag diag;
    struct orr_diff diff;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    int status = 0;
    if (orr_diff_read(&diff, arguments.path, &diag) == ORR_OK) {
        status = report(&arguments, &diff);
    } else {
        status = orr_print_diag(&diag);
    }
    orr_diff_fini(&diff);
    return status;
}

const struct orr_command orr_command_diff = {
    .name = "diff",
    .summary = "compare two results",
    .about =
        "Compares two results that orrery run --json wrote: what changed in the configuration, "
        "where the time went, and which dimensions, collectives and parts of the critical path "
        "take more or less.",
    .rows = rows,
    .missing = "two results are needed",
    .run = run_command};
