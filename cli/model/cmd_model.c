/* orrery model: models as operator graphs, and the traffic and memory of strategies. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model/model_command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/units.h"
#include "workload/strategy/strategy.h"

#define ARGUMENTS struct orr_model_arguments

/* ---- arguments ---- */

static int parse_compute(void *context, const char *text)
{
    int64_t *out_ps = &((ARGUMENTS *)context)->compute_ps;
    if (!orr_parse_time(text, out_ps)) {
        return orr_reject_quantity("model", "compute", ORR_QUANTITY_TIME, text);
    }
    return *out_ps > 0 ? 0
                       : orr_reject_value("model", "compute", "a time above 0 such as \"200 ms\"",
                                          text, "");
}

static int parse_batch(void *context, const char *text)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT64_C(1000000000000)) {
        return orr_reject_value("model", "batch", "a whole number from 1 to 10^12", text, "");
    }
    ((ARGUMENTS *)context)->batch = (uint64_t)value;
    return 0;
}

#define MODEL_ROW                                                                                  \
    {                                                                                              \
        NULL, "MODEL.yml", ORR_INPUT | ORR_POSITIONAL,                                             \
            "a file with a section 'model', a workload with a generated model, or the name of "    \
            "one that "                                                                            \
            "ships, such as resnet50 or topoopt/vgg",                                              \
            ORR_TEXT(ARGUMENTS, file)                                                              \
    }

static const struct orr_option times_rows[] = {
    {"profile", "FILE.json", ORR_INPUT, "measured times, for each operator and split",
     ORR_TEXT(ARGUMENTS, profile)},
    {"platform", "PLATFORM.yml", ORR_PLATFORM,
     "estimate times that were not measured from the peak rate and memory bandwidth of a platform",
     ORR_TEXT(ARGUMENTS, platform)},
    ORR_ROW_SET(ARGUMENTS, set, " of the platform, such as compute.peak=312TFLOP/s"),
    {"batch", "B", ORR_VALUE, "samples of an iteration (default: those of the model)",
     ORR_CALL(parse_batch)},
    ORR_ROWS_END};

static const struct orr_option strategy_rows[] = {
    {"strategy", "STRATEGY.yml", ORR_INPUT,
     "how the model is split and placed (default: data parallelism, tables round robin)",
     ORR_TEXT(ARGUMENTS, strategy)},
    ORR_ROWS_END};

#define DEVICES_ROW(text)                                                                          \
    {                                                                                              \
        "devices", "N", ORR_VALUE, (text), ORR_NUMBER(ARGUMENTS, devices, 1, STRATEGY_MAX_DEVICES) \
    }

static const struct orr_option show_rows[] = {
    MODEL_ROW, ORR_TABLE(times_rows), DEVICES_ROW("devices that share the samples (1)"),
    ORR_ROW_JSON(ARGUMENTS, json, "the model", ORR_DASH), ORR_ROWS_END};

static const struct orr_option file_rows[] = {MODEL_ROW, ORR_ROWS_END};

static const struct orr_option demand_rows[] = {
    MODEL_ROW,
    ORR_TABLE(strategy_rows),
    DEVICES_ROW("NPUs or servers, if the strategy does not give them"),
    ORR_ROW_CSV(ARGUMENTS, csv, "bytes between any two devices in an iteration"),
    {"svg", "FILE.svg|-", ORR_OUTPUT, "the same as a heatmap", ORR_TEXT(ARGUMENTS, svg)},
    {"rings", "JUMPS", ORR_VALUE,
     "with --csv and --svg: add the traffic of ring all-reduces with jumps of so many members: 1, "
     "or 1,3,7 for three rings that share it",
     ORR_TEXT(ARGUMENTS, rings)},
    {"trees", "JUMPS", ORR_VALUE,
     "the same for double binary trees, where position v is member JUMP x v",
     ORR_TEXT(ARGUMENTS, trees)},
    {"save-strategy", "FILE.yml|-", ORR_OUTPUT, "the strategy, operator by operator",
     ORR_TEXT(ARGUMENTS, save)},
    ORR_ROW_JSON(ARGUMENTS, json, "the traffic", ORR_DASH),
    {"top", "N", ORR_VALUE, "number of groups to list (default 20; 0: all)",
     ORR_NUMBER(ARGUMENTS, top, 0, STRATEGY_MAX_DEVICES)},
    ORR_ROWS_END};

