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

struct arguments {
    struct orrery_fit_compute input;
    struct orr_texts set, fit, fix;
    struct orr_fit_outputs outputs;
    char platform[ORR_INPUT_PATH_BYTES], workload[ORR_INPUT_PATH_BYTES];
};

static const struct orr_option rows[] = {
    {NULL,
     "ITERATIONS.csv",
     ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
     "times of training steps: the column time_s and columns named after the keys that they set",
     {.kind = ORR_STORE_NONE}},
    {"platform", "PLATFORM.yml", ORR_PLATFORM | ORR_NEEDED,
     "the platform, with data-sheet values and compute.peak: a file, or the name of one that ships",
     ORR_TEXT(struct arguments, input.platform)},
    {"workload", "WORKLOAD.yml", ORR_WORKLOAD | ORR_NEEDED,
     "the workload, of which rows set values; a file, or the name of one that ships",
     ORR_TEXT(struct arguments, input.workload)},
    ORR_ROWS(orr_fit_output_rows, struct arguments, outputs, 0),
    ORR_ROW_SET(struct arguments, set, " of the platform or of the workload"),
    {"holdout", "RULE", ORR_VALUE, ORR_FIT_HOLDOUT, ORR_TEXT(struct arguments, input.holdout)},
    {"evaluate", NULL, ORR_FLAG, "fit nothing, report how near the platform is; -o is not needed",
     ORR_TRUE(struct arguments, input.keep)},
    {"fit", "PATH", ORR_VALUE | ORR_REPEATED,
     "also fit this numeric key, such as network.dims[1].bandwidth; may be given several times",
     ORR_LIST(struct arguments, fit)},
    {"fix", "PATH", ORR_VALUE | ORR_REPEATED,
     "keep this parameter as it is, such as compute.efficiency.gemm.constant; may be given several "
     "times",
     ORR_LIST(struct arguments, fix)},
    {"skip-refused", NULL, ORR_FLAG, "skip rows that cannot run",
     ORR_TRUE(struct arguments, input.skip_refused)},
    {"save-compute", "FILE|-", ORR_OUTPUT,
     "only the fitted section compute, to include in a platform",
     ORR_TEXT(struct arguments, outputs.compute)},
    ORR_ROWS_END};

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

static enum orrery_status run_fit(struct orrery_fit *fit, void *context,
                                  const struct orrery_measured *data)
{
    struct arguments *arguments = context;
    arguments->input.data = data;
    return orrery_fit_compute(fit, &arguments->input);
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_print_message("orrery fit: out of memory\n");
        return 1;
    }
    struct orrery_fit_compute *input = &arguments->input;
    input->size = sizeof *input;
    (void)orr_command_line("orrery fit", argc, argv, arguments->outputs.line);
    int status = orr_parse_options(call, &argc, argv, arguments);
    status = status == 0 ? check(arguments, argc - 1) : status;
    if (status == 0) {
        input->set = arguments->set.text;
        input->set_count = arguments->set.count;
        input->fit = arguments->fit.text;
        input->fit_count = arguments->fit.count;
        input->fix = arguments->fix.text;
        input->fix_count = arguments->fix.count;
        input->files = (size_t)(argc - 1);
        status = orr_fit_run(&arguments->outputs, argv + 1, input->files, run_fit, arguments);
    }
    orr_heap_free(arguments);
    return status;
}

const struct orr_command orr_fit_compute = {
    .name = "compute",
    .parent = "fit",
    .summary = "compute efficiency (compute.efficiency), from times of training steps",
    .about = "Fits the compute efficiency of a platform (compute.efficiency) to times of training "
             "steps, and writes the fitted platform.",
    .rows = rows,
    .missing = "no files of measured times",
    .run = run_command};
