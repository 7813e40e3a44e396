/* orrery bench-collective: one collective in a range of sizes, with every algorithm and scheduler,
 * in the format of nccl-tests; or compared with measured times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
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
#include "study/parallel.h"
#include "system/collectives/program.h"

enum { MAX_MEASURED = 256 };

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

/* The setters also record the options that exclude --measured, or go with it only. */

static int set_min(void *context, const char *text)
{
    struct command *command = context;
    command->sizes = "--min";
    return parse_size("min", text, &command->bench.min);
}

static int set_max(void *context, const char *text)
{
    struct command *command = context;
    command->sizes = "--max";
    return parse_size("max", text, &command->bench.max);
}

static int set_turnaround(void *context, const char *text)
{
    struct command *command = context;
    (void)text;
    command->sizes = "--turnaround";
    command->bench.turnaround = true;
    return 0;
}

static int set_bound(void *context, const char *text)
{
    struct command *command = context;
    (void)text;
    command->sizes = "--bound";
    command->bench.bound = true;
    return 0;
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

static int parse_count(const char *option, const char *text, int64_t low, int64_t high,
                       int64_t *out)
{
    char expected[80];
    (void)snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, low,
                   high);
    return orr_parse_integer(text, out) && *out >= low && *out <= high
               ? 0
               : orr_reject_value("bench-collective", option, expected, text, "");
}

static int set_factor(void *context, const char *text)
{
    struct command *command = context;
    int64_t number = 0;
    const int status = parse_count("factor", text, 2, 1024, &number);
    command->sizes = "--factor";
    command->bench.step = (uint64_t)number;
    return status;
}

static int set_npus(void *context, const char *text)
{
    struct command *command = context;
    int64_t number = 0;
    const int status = parse_count("npus", text, 1, INT32_MAX, &number);
    command->counts = "--npus";
    command->measured.data.npus = (uint32_t)number;
    return status;
}

static int set_npus_per_node(void *context, const char *text)
{
    struct command *command = context;
    int64_t number = 0;
    const int status = parse_count("npus-per-node", text, 1, INT32_MAX, &number);
    command->counts = "--npus-per-node";
    command->measured.data.npus_per_node = (uint32_t)number;
    return status;
}

static int add_measured(void *context, const char *path)
{
    struct command *command = context;
    struct orr_measured_inputs *data = &command->measured.data;
    if (data->sources == MAX_MEASURED) {
        return orr_usage_error("bench-collective", "more than 256 files of measured times", NULL);
    }
    command->source[data->sources++] = (struct orr_measured_source){.path = path};
    return 0;
}

