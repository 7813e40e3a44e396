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

enum { OPT_JSON = 256, OPT_CSV, OPT_HELP };

static const struct option options[] = {{"json", required_argument, NULL, OPT_JSON},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery diff A.json B.json [options]\n"
    "\n"
    "Compares two results that orrery run --json wrote: what changed in the configuration, where "
    "the\n"
    "time went, and which dimensions, collectives and parts of the critical path take more or "
    "less.\n"
    "\n"
    "  --json FILE|-                      the differences as JSON, instead of the table when FILE\n"
    "                                     is -\n"
    "  --csv FILE|-                       a line for each quantity that differs\n"
    "\n"
    "Exit status: 0 done (whether they differ or not), 1 internal error, 2 bad usage or input.\n";

struct arguments {
    const char *json, *csv;
    const char *path[2];
};

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == ':' || option == '?') {
            return orr_reject_option("diff", options, option, argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        *(option == OPT_JSON ? &arguments->json : &arguments->csv) = optarg;
    }
    if (argc - optind != 2) {
        return argc - optind < 2
                   ? orr_usage_error("diff", "two results are needed", NULL)
                   : orr_usage_error("diff", "unexpected argument ", argv[optind + 2]);
    }
    arguments->path[0] = argv[optind];
    arguments->path[1] = argv[optind + 1];
    return 0;
}

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

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {0};
    const int usage = parse_arguments(argc, argv, &arguments);
    if (usage != 0) {
        if (usage < 0) {
            (void)fputs(help, stdout);
        }
        return usage < 0 ? 0 : usage;
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

const struct orr_command orr_command_diff = {"diff", "compare two results", run_command};
