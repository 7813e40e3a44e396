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

enum { OPT_BANDWIDTH = 256, OPT_EXPAND };

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"link-bandwidth", required_argument, NULL, OPT_BANDWIDTH},
                                        {"expand", no_argument, NULL, OPT_EXPAND},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery taskgraph show|check FILE...\n"
    "       orrery taskgraph convert FILE -o OUT [options]\n"
    "\n"
    "  show     tasks by role and pass, dependencies, bytes, all-reduces by their size\n"
    "  check    whether it is valid: NPUs and tasks exist, no cycle\n"
    "  convert  to another form, by the ending of OUT: .otg (compact), .json (for people) or\n"
    "           .fbuf (FlexNet's FlatBuffer, with a network of one switch)\n"
    "\n"
    "FILE is a task graph: .otg or JSON (docs/file-formats.md), or FlexFlow's FlatBuffer or\n"
    "DOT; plain or gzip; the form is detected by the first bytes.\n"
    "\n"
    "Options of convert:\n"
    "  -o, --output FILE        the file to write\n"
    "  --link-bandwidth VALUE   .fbuf: of a link of its network (that of FILE)\n"
    "  --expand                 every group separately, not one with a count\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

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
    if (arguments->output != NULL || arguments->bytes_per_s > 0 || arguments->expand) {
        return orr_usage_error("taskgraph",
                               "--output, --link-bandwidth and --expand go with convert", NULL);
    }
    for (int i = 0; i < arguments->files; i++) {
        const int status = show_file(arguments->file[i], show);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

static int show(const struct arguments *arguments)
{
    return show_files(arguments, orr_taskgraph_show);
}

static int check(const struct arguments *arguments)
{
    return show_files(arguments, orr_taskgraph_show_check);
}

/* ---- convert ---- */

static int convert(const struct arguments *arguments)
{
    const char *wrong = "";
    if (arguments->files > 1) {
        return orr_usage_error("taskgraph", "unexpected argument ", arguments->file[1]);
    }
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

static const struct action {
    const char *name;
    int (*run)(const struct arguments *arguments);
} actions[] = {{"show", show}, {"check", check}, {"convert", convert}};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    if (option == 'o') {
        arguments->output = value;
        return 0;
    }
    if (option == OPT_EXPAND) {
        arguments->expand = true;
        return 0;
    }
    if (!orr_parse_bandwidth(value, &arguments->bytes_per_s)) {
        return orr_reject_quantity("taskgraph", "link-bandwidth", ORR_QUANTITY_BANDWIDTH, value);
    }
    return 0;
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {.output = NULL};
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        const bool refused = option == '?' || option == ':';
        const int status = refused
                               ? orr_reject_option("taskgraph", options, option, argv[optind - 1])
                               : apply(&arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    if (optind == argc) {
        return orr_usage_error("taskgraph", "show, check or convert is missing", NULL);
    }
    const struct action *action = find_action(argv[optind]);
    if (action == NULL) {
        static const char *const names[] = {"show", "check", "convert"};
        return orr_reject_action("taskgraph", argv[optind], names, sizeof names / sizeof *names);
    }
    arguments.file = argv + optind + 1;
    arguments.files = argc - optind - 1;
    return arguments.files != 0 ? action->run(&arguments)
                                : orr_usage_error("taskgraph", "no task graph given", NULL);
}

const struct orr_command orr_command_taskgraph = {
    "taskgraph", "show, check or convert a task graph", run_command};