static int add_compared(void *context, const char *value)
{
    struct command *command = context;
    command->sizes = "--compare";
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

static const struct orr_option rows[] = {
    {"collective", "NAME", ORR_VALUE,
     "all_reduce (default), all_gather, reduce_scatter or all_to_all",
     ORR_TEXT(struct command, collective)},
    {"min", "SIZE", ORR_VALUE, "the smallest size (default 1 MiB)", ORR_CALL(set_min)},
    {"max", "SIZE", ORR_VALUE, "the largest (default 1 GiB)", ORR_CALL(set_max)},
    {"factor", "N", ORR_VALUE, "each size is N times the one before (default 4)",
     ORR_CALL(set_factor)},
    ORR_ROW_JOBS(struct command, bench.threads, "runs"),
    {"turnaround", NULL, ORR_FLAG, "also the time until the first chunk is complete on every NPU",
     ORR_CALL(set_turnaround)},
    {"bound", NULL, ORR_FLAG,
     "also how near the times are to the least that the network allows (orrery topo bound)",
     ORR_CALL(set_bound)},
    {"compare", "PATH=VALUE", ORR_VALUE | ORR_REPEATED,
     "old and new side by side: what the platform takes, and takes with this value (as --set); may "
     "be given several times",
     ORR_CALL(add_compared)},
    {"beside", "PATH=VALUE", ORR_VALUE | ORR_HIDDEN, NULL, ORR_CALL(add_compared)},
    ORR_ROW_CSV(struct command, csv, "a line for each run"),
    ORR_ROW_JSON(struct command, json, "the runs", 0),
    ORR_ROW_REPORT(struct command, report, "them"),
    {"plot", "FILE.svg|.pdf", ORR_OUTPUT, "bus bandwidth by size, through gnuplot",
     ORR_TEXT(struct command, plot)},
    ORR_HEAD("Comparison with measured times, each size on as many NPUs of as many nodes:"),
    {"measured", "FILE...", ORR_INPUT | ORR_REPEATED,
     "CSV (collective,npus,npus_per_node,bytes,time_us), or text or JSON output of nccl-tests or "
     "rccl-tests; reports whether the bus bandwidth is normal. --collective, --npus and "
     "--npus-per-node are for files without them",
     ORR_CALL(add_measured)},
    {"npus", "N", ORR_VALUE, "NPUs of a row", ORR_CALL(set_npus)},
    {"npus-per-node", "N", ORR_VALUE, "NPUs of each node, the platform's first dimension",
     ORR_CALL(set_npus_per_node)},
    ORR_HEAD("Orrery files (docs/file-formats.md; see inputs/):"),
    {NULL,
     "PLATFORM.yml",
     ORR_PLATFORM | ORR_POSITIONAL | ORR_OPTIONAL,
     "network, system, memory and compute, or the name of one that ships, such as conv_3d",
     {.kind = ORR_STORE_NONE}},
    {NULL,
     "FILE",
     ORR_INPUT | ORR_POSITIONAL | ORR_OPTIONAL | ORR_REPEATED | ORR_HIDDEN,
     NULL,
     {.kind = ORR_STORE_NONE}},
    ORR_ROWS(orr_job_platform, struct command, job, 0),
    ORR_ROWS(orr_job_workload, struct command, job, ORR_HIDDEN),
    ORR_ROWS(orr_platform_rows, struct command, job.network, 0),
    ORR_ROWS(orr_job_astra_files, struct command, job, ORR_HIDDEN),
    ORR_ROWS_END};

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
    if (command->comparison.sets > 0 && (command->plot != NULL || command->report != NULL ||
                                         command->bench.turnaround || command->bench.bound)) {
        return orr_usage_error("bench-collective", "--compare goes without ",
                               command->plot != NULL     ? "--plot"
                               : command->report != NULL ? "--report"
                               : command->bench.bound    ? "--bound"
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
        command->job.own.platform != NULL || command->job.network.topology != NULL;
    const int left = has_platform ? 1 : 2;
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

static int run_command(const struct orr_call *call, int argc, char **argv)
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
    int status = orr_parse_options(call, &argc, argv, command);
    if (status == 0) {
        status = check(command) != 0 ? ORR_EXIT_USAGE
                                     : orr_check_plot("bench-collective", command->plot);
        const int left = collect_files(command, argc, argv, &status);
        status = status == 0 ? orr_job_check(&command->job, left, argv, NULL) : status;
        status = status == 0 ? check_inputs(command) : status;
        if (status == 0) {
            status = has_measured(command) ? run_measured(command) : run(command);
        }
    }
    orr_measured_bench_fini(&command->measured);
    orr_bench_comparison_fini(&command->comparison);
    orr_collective_bench_fini(&command->bench);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_bench_collective = {
    .name = "bench-collective",
    .summary = "time a collective: sizes, algorithms, schedulers",
    .about =
        "Runs a collective of all NPUs in a range of sizes: with the default selection (auto), "
        "with the algorithms of the dimensions' blocks and each scheduler, and with each "
        "algorithm in all dimensions; marks the fastest. algbw is size / time; busbw is the "
        "minimum that each NPU has to send / time, as in nccl-tests.",
    .forms = "PLATFORM.yml [options]\n--topology --bandwidth [options]\n"
             "PLATFORM.yml --measured [options]",
    .rows = rows,
    .run = run_command};
