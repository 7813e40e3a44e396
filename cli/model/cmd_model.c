/* orrery model: models as graphs of operators, and what strategies make of them. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model/model_command.h"
#include "cli/options.h"

enum {
    OPT_STRATEGY = 256,
    OPT_DEVICES,
    OPT_CSV,
    OPT_SVG,
    OPT_RINGS,
    OPT_SAVE,
    OPT_TOP,
    OPT_JSON,
    OPT_HELP
};

static const struct option options[] = {{"strategy", required_argument, NULL, OPT_STRATEGY},
                                        {"devices", required_argument, NULL, OPT_DEVICES},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"svg", required_argument, NULL, OPT_SVG},
                                        {"rings", required_argument, NULL, OPT_RINGS},
                                        {"save-strategy", required_argument, NULL, OPT_SAVE},
                                        {"top", required_argument, NULL, OPT_TOP},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery model demand MODEL.yml [--strategy STRATEGY.yml] [options]\n"
    "\n"
    "Looks at models as graphs of operators (a file with a section 'model'), and at what a\n"
    "strategy (a file with a section 'strategy') makes of them: docs/file-formats.md.\n"
    "\n"
    "  demand         what a strategy sends and holds: bytes between devices, the groups that\n"
    "                 reduce and how much, memory of the fullest device\n"
    "\n"
    "Options:\n"
    "  --strategy STRATEGY.yml    how the model is split and placed (default: data parallelism,\n"
    "                             tables round robin)\n"
    "  --devices N                NPUs or servers, where the strategy does not say\n"
    "  --csv FILE.csv|-           bytes between any two devices in an iteration\n"
    "  --svg FILE.svg|-           the same as a heatmap\n"
    "  --rings JUMPS              in these also what all-reduces send around rings that jump so\n"
    "                             many members: 1, or 1,3,7 for shares of three rings\n"
    "  --save-strategy FILE.yml|- the strategy, operator by operator\n"
    "  --top N                    groups that are listed (default 20; 0: all)\n"
    "  --json                     as JSON\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

/* ---- actions ---- */

struct action {
    const char *name;
    int (*run)(const struct orr_model_arguments *arguments);
};

static const struct action actions[] = {{"demand", orr_model_demand_command}};

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

static int parse_count(const char *option, const char *text, int64_t least, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < least || value > STRATEGY_MOST_DEVICES) {
        orr_say("orrery model: --%s: expected a whole number from %d to %d, got \"%s\"\n", option,
                (int)least, STRATEGY_MOST_DEVICES, text);
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
    case OPT_SAVE:
        arguments->save = optarg;
        return 0;
    case OPT_TOP:
        return parse_count("top", optarg, 0, &arguments->top);
    default:
        arguments->json = true;
        return 0;
    }
}

static int run_action(int argc, char **argv, struct orr_model_arguments *arguments)
{
    if (optind == argc) {
        return orr_usage_error("model", "demand is missing", NULL);
    }
    const struct action *action = find_action(argv[optind]);
    if (action == NULL) {
        return orr_usage_error("model", "expected demand, got ", argv[optind]);
    }
    if (optind + 1 == argc) {
        return orr_usage_error("model", "no model's file given", NULL);
    }
    if (optind + 2 < argc) {
        return orr_usage_error("model", "unexpected argument ", argv[optind + 2]);
    }
    if (arguments->rings != NULL && arguments->csv == NULL && arguments->svg == NULL) {
        return orr_usage_error("model", "--rings goes with --csv and --svg", NULL);
    }
    arguments->file = argv[optind + 1];
    return action->run(arguments);
}

int orr_cmd_model(int argc, char **argv)
{
    struct orr_model_arguments arguments = {.top = 20};
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        const bool refused = option == '?' || option == ':';
        const int status = refused ? orr_option_refused("model", options, option, argv[optind - 1])
                                   : apply(option, &arguments);
        if (status != 0) {
            return status;
        }
    }
    return run_action(argc, argv, &arguments);
}
