/* orrery plan KIND: a plan for a file JOB.yml, by a kind of plan; see plan_command.h. */
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
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/overwrite_guard.h"
#include "cli/page_output.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_progress_bar.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "planner/plan_file/plan_kind.h"
#include "report/table_text.h"
#include "sim/load/find_input.h"

/* ---- arguments ---- */

int orr_plan_set_output(void *context, const char *value)
{
    ((struct orr_plan_arguments *)context)->output = value;
    return value[0] != '\0' ? 0 : orr_usage_error("plan", "--output: expected a folder", NULL);
}

int orr_plan_refuse_resume(void *context, const char *value)
{
    const struct plan_kind *kind = ((const struct orr_plan_arguments *)context)->kind;
    char message[160];
    (void)value;
    (void)snprintf(message, sizeof message, "%s has no --resume: it %s", kind->name, kind->once);
    return orr_usage_error("plan", message, NULL);
}

const struct orr_option orr_plan_file_rows[] = {{NULL, "JOB.yml", ORR_INPUT | ORR_POSITIONAL,
                                                 "the problem (orrery schema plan)",
                                                 ORR_TEXT(struct orr_plan_arguments, file)},
                                                ORR_ROWS_END};

const struct orr_option orr_plan_job_rows[] = {
    ORR_ROW_SET(struct orr_plan_arguments, set, ", e.g. plan.interfaces.degree=8"),
    {"jobs", "N", ORR_VALUE,
     "threads (default: one for each processor); the plan does not depend on it",
     ORR_NUMBER(struct orr_plan_arguments, input.threads, 1, 4096)},
    {"check", NULL, ORR_FLAG, "read and check JOB.yml, and stop",
     ORR_TRUE(struct orr_plan_arguments, input.check)},
    {"no-run", NULL, ORR_FLAG, "predict only", ORR_TRUE(struct orr_plan_arguments, input.no_run)},
    ORR_ROW_JSON(struct orr_plan_arguments, json, "the plan", ORR_DASH),
    ORR_ROW_REPORT(struct orr_plan_arguments, report,
                   "the plan: topology or traffic, strategy, other fabrics, candidates"),
    ORR_ROW_PROGRESS(struct orr_plan_arguments, progress),
    ORR_ROWS_END};

static int parse(const struct orr_call *call, int argc, char **argv,
                 struct orr_plan_arguments *arguments)
{
    int status = orr_parse_options(call, &argc, argv, arguments);
    if (status == 0) {
        arguments->input.path = orr_input_file("plans", arguments->file, arguments->found, &status);
    }
    arguments->input.set = arguments->set.text;
    arguments->input.set_count = arguments->set.count;
    return status;
}

/* ---- files ---- */

/* Checks that the outputs do not overwrite inputs, except the plan to resume from. */
static int check_overwrite(const struct orr_plan_arguments *arguments)
{
    enum { MAX_FILES = 64 };
    struct orr_arena *arena = orr_arena_create();
    const char *const *files = orrery_plan_files();
    struct orr_given given[ORR_MAX_TEXTS + MAX_FILES] = {{ORR_INPUT, NULL, arguments->input.path}};
    const char *const pages[] = {arguments->json, arguments->report};
    size_t count = 1;
    int status = 0;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        given[count++] = (struct orr_given){ORR_OUTPUT, NULL, pages[i] != NULL ? pages[i] : "-"};
    }
    for (size_t i = 0; i < arguments->set.count; i++) {
        given[count++] = (struct orr_given){ORR_VALUE, "set", arguments->set.text[i]};
    }
    for (size_t i = 0; arena != NULL && files[i] != NULL && i + 1 < MAX_FILES; i++) {
        const char *path = orr_arena_printf(arena, "%s/%s", arguments->output, files[i]);
        given[count++] = (struct orr_given){ORR_OUTPUT, NULL, path};
        status = path == NULL ? 1 : status;
    }
    status = arena == NULL || status != 0 ? 1 : orr_check_overwrite("plan", given, count);
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

int orr_plan_check_folder(const char *path)
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

static int write_page(const struct orr_plan_arguments *arguments, struct orrery_plan *plan)
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

static int write_outputs(const struct orr_plan_arguments *arguments, struct orrery_plan *plan)
{
    const struct orr_output json = {arguments->json, write_json};
    bool quiet = false;
    enum orrery_status status = ORRERY_OK;
    const int written = orr_write_output(&json, &plan, &quiet);
    if (written != 0) {
        return written;
    }
    if (!quiet) {
        status = orrery_plan_write(plan, stdout, ORRERY_PLAN_TEXT);
    }
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

static int run_planner(struct orr_plan_arguments *arguments, struct orrery_plan *plan)
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
static int end(const struct orr_plan_arguments *arguments, int status)
{
    if (stopped_by != 0 && status == 0) {
        const bool resumes = arguments->output != NULL && arguments->kind->once == NULL;
        orr_print_message("orrery plan: stopped; this is the best so far%s%s%s\n",
                          resumes ? ", --resume " : "", resumes ? arguments->output : "",
                          resumes ? "/resume.yml goes on" : "");
        (void)signal(stopped_by, SIG_DFL);
        (void)orr_keep_outputs();
        (void)raise(stopped_by);
    }
    return status;
}

int orr_plan_by(const struct plan_kind *kind, const struct orr_call *call, int argc, char **argv)
{
    struct orr_plan_arguments arguments = {.kind = kind,
                                           .input = {ORRERY_SIZED(orrery_plan_input)}};
    (void)orr_command_line("orrery plan", argc, argv, arguments.line);
    int status = parse(call, argc, argv, &arguments);
    if (status == 0 && arguments.output != NULL) {
        status = check_overwrite(&arguments);
    }
    if (status == 0 && arguments.output != NULL) {
        status = orr_plan_check_folder(arguments.output);
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
