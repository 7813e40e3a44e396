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

struct arguments {
    struct orrery_fit_collectives input;
    struct orr_texts set;
    struct orr_fit_outputs outputs;
    char platform[ORR_INPUT_PATH_BYTES];
};

static const struct orr_option rows[] = {
    {NULL,
     "DATA",
     ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
     "times of nccl-tests or rccl-tests: their text or JSON output, or a CSV table",
     {.kind = ORR_STORE_NONE}},
    {"platform", "PLATFORM.yml", ORR_PLATFORM | ORR_NEEDED,
     "the platform, with data-sheet values and system.library: a file, or the name of one that "
     "ships",
     ORR_TEXT(struct arguments, input.platform)},
    ORR_ROWS(orr_fit_output_rows, struct arguments, outputs, 0),
    ORR_ROW_SET(struct arguments, set,
                " of the platform, such as 'system.library={name: nccl, gpu: a100}'"),
    {"holdout", "RULE", ORR_VALUE, ORR_FIT_HOLDOUT, ORR_TEXT(struct arguments, input.holdout)},
    {"evaluate", NULL, ORR_FLAG, "fit nothing, report how near the platform is; -o is not needed",
     ORR_TRUE(struct arguments, input.keep)},
    ORR_HEAD("If the files do not contain it:"),
    {"collective", "NAME", ORR_VALUE, "the measured collective, such as all_reduce",
     ORR_TEXT(struct arguments, input.collective)},
    {"npus", "N", ORR_VALUE, "number of NPUs",
     ORR_NUMBER(struct arguments, input.npus, 1, INT32_MAX)},
    {"npus-per-node", "N", ORR_VALUE, "NPUs of each node",
     ORR_NUMBER(struct arguments, input.npus_per_node, 1, INT32_MAX)},
    ORR_ROWS_END};

static int parse(const struct orr_call *call, struct arguments *arguments, int *argc, char **argv)
{
    struct orrery_fit_collectives *input = &arguments->input;
    int status = orr_parse_options(call, argc, argv, arguments);
    if (status != 0) {
        return status;
    }
    const struct orr_fit_needs needs = {*argc - 1, input->platform, input->holdout, input->keep};
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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_print_message("orrery fit: out of memory\n");
        return 1;
    }
    arguments->input.size = sizeof arguments->input;
    (void)orr_command_line("orrery fit", argc, argv, arguments->outputs.line);
    int status = parse(call, arguments, &argc, argv);
    if (status == 0) {
        arguments->input.set = arguments->set.text;
        arguments->input.set_count = arguments->set.count;
        arguments->input.files = (size_t)(argc - 1);
        status =
            orr_fit_run(&arguments->outputs, argv + 1, arguments->input.files, run_fit, arguments);
    }
    orr_heap_free(arguments);
    return status;
}

const struct orr_command orr_fit_collectives = {
    .name = "collectives",
    .parent = "fit",
    .summary = "parameters of the communication library (system.library), from times of nccl-tests "
               "or rccl-tests",
    .about =
        "Fits the parameters of a platform's communication library (system.library) to times of "
        "nccl-tests or rccl-tests, and writes the fitted platform.",
    .rows = rows,
    .missing = "no files of measured times",
    .run = run_command};
