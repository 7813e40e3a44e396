/* orrery run --cluster: several jobs on one cluster. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run/run_jobs.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_queue.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/jobs_compare.h"
#include "report/jobs_report.h"
#include "report/run_report.h"
#include "study/job_slowdown.h"
#include "study/job_variants.h"

enum option_id { OPT_CLUSTER = 256, OPT_ALONE, OPT_COMPARE, OPT_SET, OPT_JOBS };

const struct option orr_run_jobs_options[] = {
    {"cluster", required_argument, NULL, OPT_CLUSTER},
    {"jobs", required_argument, NULL, OPT_JOBS}, /* its former name */
    {"alone", no_argument, NULL, OPT_ALONE},
    {"compare", required_argument, NULL, OPT_COMPARE},
    {"set", required_argument, NULL, OPT_SET},
    ORR_RUN_OUTPUT_OPTIONS,
    {NULL, 0, NULL, 0}};

enum { MAX_SETS = 64, MAX_BESIDE = 32 };

struct arguments {
    const char *file;
    const char *set[MAX_SETS];
    size_t sets;
    const char *comparison[MAX_BESIDE];
    size_t comparisons;
    bool alone;
    struct orr_run_outputs outputs;
};

static int apply_option(struct arguments *arguments, int option)
{
    switch (option) {
    case OPT_JOBS:
        orr_print_message("orrery run: warning: --jobs is called --cluster now\n");
        arguments->file = optarg;
        break;
    case OPT_CLUSTER:
        arguments->file = optarg;
        break;
    case OPT_ALONE:
        arguments->alone = true;
        break;
    case OPT_COMPARE:
        if (arguments->comparisons == MAX_BESIDE) {
            return orr_usage_error("run", "too many --compare", NULL);
        }
        arguments->comparison[arguments->comparisons++] = optarg;
        break;
    case OPT_SET:
        if (arguments->sets == MAX_SETS) {
            return orr_usage_error("run", "too many --set", NULL);
        }
        arguments->set[arguments->sets++] = optarg;
        break;
    default:
        return orr_run_output_apply(&arguments->outputs, option, optarg);
    }
    return 0;
}

/* Rejects outputs of a single run for several runs. */
static int check(const struct arguments *arguments)
{
    const struct orr_run_outputs *outputs = &arguments->outputs;
    const bool of_one = arguments->alone || orr_run_outputs_need_nodes(outputs) ||
                        outputs->link_stats != NULL || outputs->traffic != NULL;
    return arguments->comparisons > 0 && of_one
               ? orr_usage_error(
                     "run", "--compare goes with --set, --json, --csv, --report and --progress; ",
                     "the other options are of one run")
               : orr_run_outputs_check(outputs);
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int option = 0;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":", orr_run_jobs_options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            return orr_reject_option("run", orr_run_jobs_options, option, argv[optind - 1]);
        }
        const int status = apply_option(arguments, option);
        if (status != 0) {
            return status;
        }
    }
    return optind < argc
               ? orr_usage_error("run", "--cluster goes without a platform, got ", argv[optind])
               : check(arguments);
}

static int report(const struct arguments *arguments, const struct orr_jobs_report *results)
{
    const struct orr_jobs_run *run = results->run;
    const bool shared = run->jobs->network == ORR_JOBS_SHARED;
    const struct orr_run_writers writers = {.json = orr_jobs_json,
                                            .csv = orr_jobs_csv,
                                            .context = results,
                                            .use = shared ? orr_jobs_use(run)
                                                          : (struct orr_network_use){0}};
    bool quiet = false;
    const int status = orr_run_outputs_write(&arguments->outputs, run->handle[0], &writers, &quiet);
    if (status != 0) {
        return status;
    }
    if (!quiet && orr_jobs_table_write(stdout, results) != 0) {
        return 1;
    }
    if (!quiet && (arguments->outputs.why || arguments->outputs.per_npu)) {
        (void)fputc('\n', stdout);
        orr_report_table(stdout, run->handle[0], arguments->outputs.per_npu);
    }
    return fflush(stdout) != 0 ? 1 : 0;
}

static enum orrery_status run_one(struct orrery *handle, const void *arguments)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_run_outputs *outputs = &((const struct arguments *)arguments)->outputs;
    const enum orrery_status status = orr_run_with_progress(handle, outputs->progress);
    return status == ORRERY_OK ? (enum orrery_status)orr_prepare_report(handle, &diag) : status;
}

/* Runs the jobs into *run, and each alone for --alone. Records nodes and paths only if an output
 * needs them. */
