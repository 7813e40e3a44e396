/* orrery failures: cost of link failures, by runs without one link at a time. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/jobs_option.h"
#include "cli/layout_hints.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/table_text.h"
#include "study/failures/failures.h"
#include "study/failures/failures_report.h"

enum {
    OPT_TASKGRAPH = 256,
    OPT_LINK,
    OPT_SAMPLE,
    OPT_SEED,
    OPT_LINKS,
    OPT_RECOVERY,
    OPT_MTBF,
    OPT_REPAIR,
    OPT_RESTART,
    OPT_JOBS,
    OPT_JSON,
    OPT_CSV,
    OPT_REPORT,
    OPT_PROGRESS
};

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"taskgraph", required_argument, NULL, OPT_TASKGRAPH},
                                        {"link", required_argument, NULL, OPT_LINK},
                                        {"sample", required_argument, NULL, OPT_SAMPLE},
                                        {"seed", required_argument, NULL, OPT_SEED},
                                        {"links", required_argument, NULL, OPT_LINKS},
                                        {"recovery", required_argument, NULL, OPT_RECOVERY},
                                        {"mtbf", required_argument, NULL, OPT_MTBF},
                                        {"repair-time", required_argument, NULL, OPT_REPAIR},
                                        {"restart-time", required_argument, NULL, OPT_RESTART},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"json", required_argument, NULL, OPT_JSON},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"progress", required_argument, NULL, OPT_PROGRESS},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery failures PLATFORM.yml [WORKLOAD.yml] [options]\n"
    "       orrery failures [PLATFORM.yml] --taskgraph FILE [options]\n"
    "\n"
    "Runs the job unchanged, and again without each link of the network's graph: for each\n"
    "recovery of all-reduce rings, and with a spare port in place of the link. Reports the\n"
    "slowdown by link and by class of links, links whose failure disconnects NPUs, and with\n"
    "--mtbf the time lost in 30 days.\n"
    "\n" ORR_OWN_HELP
    "  --taskgraph FILE                   a FlexFlow task graph instead of a workload\n"
    "\n"
    "Failures:\n"
    "  --link A-B                         this link, by the names or numbers of its ends; may be\n"
    "                                     given several times (default: every link)\n"
    "  --sample N                         N links, at least one of each class\n"
    "  --seed S                           seed of the sample (default 1)\n"
    "  --links K                          K links at once, of a sample (default 1)\n"
    "  --recovery path|detour|share       only this recovery; may be given several times\n"
    "                                     (default: all)\n"
    "\n"
    "Time lost:\n"
    "  --mtbf TIME                        mean time between failures of one link: 300000 h, 30 y\n"
    "  --repair-time TIME                 until a link is replaced: 5 min, 4 h, 10 ms\n"
    "  --restart-time TIME                of a job that was disconnected (default 0 s)\n"
    "\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "\n"
    "Output:\n"
    "  --json FILE|-                      the results as JSON, instead of tables when FILE is -\n"
    "  --report FILE                      a page of them (HTML, one file)\n"
    "  --csv FILE|-                       a line for each failure\n"
    "  --progress auto|always|never       how many runs are done, on standard error; auto\n"
    "                                     (default): on a terminal\n"
    "\n"
    "Interrupted (Ctrl-C, SIGTERM), or after a run that fails, the results are those of the\n"
    "failures that were run.\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

struct command {
    struct orr_job_inputs job;
    struct orr_failures failures;
    const char *link[ORR_FAILURES_MAX_GIVEN];
    bool has_restart;
    const char *json, *csv, *report;
    enum orr_progress when;
    bool shown;     /* a progress line stands on the terminal */
    double shown_s; /* when, by the monotonic clock */
    char line[ORR_COMMAND_LINE_BYTES];
};

/* ---- arguments ---- */

static int reject(const char *option, const char *expected, const char *value)
{
    orr_print_message("orrery failures: --%s: expected %s, got \"%s\"\n", option, expected, value);
    return ORR_EXIT_USAGE;
}

