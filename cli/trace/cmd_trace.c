/* orrery trace: inspection, check, comparison, cut and scaling of execution traces. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/trace/trace_command.h"
#include "core/strings.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "orrery/trace.h"

enum {
    OPT_JSON = 256,
    OPT_TOP,
    OPT_STEP,
    OPT_FROM,
    OPT_TO,
    OPT_TRACES,
    OPT_NPUS,
    OPT_MARKER,
    OPT_GZIP,
    OPT_HELP
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},           {"top", required_argument, NULL, OPT_TOP},
    {"output", required_argument, NULL, 'o'},        {"step", required_argument, NULL, OPT_STEP},
    {"traces", required_argument, NULL, OPT_TRACES}, {"npus", required_argument, NULL, OPT_NPUS},
    {"from", required_argument, NULL, OPT_FROM},     {"to", required_argument, NULL, OPT_TO},
    {"marker", required_argument, NULL, OPT_MARKER}, {"gzip", no_argument, NULL, OPT_GZIP},
    {"help", no_argument, NULL, OPT_HELP},           {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery trace info|print|check|dot|stats [options] FILE...\n"
    "       orrery trace critical-path [options] FILE\n"
    "       orrery trace diff [options] A.et B.et\n"
    "       orrery trace cut FILE|PREFIX --step N|--from NAME --to NAME -o OUT [options]\n"
    "       orrery trace scale PREFIX --npus M -o OUT [options]\n"
    "\n"
    "Shows and changes Chakra execution traces: binary (.et), gzip or JSON.\n"
    "\n"
    "  info           totals: nodes, edges, bytes, operations, recorded time, depth, groups\n"
    "  print          one line a node\n"
    "  check          prints \"ok\" for a valid trace, or the error and its location\n"
    "  dot            a graph for Graphviz: orrery trace dot x.0.et | dot -Tsvg > x.svg\n"
    "  stats          nodes by kind and device, computation by operator, communication by group\n"
    "  diff           differences between two traces, independent of node ids\n"
    "  critical-path  the longest chain by recorded durations\n"
    "  cut            one step of a trace or of all ranks' (PREFIX.RANK.et), as a trace;\n"
    "                 without --step and --from, lists the steps\n"
    "  scale          data-parallel traces of N ranks (PREFIX.RANK.et) as traces of M ranks\n"
    "\n"
    "Options:\n"
    "  --json             print: protobuf-JSON, one message a line; stats, diff, critical-path:\n"
    "                     as JSON\n"
    "  --top N            stats, diff, critical-path: rows of a table (default 20; 0: all)\n"
    "  -o, --output FILE  cut, scale: the file to write; of several ranks, their prefix\n"
    "  --step N           cut: the step marked by a node \"ProfilerStep#N\", \"iteration N\" or\n"
    "                     \"step N\"\n"
    "  --marker TEXT      cut: names of nodes that mark steps, by a part of them or a regular\n"
    "                     expression\n"
    "  --from NAME        cut: from the node of this name on\n"
    "  --to NAME          cut: to before the next node of this name (default: the end)\n"
    "  --npus M           scale: number of ranks to write\n"
    "  --traces N         scale: number of ranks to read (default: as many as files)\n"
    "  --gzip             cut, scale: compress\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input (with check: a bad trace).\n";

/* ---- actions on each file ---- */

/* Reads a trace into a new handle; NULL on an error. *status: the exit status. */
static struct orrery_trace *open_trace(const char *path, int *status)
{
    struct orrery_trace *trace = orrery_trace_new();
    orrery_trace_on_warning(trace, orr_print_warning, NULL);
    const enum orrery_status read =
        trace != NULL ? orrery_trace_read(trace, path) : ORRERY_ERROR_MEMORY;
    *status = orr_print_api_error(read, orrery_trace_error(trace));
    if (read != ORRERY_OK) {
        orrery_trace_free(trace);
        trace = NULL;
    }
    return trace;
}

static int show_file(const char *path, enum orrery_trace_view view, uint32_t rows)
{
    int status;
    struct orrery_trace *trace = open_trace(path, &status);
    if (trace != NULL) {
        status = orr_print_api_error(orrery_trace_write(trace, stdout, view, rows),
                                     orrery_trace_error(trace));
    }
    orrery_trace_free(trace);
    return status;
}

/* Shows all files; returns the worst exit status. */
static int show_files(const struct orr_trace_arguments *arguments, enum orrery_trace_view view)
{
    int worst = 0;
    for (int i = 0; i < arguments->files; i++) {
        const int status = show_file(arguments->file[i], view, 0);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

static int show_info(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_INFO);
}

static int show_nodes(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, arguments->json ? ORRERY_TRACE_NODES_JSON : ORRERY_TRACE_NODES);
}

static int show_check(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_CHECK);
}

static int show_dot(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_DOT);
}

static int show_path(const struct orr_trace_arguments *arguments)
{
    return show_file(arguments->file[0],
                     arguments->json ? ORRERY_TRACE_PATH_JSON : ORRERY_TRACE_PATH, arguments->top);
}

static int show_diff(const struct orr_trace_arguments *arguments)
{
    int status;
    struct orrery_trace *a = open_trace(arguments->file[0], &status);
    struct orrery_trace *b = a != NULL ? open_trace(arguments->file[1], &status) : NULL;
    if (b != NULL) {
        status = orr_print_api_error(
            orrery_trace_write_diff(a, b, stdout, arguments->json, arguments->top),
            orrery_trace_error(a));
    }
    orrery_trace_free(a);
    orrery_trace_free(b);
    return status;
}

/* ---- actions ---- */

