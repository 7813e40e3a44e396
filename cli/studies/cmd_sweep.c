/* orrery sweep: run a job at every point of a design space. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/jobs_option.h"
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
#include "study/ranking/sweep_json.h"
#include "study/ranking/sweep_plot.h"
#include "study/ranking/sweep_rank.h"
#include "study/ranking/sweep_report.h"
#include "study/ranking/sweep_table.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_complete.h"

enum {
    OPT_BEST = 256,
    OPT_TOP,
    OPT_COLUMNS,
    OPT_GROUP_BY,
    OPT_JSON,
    OPT_REPORT,
    OPT_PLOT,
    OPT_X,
    OPT_Y,
    OPT_JOBS,
    OPT_OUTPUT,
    OPT_RESTART,
    OPT_RETRY,
    OPT_DRY_RUN,
    OPT_PROGRESS,
    OPT_HELP
};

static const struct option options[] = {{"best", required_argument, NULL, OPT_BEST},
                                        {"top", required_argument, NULL, OPT_TOP},
                                        {"columns", required_argument, NULL, OPT_COLUMNS},
                                        {"group-by", required_argument, NULL, OPT_GROUP_BY},
                                        {"json", required_argument, NULL, OPT_JSON},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"plot", required_argument, NULL, OPT_PLOT},
                                        {"x", required_argument, NULL, OPT_X},
                                        {"y", required_argument, NULL, OPT_Y},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"output", required_argument, NULL, OPT_OUTPUT},
                                        {"restart", no_argument, NULL, OPT_RESTART},
                                        {"retry-failed", no_argument, NULL, OPT_RETRY},
                                        {"dry-run", no_argument, NULL, OPT_DRY_RUN},
                                        {"progress", required_argument, NULL, OPT_PROGRESS},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery sweep SWEEP.yml [options]\n"
    "       mpirun [...] orrery sweep SWEEP.yml [options]\n"
    "\n"
    "Runs a job at every point of a design space: a base run and axes, the values of which\n"
    "multiply or go together (docs/how-to/sweep.md). Writes a line for each point, with its\n"
    "time and cost, to OUTPUT.csv and OUTPUT.jsonl as it finishes, and at the end all in the\n"
    "order of the points. Started again, it resumes where it was interrupted.\n"
    "\n"
    "Running:\n"
    "  --jobs N                           points at a time (default: one for each processor;\n"
    "                                     under mpirun, for each that is this rank's)\n"
    "  -o, --output PREFIX                files of the results, in place of the sweep's `output`\n"
    "  --restart                          discard the existing results, and start again\n"
    "  --retry-failed                     run failed points again\n"
    "  --dry-run                          list the points as CSV, and stop\n"
    "  --progress auto|always|never       progress line on stderr; auto (default): on a terminal\n"
    "\n"
    "Output:\n"
    "  --best time|cost|time*cost         the best points, then the Pareto front (time, cost)\n"
    "  --top N                            number of best points (default 10)\n"
    "  --group-by KEY                     the Pareto front of each group: a group for each value\n"
    "                                     of an axis; replaces the sweep's `group_by`\n"
    "  --columns NAME,...                 columns of the tables: point, axes, results (time, "
    "cost,\n"
    "                                     time*cost, MFU, memory, waiting, ...)\n"
    "  --json FILE|-                      all results as one document, instead of the tables\n"
    "                                     when FILE is -\n"
    "  --report FILE                      a page of it (HTML, one file)\n"
    "  --plot FILE.svg                    the points and Pareto fronts of groups as a picture\n"
    "  --x NAME, --y NAME                 axes of the plot (default cost, time)\n"
    "\n"
    "Points that fail are reported, counted and in the results; they do not change the status.\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

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

/* Parses one of three words into *out; 0 or the exit status. */
static int parse_word(const char *option, const char *text, const char *const *words, unsigned *out)
{
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return 0;
        }
    }
    return orr_reject_name("sweep", option, text, words, 3);
}

