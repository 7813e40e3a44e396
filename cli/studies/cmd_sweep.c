/* orrery sweep: run a job at every point of a design space. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/overwrite_guard.h"
#include "cli/page_output.h"
#include "cli/plot_output.h"
#include "cli/studies/mpi_ranks.h"
#include "cli/studies/sweep_progress_bar.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/conf/conf.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "report/table_text.h"
#include "study/parallel.h"
#include "study/ranking/sweep_json.h"
#include "study/ranking/sweep_plot.h"
#include "study/ranking/sweep_rank.h"
#include "study/ranking/sweep_report.h"
#include "study/ranking/sweep_table.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_complete.h"

struct arguments {
    const char *file, *output;
    const char *columns, *group_by, *json, *report, *plot, *x, *y;
    char line[ORR_COMMAND_LINE_BYTES];
    enum orr_sweep_goal goal;
    enum orr_progress progress;
    unsigned jobs;
    uint32_t top;
    bool restart, retry, dry_run;
};

/* ---- arguments ---- */

static int set_goal(void *context, const char *text)
{
    static const char *const goals[] = {"time", "cost", "time*cost"};
    struct arguments *arguments = context;
    for (unsigned i = 0; i < sizeof goals / sizeof *goals; i++) {
        if (strcmp(text, goals[i]) == 0) {
            arguments->goal = (enum orr_sweep_goal)(i + ORR_SWEEP_BY_TIME);
            return 0;
        }
    }
    return orr_reject_name("sweep", "best", text, goals, sizeof goals / sizeof *goals);
}

static int set_output(void *context, const char *text)
{
    ((struct arguments *)context)->output = text;
    return text[0] != '\0' ? 0
                           : orr_usage_error("sweep", "--output: expected a prefix of files", NULL);
}

static const struct orr_option rows[] = {
    {NULL, "SWEEP.yml", ORR_INPUT | ORR_POSITIONAL, "the sweep (orrery schema sweep)",
     ORR_TEXT(struct arguments, file)},
    ORR_HEAD("Running:"),
    {"jobs", "N", ORR_VALUE,
     "points at a time (default: one for each processor; under mpirun, for each that is this "
     "rank's)",
     ORR_NUMBER(struct arguments, jobs, 1, ORR_MAX_THREADS)},
    {"output", "PREFIX", ORR_PREFIX, "files of the results, in place of the sweep's `output`",
     ORR_CALL(set_output)},
    {"restart", NULL, ORR_FLAG, "discard the existing results, and start again",
     ORR_TRUE(struct arguments, restart)},
    {"retry-failed", NULL, ORR_FLAG, "run failed points again", ORR_TRUE(struct arguments, retry)},
    {"dry-run", NULL, ORR_FLAG, "list the points as CSV, and stop",
     ORR_TRUE(struct arguments, dry_run)},
    ORR_ROW_PROGRESS(struct arguments, progress),
    ORR_HEAD("Output:"),
    {"best", "time|cost|time*cost", ORR_CHOICE,
     "the best points, then the Pareto front (time, cost)", ORR_CALL(set_goal)},
    {"top", "N", ORR_VALUE, "number of best points (default 10)",
     ORR_NUMBER(struct arguments, top, 1, ORR_SWEEP_MAX_POINTS)},
    {"group-by", "KEY", ORR_VALUE,
     "the Pareto front of each group: a group for each value of an axis; replaces the sweep's "
     "`group_by`",
     ORR_TEXT(struct arguments, group_by)},
    {"columns", "NAME,...", ORR_VALUE,
     "columns of the tables: point, axes, results (time, cost, time*cost, MFU, memory, waiting, "
     "...)",
     ORR_TEXT(struct arguments, columns)},
    ORR_ROW_JSON(struct arguments, json, "all results", 0),
    ORR_ROW_REPORT(struct arguments, report, "it"),
    {"plot", "FILE.svg|.pdf", ORR_OUTPUT, "the points and Pareto fronts of groups, by gnuplot",
     ORR_TEXT(struct arguments, plot)},
    {"x", "NAME", ORR_VALUE, "axis of the plot (default cost)", ORR_TEXT(struct arguments, x)},
    {"y", "NAME", ORR_VALUE, "the other axis (default time)", ORR_TEXT(struct arguments, y)},
    ORR_ROWS_END};

