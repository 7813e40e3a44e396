/* orrery report: results as an HTML page. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "core/diag.h"
#include "report/page/page.h"

struct arguments {
    const char *output, *title;
    char command[ORR_COMMAND_LINE_BYTES];
};

static const struct orr_option rows[] = {
    {NULL,
     "RESULT.json",
     ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
     "a result of run, whatif, failures, bench-collective, plan or fit, or the .jsonl of a sweep",
     {.kind = ORR_STORE_NONE}},
    {"output",
     "FILE|-",
     ORR_OUTPUT | ORR_NEEDED,
     "the page (HTML)",
     {.kind = ORR_STORE_PAGE, ORR_AT(struct arguments, output)}},
    {"title", "TEXT", ORR_VALUE, "its title (default: the names of the results)",
     ORR_TEXT(struct arguments, title)},
    ORR_ROWS_END};

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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.output = NULL};
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    (void)orr_command_line("orrery", argc, argv, arguments.command);
    int usage = orr_parse_options(call, &argc, argv, &arguments);
    if (usage == 0 && arguments.output == NULL) {
        usage = orr_usage_error("report", "a file for the page is missing: -o report.html", NULL);
    }
    if (usage != 0) {
        return usage;
    }
    struct orr_page *page = orr_page_create(arguments.title);
    bool standard = false;
    if (page == NULL) {
        orr_print_message("orrery report: out of memory\n");
        return 1;
    }
    orr_page_set_command(page, arguments.command);
    const enum orr_status status = add_files(page, argv + 1, argc - 1, &diag);
    const int result = status == ORR_OK ? orr_write_built_page(arguments.output, page, &standard)
                                        : orr_print_diag(&diag);
    orr_page_destroy(page);
    return result;
}

const struct orr_command orr_command_report = {
    .name = "report",
    .summary = "make one HTML page of results",
    .about =
        "Makes one HTML page of results: the JSON of run, whatif, failures, bench-collective, plan "
        "and fit, and the .jsonl of a sweep. Several runs are compared, with their differences. "
        "The page is one self-contained file: send it, open it in any browser, print it.\n"
        "A run has all parts with orrery run ... --json RESULT.json --details. The commands above "
        "can also write the page themselves, with --report PAGE.html. The page states which parts "
        "a result lacks.",
    .rows = rows,
    .missing = "a result is missing: the JSON of orrery run --json",
    .run = run_command};
