/* orrery trace: look at execution traces and check them. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace_print.h"

enum { OPT_JSON = 256, OPT_HELP };

static const struct option options[] = {{"json", no_argument, NULL, OPT_JSON},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery trace info|print|check|dot [--json] FILE...\n"
    "\n"
    "Shows Chakra execution traces: binary (.et), gzip or JSON.\n"
    "\n"
    "  info     totals: nodes, edges, bytes, operations, recorded time, depth, groups\n"
    "  print    one line a node\n"
    "  check    says \"ok\" of a valid trace, or what is wrong with it and where\n"
    "  dot      a graph for Graphviz: orrery trace dot x.0.et | dot -Tsvg > x.svg\n"
    "\n"
    "  --json   print: protobuf-JSON, one message a line\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input (with check: a bad trace).\n";

struct view {
    const char *name;
    orr_trace_printer print;
};

static enum orr_status print_check(FILE *out, struct orr_arena *arena,
                                   const struct orr_trace *trace, struct orr_diag *diag)
{
    (void)arena;
    (void)diag;
    (void)fprintf(out, "%s: ok, %u nodes, %u edges\n", trace->path, trace->nodes, trace->edges);
    return ORR_OK;
}

static const struct view views[] = {{"info", orr_trace_print_info},
                                    {"print", orr_trace_print_nodes},
                                    {"check", print_check},
                                    {"dot", orr_trace_print_dot}};

enum { VIEW_COUNT = sizeof views / sizeof views[0] };

static const struct view *find_view(const char *name)
{
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        if (strcmp(views[i].name, name) == 0) {
            return &views[i];
        }
    }
    return NULL;
}

static int refuse_view(const char *name)
{
    const char *names[VIEW_COUNT];
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        names[i] = views[i].name;
    }
    const char *nearest = orr_nearest_name(name, names, VIEW_COUNT);
    orr_say("orrery trace: expected info, print, check or dot, got \"%s\"%s%s%s\n"
            "try 'orrery trace --help'\n",
            name, nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "\"?" : "");
    return ORR_EXIT_USAGE;
}

static int show_file(const char *path, orr_trace_printer print)
{
    struct orr_diag diag;
    const struct orr_trace *trace;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        (void)orr_diag_no_memory(&diag, "a trace");
    } else if (orr_et_read_file(arena, path, &trace, &diag) == ORR_OK) {
        (void)print(stdout, arena, trace, &diag);
    }
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}

/* The exit status of the worst file; all are shown. */
static int show_files(char **paths, orr_trace_printer print)
{
    int worst = 0;
    for (; *paths != NULL; paths++) {
        const int status = show_file(*paths, print);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

int orr_cmd_trace(int argc, char **argv)
{
    bool json = false;
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        if (option != OPT_JSON) {
            return orr_option_refused("trace", options, option, argv[optind - 1]);
        }
        json = true;
    }
    if (optind == argc) {
        return orr_usage_error("trace", "info, print, check or dot is missing", NULL);
    }
    const struct view *view = find_view(argv[optind]);
    if (view == NULL) {
        return refuse_view(argv[optind]);
    }
    if (json && view->print != orr_trace_print_nodes) {
        return orr_usage_error("trace", "--json goes with print only", NULL);
    }
    if (optind + 1 == argc) {
        return orr_usage_error("trace", "no trace file given", NULL);
    }
    return show_files(argv + optind + 1, json ? orr_trace_print_json : view->print);
}