static int parse_time(const char *option, const char *text, double *out)
{
    const bool zero = option[0] == 'r' && option[2] == 's'; /* restart */
    return orr_failures_parse_span(text, zero, out)
               ? 0
               : reject(option,
                        zero ? "a time up to 1000000 y, such as \"30 s\" or \"5 min\""
                             : "a time above 0 and up to 1000000 y, such as \"5 min\", \"4 h\", "
                               "\"300000 h\" or \"30 y\"",
                        text);
}

static int parse_count(const char *option, const char *expected, const char *text, int64_t low,
                       int64_t high, int64_t *out)
{
    return orr_parse_integer(text, out) && *out >= low && *out <= high
               ? 0
               : reject(option, expected, text);
}

static int parse_recovery(struct command *command, const char *text)
{
    for (unsigned i = 0; i < ORR_FAILURES_RECOVERIES; i++) {
        if (strcmp(text, orr_net_ring_recoveries[i]) == 0) {
            command->failures.recovers[i] = true;
            return 0;
        }
    }
    return reject("recovery", "path, detour or share", text);
}

static int parse_progress(struct command *command, const char *text)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            command->when = (enum orr_progress)i;
            return 0;
        }
    }
    return reject("progress", "auto, always or never", text);
}

static int apply_choice(struct command *command, int option, const char *value)
{
    struct orr_failures *failures = &command->failures;
    int64_t number = 0;
    int status = 0;
    switch (option) {
    case OPT_LINK:
        if (failures->links == ORR_FAILURES_MAX_GIVEN) {
            return orr_usage_error("failures", "too many --link options", NULL);
        }
        command->link[failures->links++] = value;
        return 0;
    case OPT_SAMPLE:
        status = parse_count("sample", "a whole number from 1 on", value, 1, 1 << 24, &number);
        failures->sample = (uint32_t)number;
        return status;
    case OPT_SEED:
        status = parse_count("seed", "a whole number from 0 on", value, 0, INT64_MAX, &number);
        failures->seed = (uint64_t)number;
        return status;
    default:
        status = parse_count("links", "1 to 8 links at once", value, 1, ORR_FAILURES_MAX_TOGETHER,
                             &number);
        failures->together = (unsigned)number;
        return status;
    }
}

static int apply(void *context, int option, const char *value)
{
    struct command *command = context;
    switch (option) {
    case OPT_TASKGRAPH:
        command->job.taskgraph = value;
        return 0;
    case OPT_RECOVERY:
        return parse_recovery(command, value);
    case OPT_MTBF:
        return parse_time("mtbf", value, &command->failures.mtbf_s);
    case OPT_REPAIR:
        return parse_time("repair-time", value, &command->failures.repair_s);
    case OPT_RESTART:
        command->has_restart = true;
        return parse_time("restart-time", value, &command->failures.restart_s);
    case OPT_JOBS:
        return orr_parse_jobs("failures", value, &command->failures.threads);
    case OPT_JSON:
        command->json = value;
        return 0;
    case OPT_REPORT:
        command->report = value;
        return orr_check_page("failures", "report", value);
    case OPT_CSV:
        command->csv = value;
        return 0;
    case OPT_PROGRESS:
        return parse_progress(command, value);
    default:
        return apply_choice(command, option, value);
    }
}

/* Checks options that need or exclude each other. */
static int check(const struct command *command)
{
    const struct orr_failures *failures = &command->failures;
    const char *wrong = NULL;
    if (failures->links != 0 && failures->sample != 0) {
        wrong = "expected --link or --sample, got both";
    } else if (failures->together > 1 && failures->sample == 0) {
        wrong = "--links goes with --sample";
    } else if ((failures->mtbf_s > 0) != (failures->repair_s > 0)) {
        wrong = "--mtbf and --repair-time go together";
    } else if (command->has_restart && !(failures->mtbf_s > 0)) {
        wrong = "--restart-time goes with --mtbf and --repair-time";
    }
    return wrong != NULL ? orr_usage_error("failures", wrong, NULL) : 0;
}

/* ---- running ---- */

