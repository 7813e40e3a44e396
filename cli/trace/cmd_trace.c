/* orrery trace: inspection, check, comparison, cut and scaling of execution traces. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "cli/trace/trace_command.h"
#include "cli/write_output.h"
#include "core/strings.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "orrery/profile.h"
#include "orrery/trace.h"

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

/* What is printed of traces; the result is an exit status. */
struct view {
    const struct orr_trace_arguments *arguments;
    enum orrery_trace_view how;
    uint32_t rows;
};

static int show_file(FILE *out, const char *path, const struct view *view)
{
    int status;
    struct orrery_trace *trace = open_trace(path, &status);
    if (trace != NULL) {
        status = orr_print_api_error(orrery_trace_write(trace, out, view->how, view->rows),
                                     orrery_trace_error(trace));
    }
    orrery_trace_free(trace);
    return status;
}

/* Writes all files; returns the worst exit status. For struct orr_output. */
static int write_files(FILE *out, const void *context)
{
    const struct view *view = context;
    int worst = 0;
    for (int i = 0; i < view->arguments->files; i++) {
        const int status = show_file(out, view->arguments->file[i], view);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

/* Writes to --json, and as text unless that is standard output. */
static int show_files(const struct orr_trace_arguments *arguments, enum orrery_trace_view text,
                      enum orrery_trace_view json, uint32_t rows)
{
    const struct view as_json = {arguments, json, rows}, as_text = {arguments, text, rows};
    return orr_write_json_or_text(arguments->json, write_files, &as_json, write_files, &as_text);
}

/* A folder, a pattern or a profile among the files: all are profiles. */
static int show_info(const struct orr_trace_arguments *arguments)
{
    for (int i = 0; i < arguments->files; i++) {
        if (orrery_is_profile(arguments->file[i]) != 0) {
            return orr_trace_profile_command(arguments);
        }
    }
    if (arguments->json != NULL || arguments->csv != NULL || arguments->report != NULL ||
        arguments->step != NULL) {
        return orr_usage_error("trace",
                               "info: --json, --csv, --report and --step are for profiles of "
                               "torch.profiler; `orrery trace stats --json` has numbers of ",
                               arguments->file[0]);
    }
    return show_files(arguments, ORRERY_TRACE_INFO, ORRERY_TRACE_INFO, 0);
}

static int show_nodes(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_NODES, ORRERY_TRACE_NODES_JSON, 0);
}

static int show_check(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_CHECK, ORRERY_TRACE_CHECK, 0);
}

static int show_dot(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_DOT, ORRERY_TRACE_DOT, 0);
}

static int show_path(const struct orr_trace_arguments *arguments)
{
    return show_files(arguments, ORRERY_TRACE_PATH, ORRERY_TRACE_PATH_JSON, arguments->top);
}

/* Two traces to compare. */
struct pair {
    struct orrery_trace *a, *b;
    uint32_t rows;
};

static int write_diff(FILE *out, const struct pair *pair, bool json)
{
    return orr_print_api_error(orrery_trace_write_diff(pair->a, pair->b, out, json, pair->rows),
                               orrery_trace_error(pair->a));
}

static int write_diff_json(FILE *out, const void *context)
{
    return write_diff(out, context, true);
}

static int write_diff_text(FILE *out, const void *context)
{
    return write_diff(out, context, false);
}

static int show_diff(const struct orr_trace_arguments *arguments)
{
    int status;
    struct orrery_trace *a = open_trace(arguments->file[0], &status);
    struct orrery_trace *b = a != NULL ? open_trace(arguments->file[1], &status) : NULL;
    const struct pair pair = {a, b, arguments->top};
    if (b != NULL) {
        status =
            orr_write_json_or_text(arguments->json, write_diff_json, &pair, write_diff_text, &pair);
    }
    orrery_trace_free(a);
    orrery_trace_free(b);
    return status;
}

/* ---- tables ---- */

static int parse_top(void *context, const char *text)
{
    struct orr_trace_arguments *arguments = context;
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 0 || value > INT32_MAX) {
        return orr_reject_value("trace", "top", "a whole number from 0 to 2147483647", text, "");
    }
    arguments->top = value == 0 ? UINT32_MAX : (uint32_t)value;
    return 0;
}

#define FILE_ROW(argument, flags, text)                                                            \
    {                                                                                              \
        NULL, (argument), ORR_INPUT | ORR_POSITIONAL | (flags), (text),                            \
        {                                                                                          \
            .kind = ORR_STORE_NONE                                                                 \
        }                                                                                          \
    }
#define JSON_ROW ORR_ROW_JSON(struct orr_trace_arguments, json, "the same", ORR_DASH)
#define TOP_ROW                                                                                    \
    {                                                                                              \
        "top", "N", ORR_VALUE, "rows of a table (default 20; 0: all)", ORR_CALL(parse_top)         \
    }
#define GZIP_ROW                                                                                   \
    {                                                                                              \
        "gzip", NULL, ORR_FLAG, "compress", ORR_TRUE(struct orr_trace_arguments, gzip)             \
    }

static const struct orr_option file_rows[] = {FILE_ROW("FILE", ORR_REPEATED, "a trace"),
                                              ORR_ROWS_END};

static const struct orr_option info_rows[] = {
    FILE_ROW("FILE|FOLDER", ORR_REPEATED,
             "a trace, or a profile of torch.profiler; a folder or 'PATTERN' of profiles"),
    {"step", "N|all", ORR_VALUE,
     "profiles: the step \"ProfilerStep#N\" (default: the last that is whole on all ranks)",
     ORR_TEXT(struct orr_trace_arguments, step)},
    ORR_ROW_JSON(struct orr_trace_arguments, json, "profiles: each rank's times", ORR_DASH),
    ORR_ROW_CSV(struct orr_trace_arguments, csv, "profiles: a line for each rank"),
    ORR_ROW_REPORT(struct orr_trace_arguments, report, "profiles"),
    ORR_ROWS_END};