static int parse_arguments(const struct orr_call *call, int argc, char **argv,
                           struct arguments *arguments)
{
    const int status = orr_parse_options(call, &argc, argv, arguments);
    if (status != 0) {
        return status;
    }
    if (arguments->plot == NULL && (arguments->x != NULL || arguments->y != NULL)) {
        return orr_usage_error("sweep", "only with --plot: ", arguments->x != NULL ? "--x" : "--y");
    }
    return orr_check_plot("sweep", arguments->plot);
}

/* ---- running ---- */

struct session {
    const struct arguments *arguments;
    struct orr_mpi_ranks mpi;
    const struct orr_sweep_ranks *ranks; /* = &mpi.ranks */
    struct orr_sweep sweep;
    struct orr_sweep_store store;
    struct orr_sweep_progress_bar meter;
    struct orr_sweep_table table;
    struct orr_sweep_plot plot;
    unsigned threads;
};

/* Prints the error, and the option that resolves it. Prints nothing if another rank has printed it.
 * Returns the exit status. */
static int print_error(const struct session *session, enum orr_status status,
                       const struct orr_diag *diag)
{
    static const char *const remedies[] = {
        [ORR_SWEEP_NO_TROUBLE] = "",
        [ORR_SWEEP_CHANGED] =
            "\n--restart discards them and starts again; --output PREFIX writes elsewhere",
        [ORR_SWEEP_UNKNOWN] = "\n--restart overwrites it; --output PREFIX writes elsewhere",
        [ORR_SWEEP_DAMAGED] = "; --restart starts again",
        [ORR_SWEEP_UNKEPT] = ""};
    const enum orr_sweep_trouble trouble = session->store.trouble;
    char text[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
    const bool placed = diag->place.kind != ORR_LOCATION_NONE || trouble == ORR_SWEEP_DAMAGED;
    if (diag->status != ORR_OK) {
        (void)orr_conf_render_error(diag, text, sizeof text);
        orr_print_message("%s%s%s\n", placed ? "" : "orrery sweep: ", text, remedies[trouble]);
    }
    return trouble == ORR_SWEEP_UNKEPT ? 1 : orr_exit_status((enum orrery_status)status);
}

static int read_sweep(struct session *session, struct orr_arena *arena)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    (void)orr_sweep_read(arena, session->arguments->file, &session->sweep, &diag);
    if (session->arguments->output != NULL) {
        session->sweep.output = session->arguments->output;
    }
    return orr_print_diag(&diag);
}

/* Rejects a --json that would overwrite the results of the points. */
static int check_json(const struct session *session)
{
    static const char *const endings[] = {".jsonl", ".csv", ".state"};
    const char *json = session->arguments->json, *output = session->sweep.output;
    const size_t length = strlen(output);
    for (size_t i = 0; json != NULL && i < sizeof endings / sizeof *endings; i++) {
        if (strncmp(json, output, length) == 0 && strcmp(json + length, endings[i]) == 0) {
            orr_print_message(
                "orrery sweep: --json: %s has the results of the points already; name another "
                "file, such as %s.json\n",
                json, output);
            return ORR_EXIT_USAGE;
        }
    }
    return 0;
}

/* Chooses columns, groups and axes of the output before any point runs: unknown names fail early.
 */
