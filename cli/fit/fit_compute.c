/* orrery fit compute: a platform's compute efficiency fitted to measured training iterations. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit/fit_command.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "orrery/orrery.h"
#include "sim/load/find_input.h"

enum {
    OPT_PLATFORM = 256,
    OPT_WORKLOAD,
    OPT_SET,
    OPT_FIT,
    OPT_FIX,
    OPT_HOLDOUT,
    OPT_EVALUATE,
    OPT_REPORT,
    OPT_SKIP_REFUSED,
    OPT_COMPUTE,
    OPT_HELP
};

static const struct option options[] = {{"platform", required_argument, NULL, OPT_PLATFORM},
                                        {"workload", required_argument, NULL, OPT_WORKLOAD},
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"output", required_argument, NULL, 'o'},
                                        {"fit", required_argument, NULL, OPT_FIT},
                                        {"fix", required_argument, NULL, OPT_FIX},
                                        {"holdout", required_argument, NULL, OPT_HOLDOUT},
                                        {"evaluate", no_argument, NULL, OPT_EVALUATE},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"skip-refused", no_argument, NULL, OPT_SKIP_REFUSED},
                                        {"save-compute", required_argument, NULL, OPT_COMPUTE},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

struct arguments {
    struct orrery_fit_compute input;
    struct orr_fit_list set, fit, fix;
    struct orr_fit_outputs outputs;
    char platform[ORR_INPUT_PATH_BYTES], workload[ORR_INPUT_PATH_BYTES];
};

static int apply(struct arguments *arguments, int option, const char *value)
{
    struct orrery_fit_compute *input = &arguments->input;
    switch (option) {
    case OPT_PLATFORM:
        input->platform = value;
        return 0;
    case OPT_WORKLOAD:
        input->workload = value;
        return 0;
    case OPT_SET:
        return orr_fit_add(&arguments->set, "set", value);
    case OPT_FIT:
        return orr_fit_add(&arguments->fit, "fit", value);
    case OPT_FIX:
        return orr_fit_add(&arguments->fix, "fix", value);
    case OPT_HOLDOUT:
        input->holdout = value;
        return 0;
    case OPT_EVALUATE:
        input->keep = 1;
        return 0;
    case OPT_REPORT:
        return orr_fit_add_report(&arguments->outputs, value);
    case OPT_SKIP_REFUSED:
        input->skip_refused = 1;
        return 0;
    case OPT_COMPUTE:
        arguments->outputs.compute = value;
        return 0;
    default:
        arguments->outputs.platform = value;
        return 0;
    }
}

/* Resolves the names of platform and workload to files. */
static int find_files(struct arguments *arguments)
{
    struct orrery_fit_compute *input = &arguments->input;
    int status = 0;
    if (input->workload == NULL) {
        return orr_usage_error("fit", "--workload is missing: what was measured", NULL);
    }
    input->name = input->platform;
    input->workload_name = input->workload;
    input->platform = orr_input_file("platforms", input->platform, arguments->platform, &status);
    if (status == 0) {
        input->workload =
            orr_input_file("workloads", input->workload, arguments->workload, &status);
    }
    return status;
}

static int check(struct arguments *arguments, int files)
{
    const struct orrery_fit_compute *input = &arguments->input;
    const struct orr_fit_needs needs = {files, input->platform, input->holdout, input->keep};
    int status = orr_fit_check_needs(&arguments->outputs, &needs);
    if (status == 0 && input->keep != 0 && arguments->fit.count + arguments->fix.count > 0) {
        status = orr_usage_error(
            "fit", "--evaluate fits nothing, so it goes without --fit and --fix", NULL);
    }
    return status == 0 ? find_files(arguments) : status;
}

/* < 0: help. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            return -1;
        }
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("fit", options, option, argv[optind - 1])
                               : apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    return check(arguments, argc - optind);
}

static enum orrery_status run_fit(struct orrery_fit *fit, void *context,
                                  const struct orrery_measured *data)
{
    struct arguments *arguments = context;
    arguments->input.data = data;
    return orrery_fit_compute(fit, &arguments->input);
}

int orr_fit_compute_command(int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_print_message("orrery fit: out of memory\n");
        return 1;
    }
    struct orrery_fit_compute *input = &arguments->input;
    input->size = sizeof *input;
    (void)orr_command_line("orrery fit", argc, argv, arguments->outputs.line);
    int status = parse(arguments, argc, argv);
    if (status < 0) {
        orr_fit_print_help();
        status = 0;
    } else if (status == 0) {
        input->set = arguments->set.text;
        input->set_count = arguments->set.count;
        input->fit = arguments->fit.text;
        input->fit_count = arguments->fit.count;
        input->fix = arguments->fix.text;
        input->fix_count = arguments->fix.count;
        input->files = (size_t)(argc - optind);
        status = orr_fit_run(&arguments->outputs, argv + optind, input->files, run_fit, arguments);
    }
    orr_heap_free(arguments);
    return status;
}