static int parse_top(const char *text, uint32_t *out)
{
    int64_t value = 0;
    if (!orr_parse_integer(text, &value) || value < 1 || value > ORR_SWEEP_MAX_POINTS) {
        orr_print_message("orrery sweep: --top: expected a whole number from 1 to %d, got \"%s\"\n",
                          ORR_SWEEP_MAX_POINTS, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

/* The member of a text option; NULL: not a text option. */
static const char **text_of(struct arguments *arguments, int option)
{
    switch (option) {
    case OPT_COLUMNS:
        return &arguments->columns;
    case OPT_GROUP_BY:
        return &arguments->group_by;
    case OPT_JSON:
        return &arguments->json;
    case OPT_REPORT:
        return &arguments->report;
    case OPT_PLOT:
        return &arguments->plot;
    case OPT_X:
        return &arguments->x;
    case OPT_Y:
        return &arguments->y;
    default:
        return NULL;
    }
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    static const char *const goals[] = {"time", "cost", "time*cost"};
    static const char *const when[] = {"auto", "always", "never"};
    const char **text = text_of(arguments, option);
    unsigned word = 0;
    int status = 0;
    if (text != NULL) {
        *text = value;
        return 0;
    }
    switch (option) {
    case OPT_BEST:
        status = parse_word("best", value, goals, &word);
        arguments->goal = (enum orr_sweep_goal)(word + ORR_SWEEP_BY_TIME);
        return status;
    case OPT_TOP:
        return parse_top(value, &arguments->top);
    case OPT_JOBS:
        return orr_parse_jobs("sweep", value, &arguments->jobs);
    case OPT_PROGRESS:
        status = parse_word("progress", value, when, &word);
        arguments->progress = (enum orr_progress)word;
        return status;
    case OPT_OUTPUT:
    case 'o':
        arguments->output = value;
        return value[0] != '\0'
                   ? 0
                   : orr_usage_error("sweep", "--output: expected a prefix of files", NULL);
    case OPT_RESTART:
        arguments->restart = true;
        return 0;
    case OPT_RETRY:
        arguments->retry = true;
        return 0;
    default:
        arguments->dry_run = true;
        return 0;
    }
}

/* 0 to go on, < 0 for help, else the exit status. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":o:", options, NULL)) != -1;) {
        if (option == ':' || option == '?') {
            return orr_reject_option("sweep", options, option, argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        const int status = apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    if (optind == argc) {
        return orr_usage_error("sweep", "a sweep's file is missing", NULL);
    }
    if (argc - optind > 1) {
        return orr_usage_error("sweep", "unexpected argument ", argv[optind + 1]);
    }
    arguments->file = argv[optind];
    if (arguments->plot == NULL && (arguments->x != NULL || arguments->y != NULL)) {
        return orr_usage_error("sweep", "only with --plot: ", arguments->x != NULL ? "--x" : "--y");
    }
    const int paged = orr_check_page("sweep", "report", arguments->report);
    return paged != 0 ? paged : orr_check_plot("sweep", arguments->plot);
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
        const char *const named[] = {"sweep",    sweep->file,
                                     "--output", sweep->output,
                                     "--json",   arguments->json != NULL ? arguments->json : "-",
                                     "--plot",   arguments->plot != NULL ? arguments->plot : "-"};
        status = orr_check_overwrite(sizeof named / sizeof *named, named);
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
    const struct orr_sweep_view view = {arguments->goal, arguments->top, &session->table};
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

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {.top = 10};
    (void)orr_command_line("orrery", argc, argv, arguments.line);
    int status = parse_arguments(argc, argv, &arguments);
    if (status != 0) {
        if (status < 0) {
            (void)fputs(help, stdout);
        }
        return status < 0 ? 0 : status;
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

const struct orr_command orr_command_sweep = {"sweep", "run a job at every point of a design space",
                                              run_command};