static int report(const struct command *command)
{
    const struct orr_output outputs[] = {{command->json, orr_failures_json},
                                         {command->csv, orr_failures_csv}};
    bool quiet = false;
    for (unsigned i = 0; i < 2; i++) {
        const int result = orr_write_output(&outputs[i], &command->failures, &quiet);
        if (result != 0) {
            return result;
        }
    }
    const struct orr_page_part part = {.json = orr_failures_json,
                                       .context = &command->failures,
                                       .file = command->job.own.platform};
    const int paged = orr_write_page(command->report, command->line, &part, 1, &quiet);
    if (paged == 0 && !quiet) {
        orr_failures_table(stdout, &command->failures);
    }
    return paged;
}

static double now_s(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0
               ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9
               : 0;
}

static void wipe(struct command *command)
{
    if (command->shown && orr_is_terminal()) {
        (void)fputs("\r\033[K", stderr);
    }
    command->shown = false;
}

static void show_progress(void *user, uint32_t done, uint32_t all)
{
    enum { PERIOD_MS = 250 };
    struct command *command = user;
    const double at_s = now_s();
    if (done < all && (at_s - command->shown_s) * 1e3 < PERIOD_MS) {
        return;
    }
    wipe(command);
    (void)fprintf(stderr, "%u of %u runs done%s", done, all, orr_is_terminal() ? "" : "\n");
    (void)fflush(stderr);
    command->shown = true;
    command->shown_s = at_s;
}

static volatile sig_atomic_t stopped_by;

static void stop(int signal_number)
{
    stopped_by = signal_number;
}

/* The second signal of a kind ends the command at once. */
static void listen(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* Says what is missing in the results, and ends the process by the signal that stopped it. */
static int end(const struct command *command, int status)
{
    const struct orr_failures *failures = &command->failures;
    if (failures->unfinished > 0) {
        orr_print_message("orrery failures: %s; the results are those of %u of %u failures\n",
                          stopped_by != 0 ? "stopped" : "some runs failed", failures->failures,
                          failures->failures + failures->unfinished);
    }
    if (stopped_by != 0) {
        (void)fflush(stdout);
        (void)signal(stopped_by, SIG_DFL);
        (void)raise(stopped_by);
    }
    return status;
}

static int run(struct command *command)
{
    struct orr_failures *failures = &command->failures;
    struct orr_diag diag;
    orr_diag_init(&diag);
    failures->own = &command->job.own;
    failures->link = command->link;
    failures->warn = orr_print_warning;
    failures->stop = &stopped_by;
    command->shown_s = now_s();
    if (command->when == ORR_PROGRESS_ALWAYS ||
        (command->when == ORR_PROGRESS_AUTO && orr_is_terminal())) {
        failures->progress = show_progress;
        failures->progress_user = command;
    }
    listen();
    const enum orr_status status = orr_failures_run(failures, &diag);
    wipe(command);
    const bool part = failures->healthy_ps > 0 && failures->failures > 0;
    const int reported = status == ORR_OK || part ? report(command) : 0;
    if (status == ORR_OK) {
        return end(command, reported);
    }
    const int result = orr_print_diag(&diag);
    if (failures->failed != NULL) {
        orr_print_layout_hints(failures->failed);
    }
    return end(command, result);
}

static int run_command(int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_print_message("orrery failures: out of memory\n");
        return 1;
    }
    command->job.command = "failures";
    (void)orr_command_line("orrery", argc, argv, command->line);
    command->failures.seed = 1;
    const struct orr_command_options own = {.context = command, .apply = apply};
    int status = orr_job_parse(&command->job, argc, argv, options, &own);
    if (status == 0) {
        status =
            orr_job_check(&command->job, argc, argv, "failures needs Orrery files (PLATFORM.yml)");
        status = status == 0 ? check(command) : status;
        status = status == 0 ? run(command) : status;
    } else if (status < 0) {
        (void)fputs(help, stdout);
        status = 0;
    }
    orr_failures_fini(&command->failures);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_failures = {
    "failures", "run a job without each link, and report the cost of its failure", run_command};
