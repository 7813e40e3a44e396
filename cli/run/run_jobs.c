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

enum { MAX_COMPARED = 32 };

struct arguments {
    const char *file;
    struct orr_texts set, comparison;
    bool alone;
    struct orr_run_outputs outputs;
};

static int set_former(void *context, const char *value)
{
    struct arguments *arguments = context;
    orr_print_message("orrery run: warning: --jobs is called --cluster now\n");
    arguments->file = value;
    return 0;
}

static const struct orr_option rows[] = {
    ORR_HEAD("Several jobs on one cluster (docs/how-to/shared-cluster.md):"),
    {"cluster", "FILE", ORR_INPUT,
     "run the jobs of this file (task graphs, traces, models) concurrently; with --set and the "
     "output options of any run (--csv: a line for each iteration)",
     ORR_TEXT(struct arguments, file)},
    {"jobs", "FILE", ORR_INPUT | ORR_HIDDEN, NULL, ORR_CALL(set_former)},
    {"alone", NULL, ORR_FLAG, "also run each of them alone, and report the slowdown",
     ORR_TRUE(struct arguments, alone)},
    {"compare", "[NAME:]PATH=VALUE[,...]", ORR_VALUE | ORR_REPEATED,
     "run the jobs again with these values and print both results; may be given several times",
     ORR_LIST(struct arguments, comparison)},
    ORR_ROW_SET(struct arguments, set, ""),
    ORR_ROWS(orr_run_output_rows, struct arguments, outputs, 0),
    ORR_ROWS_END};

const struct orr_command orr_run_jobs_mode = {.name = "run",
                                              .forms = "--cluster [options]",
                                              .rows = rows,
                                              .extra = "--cluster goes without a platform, got ",
                                              .with = "goes with --cluster FILE",
                                              .without = "does not go with --cluster"};

/* Rejects outputs of a single run for several runs. */
static int check(const struct arguments *arguments)
{
    const struct orr_run_outputs *outputs = &arguments->outputs;
    const bool of_one = arguments->alone || orr_run_outputs_need_nodes(outputs) ||
                        outputs->link_stats != NULL || outputs->traffic != NULL;
    return arguments->comparison.count > 0 && of_one
               ? orr_usage_error(
                     "run", "--compare goes with --set, --json, --csv, --report and --progress; ",
                     "the other options are of one run")
               : orr_run_outputs_check(outputs);
}

static int parse(const struct orr_call *call, struct arguments *arguments, int argc, char **argv)
{
    const int status = orr_parse_options(call, &argc, argv, arguments);
    if (status != 0) {
        return status;
    }
    if (arguments->comparison.count > MAX_COMPARED) {
        return orr_usage_error("run", "too many --compare", NULL);
    }
    return check(arguments);
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
                                              .set = arguments->set.text,
                                              .sets = arguments->set.count,
                                              .comparison = arguments->comparison.text,
                                              .comparisons = arguments->comparison.count};
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
    enum orr_status status = orr_jobs_read(arena, arguments->file, arguments->set.text,
                                           arguments->set.count, &jobs, &diag);
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

int orr_run_jobs(const struct orr_command *root, int argc, char **argv)
{
    struct arguments arguments = {.file = NULL};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    int status = parse(&(struct orr_call){&orr_run_jobs_mode, root}, &arguments, argc, argv);
    if (status != 0) {
        return status;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_print_message("orrery run: out of memory\n");
        return 1;
    }
    status = arguments.comparison.count > 0 ? run_comparison(&arguments, arena)
                                            : run_file(&arguments, arena);
    orr_arena_destroy(arena);
    return status;
}