static const struct orr_option tasks_rows[] = {
    MODEL_ROW,
    ORR_TABLE(strategy_rows),
    DEVICES_ROW("NPUs or servers, if the strategy does not give them"),
    {"output", "FILE", ORR_OUTPUT | ORR_NEEDED,
     "the file; .otg is binary, .json for people, .fbuf FlexFlow's", ORR_TEXT(ARGUMENTS, output)},
    {"expand", NULL, ORR_FLAG, "every group separately, not one with a count",
     ORR_TRUE(ARGUMENTS, expand)},
    {"compute", "TIME", ORR_VALUE,
     "compute time of the busiest device in an iteration; times of operators are scaled to it",
     ORR_CALL(parse_compute)},
    ORR_TABLE(times_rows),
    ORR_ROWS_END};

/* ---- actions ---- */

/* Checks options that need or exclude each other. */
static int check(const ARGUMENTS *arguments, bool tasks)
{
    const bool reduced = arguments->rings != NULL || arguments->trees != NULL;
    if (reduced && arguments->csv == NULL && arguments->svg == NULL) {
        return orr_usage_error("model", "--rings and --trees go with --csv and --svg", NULL);
    }
    if (arguments->rings != NULL && arguments->trees != NULL) {
        return orr_usage_error("model", "expected --rings or --trees, got both", NULL);
    }
    if (tasks && arguments->output == NULL) {
        return orr_usage_error("model", "tasks: --output FILE is missing", NULL);
    }
    return arguments->set.count != 0 && arguments->platform == NULL
               ? orr_usage_error("model", "--set goes with --platform", NULL)
               : 0;
}

static int run_action(const struct orr_call *call, int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const ARGUMENTS *arguments);
    } actions[] = {{"show", orr_model_show_command},
                   {"dot", orr_model_dot_command},
                   {"check", orr_model_check_command},
                   {"demand", orr_model_demand_command},
                   {"tasks", orr_model_tasks_command}};
    ARGUMENTS arguments = {.top = 20};
    size_t i = 0;
    int status = orr_parse_options(call, &argc, argv, &arguments);
    while (strcmp(actions[i].name, call->command->name) != 0) {
        i++;
    }
    status = status == 0 ? check(&arguments, strcmp(call->command->name, "tasks") == 0) : status;
    return status == 0 ? actions[i].run(&arguments) : status;
}

#define ACTION(title, table, text)                                                                 \
    &(const struct orr_command)                                                                    \
    {                                                                                              \
        .name = (title), .parent = "model", .summary = (text), .rows = (table),                    \
        .missing = "no model's file given", .run = run_action                                      \
    }

const struct orr_command orr_command_model = {
    .name = "model",
    .summary = "show models, and the traffic of strategies",
    .about =
        "Shows models as operator graphs, and the traffic, memory and tasks of strategies (files "
        "with a section 'strategy'): docs/file-formats.md.",
    .actions = (const struct orr_command *const[]){
        ACTION("show", show_rows,
               "weights, operations and bytes of the model and of each operator; its possible "
               "splits; and times, if a profile or platform is given"),
        ACTION("dot", file_rows,
               "a graph for Graphviz: orrery model dot x.yml | dot -Tsvg > x.svg"),
        ACTION("check", file_rows,
               "prints \"ok\" for a valid model, or the error and its location"),
        ACTION("demand", demand_rows,
               "traffic and memory of a strategy: bytes between devices, all-reduce groups and "
               "their bytes, memory of the fullest device"),
        ACTION("tasks", tasks_rows, "task graph of a strategy, as a file for orrery run"), NULL}};