static int choose_output(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (arguments->group_by != NULL &&
        orr_sweep_group_by(&session->sweep, arguments->group_by, NULL, NULL, &diag) != ORR_OK) {
        return orr_print_option_diag("sweep", "group-by", &diag);
    }
    if (arguments->columns == NULL) {
        orr_sweep_default_columns(&session->sweep, arguments->goal == ORR_SWEEP_BY_BOTH,
                                  &session->table);
    } else if (orr_sweep_choose_columns(&session->sweep, arguments->columns, &session->table,
                                        &diag) != ORR_OK) {
        return orr_print_option_diag("sweep", "columns", &diag);
    }
    if (arguments->plot != NULL) {
        (void)orr_sweep_plot_choose(&session->sweep, arguments->x, arguments->y, &session->plot,
                                    &diag);
    }
    const int status = print_error(session, diag.status, &diag);
    return status == 0 ? check_json(session) : status;
}

/* Opens the existing results and prints their number. */
static int open_results(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    enum orr_status status = orr_sweep_check(&session->sweep, &diag);
    if (status == ORR_OK) {
        status = orr_sweep_store_open(&session->store, &session->sweep, arguments->restart,
                                      arguments->retry, &diag);
    }
    if (status == ORR_OK && session->store.done != 0) {
        orr_print_message("%" PRIu32 " of %" PRIu32 " points are done already\n",
                          session->store.done, session->sweep.points);
    }
    return print_error(session, status, &diag);
}

/* Prepares the sweep on rank 0; < 0: nothing more to do. */
static int prepare(struct session *session, struct orr_arena *arena)
{
    int status = read_sweep(session, arena);
    status = status == 0 ? choose_output(session) : status;
    if (status == 0 && session->arguments->dry_run) {
        orr_sweep_list(stdout, &session->sweep);
        return -1;
    }
    if (status == 0) { /* outputs that the sweep's file names */
        const struct orr_sweep *sweep = &session->sweep;
        const struct arguments *arguments = session->arguments;
        const struct orr_given named[] = {
            {ORR_INPUT, NULL, sweep->file},
            {ORR_PREFIX, NULL, sweep->output},
            {ORR_OUTPUT, NULL, arguments->json != NULL ? arguments->json : "-"},
            {ORR_OUTPUT, NULL, arguments->report != NULL ? arguments->report : "-"},
            {ORR_OUTPUT, NULL, arguments->plot != NULL ? arguments->plot : "-"}};
        status = orr_check_overwrite("sweep", named, sizeof named / sizeof *named);
    }
    return status == 0 ? open_results(session) : status;
}

static int plot(struct session *session)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (session->arguments->plot == NULL) {
        return 0;
    }
    const enum orr_status status = orr_sweep_plot_read(&session->plot, &session->store, &diag);
    const struct orr_output picture = {session->arguments->plot, orr_sweep_plot_svg};
    bool quiet = false;
    const int result = status != ORR_OK ? orr_print_option_diag("sweep", "plot", &diag)
                                        : orr_write_output(&picture, &session->plot, &quiet);
    orr_sweep_plot_fini(&session->plot);
    return result;
}

/* Writes document, page, tables and plot. */
static int write_outputs(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    const struct orr_output json = {arguments->json, orr_sweep_write_document};
    const bool ranked = arguments->goal == ORR_SWEEP_NO_GOAL && session->sweep.rank_by.expr != NULL;
    const struct orr_sweep_view view = {ranked ? ORR_SWEEP_BY_RANK : arguments->goal,
                                        arguments->top, &session->table};
    bool quiet = false;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_page_part part = {
        .json = orr_sweep_write_document, .context = &session->store, .file = session->sweep.file};
    int result = orr_write_output(&json, &session->store, &quiet);
    if (result == 0) {
        result = orr_write_page(arguments->report, arguments->line, &part, 1, &quiet);
    }
    if (result == 0 && !quiet) {
        (void)orr_sweep_report(stdout, &session->store, &view, &diag);
        result = print_error(session, diag.status, &diag);
    }
    return result == 0 ? plot(session) : result;
}

