/* orrery plan KIND: plans for a file JOB.yml. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/jobs_option.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/overwrite_guard.h"
#include "cli/page_output.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_progress_bar.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "planner/plan_file/plan_kind.h"
#include "sim/load/find_input.h"

enum {
    OPT_SET = 256,
    OPT_THREADS,
    OPT_RESUME,
    OPT_CHECK,
    OPT_NO_RUN,
    OPT_JSON,
    OPT_PROGRESS,
    OPT_REPORT
};

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"jobs", required_argument, NULL, OPT_THREADS},
                                        {"resume", required_argument, NULL, OPT_RESUME},
                                        {"check", no_argument, NULL, OPT_CHECK},
                                        {"no-run", no_argument, NULL, OPT_NO_RUN},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"progress", required_argument, NULL, OPT_PROGRESS},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

enum { MAX_SETS = 256 };

struct arguments {
    const struct plan_kind *kind;
    char found[ORR_INPUT_PATH_BYTES]; /* storage of the path of a plan that ships */
    struct orrery_plan_input input;
    const char *set[MAX_SETS], *output, *report;
    char line[ORR_COMMAND_LINE_BYTES];
    enum orr_progress progress;
    bool json;
};

/* ---- arguments ---- */

static int parse_progress(const char *text, enum orr_progress *out)
{
    static const char *const when[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof when / sizeof *when; i++) {
        if (strcmp(text, when[i]) == 0) {
            *out = (enum orr_progress)i;
            return 0;
        }
    }
    orr_print_message("orrery plan: --progress: expected auto, always or never, got \"%s\"\n",
                      text);
    return ORR_EXIT_USAGE;
}

static int parse_threads(const char *text, unsigned *out)
{
    int64_t value = 0;
    if (!orr_parse_integer(text, &value) || value < 1 || value > 4096) {
        orr_print_message(
            "orrery plan: --jobs: expected a whole number from 1 to 4096, got \"%s\"\n", text);
        return ORR_EXIT_USAGE;
    }
    *out = (unsigned)value;
    return 0;
}

static int reject_resume(const struct plan_kind *kind)
{
    char message[128];
    (void)snprintf(message, sizeof message, "%s has no --resume: it %s", kind->name, kind->once);
    return orr_usage_error("plan", message, NULL);
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    struct orrery_plan_input *input = &arguments->input;
    switch (option) {
    case 'o':
        arguments->output = value;
        return value[0] != '\0' ? 0 : orr_usage_error("plan", "--output: expected a folder", NULL);
    case OPT_SET:
        if (input->set_count == MAX_SETS) {
            return orr_usage_error("plan", "too many --set options", NULL);
        }
        arguments->set[input->set_count++] = value;
        return 0;
    case OPT_THREADS:
        return parse_threads(value, &input->threads);
    case OPT_RESUME:
        input->resume = value;
        return arguments->kind->once == NULL ? 0 : reject_resume(arguments->kind);
    case OPT_CHECK:
        input->check = true;
        return 0;
    case OPT_NO_RUN:
        input->no_run = true;
        return 0;
    case OPT_JSON:
        arguments->json = true;
        return 0;
    case OPT_REPORT:
        arguments->report = value;
        return orr_check_page("plan", "report", value);
    default:
        return parse_progress(value, &arguments->progress);
    }
}

/* < 0: help. */
static int parse(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":o:", options, NULL)) != -1;) {
        if (option == 'h') {
            return -1;
        }
        if (option == ':' || option == '?') {
            return orr_reject_option("plan", options, option, argv[optind - 1]);
        }
        const int status = apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    if (optind == argc) {
        return orr_usage_error("plan", "a file JOB.yml is missing", NULL);
    }
    if (argc - optind > 1) {
        return orr_usage_error("plan", "unexpected argument ", argv[optind + 1]);
    }
    int status = 0;
    arguments->input.path = orr_input_file("plans", argv[optind], arguments->found, &status);
    arguments->input.set = arguments->set;
    return status;
}

/* ---- files ---- */

/* Checks that the outputs do not overwrite inputs, except the plan to resume from. */
static int check_overwrite(const struct arguments *arguments)
{
    struct orr_arena *arena = orr_arena_create();
    const char *const *files = orrery_plan_files();
    const char *argv[2 * MAX_SETS] = {"plan", arguments->input.path};
    int argc = 2, status = 0;
    for (size_t i = 0; i < arguments->input.set_count; i++) {
        argv[argc++] = arguments->set[i];
    }
    for (size_t i = 0; arena != NULL && files[i] != NULL; i++) {
        argv[argc++] = "--csv";
        argv[argc] = orr_arena_printf(arena, "%s/%s", arguments->output, files[i]);
        status = argv[argc++] == NULL ? 1 : status;
    }
    status = arena == NULL || status != 0 ? 1 : orr_check_overwrite(argc, argv);
    orr_arena_destroy(arena);
    return status;
}

