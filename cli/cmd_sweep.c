/* orrery sweep: run a job at every point of a design space. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/parallel.h"
#include "cli/spare_inputs.h"
#include "cli/sweep_guard.h"
#include "cli/sweep_ranks.h"
#include "cli/sweep_report.h"

enum {
    OPT_BEST = 256,
    OPT_TOP,
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
    "multiply or go together (docs/user-guide.md). Writes a line for each point, with its time "
    "and\n"
    "cost, to OUTPUT.csv and OUTPUT.jsonl as it comes, and at the end all in the order of the\n"
    "points. Started again, it goes on where it was interrupted.\n"
    "\n"
    "Running:\n"
    "  --jobs N                           points at a time (default: one for each processor;\n"
    "                                     under mpirun, for each that is this rank's)\n"
    "  --output PREFIX                    files of the results, in place of the sweep's `output`\n"
    "  --restart                          drop the results that are there, and begin anew\n"
    "  --retry-failed                     run the points that failed once more\n"
    "  --dry-run                          list the points as CSV, and stop\n"
    "  --progress auto|always|never       a line on stderr that tells how far it is; auto: on a\n"
    "                                     terminal (default)\n"
    "\n"
    "Output:\n"
    "  --best time|cost|time*cost         the best points, before those that no other beats in\n"
    "                                     both time and cost\n"
    "  --top N                            how many of the best (default 10)\n"
    "\n"
    "Points that fail are reported, counted and in the results; they do not change the status.\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct arguments {
    const char *file, *output;
    enum orr_sweep_goal goal;
    enum orr_progress progress;
    unsigned jobs;
    uint32_t top;
    bool restart, retry, dry_run;
};

/* ---- arguments ---- */

/* One of the words into *out, < count; 0 or the exit status. */
static int parse_word(const char *option, const char *text, const char *const *words, unsigned *out)
{
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return 0;
        }
    }
    orr_say("orrery sweep: --%s: expected %s, %s or %s, got \"%s\"\n", option, words[0], words[1],
            words[2], text);
    return ORR_EXIT_USAGE;
}

