/* orrery fit collectives: a platform's CCL parameters (system.library) fitted to measured times. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit/fit_command.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "sim/load/find_input.h"

enum {
    OPT_PLATFORM = 256,
    OPT_SET,
    OPT_HOLDOUT,
    OPT_EVALUATE,
    OPT_REPORT,
    OPT_COLLECTIVE,
    OPT_NPUS,
    OPT_NPUS_PER_NODE,
    OPT_HELP
};

static const struct option options[] = {
    {"platform", required_argument, NULL, OPT_PLATFORM},
    {"set", required_argument, NULL, OPT_SET},
    {"output", required_argument, NULL, 'o'},
    {"holdout", required_argument, NULL, OPT_HOLDOUT},
    {"evaluate", no_argument, NULL, OPT_EVALUATE},
    {"report", required_argument, NULL, OPT_REPORT},
    {"collective", required_argument, NULL, OPT_COLLECTIVE},
    {"npus", required_argument, NULL, OPT_NPUS},
    {"npus-per-node", required_argument, NULL, OPT_NPUS_PER_NODE},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

struct arguments {
    struct orrery_fit_collectives input;
    struct orr_fit_list set;
    struct orr_fit_outputs outputs;
    char platform[ORR_INPUT_PATH_BYTES];
};

static int parse_count(const char *option, const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT32_MAX) {
        orr_print_message(
            "orrery fit: --%s: expected a whole number from 1 to 2147483647, got \"%s\"\n", option,
            text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    struct orrery_fit_collectives *input = &arguments->input;
    switch (option) {
    case OPT_PLATFORM:
        input->platform = value;
        return 0;
    case OPT_SET:
        return orr_fit_add(&arguments->set, "set", value);
    case OPT_HOLDOUT:
        input->holdout = value;
        return 0;
    case OPT_EVALUATE:
        input->keep = 1;
        return 0;
    case OPT_REPORT:
        return orr_fit_add_report(&arguments->outputs, value);
    case OPT_COLLECTIVE:
        input->collective = value;
        return 0;
    case OPT_NPUS:
        return parse_count("npus", value, &input->npus);
    case OPT_NPUS_PER_NODE:
        return parse_count("npus-per-node", value, &input->npus_per_node);
    default:
        arguments->outputs.platform = value;
        return 0;
    }
}

/* < 0: help. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    struct orrery_fit_collectives *input = &arguments->input;
    int status = 0;
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            return -1;
        }
        status = option == '?' || option == ':'
                     ? orr_reject_option("fit", options, option, argv[optind - 1])
                     : apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    const struct orr_fit_needs needs = {argc - optind, input->platform, input->holdout,
                                        input->keep};
    status = orr_fit_check_needs(&arguments->outputs, &needs);
    if (status == 0) {
        input->name = input->platform;
        input->platform =
            orr_input_file("platforms", input->platform, arguments->platform, &status);
    }
    return status;
}

static enum orrery_status run_fit(struct orrery_fit *fit, void *context,
                                  const struct orrery_measured *data)
{
    struct arguments *arguments = context;
    arguments->input.data = data;
    return orrery_fit_collectives(fit, &arguments->input);
}

int orr_fit_collectives_command(int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_print_message("orrery fit: out of memory\n");
        return 1;
    }
    arguments->input.size = sizeof arguments->input;
    (void)orr_command_line("orrery fit", argc, argv, arguments->outputs.line);
    int status = parse(arguments, argc, argv);
    if (status < 0) {
        orr_fit_print_help();
        status = 0;
    } else if (status == 0) {
        arguments->input.set = arguments->set.text;
        arguments->input.set_count = arguments->set.count;
        arguments->input.files = (size_t)(argc - optind);
        status = orr_fit_run(&arguments->outputs, argv + optind, arguments->input.files, run_fit,
                             arguments);
    }
    orr_heap_free(arguments);
    return status;
}