/* Checks that a folder is writable by creating and removing a folder in it. */
static int try_output(const char *path)
{
    char inside[PATH_MAX];
    const int length = snprintf(inside, sizeof inside, "%s/plan-XXXXXX", path);
    errno = ENAMETOOLONG;
    if (length < 0 || (size_t)length >= sizeof inside || mkdtemp(inside) == NULL) {
        orr_print_message("orrery plan: --output: %s: nothing can be written there: %s\n", path,
                          strerror(errno));
        return ORR_EXIT_USAGE;
    }
    (void)rmdir(inside);
    return 0;
}

/* Checks the output folder before the search, which is long. Creates and removes it if it does not
 * exist. */
static int check_output(const char *path)
{
    struct stat there;
    const bool made = mkdir(path, 0777) == 0;
    const int error = errno;
    if (made) {
        (void)rmdir(path);
        return 0;
    }
    if (error != EEXIST) {
        orr_print_message("orrery plan: --output: %s: the folder cannot be made: %s\n", path,
                          strerror(error));
        return ORR_EXIT_USAGE;
    }
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode)) {
        orr_print_message("orrery plan: --output: %s: expected a folder\n", path);
        return ORR_EXIT_USAGE;
    }
    return try_output(path);
}

/* ---- stopping ---- */

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

/* ---- planning ---- */

static int failed(const struct orrery_plan *plan, enum orrery_status status)
{
    return orr_print_api_error(status, orrery_plan_error(plan));
}

/* For struct orr_page_part; the context is a struct orrery_plan ** */
static int write_json(FILE *out, const void *context)
{
    struct orrery_plan *const *plan = context;
    return orrery_plan_write(*plan, out, ORRERY_PLAN_JSON) == ORRERY_OK ? 0 : 1;
}

static int write_page(const struct arguments *arguments, struct orrery_plan *plan)
{
    const struct plan_kind *kind = arguments->kind;
    const char *picture = arguments->report != NULL ? orrery_plan_text(plan, kind->picture) : NULL;
    const struct orr_page_part part = {.json = write_json,
                                       .context = &plan,
                                       .file = arguments->input.path,
                                       .picture = picture,
                                       .what = kind->pictured};
    bool standard = false;
    return orr_write_page(arguments->report, arguments->line, &part, 1, &standard);
}

static int write_outputs(const struct arguments *arguments, struct orrery_plan *plan)
{
    enum orrery_status status =
        orrery_plan_write(plan, stdout, arguments->json ? ORRERY_PLAN_JSON : ORRERY_PLAN_TEXT);
    if (status == ORRERY_OK && arguments->output != NULL) {
        status = orrery_plan_write_files(plan, arguments->output);
    }
    if (status != ORRERY_OK) {
        return failed(plan, status);
    }
    if (arguments->output != NULL) {
        orr_print_message("the plan is in %s; run it: orrery run %s/platform.yml %s/workload.yml\n",
                          arguments->output, arguments->output, arguments->output);
    }
    const int paged = write_page(arguments, plan);
    return paged != 0 || fflush(stdout) == 0 ? paged : 1;
}

static int run_planner(struct arguments *arguments, struct orrery_plan *plan)
{
    struct orr_plan_progress_bar meter;
    orr_plan_progress_bar_begin(&meter, arguments->progress);
    arguments->input.progress = orr_plan_progress_bar_update;
    arguments->input.user = &meter;
    arguments->input.stop = &stopped_by;
    orrery_plan_on_warning(plan, orr_print_warning, NULL);
    listen();
    const enum orrery_status status = orr_plan_with(plan, arguments->kind, &arguments->input);
    orr_plan_progress_bar_end(&meter);
    if (status != ORRERY_OK) {
        return failed(plan, status);
    }
    if (arguments->input.check) {
        (void)printf("%s: ok\n", arguments->input.path);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    return write_outputs(arguments, plan);
}

/* Ends the process by the signal that stopped it, as its sender expects. */
static int end(const struct arguments *arguments, int status)
{
    if (stopped_by != 0 && status == 0) {
        const bool resumes = arguments->output != NULL && arguments->kind->once == NULL;
        orr_print_message("orrery plan: stopped; this is the best so far%s%s%s\n",
                          resumes ? ", --resume " : "", resumes ? arguments->output : "",
                          resumes ? "/resume.yml goes on" : "");
        (void)signal(stopped_by, SIG_DFL);
        (void)raise(stopped_by);
    }
    return status;
}

int orr_plan_by(const struct plan_kind *kind, int argc, char **argv)
{
    struct arguments arguments = {.kind = kind, .input = {ORRERY_SIZED(orrery_plan_input)}};
    (void)orr_command_line("orrery plan", argc, argv, arguments.line);
    int status = parse(argc, argv, &arguments);
    if (status < 0) {
        orr_plan_print_help();
        return 0;
    }
    if (status == 0 && arguments.output != NULL) {
        status = check_overwrite(&arguments);
    }
    if (status == 0 && arguments.output != NULL) {
        status = check_output(arguments.output);
    }
    if (status != 0) {
        return status;
    }
    struct orrery_plan *plan = orrery_plan_new();
    if (plan == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    status = run_planner(&arguments, plan);
    orrery_plan_free(plan);
    return end(&arguments, status);
}