static int parse_top(const char *text, uint32_t *out)
{
    int64_t value = 0;
    if (!orr_parse_integer(text, &value) || value < 1 || value > ORR_SWEEP_MOST_POINTS) {
        orr_say("orrery sweep: --top: expected a whole number from 1 to %d, got \"%s\"\n",
                ORR_SWEEP_MOST_POINTS, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    static const char *const goals[] = {"time", "cost", "time*cost"};
    static const char *const when[] = {"auto", "always", "never"};
    unsigned word = 0;
    int status = 0;
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
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == ':' || option == '?') {
            return orr_option_refused("sweep", options, option, argv[optind - 1]);
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
    return 0;
}

/* ---- running ---- */

struct session {
    const struct arguments *arguments;
    struct orr_sweep_ranks ranks;
    struct orr_sweep sweep;
    struct orr_sweep_store store;
    struct orr_sweep_meter meter;
};

static int read_sweep(struct session *session, struct orr_arena *arena)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_sweep_read(arena, session->arguments->file, &session->sweep, &diag);
    if (session->arguments->output != NULL) {
        session->sweep.output = session->arguments->output;
    }
    return orr_print_diag(&diag);
}

/* Whether one of so many points that lie far apart loads, or why the first does not. */
static bool one_loads(struct orr_sweep_guard *guard, uint32_t tries, char **first)
{
    const uint32_t points = guard->sweep->points;
    bool loads = false;
    for (uint32_t i = 0; i < tries && !loads; i++) {
        const uint64_t point = tries > 1 ? (uint64_t)i * (points - 1) / (tries - 1) : 0;
        char *why = orr_sweep_guard_ask(guard, (uint32_t)point, true)
                        ? orr_sweep_guard_answer(guard)
                        : NULL;
        loads = why != NULL && why[0] == '\0';
        if (i == 0) {
            *first = why;
        } else {
            orr_heap_free(why);
        }
    }
    return loads;
}

/* Refuses a sweep of which nothing can be loaded: that is not a point's fault. */
static int check_loads(const struct orr_sweep *sweep)
{
    enum { TRIES = 16 };
    struct orr_sweep_guard guard = {.sweep = sweep};
    char values[512], *first = NULL;
    const bool loads = one_loads(&guard, sweep->points < TRIES ? sweep->points : TRIES, &first);
    orr_sweep_guard_end(&guard);
    if (!loads) {
        orr_say("%s: none of the points can be loaded; point 0 (%s): %s\n", sweep->file,
                orr_sweep_describe(sweep, 0, values, sizeof values),
                first != NULL ? first : "out of memory");
    }
    orr_heap_free(first);
    return loads ? 0 : ORR_EXIT_USAGE;
}

/* All that comes before the first point, by rank 0; < 0: there is nothing more to do. */
static int prepare(struct session *session, struct orr_arena *arena)
{
    int status = read_sweep(session, arena);
    if (status == 0 && session->arguments->dry_run) {
        orr_sweep_list(stdout, &session->sweep);
        return -1;
    }
    if (status == 0) { /* of results that the sweep's file names */
        const struct orr_sweep *sweep = &session->sweep;
        const char *const named[] = {"sweep", sweep->file, "--output", sweep->output};
        status = orr_spare_inputs(sizeof named / sizeof *named, named);
    }
    if (status == 0) {
        status = check_loads(&session->sweep);
    }
    if (status == 0) {
        status = orr_sweep_store_open(&session->store, &session->sweep, session->arguments->restart,
                                      session->arguments->retry);
    }
    if (status == 0 && session->store.done != 0) {
        orr_say("%" PRIu32 " of %" PRIu32 " points are done already\n", session->store.done,
                session->sweep.points);
    }
    return status;
}

static int keep(void *context, const char *line)
{
    struct session *session = context;
    struct orr_sweep_result result;
    const int status = orr_sweep_store_add(&session->store, line, &result);
    if (status == 0) {
        orr_sweep_meter_step(&session->meter, &session->store, &result);
    }
    return status;
}

static int finish(struct session *session)
{
    const struct orr_sweep_store *store = &session->store;
    int status = orr_sweep_store_finish(&session->store);
    if (status == 0 && store->failed != 0) {
        orr_say("%" PRIu32 " of %" PRIu32 " points failed; see %s.jsonl\n", store->failed,
                session->sweep.points, store->prefix);
    }
    if (status == 0 &&
        !orr_sweep_report(stdout, store, session->arguments->goal, session->arguments->top)) {
        orr_say("orrery sweep: out of memory\n");
        status = 1;
    }
    return status;
}

/* Rank 0, from the first point on. */
static int run_and_keep(struct session *session, struct orr_sweep_work *work)
{
    uint32_t *todo = orr_heap_calloc(session->sweep.points, sizeof *todo);
    if (todo == NULL) {
        orr_say("orrery sweep: out of memory\n");
        return 1;
    }
    for (uint32_t point = 0; point < session->sweep.points; point++) {
        if (session->store.row[point].state == ORR_SWEEP_OPEN) {
            todo[work->count++] = point;
        }
    }
    work->todo = todo;
    work->keep = keep;
    work->context = session;
    orr_sweep_meter_begin(&session->meter, session->arguments->progress, &session->store);
    const int status = orr_sweep_ranks_run(&session->ranks, work);
    orr_sweep_meter_end(&session->meter, &session->store);
    orr_heap_free(todo);
    return status == 0 ? finish(session) : status;
}

/* Another rank: reads the same sweep, or takes no part. */
static int run_for_others(struct session *session, struct orr_arena *arena,
                          struct orr_sweep_work *work, uint64_t hash)
{
    int status = read_sweep(session, arena);
    if (status == 0 && session->sweep.hash != hash) {
        orr_say("orrery sweep: rank %d reads other files than rank 0\n", session->ranks.rank);
        status = ORR_EXIT_USAGE;
    }
    if (status != 0) {
        orr_say("orrery sweep: rank %d takes no part\n", session->ranks.rank);
        work->sweep = NULL;
    }
    return orr_sweep_ranks_run(&session->ranks, work);
}

static int run(struct session *session, struct orr_arena *arena)
{
    const bool first = session->ranks.rank == 0;
    int status = first ? prepare(session, arena) : 0;
    uint64_t hash = session->sweep.hash;
    orr_sweep_ranks_share(&session->ranks, &status, &hash);
    struct orr_sweep_work work = {.sweep = &session->sweep,
                                  .threads = session->arguments->jobs != 0
                                                 ? session->arguments->jobs
                                                 : orr_sweep_default_threads(&session->ranks)};
    if (status == 0) {
        status = first ? run_and_keep(session, &work) : run_for_others(session, arena, &work, hash);
    } else if (!first) {
        status = 0; /* rank 0 has said it */
    }
    orr_sweep_store_close(&session->store);
    return status < 0 ? 0 : status;
}

int orr_cmd_sweep(int argc, char **argv)
{
    struct arguments arguments = {.top = 10};
    int status = parse_arguments(argc, argv, &arguments);
    if (status != 0) {
        if (status < 0) {
            (void)fputs(help, stdout);
        }
        return status < 0 ? 0 : status;
    }
    struct session session = {.arguments = &arguments, .store = {.lock = -1}};
    struct orr_arena *arena = orr_arena_create();
    status = arena != NULL ? orr_sweep_ranks_begin(&session.ranks) : 1;
    if (status == 0) {
        status = run(&session, arena);
    }
    orr_sweep_ranks_end(&session.ranks);
    orr_arena_destroy(arena);
    return status;
}
