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

enum run_option {
    OPT_FORMAT = 256,
    OPT_FOLD,
    OPT_EXPLAIN_FOLD,
    OPT_EXPLAIN,
    OPT_LIST_INPUTS,
    OPT_UNCERTAINTY
};

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"format", required_argument, NULL, OPT_FORMAT},
                                        {"fold", required_argument, NULL, OPT_FOLD},
                                        {"explain-fold", no_argument, NULL, OPT_EXPLAIN_FOLD},
                                        {"explain", optional_argument, NULL, OPT_EXPLAIN},
                                        {"list-inputs", no_argument, NULL, OPT_LIST_INPUTS},
                                        {"uncertainty", no_argument, NULL, OPT_UNCERTAINTY},
                                        ORR_RUN_OUTPUT_OPTIONS,
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery run PLATFORM.yml [WORKLOAD.yml] [options]\n"
    "       orrery run --workload-configuration PREFIX --system-configuration FILE\n"
    "                  --network-configuration FILE [options]\n"
    "       orrery run [PLATFORM.yml] --taskgraph FILE [options]\n"
    "       orrery run --cluster FILE [options]\n"
    "\n"
    "Simulates a training job and prints where each NPU's time went.\n"
    "\n" ORR_JOB_HELP;

static const char help_of_others[] = ORR_TASKGRAPH_HELP ORR_JOBS_HELP;

static const char more_help[] =
    "Running:\n"
    "  --fold off|auto                    auto (default): symmetric NPUs are simulated once; the\n"
    "                                     results are the same\n"
    "  --explain-fold                     print which NPUs are folded, and why others are not,\n"
    "                                     and stop\n"
    "  --progress auto|always|never       progress line on stderr; auto (default): on a\n"
    "                                     terminal, after a second\n"
    "\n"
    "Output:\n"
    "  --list-inputs                      list the platforms and workloads that ship, and stop\n"
    "  --explain[=all]                    print the job as one file, with the origin of each\n"
    "                                     value, and stop; all: a line for every key, with\n"
    "                                     defaults and keys that do not apply\n"
    "  --format table|astra               a table (default), or the output format of ASTRA-sim\n"
    "  --json FILE|-                      results as JSON, instead of the table when FILE is -\n"
    "  --details                          with --json: also the contents of a page: timeline,\n"
    "                                     links, traffic, memory, drawing of the network,\n"
    "                                     what-if changes\n"
    "  --report FILE                      a page with all of these (HTML, one file); runs the\n"
    "                                     job again for each what-if change\n"
    "  --csv FILE|-                       a line for each NPU\n"
    "  --why                              the critical path: what the job's time is spent on\n"
    "  --uncertainty                      80 % interval of the job's time, from the fit of the\n"
    "                                     platform's compute (compute.fitted)\n"
    "  --timeline FILE                    a timeline for Perfetto; compressed for FILE.gz\n"
    "  --timeline-ranks all|classes|LIST  the NPUs in it: all, one of each class (default), or\n"
    "                                     ranks such as 0-3,8\n"
    "  --memory-timeline FILE|-           CSV: bytes of live tensors in each memory over time\n"
    "  --link-stats FILE|-                bytes and utilization of every link of a graph, as CSV\n"
    "  --traffic-matrix FILE|-            bytes between any two NPUs as CSV; FILE.svg: a picture\n"
    "  --per-npu                          one row for each NPU instead of each class\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

struct arguments {
    struct orr_job_inputs job;
    struct orr_run_outputs outputs;
    bool astra_format, explain, explain_all, explain_fold, list_inputs, fold, uncertainty;
};

static int apply(void *context, int option, const char *value)
{
    static const char *const formats[2] = {"table", "astra"}, *const folds[2] = {"off", "auto"};
    struct arguments *arguments = context;
    switch (option) {
    case OPT_FORMAT:
        return orr_parse_word("run", "format", value, formats, &arguments->astra_format);
    case OPT_FOLD:
        return orr_parse_word("run", "fold", value, folds, &arguments->fold);
    case OPT_EXPLAIN_FOLD:
        arguments->explain_fold = true;
        break;
    case OPT_EXPLAIN:
        arguments->explain = true;
        arguments->explain_all = value != NULL;
        return value == NULL || strcmp(value, "all") == 0
                   ? 0
                   : orr_usage_error("run", "--explain: expected nothing or =all, got =", value);
    case OPT_LIST_INPUTS:
        arguments->list_inputs = true;
        break;
    case OPT_UNCERTAINTY:
        arguments->uncertainty = true;
        break;
    default:
        return orr_run_output_apply(&arguments->outputs, option, value);
    }
    return 0;
}

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    const struct orr_command_options own = {.context = arguments, .apply = apply};
    int status = orr_job_parse(&arguments->job, argc, argv, options, &own);
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

/* Rejects options of the other two kinds of run, with the option that they need; 0, or the exit
 * status. */
static int reject_others(int argc, char **argv, const struct option *mine, const char *with)
{
    const struct option *const kinds[] = {orr_run_taskgraph_options, orr_run_jobs_options, options};
    const char *const reasons[] = {"goes with --taskgraph FILE", "goes with --cluster FILE", with};
    int status = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && status == 0; k++) {
        status = orr_reject_other_mode("run", argc, argv, mine, kinds[k], reasons[k]);
    }
    return status;
}

static int run_command(int argc, char **argv)
{
    const bool cluster =
        orr_has_option("cluster", argc, argv) || orr_has_option("jobs", argc, argv);
    const bool taskgraph = !cluster && orr_has_option("taskgraph", argc, argv);
    const int other =
        reject_others(argc, argv,
                      cluster     ? orr_run_jobs_options
                      : taskgraph ? orr_run_taskgraph_options
                                  : options,
                      cluster ? "does not go with --cluster" : "does not go with --taskgraph");
    if (other != 0 || cluster || taskgraph) {
        return other != 0 ? other
               : cluster  ? orr_run_jobs(argc, argv)
                          : orr_run_taskgraph(argc, argv);
    }
    struct arguments arguments = {.job = {.command = "run"}, .fold = true};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    const int status = parse_arguments(argc, argv, &arguments);
    if (status != 0) {
        if (status < 0) {
            (void)fputs(help, stdout);
            (void)fputs(help_of_others, stdout);
            (void)fputs(more_help, stdout);
        }
        return status < 0 ? 0 : status;
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
    "run", "simulate a workload on a platform and report the time", run_command};
