/* orrery whatif: sensitivity of a job to single changes, ranked by the time that they save. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/layout_hints.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/diag.h"
#include "report/table_text.h"
#include "study/parallel.h"
#include "study/whatif.h"
#include "study/whatif_report.h"

struct command {
    struct orr_job_inputs job;
    struct orr_whatif whatif;
    struct orr_texts given;
    const char *json, *csv, *report;
    char line[ORR_COMMAND_LINE_BYTES];
};

/* ---- arguments ---- */

static int parse_factor(void *context, const char *text)
{
    struct command *command = context;
    char *end = NULL;
    command->whatif.factor = strtod(text, &end);
    return end != text && *end == '\0' && command->whatif.factor > 0 &&
                   isfinite(command->whatif.factor)
               ? 0
               : orr_reject_value("whatif", "factor", "a number above 0", text, "");
}

static const struct orr_option rows[] = {
    ORR_ROWS(orr_job_rows, struct command, job, 0),
    ORR_ROW_TASKGRAPH(struct command, job),
    ORR_HEAD("Changes:"),
    {"factor", "X", ORR_VALUE, "factor of the changes (default 2)", ORR_CALL(parse_factor)},
    {"change", "PATH=VALUE", ORR_VALUE | ORR_REPEATED,
     "an additional change, of Orrery files, as for --set; may be given several times",
     ORR_LIST(struct command, given)},
    ORR_ROW_JOBS(struct command, whatif.threads, "runs"),
    ORR_HEAD("Output:"),
    ORR_ROW_JSON(struct command, json, "the ranking", 0),
    ORR_ROW_CSV(struct command, csv, "a line for each change"),
    ORR_ROW_REPORT(struct command, report, "it"),
    ORR_ROWS_END};

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
    whatif->given = command->given.text;
    whatif->givens = (unsigned)command->given.count;
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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct command *command = orr_heap_calloc(1, sizeof *command);
    if (command == NULL) {
        orr_print_message("orrery whatif: out of memory\n");
        return 1;
    }
    command->job.command = "whatif";
    (void)orr_command_line("orrery", argc, argv, command->line);
    command->whatif.factor = 2;
    int status = orr_parse_options(call, &argc, argv, command);
    if (status == 0) {
        status = command->given.count > ORR_WHATIF_MAX_GIVEN
                     ? orr_usage_error("whatif", "too many --change options", NULL)
                     : orr_job_check(&command->job, argc, argv,
                                     command->given.count != 0
                                         ? "--change needs Orrery files (PLATFORM.yml)"
                                         : NULL);
        status = status == 0 ? run(command) : status;
    }
    orr_whatif_fini(&command->whatif);
    orr_heap_free(command);
    return status;
}

const struct orr_command orr_command_whatif = {
    .name = "whatif",
    .summary = "run a job with one thing changed at a time, and rank the changes",
    .about =
        "Runs the job unchanged, and again for each change: twice the bandwidth of each dimension, "
        "no latency, twice the compute, a CPU twice as fast, infinitely fast memory. Ranks them by "
        "the time that they save, and reports the exposed communication and waiting of an NPU that "
        "remain.",
    .forms = ORR_JOB_FORM "\n" ORR_TASKGRAPH_FORM "\n" ORR_ASTRA_FORM,
    .rows = rows,
    .simulates = true,
    .run = run_command};