enum {
    TAKES_JSON = 1u << 0,
    TAKES_TOP = 1u << 1,
    TAKES_OUTPUT = 1u << 2, /* and --gzip */
    TAKES_STEP = 1u << 3,   /* and --marker, --from, --to */
    TAKES_NPUS = 1u << 4    /* and --traces */
};

static const struct action {
    const char *name;
    int (*run)(const struct orr_trace_arguments *arguments);
    unsigned takes;
    int files; /* 0: one or more */
} actions[] = {{"info", show_info, 0, 0},
               {"print", show_nodes, TAKES_JSON, 0},
               {"check", show_check, 0, 0},
               {"dot", show_dot, 0, 0},
               {"stats", orr_trace_stats_command, TAKES_JSON | TAKES_TOP, 0},
               {"diff", show_diff, TAKES_JSON | TAKES_TOP, 2},
               {"critical-path", show_path, TAKES_JSON | TAKES_TOP, 1},
               {"cut", orr_trace_cut_command, TAKES_OUTPUT | TAKES_STEP, 1},
               {"scale", orr_trace_scale_command, TAKES_OUTPUT | TAKES_NPUS, 1}};

enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

#define ACTION_NAMES "info, print, check, dot, stats, diff, critical-path, cut or scale"

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (strcmp(actions[i].name, name) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

static int reject_action(const char *name)
{
    const char *names[ACTION_COUNT];
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        names[i] = actions[i].name;
    }
    const char *nearest = orr_nearest_name(name, names, ACTION_COUNT);
    orr_print_message("orrery trace: expected " ACTION_NAMES ", got \"%s\"%s%s%s\n"
                      "try 'orrery trace --help'\n",
                      name, nearest != NULL ? "; did you mean \"" : "",
                      nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return ORR_EXIT_USAGE;
}

/* ---- arguments ---- */

static int parse_top(const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 0 || value > INT32_MAX) {
        orr_print_message(
            "orrery trace: --top: expected a whole number from 0 to 2147483647, got \"%s\"\n",
            text);
        return ORR_EXIT_USAGE;
    }
    *out = value == 0 ? UINT32_MAX : (uint32_t)value;
    return 0;
}

/* Stores an option; adds the capability that it needs to *needs. */
static int apply(int option, struct orr_trace_arguments *arguments, unsigned *needs)
{
    *needs |= option == OPT_JSON                           ? TAKES_JSON
              : option == OPT_TOP                          ? TAKES_TOP
              : option == OPT_TRACES || option == OPT_NPUS ? TAKES_NPUS
              : option == OPT_GZIP || option == 'o'        ? TAKES_OUTPUT
                                                           : TAKES_STEP;
    switch (option) {
    case OPT_JSON:
        arguments->json = true;
        return 0;
    case OPT_TOP:
        return parse_top(optarg, &arguments->top);
    case OPT_STEP:
        arguments->step = optarg;
        return 0;
    case OPT_MARKER:
        arguments->marker = optarg;
        return 0;
    case OPT_FROM:
        arguments->from = optarg;
        return 0;
    case OPT_TO:
        arguments->to = optarg;
        return 0;
    case OPT_TRACES:
        arguments->traces = optarg;
        return 0;
    case OPT_NPUS:
        arguments->npus = optarg;
        return 0;
    case OPT_GZIP:
        arguments->gzip = true;
        return 0;
    default:
        arguments->output = optarg;
        return 0;
    }
}

static int check_needs(const struct action *action, unsigned needs)
{
    const unsigned wrong = needs & ~action->takes;
    return wrong == 0 ? 0
           : (wrong & TAKES_JSON) != 0
               ? orr_usage_error("trace", "--json goes with print, stats, diff and critical-path",
                                 NULL)
           : (wrong & TAKES_TOP) != 0
               ? orr_usage_error("trace", "--top goes with stats, diff and critical-path", NULL)
           : (wrong & TAKES_STEP) != 0
               ? orr_usage_error("trace", "--step, --marker, --from and --to go with cut", NULL)
           : (wrong & TAKES_NPUS) != 0
               ? orr_usage_error("trace", "--npus and --traces go with scale", NULL)
               : orr_usage_error("trace", "--output and --gzip go with cut and scale", NULL);
}

static int check_files(const struct action *action, const struct orr_trace_arguments *arguments)
{
    if (arguments->files == 0) {
        return orr_usage_error("trace", "no trace file given", NULL);
    }
    if (action->files != 0 && arguments->files > action->files) {
        return orr_usage_error("trace", "unexpected argument ", arguments->file[action->files]);
    }
    return arguments->files >= action->files
               ? 0
               : orr_usage_error("trace", "diff: two traces are needed", NULL);
}

static int run_command(int argc, char **argv)
{
    struct orr_trace_arguments arguments = {.top = 20};
    unsigned needs = 0;
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        const bool refused = option == '?' || option == ':';
        const int status = refused ? orr_reject_option("trace", options, option, argv[optind - 1])
                                   : apply(option, &arguments, &needs);
        if (status != 0) {
            return status;
        }
    }
    if (optind == argc) {
        return orr_usage_error("trace", ACTION_NAMES " is missing", NULL);
    }
    const struct action *action = find_action(argv[optind]);
    if (action == NULL) {
        return reject_action(argv[optind]);
    }
    arguments.file = argv + optind + 1;
    arguments.files = argc - optind - 1;
    int status = check_needs(action, needs);
    status = status == 0 ? check_files(action, &arguments) : status;
    return status == 0 ? action->run(&arguments) : status;
}

const struct orr_command orr_command_trace = {"trace", "inspect and check execution traces",
                                              run_command};
