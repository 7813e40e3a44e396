/* orrery bench-collective: one collective, a range of sizes, every algorithm and scheduler beside
 * each other, as nccl-tests prints them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/thread_option.h"
#include "cli/write_output.h"
#include "study/study.h"

enum {
    OPT_COLLECTIVE = 256,
    OPT_MIN,
    OPT_MAX,
    OPT_STEP,
    OPT_JOBS,
    OPT_TURNAROUND,
    OPT_CSV,
    OPT_PLOT
};

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"collective", required_argument, NULL, OPT_COLLECTIVE},
                                        {"min", required_argument, NULL, OPT_MIN},
                                        {"max", required_argument, NULL, OPT_MAX},
                                        {"step", required_argument, NULL, OPT_STEP},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"turnaround", no_argument, NULL, OPT_TURNAROUND},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"plot", required_argument, NULL, OPT_PLOT},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery bench-collective PLATFORM.yml [options]\n"
    "       orrery bench-collective --topology NOTATION --bandwidth LIST [options]\n"
    "\n"
    "Runs a collective of all NPUs in a range of sizes: as it is picked by default (auto), with "
    "the\n"
    "algorithms of the dimensions' blocks and each scheduler, and with each algorithm in all\n"
    "dimensions; marks the fastest. algbw is size / time; busbw what each NPU has to send\n"
    "at least / time, as nccl-tests define them.\n"
    "\n"
    "  --collective NAME                  all_reduce (default), all_gather, reduce_scatter or\n"
    "                                     all_to_all\n"
    "  --min SIZE                         the smallest size (default 1 MiB)\n"
    "  --max SIZE                         the largest (default 1 GiB)\n"
    "  --step N                           each size is N times the one before (default 4)\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "  --turnaround                       also the time until the first chunk is there on every\n"
    "                                     NPU\n"
    "  --csv FILE|-                       a line for each run, instead of the table when FILE is "
    "-\n"
    "  --plot FILE.svg|.pdf               bus bandwidth by size, through gnuplot\n"
    "\n" ORR_JOB_HELP "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct command {
    struct orr_job_inputs job;
    struct orr_collective_bench bench;
    const char *csv, *plot;
};

/* ---- arguments ---- */

static int parse_size(const char *option, const char *text, uint64_t *out)
{
    if (!orr_parse_bytes(text, out) || *out == 0) {
        orr_say("orrery bench-collective: --%s: expected a size such as \"1 MiB\", got "
                "\"%s\"\n",
                option, text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int parse_collective(struct orr_collective_bench *bench, const char *text)
{
    if (orr_collective_bench_name(bench, text)) {
        return 0;
    }
    orr_say("orrery bench-collective: --collective: expected all_reduce, all_gather, "
            "reduce_scatter or all_to_all, got \"%s\"\n",
            text);
    return ORR_EXIT_USAGE;
}

static int parse_step(const char *text, uint64_t *out)
{
    char *end = NULL;
    *out = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || *out < 2 || *out > 1024) {
        orr_say("orrery bench-collective: --step: expected a whole number from 2 to 1024, got "
                "\"%s\"\n",
                text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int apply(void *context, int option, const char *value)
{
    struct command *command = context;
    switch (option) {
    case OPT_COLLECTIVE:
        return parse_collective(&command->bench, value);
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
    default:
        command->plot = value;
        return 0;
    }
}

/* ---- output ---- */

/* The name goes into the plotting program's own text, so quotes are refused. */
static int plot(const struct command *command)
{
    const char *dot = command->plot != NULL ? strrchr(command->plot, '.') : NULL;
    if (command->plot == NULL) {
        return 0;
    }
    const bool pdf = dot != NULL && strcmp(dot, ".pdf") == 0;
    if (dot == NULL || (!pdf && strcmp(dot, ".svg") != 0) || strchr(command->plot, '\'') != NULL) {
        orr_say("orrery bench-collective: --plot: expected a file that ends in .svg or .pdf, "
                "without quotes, got \"%s\"\n",
                command->plot);
        return ORR_EXIT_USAGE;
    }
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot != NULL) {
        orr_bench_plot(gnuplot, &command->bench, command->plot, pdf);
    }
    if (gnuplot == NULL || pclose(gnuplot) != 0) {
        orr_say("%s: cannot be plotted: gnuplot (Debian package gnuplot-nox) failed or is "
                "not installed\n",
                command->plot);
        return ORR_EXIT_USAGE;
    }
    return 0;
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
        return orr_usage_error("bench-collective", "more than 64 sizes; take a larger --step",
                               NULL);
    case ORR_BENCH_RANGE_FITS:
        break;
    }
    return 0;
}

static int report(const struct command *command)
{
    const struct orr_output csv = {command->csv, orr_bench_csv};
    bool quiet = false;
    const int result = orr_write_output(&csv, &command->bench, &quiet);
    if (result != 0) {
        return result;
    }
    if (!quiet) {
        orr_bench_table(stdout, &command->bench);
    }
    return plot(command);
}

static int run(struct command *command)
{
    struct orr_collective_bench *bench = &command->bench;
    struct orr_diag diag;
    orr_diag_init(&diag);
    bench->platform = &command->job.own;
    enum orr_status status = orr_collective_bench_look(bench, &diag);
    const int result = status == ORR_OK ? list_sizes(bench) : 0;
    if (result != 0) {
        return result;
    }
    if (status == ORR_OK) {
        status = orr_collective_bench_run(bench, &diag);
    }
    return status == ORR_OK ? report(command) : orr_print_diag(&diag);
}

int orr_cmd_bench_collective(int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_say("orrery bench-collective: out of memory\n");
        return 1;
    }
    command->job.command = "bench-collective";
    command->bench.collective = COLL_ALL_REDUCE;
    command->bench.min = UINT64_C(1) << 20;
    command->bench.max = UINT64_C(1) << 30;
    command->bench.step = 4;
    const struct orr_own_options own = {.context = command, .apply = apply};
    int status = orr_job_parse(&command->job, argc, argv, options, &own);
    if (status == 0) {
        status = orr_job_check(&command->job, argc, argv, NULL);
        if (status == 0 && (command->job.astra.network != NULL ||
                            command->job.own.set_count + 3 > ORR_MOST_SETS)) {
            status = orr_usage_error("bench-collective",
                                     "a platform file of Orrery's own is needed", NULL);
        }
        status = status == 0 ? run(command) : status;
    } else if (status < 0) {
        (void)fputs(help, stdout);
        status = 0;
    }
    orr_collective_bench_fini(&command->bench);
    orr_heap_free(command);
    return status;
}
