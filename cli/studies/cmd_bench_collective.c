/* orrery bench-collective: one collective in a range of sizes, with every algorithm and scheduler,
 * in the format of nccl-tests; or compared with measured times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/jobs_option.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/platform_options.h"
#include "cli/plot_output.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "study/bench/bench_comparison.h"
#include "study/bench/bench_report.h"
#include "study/bench/collective_bench.h"
#include "study/bench/measured_bench.h"
#include "study/bench/measured_report.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

enum {
    OPT_COLLECTIVE = 256,
    OPT_MIN,
    OPT_MAX,
    OPT_STEP,
    OPT_JOBS,
    OPT_TURNAROUND,
    OPT_CSV,
    OPT_PLOT,
    OPT_MEASURED,
    OPT_NPUS,
    OPT_NPUS_PER_NODE,
    OPT_JSON,
    OPT_REPORT,
    OPT_COMPARE
};

enum { MAX_MEASURED = 256 };

static const struct option options[] = {
    {"npus", required_argument, NULL, OPT_NPUS},
    ORR_JOB_OPTIONS,
    {"collective", required_argument, NULL, OPT_COLLECTIVE},
    {"min", required_argument, NULL, OPT_MIN},
    {"max", required_argument, NULL, OPT_MAX},
    {"factor", required_argument, NULL, OPT_STEP},
    {"jobs", required_argument, NULL, OPT_JOBS},
    {"turnaround", no_argument, NULL, OPT_TURNAROUND},
    {"csv", required_argument, NULL, OPT_CSV},
    {"json", required_argument, NULL, OPT_JSON},
    {"report", required_argument, NULL, OPT_REPORT},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"compare", required_argument, NULL, OPT_COMPARE},
    {"beside", required_argument, NULL, OPT_COMPARE}, /* the same, as some ask for it */
    {"measured", required_argument, NULL, OPT_MEASURED},
    {"npus-per-node", required_argument, NULL, OPT_NPUS_PER_NODE},
    {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery bench-collective PLATFORM.yml [options]\n"
    "       orrery bench-collective --topology NOTATION --bandwidth LIST [options]\n"
    "       orrery bench-collective PLATFORM.yml --measured FILE... [options]\n"
    "\n"
    "Runs a collective of all NPUs in a range of sizes: with the default selection (auto), with\n"
    "the algorithms of the dimensions' blocks and each scheduler, and with each algorithm in all\n"
    "dimensions; marks the fastest. algbw is size / time; busbw is the minimum that each NPU has\n"
    "to send / time, as in nccl-tests.\n"
    "\n"
    "  --collective NAME                  all_reduce (default), all_gather, reduce_scatter or\n"
    "                                     all_to_all\n"
    "  --min SIZE                         the smallest size (default 1 MiB)\n"
    "  --max SIZE                         the largest (default 1 GiB)\n"
    "  --factor N                         each size is N times the one before (default 4)\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "  --turnaround                       also the time until the first chunk is complete on\n"
    "                                     every NPU\n"
    "  --compare PATH=VALUE                old and new side by side: what the platform takes, and\n"
    "                                     takes with this value (as --set); may be given again\n"
    "  --csv FILE|-                       a line for each run, instead of the table when FILE is "
    "-\n"
    "  --json FILE|-                      the runs as JSON, likewise\n"
    "  --report FILE                      a page of them (HTML, one file)\n"
    "  --plot FILE.svg                    bus bandwidth by size as a picture\n"
    "\n"
    "Comparison with measured times, each size on as many NPUs of as many nodes:\n"
    "  --measured FILE...                 CSV (collective,npus,npus_per_node,bytes,time_us), or\n"
    "                                     text or JSON output of nccl-tests or rccl-tests;\n"
    "                                     reports whether the bus bandwidth is normal\n"
    "  --collective NAME                  for files without it; so are the next two\n"
    "  --npus N                           NPUs of a row\n"
    "  --npus-per-node N                  NPUs of each node, the platform's first dimension\n"
    "\n";
static const char help_of_jobs[] = ORR_OWN_PLATFORM_HELP ORR_PLATFORM_HELP
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct command {
    struct orr_job_inputs job;
    struct orr_collective_bench bench;
    struct orr_bench_comparison comparison;
    const char *csv, *json, *report, *plot;
    char line[ORR_COMMAND_LINE_BYTES];
    /* of --measured */
    struct orr_measured_bench measured;
    struct orr_measured_source source[MAX_MEASURED];
    /* sizes, counts: name of a given option of that kind */
    const char *collective, *sizes, *counts;
};

static bool has_measured(const struct command *command)
{
    return command->measured.data.sources > 0;
}

/* ---- arguments ---- */

static int parse_size(const char *option, const char *text, uint64_t *out)
{
    return orr_parse_bytes(text, out) && *out != 0
               ? 0
               : orr_reject_quantity("bench-collective", option, ORR_QUANTITY_BYTES, text);
}

static int parse_collective(struct orr_collective_bench *bench, const char *text)
{
    static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
    enum { NAMES = sizeof names / sizeof *names };
    for (size_t i = 0; i < NAMES; i++) {
        if (orr_same_name(text, names[i])) {
            return orr_collective_bench_name(bench, names[i]) ? 0 : ORR_EXIT_USAGE;
        }
    }
    return orr_reject_name("bench-collective", "collective", text, names, NAMES);
}

static int parse_step(const char *text, uint64_t *out)
{
    char *end = NULL;
    *out = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || *out < 2 || *out > 1024) {
        orr_print_message(
            "orrery bench-collective: --factor: expected a whole number from 2 to 1024, got "
            "\"%s\"\n",
            text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int parse_count(const char *option, const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT32_MAX) {
        orr_print_message(
            "orrery bench-collective: --%s: expected a whole number from 1 to 2147483647, got "
            "\"%s\"\n",
            option, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static int add_measured(struct command *command, const char *path)
{
    struct orr_measured_inputs *data = &command->measured.data;
    if (data->sources == MAX_MEASURED) {
        return orr_usage_error("bench-collective", "more than 256 files of measured times", NULL);
    }
    command->source[data->sources++] = (struct orr_measured_source){.path = path};
    return 0;
}

static int add_compared(struct command *command, const char *value)
{
    struct orr_bench_comparison *comparison = &command->comparison;
    if (strchr(value, '=') == NULL || value[0] == '=') {
        orr_print_message("orrery bench-collective: --compare: expected PATH=VALUE such as "
                          "network.dims[1].bandwidth='100 GB/s', got \"%s\"\n",
                          value);
        return ORR_EXIT_USAGE;
    }
    if (comparison->sets == ORR_BENCH_COMPARISON_SETS) {
        return orr_usage_error("bench-collective", "more than 16 values of --compare", NULL);
    }
    comparison->set[comparison->sets++] = value;
    return 0;
}

/* Handles the options of --measured, and records those that exclude it. */
static int apply_measured(struct command *command, int option, const char *value)
{
    switch (option) {
    case OPT_MEASURED:
        return add_measured(command, value);
    case OPT_NPUS:
        command->counts = "--npus";
        return parse_count("npus", value, &command->measured.data.npus);
    case OPT_NPUS_PER_NODE:
        command->counts = "--npus-per-node";
        return parse_count("npus-per-node", value, &command->measured.data.npus_per_node);
    case OPT_MIN:
        command->sizes = "--min";
        return 0;
    case OPT_MAX:
        command->sizes = "--max";
        return 0;
    case OPT_STEP:
        command->sizes = "--factor";
        return 0;
    case OPT_TURNAROUND:
        command->sizes = "--turnaround";
        return 0;
    case OPT_COMPARE:
        command->sizes = "--compare";
        return add_compared(command, value);
    default:
        return 0;
    }
}

static int apply(void *context, int option, const char *value)
{
    struct command *command = context;
    const int status = apply_measured(command, option, value);
    if (status != 0) {
        return status;
    }
    switch (option) {
    case OPT_MEASURED:
    case OPT_NPUS:
    case OPT_NPUS_PER_NODE:
    case OPT_COMPARE:
        return 0;
    case OPT_COLLECTIVE:
        command->collective = value;
        return 0;
    case OPT_MIN:
        return parse_size("min", value, &command->bench.min);
    case OPT_MAX:
        return parse_size("max", value, &command->bench.max);
    case OPT_STEP:
        return parse_step(value, &command->bench.step);
    case OPT_JOBS:
        return orr_parse_jobs("bench-collective", value, &command->bench.threads);
    case OPT_TURNAROUND:
        command->bench.turnaround = true;
        return 0;
    case OPT_CSV:
        command->csv = value;
        return 0;
    case OPT_JSON:
        command->json = value;
        return 0;
    case OPT_REPORT:
        command->report = value;
        return orr_check_page("bench-collective", "report", value);
    default:
        command->plot = value;
        return 0;
    }
}

/* Checks which of the two modes the options belong to. */
static int check(struct command *command)
{
    if (has_measured(command)) {
        return command->sizes == NULL
                   ? 0
                   : orr_usage_error("bench-collective",
                                     "--measured takes the sizes of its files, and no ",
                                     command->sizes);
    }
    if (command->counts != NULL) {
        orr_print_message("orrery bench-collective: %s goes with --measured FILE\n"
                          "try 'orrery bench-collective --help'\n",
                          command->counts);
        return ORR_EXIT_USAGE;
    }
    if (command->comparison.sets > 0 &&
        (command->plot != NULL || command->report != NULL || command->bench.turnaround)) {
        return orr_usage_error("bench-collective", "--compare goes without ",
                               command->plot != NULL     ? "--plot"
                               : command->report != NULL ? "--report"
                                                         : "--turnaround");
    }
    return command->collective != NULL ? parse_collective(&command->bench, command->collective) : 0;
}

/* Rejects a workload, because a bench generates its own. */
static int check_inputs(const struct command *command)
{
    const struct orr_job_inputs *job = &command->job;
    if (job->astra.network != NULL || job->own.set_count + 3 > ORR_MAX_SETS) {
        return orr_usage_error("bench-collective", "a platform file of Orrery's own is needed",
                               NULL);
    }
    return job->own.workload == NULL
               ? 0
               : orr_usage_error("bench-collective",
                                 "it runs collectives, and takes no workload; got ",
                                 job->own.workload);
}

/* Collects files: the first argument is the platform unless an option gives it; with --measured the
 * others are further measured files. Returns the number of arguments for the job. */
static int collect_files(struct command *command, int argc, char **argv, int *status)
{
    const bool has_platform =
        command->job.own.platform != NULL || orr_has_option("topology", argc, argv);
    const int left = has_platform ? optind : optind + 1;
    for (int i = left; has_measured(command) && i < argc && *status == 0; i++) {
        *status = add_measured(command, argv[i]);
    }
    return has_measured(command) && left < argc ? left : argc;
}

/* ---- output ---- */

static int plot(const struct command *command)
{
    const bool measured = has_measured(command);
    const struct orr_output picture = {command->plot,
                                       measured ? orr_measured_bench_svg : orr_bench_svg};
    bool quiet = false;
    return orr_write_output(&picture, measured ? (const void *)&command->measured : &command->bench,
                            &quiet);
}

/* ---- running ---- */

static int list_sizes(struct orr_collective_bench *bench)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    switch (orr_collective_bench_range(bench)) {
    case ORR_BENCH_RANGE_TOO_SMALL:
        (void)orr_diag_fail(&diag, ORR_ERR_INPUT, NULL,
                            "expected at least a byte for each of the %" PRIu32
                            " NPUs, got %" PRIu64 " B",
                            bench->npus, bench->min);
        return orr_print_option_diag("bench-collective", "min", &diag);
    case ORR_BENCH_RANGE_EMPTY:
        return orr_usage_error("bench-collective", "--max is below --min", NULL);
    case ORR_BENCH_RANGE_TOO_LONG:
        return orr_usage_error("bench-collective", "more than 64 sizes; take a larger --factor",
                               NULL);
    case ORR_BENCH_RANGE_FITS:
        break;
    }
    return 0;
}

/* CSV, JSON and the page; *quiet: one of them went to standard output. */
static int write_files(const struct command *command, const struct orr_output output[2],
                       const void *context, bool *quiet)
{
    const struct orr_page_part part = {
        .json = output[1].write, .context = context, .file = command->job.own.platform};
    int result = orr_write_output(&output[0], context, quiet);
    if (result == 0) {
        result = orr_write_output(&output[1], context, quiet);
    }
    return result == 0 ? orr_write_page(command->report, command->line, &part, 1, quiet) : result;
}

static int report(const struct command *command)
{
    const struct orr_output outputs[] = {{command->csv, orr_bench_csv},
                                         {command->json, orr_bench_json}};
    bool quiet = false;
    const int result = write_files(command, outputs, &command->bench, &quiet);
    if (result != 0) {
        return result;
    }
    if (!quiet) {
        orr_bench_table(stdout, &command->bench);
    }
    return plot(command);
}

/* Runs both platforms on the sizes of the bench. */
static int run_compared(struct command *command)
{
    struct orr_bench_comparison *bench = &command->comparison;
    const struct orr_output outputs[] = {{command->csv, orr_bench_comparison_csv},
                                         {command->json, orr_bench_comparison_json}};
    bool quiet = false;
    struct orr_diag diag;
    orr_diag_init(&diag);
    bench->own = command->bench;
    if (orr_bench_comparison_run(bench, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    const int result = write_files(command, outputs, bench, &quiet);
    if (result == 0 && !quiet) {
        orr_bench_comparison_table(stdout, bench);
    }
    return result;
}

static int run(struct command *command)
{
    struct orr_collective_bench *bench = &command->bench;
    struct orr_diag diag;
    orr_diag_init(&diag);
    bench->platform = &command->job.own;
    enum orr_status status = orr_collective_bench_inspect(bench, &diag);
    const int result = status == ORR_OK ? list_sizes(bench) : 0;
    if (result != 0) {
        return result;
    }
    if (status == ORR_OK && command->comparison.sets > 0) {
        return run_compared(command);
    }
    if (status == ORR_OK) {
        status = orr_collective_bench_run(bench, &diag);
    }
    return status == ORR_OK ? report(command) : orr_print_diag(&diag);
}

static int run_measured(struct command *command)
{
    struct orr_measured_bench *bench = &command->measured;
    const struct orr_output outputs[] = {{command->csv, orr_measured_bench_csv},
                                         {command->json, orr_measured_bench_json}};
    bool quiet = false;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    bench->platform = &command->job.own;
    bench->threads = command->bench.threads;
    bench->data.source = command->source;
    bench->data.collective = command->collective;
    enum orr_status status = orr_measured_bench_open(bench, &diag);
    if (status == ORR_OK) {
        status = orr_measured_bench_run(bench, &diag);
    }
    if (status != ORR_OK) {
        return orr_print_diag(&diag);
    }
    const int result = write_files(command, outputs, bench, &quiet);
    if (result == 0 && !quiet) {
        orr_measured_bench_table(stdout, bench);
    }
    return result == 0 ? plot(command) : result;
}

static int run_command(int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_print_message("orrery bench-collective: out of memory\n");
        return 1;
    }
    command->job.command = "bench-collective";
    (void)orr_command_line("orrery", argc, argv, command->line);
    command->bench.collective = COLL_ALL_REDUCE;
    command->bench.min = UINT64_C(1) << 20;
    command->bench.max = UINT64_C(1) << 30;
    command->bench.step = 4;
    const struct orr_command_options own = {.context = command, .apply = apply};
    int status = orr_job_parse(&command->job, argc, argv, options, &own);
    if (status == 0) {
        status = check(command) != 0 ? ORR_EXIT_USAGE
                                     : orr_check_plot("bench-collective", command->plot);
        const int left = collect_files(command, argc, argv, &status);
        status = status == 0 ? orr_job_check(&command->job, left, argv, NULL) : status;
        status = status == 0 ? check_inputs(command) : status;
        if (status == 0) {
            status = has_measured(command) ? run_measured(command) : run(command);
        }
    } else if (status < 0) {
        (void)fputs(help, stdout);
        (void)fputs(help_of_jobs, stdout);
        status = 0;
    }
    orr_measured_bench_fini(&command->measured);
    orr_bench_comparison_fini(&command->comparison);
    orr_collective_bench_fini(&command->bench);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_bench_collective = {
    "bench-collective", "time a collective: sizes, algorithms, schedulers", run_command};
