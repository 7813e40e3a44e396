/* orrery whatif: sensitivity of a job to single changes, ranked by the time that they save. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/jobs_option.h"
#include "cli/layout_hints.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/diag.h"
#include "report/table_text.h"
#include "study/whatif.h"
#include "study/whatif_report.h"

enum { OPT_FACTOR = 256, OPT_CHANGE, OPT_JOBS, OPT_JSON, OPT_CSV, OPT_TASKGRAPH, OPT_REPORT };

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"taskgraph", required_argument, NULL, OPT_TASKGRAPH},
                                        {"factor", required_argument, NULL, OPT_FACTOR},
                                        {"change", required_argument, NULL, OPT_CHANGE},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"json", required_argument, NULL, OPT_JSON},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery whatif PLATFORM.yml [WORKLOAD.yml] [options]\n"
    "       orrery whatif [PLATFORM.yml] --taskgraph FILE [options]\n"
    "       orrery whatif --workload-configuration PREFIX --system-configuration FILE\n"
    "                     --network-configuration FILE [options]\n"
    "\n"
    "Runs the job unchanged, and again for each change: twice the bandwidth of each dimension, no\n"
    "latency, twice the compute, a CPU twice as fast, infinitely fast memory. Ranks them by the "
    "time\n"
    "that they save, and reports the exposed communication and waiting of an NPU that remain.\n"
    "\n" ORR_JOB_HELP
    "  --taskgraph FILE                   a FlexFlow task graph instead of a workload, on the\n"
    "                                     platform or on its own network; with --set\n"
    "                                     workload.all_reduce=NAME, network.graph.fabric=NAME, "
    "...\n"
    "\n"
    "Changes:\n"
    "  --factor X                         factor of the changes (default 2)\n"
    "  --change PATH=VALUE                an additional change, of Orrery files, as for --set;\n"
    "                                     may be given several times\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "\n"
    "Output:\n"
    "  --json FILE|-                      the ranking as JSON, instead of the table when FILE is "
    "-\n"
    "  --csv FILE|-                       a line for each change\n"
    "  --report FILE                      a page of it (HTML, one file)\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

struct command {
    struct orr_job_inputs job;
    struct orr_whatif whatif;
    const char *given[ORR_WHATIF_MAX_GIVEN];
    const char *json, *csv, *report;
    char line[ORR_COMMAND_LINE_BYTES];
};

/* ---- arguments ---- */

static int parse_factor(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out > 0) || !isfinite(*out)) {
        orr_print_message("orrery whatif: --factor: expected a number above 0, got \"%s\"\n", text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int apply(void *context, int option, const char *value)
{
    struct command *command = context;
    switch (option) {
    case OPT_FACTOR:
        return parse_factor(value, &command->whatif.factor);
    case OPT_JOBS:
        return orr_parse_jobs("whatif", value, &command->whatif.threads);
    case OPT_TASKGRAPH:
        command->job.taskgraph = value;
        return 0;
    case OPT_JSON:
        command->json = value;
        return 0;
    case OPT_CSV:
        command->csv = value;
        return 0;
    case OPT_REPORT:
        command->report = value;
        return orr_check_page("whatif", "report", value);
    default:
        if (command->whatif.givens == ORR_WHATIF_MAX_GIVEN) {
            return orr_usage_error("whatif", "too many --change options", NULL);
        }
        command->given[command->whatif.givens++] = value;
        return 0;
    }
}

/* ---- running ---- */

static int report(const struct command *command)
{
    const struct orr_output outputs[] = {{command->json, orr_whatif_json},
                                         {command->csv, orr_whatif_csv}};
    bool quiet = false;
    for (unsigned i = 0; i < 2; i++) {
        const int result = orr_write_output(&outputs[i], &command->whatif, &quiet);
        if (result != 0) {
            return result;
        }
    }
    const struct orr_page_part part = {
        .json = orr_whatif_json, .context = &command->whatif, .file = command->job.own.platform};
    const int result = orr_write_page(command->report, command->line, &part, 1, &quiet);
    if (result == 0 && !quiet) {
        orr_whatif_table(stdout, &command->whatif);
    }
    return result;
}

static int run(struct command *command)
{
    struct orr_whatif *whatif = &command->whatif;
    struct orr_diag diag;
    orr_diag_init(&diag);
    whatif->own = &command->job.own;
    whatif->astra_sim = command->job.astra.network != NULL ? &command->job.astra : NULL;
    whatif->given = command->given;
    whatif->warn = orr_print_warning;
    if (orr_whatif_run(whatif, &diag) == ORR_OK) {
        return report(command);
    }
    const int result = orr_print_diag(&diag);
    if (whatif->failed != NULL) {
        orr_print_layout_hints(whatif->failed);
    }
    return result;
}

static int run_command(int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_print_message("orrery whatif: out of memory\n");
        return 1;
    }
    command->job.command = "whatif";
    (void)orr_command_line("orrery", argc, argv, command->line);
    command->whatif.factor = 2;
    const struct orr_command_options own = {.context = command, .apply = apply};
    int status = orr_job_parse(&command->job, argc, argv, options, &own);
    if (status == 0) {
        status = orr_job_check(
            &command->job, argc, argv,
            command->whatif.givens != 0 ? "--change needs Orrery files (PLATFORM.yml)" : NULL);
        status = status == 0 ? run(command) : status;
    } else if (status < 0) {
        (void)fputs(help, stdout);
        status = 0;
    }
    orr_whatif_fini(&command->whatif);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_whatif = {
    "whatif", "run a job with one thing changed at a time, and rank the changes", run_command};
