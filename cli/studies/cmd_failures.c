/* orrery failures: cost of link failures, by runs without one link at a time. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/job_options.h"
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
#include "study/parallel.h"

struct command {
    struct orr_job_inputs job;
    struct orr_failures failures;
    struct orr_texts link;
    double restart_s; /* < 0: not given */
    const char *json, *csv, *report;
    enum orr_progress when;
    bool shown;     /* a progress line stands on the terminal */
    double shown_s; /* when, by the monotonic clock */
    char line[ORR_COMMAND_LINE_BYTES];
};

/* ---- arguments ---- */

static int add_recovery(void *context, const char *text)
{
    struct command *command = context;
    for (unsigned i = 0; i < ORR_FAILURES_RECOVERIES; i++) {
        if (strcmp(text, orr_net_ring_recoveries[i]) == 0) {
            command->failures.recovers[i] = true;
            return 0;
        }
    }
    return orr_reject_value("failures", "recovery", "path, detour or share", text, "");
}

static int parse_sample(void *context, const char *text)
{
    int64_t number = 0;
    if (!orr_parse_integer(text, &number) || number < 1 || number > 1 << 24) {
        return orr_reject_value("failures", "sample", "a whole number from 1 on", text, "");
    }
    ((struct command *)context)->failures.sample = (uint32_t)number;
    return 0;
}

static int parse_links(void *context, const char *text)
{
    struct command *command = context;
    int64_t number = 0;
    if (!orr_parse_integer(text, &number) || number < 1 || number > ORR_FAILURES_MAX_TOGETHER) {
        return orr_reject_value("failures", "links", "1 to 8 links at once", text, "");
    }
    command->failures.together = (unsigned)number;
    return 0;
}

static const struct orr_option rows[] = {
    ORR_ROWS(orr_job_files, struct command, job, 0),
    ORR_ROWS(orr_job_platform, struct command, job, 0),
    ORR_ROWS(orr_job_workload, struct command, job, 0),
    ORR_ROWS(orr_platform_rows, struct command, job.network, ORR_HIDDEN),
    ORR_ROWS(orr_job_astra_files, struct command, job, ORR_HIDDEN),
    ORR_ROW_TASKGRAPH(struct command, job),
    ORR_HEAD("Failures:"),
    {"link", "A-B", ORR_VALUE | ORR_REPEATED,
     "this link, by the names or numbers of its ends; may be given several times (default: every "
     "link)",
     ORR_LIST(struct command, link)},
    {"sample", "N", ORR_VALUE, "N links, at least one of each class", ORR_CALL(parse_sample)},
    {"seed", "S", ORR_VALUE, "seed of the sample (default 1)",
     ORR_NUMBER(struct command, failures.seed, 0, INT64_MAX)},
    {"links", "K", ORR_VALUE, "K links at once, of a sample (default 1)", ORR_CALL(parse_links)},
    {"recovery", "path|detour|share", ORR_CHOICE | ORR_REPEATED,
     "only this recovery; may be given several times (default: all)", ORR_CALL(add_recovery)},
    ORR_HEAD("Time lost:"),
    {"mtbf", "TIME", ORR_VALUE, "mean time between failures of one link: 300000 h, 30 y",
     ORR_SPAN(struct command, failures.mtbf_s, 0, 0)},
    {"repair-time", "TIME", ORR_VALUE, "until a link is replaced: 5 min, 4 h, 10 ms",
     ORR_SPAN(struct command, failures.repair_s, 0, 0)},
    {"restart-time", "TIME", ORR_VALUE, "of a job that was disconnected (default 0 s)",
     ORR_SPAN(struct command, restart_s, 0, 1)},
    ORR_HEAD("Running and output:"),
    ORR_ROW_JOBS(struct command, failures.threads, "runs"),
    ORR_ROW_JSON(struct command, json, "the results", 0),
    ORR_ROW_REPORT(struct command, report, "them"),
    ORR_ROW_CSV(struct command, csv, "a line for each failure"),
    ORR_ROW_PROGRESS(struct command, when),
    ORR_ROWS_END};

/* Checks options that need or exclude each other. */
static int check(const struct command *command)
{
    const struct orr_failures *failures = &command->failures;
    const char *wrong = NULL;
    if (command->link.count > ORR_FAILURES_MAX_GIVEN) {
        wrong = "too many --link options";
    } else if (command->link.count != 0 && failures->sample != 0) {
        wrong = "expected --link or --sample, got both";
    } else if (failures->together > 1 && failures->sample == 0) {
        wrong = "--links goes with --sample";
    } else if ((failures->mtbf_s > 0) != (failures->repair_s > 0)) {
        wrong = "--mtbf and --repair-time go together";
    } else if (command->restart_s >= 0 && !(failures->mtbf_s > 0)) {
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
        (void)orr_keep_outputs();
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
    failures->restart_s = command->restart_s >= 0 ? command->restart_s : 0;
    failures->link = command->link.text;
    failures->links = (unsigned)command->link.count;
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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_print_message("orrery failures: out of memory\n");
        return 1;
    }
    command->job.command = "failures";
    (void)orr_command_line("orrery", argc, argv, command->line);
    command->failures.seed = 1;
    command->restart_s = -1;
    int status = orr_parse_options(call, &argc, argv, command);
    if (status == 0) {
        status =
            orr_job_check(&command->job, argc, argv, "failures needs Orrery files (PLATFORM.yml)");
        status = status == 0 ? check(command) : status;
        status = status == 0 ? run(command) : status;
    }
    orr_failures_fini(&command->failures);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_failures = {
    .name = "failures",
    .summary = "run a job without each link, and report the cost of its failure",
    .about =
        "Runs the job unchanged, and again without each link of the network's graph: for each "
        "recovery of all-reduce rings, and with a spare port in place of the link. Reports the "
        "slowdown by link and by class of links, links whose failure disconnects NPUs, and "
        "with --mtbf the time lost in 30 days.",
    .forms = ORR_JOB_FORM "\n" ORR_TASKGRAPH_FORM,
    .rows = rows,
    .notes =
        "Interrupted (Ctrl-C, SIGTERM), or after a run that fails, the results are those of the "
        "failures that were run.",
    .simulates = true,
    .run = run_command};