static const struct orr_option print_rows[] = {
    FILE_ROW("FILE", ORR_REPEATED, "a trace"),
    ORR_ROW_JSON(struct orr_trace_arguments, json, "the nodes (protobuf-JSON, one message a line)",
                 ORR_DASH),
    ORR_ROWS_END};

static const struct orr_option stats_rows[] = {FILE_ROW("FILE", ORR_REPEATED, "a trace"), JSON_ROW,
                                               TOP_ROW, ORR_ROWS_END};

static const struct orr_option path_rows[] = {FILE_ROW("FILE", 0, "a trace"), JSON_ROW, TOP_ROW,
                                              ORR_ROWS_END};

static const struct orr_option diff_rows[] = {FILE_ROW("A.et", 0, "a trace"),
                                              FILE_ROW("B.et", 0, "the trace to compare it with"),
                                              JSON_ROW, TOP_ROW, ORR_ROWS_END};

static const struct orr_option cut_rows[] = {
    FILE_ROW("FILE|PREFIX", 0, "a trace, or those of all ranks (PREFIX.RANK.et)"),
    {"output", "FILE", ORR_PREFIX, "the file to write; of several ranks, their prefix",
     ORR_TEXT(struct orr_trace_arguments, output)},
    {"step", "N", ORR_VALUE,
     "the step marked by a node \"ProfilerStep#N\", \"iteration N\" or \"step N\"",
     ORR_TEXT(struct orr_trace_arguments, step)},
    {"marker", "TEXT", ORR_VALUE,
     "names of nodes that mark steps, by a part of them or a regular expression",
     ORR_TEXT(struct orr_trace_arguments, marker)},
    {"from", "NAME", ORR_VALUE, "from the node of this name on",
     ORR_TEXT(struct orr_trace_arguments, from)},
    {"to", "NAME", ORR_VALUE, "to before the next node of this name (default: the end)",
     ORR_TEXT(struct orr_trace_arguments, to)},
    GZIP_ROW,
    ORR_ROWS_END};

static const struct orr_option scale_rows[] = {
    FILE_ROW("PREFIX", 0, "the traces PREFIX.RANK.et"),
    {"npus", "M", ORR_VALUE | ORR_NEEDED, "number of ranks to write",
     ORR_NUMBER(struct orr_trace_arguments, npus, 1, INT32_MAX)},
    {"output", "PREFIX", ORR_PREFIX | ORR_NEEDED, "the prefix of the files to write",
     ORR_TEXT(struct orr_trace_arguments, output)},
    {"traces", "N", ORR_VALUE, "number of ranks to read (default: as many as files)",
     ORR_NUMBER(struct orr_trace_arguments, traces, 1, INT32_MAX)},
    GZIP_ROW,
    ORR_ROWS_END};

/* ---- actions ---- */

static int run_action(const struct orr_call *call, int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct orr_trace_arguments *arguments);
    } actions[] = {{"info", show_info},
                   {"print", show_nodes},
                   {"check", show_check},
                   {"dot", show_dot},
                   {"stats", orr_trace_stats_command},
                   {"diff", show_diff},
                   {"critical-path", show_path},
                   {"cut", orr_trace_cut_command},
                   {"scale", orr_trace_scale_command}};
    char line[ORR_COMMAND_LINE_BYTES];
    struct orr_trace_arguments arguments = {
        .top = 20, .line = orr_command_line("orrery trace", argc, argv, line)};
    size_t i = 0;
    const int status = orr_parse_options(call, &argc, argv, &arguments);
    arguments.file = argv + 1;
    arguments.files = argc - 1;
    while (strcmp(actions[i].name, call->command->name) != 0) {
        i++;
    }
    return status == 0 ? actions[i].run(&arguments) : status;
}

#define ACTION(title, table, text, none)                                                           \
    &(const struct orr_command)                                                                    \
    {                                                                                              \
        .name = (title), .parent = "trace", .summary = (text), .rows = (table), .missing = (none), \
        .run = run_action                                                                          \
    }

const struct orr_command orr_command_trace = {
    .name = "trace",
    .summary = "inspect and check execution traces",
    .about = "Shows and changes Chakra execution traces: binary (.et), gzip or JSON.",
    .actions = (const struct orr_command *const[]){
        ACTION("info", info_rows,
               "totals: nodes, edges, bytes, operations, recorded time, depth, groups; of profiles "
               "each rank's GPU time: compute, communication, copies, idle by cause",
               "no trace file given"),
        ACTION("print", print_rows, "one line a node", "no trace file given"),
        ACTION("check", file_rows,
               "prints \"ok\" for a valid trace, or the error and its location (exit status 2)",
               "no trace file given"),
        ACTION("dot", file_rows,
               "a graph for Graphviz: orrery trace dot x.0.et | dot -Tsvg > x.svg",
               "no trace file given"),
        ACTION("stats", stats_rows,
               "nodes by kind and device, computation by operator, communication by group",
               "no trace file given"),
        ACTION("diff", diff_rows, "differences between two traces, independent of node ids",
               "diff: two traces are needed"),
        ACTION("critical-path", path_rows, "the longest chain by recorded durations",
               "no trace file given"),
        ACTION("cut", cut_rows,
               "one step of a trace or of all ranks' (PREFIX.RANK.et), as a trace; without --step "
               "and --from, lists the steps",
               "no trace file given"),
        ACTION("scale", scale_rows,
               "data-parallel traces of N ranks (PREFIX.RANK.et) as traces of M ranks",
               "no trace file given"),
        NULL}};
