/* orrery taskgraph: contents of task graphs, and conversion between their forms. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/arena.h"
#include "core/units.h"
#include "et_converter/task_graph_input.h"
#include "report/taskgraph/taskgraph_text.h"
#include "workload/taskgraph/tg_graph.h"

struct arguments {
    const char *output;
    double bytes_per_s; /* 0: not given */
    bool expand;
    char **file;
    int files;
};

static enum orr_status open_graph(struct orr_arena *arena, const char *path,
                                  struct conv_task_graph *out, struct orr_diag *diag)
{
    orr_diag_init(diag);
    diag->warn = orr_print_warning;
    return arena != NULL ? orr_convert_read_task_graph(arena, path, out, diag)
                         : orr_diag_no_memory(diag, "a task graph");
}

/* ---- show, check ---- */

typedef enum orr_status (*show_fn)(FILE *out, const struct tg_graph *graph, struct orr_diag *diag);

static int show_file(const char *path, show_fn show)
{
    struct orr_arena *arena = orr_arena_create();
    struct conv_task_graph graph;
    struct orr_diag diag;
    enum orr_status status = open_graph(arena, path, &graph, &diag);
    if (status == ORR_OK) {
        status = show(stdout, &graph.graph, &diag);
    }
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}

/* Shows all files; returns the worst exit status. */
static int show_files(const struct arguments *arguments, show_fn show)
{
    int worst = 0;
    for (int i = 0; i < arguments->files; i++) {
        const int status = show_file(arguments->file[i], show);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

/* ---- convert ---- */

static int convert(const struct arguments *arguments)
{
    const char *wrong = "";
    if (arguments->output == NULL) {
        return orr_usage_error("taskgraph", "convert needs a file to write: -o FILE.otg", NULL);
    }
    const enum conv_task_graph_form form = orr_convert_task_graph_form(arguments->output, &wrong);
    if (wrong != NULL) {
        return orr_usage_error("taskgraph", wrong, arguments->output);
    }
    struct orr_arena *arena = orr_arena_create();
    struct conv_task_graph graph;
    struct orr_diag diag;
    enum orr_status status = open_graph(arena, arguments->file[0], &graph, &diag);
    if (status == ORR_OK && arguments->expand) {
        const struct tg_graph folded = graph.graph;
        status = orr_tg_expand(arena, &folded, &graph.graph, &diag);
    }
    if (status == ORR_OK) {
        const double own = graph.network.bytes_per_s;
        const struct conv_task_graph_output out = {
            .form = form,
            .path = arguments->output,
            .link_bytes_per_s = arguments->bytes_per_s > 0 ? arguments->bytes_per_s : own};
        status = orr_convert_write_task_graph(&graph, &out, &diag);
    }
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}

/* ---- arguments ---- */

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.output = NULL};
    const int status = orr_parse_options(call, &argc, argv, &arguments);
    if (status != 0) {
        return status;
    }
    arguments.file = argv + 1;
    arguments.files = argc - 1;
    return strcmp(call->command->name, "convert") == 0 ? convert(&arguments)
           : strcmp(call->command->name, "show") == 0
               ? show_files(&arguments, orr_taskgraph_show)
               : show_files(&arguments, orr_taskgraph_show_check);
}

static const struct orr_option show_rows[] = {{NULL,
                                               "FILE",
                                               ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
                                               "a task graph",
                                               {.kind = ORR_STORE_NONE}},
                                              ORR_ROWS_END};

static const struct orr_option convert_rows[] = {
    {NULL, "FILE", ORR_INPUT | ORR_POSITIONAL, "a task graph", {.kind = ORR_STORE_NONE}},
    {"output", "FILE", ORR_OUTPUT | ORR_NEEDED,
     "the file to write: .otg (compact), .json (for people) or .fbuf (FlexNet's FlatBuffer, with a "
     "network of one switch)",
     ORR_TEXT(struct arguments, output)},
    {"link-bandwidth", "BW", ORR_VALUE, ".fbuf: of a link of its network (that of FILE)",
     ORR_BANDWIDTH(struct arguments, bytes_per_s)},
    {"expand", NULL, ORR_FLAG, "every group separately, not one with a count",
     ORR_TRUE(struct arguments, expand)},
    ORR_ROWS_END};

#define FORMS                                                                                      \
    "A task graph is .otg or JSON (docs/file-formats.md), or FlexFlow's FlatBuffer or DOT; plain " \
    "or gzip; the form is detected by the first bytes."

static const struct orr_command show_action = {
    .name = "show",
    .parent = "taskgraph",
    .summary = "tasks by role and pass, dependencies, bytes, all-reduces by their size",
    .about = FORMS,
    .rows = show_rows,
    .missing = "no task graph given",
    .run = run_command};

static const struct orr_command check_action = {
    .name = "check",
    .parent = "taskgraph",
    .summary = "whether it is valid: NPUs and tasks exist, no cycle",
    .about = FORMS,
    .rows = show_rows,
    .missing = "no task graph given",
    .run = run_command};

static const struct orr_command convert_action = {.name = "convert",
                                                  .parent = "taskgraph",
                                                  .summary =
                                                      "to another form, by the ending of the file",
                                                  .about = FORMS,
                                                  .rows = convert_rows,
                                                  .missing = "no task graph given",
                                                  .run = run_command};

const struct orr_command orr_command_taskgraph = {
    .name = "taskgraph",
    .summary = "show, check or convert a task graph",
    .about = FORMS,
    .actions =
        (const struct orr_command *const[]){&show_action, &check_action, &convert_action, NULL}};