static int finish(struct session *session)
{
    struct orr_sweep_store *store = &session->store;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = orr_sweep_mark(store)
                                 ? orr_sweep_store_finish(store, &diag)
                                 : orr_diag_no_memory(&diag, "the best points of a sweep");
    if (status != ORR_OK) {
        return print_error(session, status, &diag);
    }
    if (store->failed != 0) {
        orr_print_message("%" PRIu32 " of %" PRIu32 " points failed; see %s.jsonl\n", store->failed,
                          session->sweep.points, store->prefix);
    }
    return write_outputs(session);
}

static void step(void *context, const struct orr_sweep_store *store,
                 const struct orr_sweep_result *result)
{
    orr_sweep_progress_bar_step(context, store, result);
}

/* Runs the points on rank 0, and finishes. */
static int run_first_rank(struct session *session)
{
    const struct orr_sweep_listener listener = {step, &session->meter};
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_sweep_progress_bar_begin(&session->meter, session->arguments->progress, &session->store);
    const enum orr_status status =
        orr_sweep_complete(&session->store, session->ranks, session->threads, &listener, &diag);
    orr_sweep_progress_bar_end(&session->meter, &session->store);
    return status == ORR_OK ? finish(session) : print_error(session, status, &diag);
}

/* Runs points on another rank, if it reads the same sweep as rank 0. */
static int run_other_rank(struct session *session, struct orr_arena *arena, uint64_t hash)
{
    struct orr_sweep_work work = {.sweep = &session->sweep, .threads = session->threads};
    struct orr_diag diag;
    orr_diag_init(&diag);
    int status = read_sweep(session, arena);
    if (status == 0 && session->sweep.hash != hash) {
        orr_print_message("orrery sweep: rank %d reads other files than rank 0\n",
                          session->ranks->rank);
        status = ORR_EXIT_USAGE;
    }
    if (status != 0) {
        orr_print_message("orrery sweep: rank %d takes no part\n", session->ranks->rank);
        work.sweep = NULL;
    }
    return print_error(session, session->ranks->ops->run(session->ranks, &work, &diag), &diag);
}

static int run(struct session *session, struct orr_arena *arena)
{
    const bool first = session->ranks->rank == 0;
    int status = first ? prepare(session, arena) : 0;
    uint64_t hash = session->sweep.hash;
    session->ranks->ops->share(session->ranks, &status, &hash);
    session->threads = session->arguments->jobs != 0 ? session->arguments->jobs
                                                     : orr_sweep_default_threads(session->ranks);
    if (status == 0) {
        status = first ? run_first_rank(session) : run_other_rank(session, arena, hash);
    } else if (!first) {
        status = 0; /* rank 0 has printed the error */
    }
    orr_sweep_store_close(&session->store);
    return status < 0 ? 0 : status;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.top = 10};
    (void)orr_command_line("orrery", argc, argv, arguments.line);
    int status = parse_arguments(call, argc, argv, &arguments);
    if (status != 0) {
        return status;
    }
    struct session session = {.arguments = &arguments, .store = {.lock = -1}};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    orr_diag_init(&diag);
    session.ranks = &session.mpi.ranks;
    if (arena == NULL) {
        return 1;
    }
    status = print_error(&session, orr_mpi_ranks_begin(&session.mpi, &diag), &diag);
    if (status == 0) {
        status = run(&session, arena);
    }
    orr_mpi_ranks_end(&session.mpi);
    orr_arena_destroy(arena);
    return status;
}

const struct orr_command orr_command_sweep = {
    .name = "sweep",
    .summary = "run a job at every point of a design space",
    .about =
        "Runs a job at every point of a design space: a base run and axes, the values of which "
        "multiply or go together (docs/how-to/sweep.md). Writes a line for each point, with its "
        "time and cost, to OUTPUT.csv and OUTPUT.jsonl as it finishes, and at the end all in "
        "the order of the points. Started again, it resumes where it was interrupted. Under "
        "mpirun, its ranks share the points.",
    .rows = rows,
    .missing = "a sweep's file is missing",
    .notes = "Points that fail are reported, counted and in the results; they do not change the "
             "status.",
    .run = run_command};
