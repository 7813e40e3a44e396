/* orrery run: simulate a job and print where its time went. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/layout_hints.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/run/run_jobs.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_taskgraph.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "report/run_report.h"

struct arguments {
    struct orr_job_inputs job;
    struct orr_run_outputs outputs;
    bool astra_format, explain, explain_all, explain_fold, list_inputs, fold, uncertainty;
};

static int set_explain(void *context, const char *value)
{
    struct arguments *arguments = context;
    arguments->explain = true;
    arguments->explain_all = value != NULL;
    return value == NULL || strcmp(value, "all") == 0
               ? 0
               : orr_usage_error("run", "--explain: expected nothing or =all, got =", value);
}

static const struct orr_option rows[] = {
    ORR_ROWS(orr_job_rows, struct arguments, job, 0),
    ORR_HEAD("Running:"),
    {"fold", "off|auto", ORR_CHOICE,
     "auto (default): symmetric NPUs are simulated once; the results are the same",
     ORR_WORD(struct arguments, fold)},
    {"explain-fold", NULL, ORR_FLAG,
     "print which NPUs are folded, and why others are not, and stop",
     ORR_TRUE(struct arguments, explain_fold)},
    {"list-inputs", NULL, ORR_FLAG, "list the platforms and workloads that ship, and stop",
     ORR_TRUE(struct arguments, list_inputs)},
    {"explain", "all", ORR_CHOICE | ORR_OPTIONAL_VALUE,
     "print the job as one file, with the origin of each value, and stop; all: a line for every "
     "key, with defaults and keys that do not apply",
     ORR_CALL(set_explain)},
    ORR_HEAD("Output:"),
    {"format", "table|astra", ORR_CHOICE, "a table (default), or the output format of ASTRA-sim",
     ORR_WORD(struct arguments, astra_format)},
    {"uncertainty", NULL, ORR_FLAG,
     "80 % interval of the job's time, from the fit of the platform's compute (compute.fitted)",
     ORR_TRUE(struct arguments, uncertainty)},
    ORR_ROWS(orr_run_output_rows, struct arguments, outputs, 0),
    ORR_ROWS_END};

static int parse_arguments(const struct orr_call *call, int argc, char **argv,
                           struct arguments *arguments)
{
    int status = orr_parse_options(call, &argc, argv, arguments);
    if (status == 0) {
        status = orr_run_outputs_check(&arguments->outputs);
    }
    const char *native_only = arguments->explain ? "--explain needs Orrery files (PLATFORM.yml)"
                              : arguments->uncertainty
                                  ? "--uncertainty needs Orrery files (PLATFORM.yml), which can "
                                    "have compute.fitted"
                                  : NULL;
    return status != 0 || arguments->list_inputs
               ? status
               : orr_job_check(&arguments->job, argc, argv, native_only);
}

/* Writes "PLATFORM, WORKLOAD" to `text`. */
static const char *page_name(const struct orr_job_inputs *job, char *text)
{
    char platform[ORR_PAGE_NAME_BYTES] = "", workload[ORR_PAGE_NAME_BYTES] = "";
    const bool astra = job->astra.network != NULL;
    const char *of = astra ? job->astra.network : job->own.platform;
    const char *runs = astra ? job->astra.workload : job->own.workload;
    if (of == NULL && runs == NULL) {
        return NULL;
    }
    (void)snprintf(
        text, 2 * ORR_PAGE_NAME_BYTES + 2, "%s%s%s", of != NULL ? orr_page_name(of, platform) : "",
        of != NULL && runs != NULL ? ", " : "", runs != NULL ? orr_page_name(runs, workload) : "");
    return text;
}

static int report(const struct arguments *arguments, struct orrery *job)
{
    const bool own = arguments->job.astra.network == NULL;
    char name[2 * ORR_PAGE_NAME_BYTES + 2];
    const struct orr_run_writers writers = {
        .page = {.job = job,
                 .own = own ? &arguments->job.own : NULL,
                 .astra_sim = own ? NULL : &arguments->job.astra,
                 .command = arguments->outputs.command,
                 .per_npu = arguments->outputs.per_npu},
        .name = page_name(&arguments->job, name)};
    bool quiet = false;
    const int result = orr_run_outputs_write(&arguments->outputs, job, &writers, &quiet);
    if (result != 0) {
        return result;
    }
    if (quiet) {
        return 0;
    }
    if (arguments->astra_format) {
        orr_report_astra(stdout, job);
    } else {
        orr_report_table(stdout, job, arguments->outputs.per_npu);
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_report_memory(stdout, job, &diag);
    const int shown = orr_print_diag(&diag);
    return shown == 0 && fflush(stdout) != 0 ? 1 : shown;
}

static int explain(struct orrery *job, bool all)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)(all ? orr_report_config : orr_report_job_file)(stdout, job, &diag);
    return orr_print_diag(&diag);
}

static int run(const struct arguments *arguments, struct orrery *job)
{
    orrery_on_warning(job, orr_print_warning, NULL);
    orrery_record(job, orr_run_outputs_record(&arguments->outputs) |
                           (arguments->astra_format ? (unsigned)ORRERY_RECORD_NODES : 0) |
                           (arguments->uncertainty ? (unsigned)ORRERY_RECORD_UNCERTAINTY : 0));
    orrery_fold(job, arguments->fold);
    orrery_check_capacity(job, !arguments->explain && !arguments->explain_fold);
    enum orrery_status status = orr_job_load(job, &arguments->job);
    if (status == ORRERY_OK && arguments->explain_fold) {
        orr_report_fold(stdout, job);
        return 0;
    }
    if (status == ORRERY_OK && arguments->explain) {
        return explain(job, arguments->explain_all);
    }
    if (status == ORRERY_OK) {
        const int refused = orr_run_outputs_check_npus(&arguments->outputs, orrery_npus(job));
        if (refused != 0) {
            return refused;
        }
        status = orr_run_with_progress(job, arguments->outputs.progress);
    }
    if (status == ORRERY_OK) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        status = (enum orrery_status)orr_prepare_report(job, &diag);
    }
    if (status != ORRERY_OK) {
        orr_print_message("%s\n", orrery_error(job));
        orr_print_layout_hints(job);
        return orr_exit_status(status);
    }
    return report(arguments, job);
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    const bool cluster =
        orr_has_option("cluster", argc, argv) || orr_has_option("jobs", argc, argv);
    const bool taskgraph = !cluster && orr_has_option("taskgraph", argc, argv);
    if (cluster || taskgraph) {
        return cluster ? orr_run_jobs(call->root, argc, argv)
                       : orr_run_taskgraph(call->root, argc, argv);
    }
    struct arguments arguments = {.job = {.command = "run"}, .fold = true};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    const int status = parse_arguments(call, argc, argv, &arguments);
    if (status != 0) {
        return status;
    }
    if (arguments.list_inputs) {
        return orr_list_inputs(stdout);
    }
    struct orrery *job = orrery_new();
    if (job == NULL) {
        orr_print_message("orrery run: out of memory\n");
        return 1;
    }
    const int result = run(&arguments, job);
    orrery_free(job);
    return result;
}

const struct orr_command orr_command_run = {
    .name = "run",
    .summary = "simulate a workload on a platform and report the time",
    .about = "Simulates a training job and prints where each NPU's time went.",
    .forms = ORR_JOB_FORM "\n" ORR_ASTRA_FORM,
    .rows = rows,
    .modes = (const struct orr_command *const[]){&orr_run_taskgraph_mode, &orr_run_jobs_mode, NULL},
    .simulates = true,
    .run = run_command};
