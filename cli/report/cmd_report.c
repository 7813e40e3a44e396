/* orrery report: results as an HTML page. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "core/diag.h"
#include "report/page/page.h"

enum { OPT_OUTPUT = 256, OPT_TITLE, OPT_HELP };

static const struct option options[] = {{"output", required_argument, NULL, OPT_OUTPUT},
                                        {"title", required_argument, NULL, OPT_TITLE},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery report RESULT.json... -o PAGE.html [options]\n"
    "\n"
    "Makes one HTML page of results: the JSON of run, whatif, failures, bench-collective, plan\n"
    "and fit, and the .jsonl of a sweep. Several runs are compared, with their differences. The\n"
    "page is one self-contained file: send it, open it in any browser, print it.\n"
    "\n"
    "A run has all parts with orrery run ... --json RESULT.json --details. The commands above can\n"
    "also write the page themselves, with --report PAGE.html. The page states which parts a\n"
    "result lacks.\n"
    "\n"
    "  -o, --output FILE|-                the page (HTML)\n"
    "  --title TEXT                       its title (default: the names of the results)\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct arguments {
    const char *output, *title;
    char command[ORR_COMMAND_LINE_BYTES];
};

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":o:", options, NULL)) != -1;) {
        if (option == ':' || option == '?') {
            return orr_reject_option("report", options, option, argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        *(option == OPT_TITLE ? &arguments->title : &arguments->output) = optarg;
    }
    if (optind == argc) {
        return orr_usage_error("report", "a result is missing: the JSON of orrery run --json",
                               NULL);
    }
    return arguments->output != NULL
               ? orr_check_page("report", "output", arguments->output)
               : orr_usage_error("report", "a file for the page is missing: -o report.html", NULL);
}

/* The name of a file without its ending; the whole path if another file has the same name. */
static const char *name_among(char *const *file, int files, int index,
                              char text[ORR_PAGE_NAME_BYTES])
{
    char other[ORR_PAGE_NAME_BYTES];
    (void)orr_page_name(file[index], text);
    for (int i = 0; i < files; i++) {
        if (i != index && strcmp(orr_page_name(file[i], other), text) == 0) {
            return file[index];
        }
    }
    return text;
}

static enum orr_status add_files(struct orr_page *page, char *const *file, int files,
                                 struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (int i = 0; i < files && status == ORR_OK; i++) {
        char name[ORR_PAGE_NAME_BYTES];
        struct json_t *result = NULL;
        status = orr_page_read(file[i], &result, diag);
        if (status == ORR_OK) {
            status = orr_page_add(page, result, name_among(file, files, i, name), file[i], diag);
        }
    }
    return status;
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {.output = NULL};
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    (void)orr_command_line("orrery", argc, argv, arguments.command);
    const int usage = parse_arguments(argc, argv, &arguments);
    if (usage != 0) {
        if (usage < 0) {
            (void)fputs(help, stdout);
        }
        return usage < 0 ? 0 : usage;
    }
    struct orr_page *page = orr_page_create(arguments.title);
    bool standard = false;
    if (page == NULL) {
        orr_print_message("orrery report: out of memory\n");
        return 1;
    }
    orr_page_set_command(page, arguments.command);
    const enum orr_status status = add_files(page, argv + optind, argc - optind, &diag);
    const int result = status == ORR_OK ? orr_write_built_page(arguments.output, page, &standard)
                                        : orr_print_diag(&diag);
    orr_page_destroy(page);
    return result;
}

const struct orr_command orr_command_report = {"report", "make one HTML page of results",
                                               run_command};