static enum orr_status run_all(const struct arguments *arguments, const struct orr_jobs *jobs,
                               struct orr_jobs_run *run, struct orr_jobs_report *results,
                               struct orr_diag *diag)
{
    const struct orr_run_outputs *outputs = &arguments->outputs;
    const struct orr_jobs_options how = {.record = orr_run_outputs_need_nodes(outputs)
                                                       ? orr_run_outputs_record(outputs) &
                                                             ~(unsigned)ORRERY_RECORD_TRAFFIC
                                                       : 0,
                                         .run = run_one,
                                         .context = arguments};
    enum orr_status status = orr_jobs_run(jobs, &how, run, diag);
    if (status == ORR_OK && arguments->alone) {
        sim_time *alone_ps = orr_arena_array(jobs->arena, jobs->jobs, sizeof *alone_ps);
        status = alone_ps != NULL ? orr_job_slowdown(run, alone_ps, diag)
                                  : orr_diag_no_memory(diag, "the jobs");
        results->alone_ps = alone_ps;
    }
    return status;
}

/* Rejects outputs of a single run or network if each job has its own. */
static int check_outputs(const struct orr_run_outputs *outputs, const struct orr_jobs *jobs)
{
    const bool shared = jobs->network == ORR_JOBS_SHARED;
    if (!shared && (outputs->link_stats != NULL || outputs->traffic != NULL)) {
        return orr_usage_error("run", "--link-stats and --traffic-matrix are of one network; the ",
                               "jobs have one each (cluster.network: sharded)");
    }
    if (!shared && orr_run_outputs_need_nodes(outputs)) {
        return orr_usage_error("run", "--why, --timeline, --memory-timeline and --per-npu are of ",
                               "one run; the jobs have one each (cluster.network: sharded)");
    }
    return orr_run_outputs_check_npus(outputs, jobs->servers);
}

/* ---- several runs ---- */

static int report_comparison(const struct arguments *arguments,
                             const struct orr_jobs_comparison *comparison)
{
    const bool wait = orr_jobs_wait(&comparison->variant[0].jobs);
    const struct orr_run_writers writers = {
        .json = wait ? orr_queue_compare_json : orr_jobs_compare_json,
        .csv = wait ? orr_queue_compare_csv : orr_jobs_compare_csv,
        .context = comparison};
    bool quiet = false;
    int status = orr_run_outputs_write(
        &arguments->outputs, wait ? NULL : comparison->variant[0].run.handle[0], &writers, &quiet);
    if (status == 0 && !quiet) {
        status = (wait ? orr_queue_compare_table : orr_jobs_compare_table)(stdout, comparison);
    }
    return status == 0 && fflush(stdout) != 0 ? 1 : status;
}

static int run_comparison(const struct arguments *arguments, struct orr_arena *arena)
{
    const struct orr_job_variants variants = {.file = arguments->file,
                                              .set = arguments->set,
                                              .sets = arguments->sets,
                                              .comparison = arguments->comparison,
                                              .comparisons = arguments->comparisons};
    const struct orr_jobs_options how = {.run = run_one, .context = arguments};
    struct orr_jobs_comparison comparison;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    const enum orr_status status = orr_job_variants_run(arena, &variants, &how, &comparison, &diag);
    const int result =
        status == ORR_OK ? report_comparison(arguments, &comparison) : orr_print_diag(&diag);
    orr_job_variants_free(&comparison);
    return result;
}

/* ---- a file of jobs ---- */

static int run_file(const struct arguments *arguments, struct orr_arena *arena)
{
    struct orr_jobs jobs;
    struct orr_jobs_run run = {.handle = NULL};
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    enum orr_status status =
        orr_jobs_read(arena, arguments->file, arguments->set, arguments->sets, &jobs, &diag);
    if (status == ORR_OK) {
        status = orr_jobs_place(&jobs, &diag);
    }
    if (status == ORR_OK && orr_jobs_wait(&jobs)) {
        return orr_run_queue(&arguments->outputs, &jobs, arguments->alone, &diag);
    }
    const int refused = status == ORR_OK ? check_outputs(&arguments->outputs, &jobs) : 0;
    if (refused != 0) {
        return refused;
    }
    struct orr_jobs_report results = {.run = &run};
    if (status == ORR_OK) {
        status = run_all(arguments, &jobs, &run, &results, &diag);
    }
    const int result = status == ORR_OK ? report(arguments, &results) : orr_print_diag(&diag);
    orr_jobs_run_free(&run);
    return result;
}

int orr_run_jobs(int argc, char **argv)
{
    struct arguments arguments = {.sets = 0};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    int status = parse(&arguments, argc, argv);
    if (status != 0) {
        return status;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_print_message("orrery run: out of memory\n");
        return 1;
    }
    status =
        arguments.comparisons > 0 ? run_comparison(&arguments, arena) : run_file(&arguments, arena);
    orr_arena_destroy(arena);
    return status;
}
