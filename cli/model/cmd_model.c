/* orrery model: models as operator graphs, and the traffic and memory of strategies. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model/model_command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/units.h"
#include "workload/strategy/strategy.h"

enum {
    OPT_STRATEGY = 256,
    OPT_DEVICES,
    OPT_CSV,
    OPT_SVG,
    OPT_RINGS,
    OPT_TREES,
    OPT_SAVE,
    OPT_TOP,
    OPT_PROFILE,
    OPT_PLATFORM,
    OPT_SET,
    OPT_BATCH,
    OPT_COMPUTE,
    OPT_EXPAND,
    OPT_JSON,
    OPT_HELP
};

static const struct option options[] = {{"strategy", required_argument, NULL, OPT_STRATEGY},
                                        {"devices", required_argument, NULL, OPT_DEVICES},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"svg", required_argument, NULL, OPT_SVG},
                                        {"rings", required_argument, NULL, OPT_RINGS},
                                        {"trees", required_argument, NULL, OPT_TREES},
                                        {"save-strategy", required_argument, NULL, OPT_SAVE},
                                        {"top", required_argument, NULL, OPT_TOP},
                                        {"profile", required_argument, NULL, OPT_PROFILE},
                                        {"platform", required_argument, NULL, OPT_PLATFORM},
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"batch", required_argument, NULL, OPT_BATCH},
                                        {"compute", required_argument, NULL, OPT_COMPUTE},
                                        {"expand", no_argument, NULL, OPT_EXPAND},
                                        {"output", required_argument, NULL, 'o'},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery model show|dot|check MODEL.yml [options]\n"
    "       orrery model demand MODEL.yml [--strategy STRATEGY.yml] [options]\n"
    "       orrery model tasks MODEL.yml [--strategy STRATEGY.yml] -o "
    "FILE.otg|FILE.json|FILE.fbuf\n"
    "              [options]\n"
    "\n"
    "Shows models as operator graphs (a file with a section 'model', a workload with a generated\n"
    "model, or the name of one that ships, such as resnet50 or topoopt/vgg), and the traffic,\n"
    "memory and tasks of strategies (files with a section 'strategy'): docs/file-formats.md.\n"
    "\n"
    "  show           weights, operations and bytes of the model and of each operator; its\n"
    "                 possible splits; and times, if a profile or platform is given\n"
    "  dot            a graph for Graphviz: orrery model dot x.yml | dot -Tsvg > x.svg\n"
    "  check          prints \"ok\" for a valid model, or the error and its location\n"
    "  demand         traffic and memory of a strategy: bytes between devices, all-reduce groups\n"
    "                 and their bytes, memory of the fullest device\n"
    "  tasks          task graph of a strategy, as a file for orrery run\n"
    "\n"
    "Options:\n"
    "  --profile FILE.json        show, tasks: measured times, for each operator and split\n"
    "  --platform PLATFORM.yml    show, tasks: estimate times that were not measured from the\n"
    "                             peak rate and memory bandwidth of a platform\n"
    "  --set PATH=VALUE           show, tasks: a value of the platform, such as compute.peak=312 "
    "TFLOP/s\n"
    "  --batch B                  show: samples of an iteration (default: those of the model)\n"
    "  --compute TIME             tasks: compute time of the busiest device in an iteration;\n"
    "                             times of operators are scaled to it\n"
    "  --devices N                show: devices that share the samples (1); otherwise: NPUs or\n"
    "                             servers, if the strategy does not give them\n"
    "  --strategy STRATEGY.yml    demand, tasks: how the model is split and placed (default:\n"
    "                             data parallelism, tables round robin)\n"
    "  -o, --output FILE          tasks: the file; .otg is binary, .json for people, .fbuf\n"
    "                             FlexFlow's\n"
    "  --expand                   tasks: every group separately, not one with a count\n"
    "  --csv FILE.csv|-           demand: bytes between any two devices in an iteration\n"
    "  --svg FILE.svg|-           demand: the same as a heatmap\n"
    "  --rings JUMPS              with --csv and --svg: add the traffic of ring all-reduces with\n"
    "                             jumps of so many members: 1, or 1,3,7 for three rings that\n"
    "                             share it\n"
    "  --trees JUMPS              the same for double binary trees, where position v is member\n"
    "                             JUMP x v\n"
    "  --save-strategy FILE.yml|- demand: the strategy, operator by operator\n"
    "  --top N                    demand: number of groups to list (default 20; 0: all)\n"
    "  --json                     show, demand: as JSON\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

/* ---- actions ---- */

/* Options that an action supports. */
enum {
    TAKES_TIMES = 1u << 0,
    TAKES_STRATEGY = 1u << 1,
    TAKES_JSON = 1u << 2,
    TAKES_OUTPUT = 1u << 3
};

struct action {
    const char *name;
    int (*run)(const struct orr_model_arguments *arguments);
    unsigned takes;
};

static const struct action actions[] = {
    {"show", orr_model_show_command, TAKES_TIMES | TAKES_JSON},
    {"dot", orr_model_dot_command, 0},
    {"check", orr_model_check_command, 0},
    {"demand", orr_model_demand_command, TAKES_STRATEGY | TAKES_JSON},
    {"tasks", orr_model_tasks_command, TAKES_TIMES | TAKES_STRATEGY | TAKES_OUTPUT}};

enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (strcmp(actions[i].name, name) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

/* ---- arguments ---- */

static int add_set(const char *text, struct orr_model_arguments *arguments)
{
    if (arguments->sets == ORR_MODEL_MAX_SETS) {
        return orr_usage_error("model", "too many --set options", NULL);
    }
    arguments->set[arguments->sets++] = text;
    return 0;
}

static int parse_compute(const char *text, int64_t *out_ps)
{
    if (!orr_parse_time(text, out_ps)) {
        return orr_reject_quantity("model", "compute", ORR_QUANTITY_TIME, text);
    }
    if (*out_ps <= 0) {
        return orr_reject_value("model", "compute", "a time above 0 such as \"200 ms\"", text, "");
    }
    return 0;
}

static int parse_batch(const char *text, uint64_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT64_C(1000000000000)) {
        orr_print_message(
            "orrery model: --batch: expected a whole number from 1 to 10^12, got \"%s\"\n", text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint64_t)value;
    return 0;
}

static int parse_count(const char *option, const char *text, int64_t min, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < min || value > STRATEGY_MAX_DEVICES) {
        orr_print_message("orrery model: --%s: expected a whole number from %d to %d, got \"%s\"\n",
                          option, (int)min, STRATEGY_MAX_DEVICES, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static int apply(int option, struct orr_model_arguments *arguments)
{
    switch (option) {
    case OPT_STRATEGY:
        arguments->strategy = optarg;
        return 0;
    case OPT_DEVICES:
        return parse_count("devices", optarg, 1, &arguments->devices);
    case OPT_CSV:
        arguments->csv = optarg;
        return 0;
    case OPT_SVG:
        arguments->svg = optarg;
        return 0;
    case OPT_RINGS:
        arguments->rings = optarg;
        return 0;
    case OPT_TREES:
        arguments->trees = optarg;
        return 0;
    case OPT_SAVE:
        arguments->save = optarg;
        return 0;
    case OPT_PROFILE:
        arguments->profile = optarg;
        return 0;
    case OPT_PLATFORM:
        arguments->platform = optarg;
        return 0;
    case OPT_SET:
        return add_set(optarg, arguments);
    case OPT_BATCH:
        return parse_batch(optarg, &arguments->batch);
    case OPT_COMPUTE:
        return parse_compute(optarg, &arguments->compute_ps);
    case OPT_TOP:
        return parse_count("top", optarg, 0, &arguments->top);
    case OPT_EXPAND:
        arguments->expand = true;
        return 0;
    case 'o':
        arguments->output = optarg;
        return 0;
    default:
        arguments->json = true;
        return 0;
    }
}

/* Rejects options that the action does not support. */
static int check_options(const struct action *action, const struct orr_model_arguments *arguments)
{
    const bool times = arguments->profile != NULL || arguments->platform != NULL ||
                       arguments->sets != 0 || arguments->batch != 0;
    const bool drawn = arguments->csv != NULL || arguments->svg != NULL ||
                       arguments->rings != NULL || arguments->trees != NULL ||
                       arguments->save != NULL;
    const bool written =
        arguments->output != NULL || arguments->expand || arguments->compute_ps != 0;
    if (times && (action->takes & TAKES_TIMES) == 0) {
        return orr_usage_error(
            "model", "--profile, --platform, --set and --batch go with show and tasks", NULL);
    }
    if (arguments->strategy != NULL && (action->takes & TAKES_STRATEGY) == 0) {
        return orr_usage_error("model", "--strategy goes with demand and tasks", NULL);
    }
    if (drawn && (action->takes & (TAKES_STRATEGY | TAKES_OUTPUT)) != TAKES_STRATEGY) {
        return orr_usage_error(
            "model", "--csv, --svg, --rings, --trees and --save-strategy go with demand", NULL);
    }
    if (written && (action->takes & TAKES_OUTPUT) == 0) {
        return orr_usage_error("model", "--output, --expand and --compute go with tasks", NULL);
    }
    if (arguments->output == NULL && (action->takes & TAKES_OUTPUT) != 0) {
        return orr_usage_error("model", "tasks: --output FILE is missing", NULL);
    }
    if (arguments->sets != 0 && arguments->platform == NULL) {
        return orr_usage_error("model", "--set goes with --platform", NULL);
    }
    return arguments->json && (action->takes & TAKES_JSON) == 0
               ? orr_usage_error("model", "--json goes with show and demand", NULL)
               : 0;
}

static int run_action(int argc, char **argv, struct orr_model_arguments *arguments)
{
    if (optind == argc) {
        return orr_usage_error("model", "show, dot, check, demand or tasks is missing", NULL);
    }
    const struct action *action = find_action(argv[optind]);
    if (action == NULL) {
        static const char *const names[] = {"show", "dot", "check", "demand", "tasks"};
        return orr_reject_action("model", argv[optind], names, sizeof names / sizeof *names);
    }
    if (optind + 1 == argc) {
        return orr_usage_error("model", "no model's file given", NULL);
    }
    if (optind + 2 < argc) {
        return orr_usage_error("model", "unexpected argument ", argv[optind + 2]);
    }
    const bool reduced = arguments->rings != NULL || arguments->trees != NULL;
    if (reduced && arguments->csv == NULL && arguments->svg == NULL) {
        return orr_usage_error("model", "--rings and --trees go with --csv and --svg", NULL);
    }
    if (arguments->rings != NULL && arguments->trees != NULL) {
        return orr_usage_error("model", "expected --rings or --trees, got both", NULL);
    }
    const int status = check_options(action, arguments);
    arguments->file = argv[optind + 1];
    return status == 0 ? action->run(arguments) : status;
}

static int run_command(int argc, char **argv)
{
    struct orr_model_arguments arguments = {.top = 20};
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        const bool refused = option == '?' || option == ':';
        const int status = refused ? orr_reject_option("model", options, option, argv[optind - 1])
                                   : apply(option, &arguments);
        if (status != 0) {
            return status;
        }
    }
    return run_action(argc, argv, &arguments);
}

const struct orr_command orr_command_model = {"model", "show models, and the traffic of strategies",
                                              run_command};
