/* Implements include/orrery/plan.h: plans of all kinds (plan_file/plan_kind.h), their views and
 * files.
 */
#include "orrery/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_write.h"
#include "sim/api_object.h"

struct orrery_plan {
    struct orr_object object;
    struct plan_job job; /* job.kind: of which kind the result is */
    void *result;        /* in the arena; NULL: nothing was planned yet */
};

struct orrery_plan *orrery_plan_new(void)
{
    return orr_object_new(sizeof(struct orrery_plan));
}

void orrery_plan_free(struct orrery_plan *plan)
{
    if (plan != NULL) {
        orr_object_free(&plan->object);
    }
}

const char *orrery_plan_error(const struct orrery_plan *plan)
{
    return orr_object_error(plan != NULL ? &plan->object : NULL);
}

void orrery_plan_on_warning(struct orrery_plan *plan, void (*warn)(void *user, const char *text),
                            void *user)
{
    orr_object_on_warning(plan != NULL ? &plan->object : NULL, warn, user);
}

/* ---- planning ---- */

struct listener {
    const struct orrery_plan_input *input;
};

static void report_progress(void *context, const struct plan_progress *progress)
{
    const struct orrery_plan_input *input = ((const struct listener *)context)->input;
    const struct orrery_plan_progress public_progress = {.doing = progress->doing,
                                                         .round = progress->round,
                                                         .evaluations = progress->evaluations,
                                                         .budget = progress->budget,
                                                         .best_ps = progress->best_ps};
    input->progress(input->user, &public_progress);
}

static enum orr_status solve(struct orrery_plan *plan, const struct plan_options *options)
{
    struct orr_object *object = &plan->object;
    const struct plan_kind *kind = plan->job.kind;
    void *result = orr_arena_alloc(object->arena, kind->result_bytes);
    if (result == NULL) {
        return orr_diag_no_memory(&object->diag, "a plan");
    }
    const enum orr_status status =
        kind->solve(object->arena, &plan->job, options, result, &object->diag);
    plan->result = status == ORR_OK ? result : NULL;
    return status;
}

static enum orr_status read_and_solve(struct orrery_plan *plan,
                                      const struct orrery_plan_input *input,
                                      const struct plan_kind *kind)
{
    struct orr_object *object = &plan->object;
    struct listener listener = {input};
    const struct plan_source source = {.kind = kind,
                                       .path = input->path,
                                       .text = input->text,
                                       .set = input->set,
                                       .sets = input->set_count};
    const struct plan_options options = {.threads = input->threads,
                                         .no_run = input->no_run,
                                         .resume = input->resume,
                                         .stop = input->stop,
                                         .progress =
                                             input->progress != NULL ? report_progress : NULL,
                                         .context = &listener};
    const enum orr_status status =
        orr_plan_job_read(object->arena, &source, &plan->job, &object->diag);
    return status == ORR_OK && !input->check ? solve(plan, &options) : status;
}

enum orrery_status orr_plan_with(struct orrery_plan *plan, const struct plan_kind *kind,
                                 const struct orrery_plan_input *input)
{
    if (plan == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_object *object = &plan->object;
    enum orr_status status = orr_check_caller_struct(
        "orrery_plan_input", input != NULL ? &input->size : NULL, sizeof *input, &object->diag);
    plan->result = NULL;
    if (status == ORR_OK && (input->path == NULL) == (input->text == NULL)) {
        status = orr_diag_fail(&object->diag, ORR_ERR_INPUT, NULL,
                               "expected either the path or the text of a plan");
    }
    if (status == ORR_OK && kind->once != NULL && input->resume != NULL) {
        status =
            orr_diag_fail(&object->diag, ORR_ERR_INPUT, NULL,
                          "a plan of %s is not resumed: its search %s", kind->title, kind->once);
    }
    if (status == ORR_OK) {
        status = orr_object_clear(object) ? read_and_solve(plan, input, kind) : ORR_ERR_MEMORY;
    }
    return orr_object_finish(object, status);
}

/* ---- results ---- */

struct orr_object *orr_plan_object(struct orrery_plan *plan)
{
    return &plan->object;
}

static enum orr_status check_planned(const struct orrery_plan *plan, struct orr_diag *diag)
{
    return plan->result != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "nothing was planned yet");
}

enum orr_status orr_plan_result_of(struct orrery_plan *plan, const struct plan_kind *kind,
                                   const void **result)
{
    struct orr_diag *diag = &plan->object.diag;
    const enum orr_status status = check_planned(plan, diag);
    *result = plan->result;
    if (status != ORR_OK || plan->job.kind == kind) {
        return status;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "these are not the figures of a plan of %s",
                         plan->job.kind->title);
}

/* ---- views ---- */

/* The files of a folder, in the order of enum orrery_plan_view. */
static const char *const view_files[] = {
    "plan.txt",     "plan.json",    "strategy.yml", "model.yml",     "platform.yml", "workload.yml",
    "topology.dot", "topology.svg", "routes.csv",   "rings.csv",     "ports.csv",    "tried.csv",
    "fabrics.csv",  "nccl.xml",     "resume.yml",   "taskgraph.otg", "points.csv",   "traffic.csv",
    "traffic.svg",  "circuits.csv", "layout.yml"};
enum { VIEWS = sizeof view_files / sizeof *view_files };

static bool has_view(const struct orrery_plan *plan, unsigned view)
{
    return plan->job.kind->has_view(plan->result, (enum orrery_plan_view)view);
}

static int write_by_kind(FILE *out, const struct orrery_plan *plan, unsigned view)
{
    return plan->job.kind->write_view(out, plan->result, (enum orrery_plan_view)view);
}

struct view {
    struct orrery_plan *plan;
    enum orrery_plan_view view;
};

static enum orr_status write_view(FILE *out, void *context)
{
    const struct view *view = context;
    struct orr_diag *diag = &view->plan->object.diag;
    const enum orr_status status = check_planned(view->plan, diag);
    if (status != ORR_OK) {
        return status;
    }
    if ((unsigned)view->view >= VIEWS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no such view of a plan: %d",
                             (int)view->view);
    }
    if (!has_view(view->plan, view->view)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a plan of %s has no %s",
                             view->plan->job.kind->title, view_files[view->view]);
    }
    return write_by_kind(out, view->plan, view->view) == 0
               ? orr_check_written(out, diag)
               : orr_diag_no_memory(diag, "the report of a plan");
}

enum orrery_status orrery_plan_write(struct orrery_plan *plan, FILE *out,
                                     enum orrery_plan_view view)
{
    if (plan == NULL || out == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct view request = {plan, view};
    return orr_object_finish(&plan->object, write_view(out, &request));
}

const char *orrery_plan_text(struct orrery_plan *plan, enum orrery_plan_view view)
{
    struct view request = {plan, view};
    return plan != NULL ? orr_object_text(&plan->object, write_view, &request) : NULL;
}

/* ---- files ---- */

struct folder {
    struct orrery_plan *plan;
    const char *path;
};

/* The workload of a folder: it names the other files of the folder. */
static int write_folder_workload(FILE *out, const struct orrery_plan *plan)
{
    const struct plan_names names = {.model = "model.yml",
                                     .strategy = "strategy.yml",
                                     .profile = plan->job.profile != NULL ? "profile.json" : NULL};
    return plan->job.kind->write_workload(out, plan->result, &names);
}

static int write_one(FILE *out, const struct orrery_plan *plan, unsigned view)
{
    return view == ORRERY_PLAN_WORKLOAD ? write_folder_workload(out, plan)
                                        : write_by_kind(out, plan, view);
}

static enum orr_status write_file(const struct folder *folder, unsigned view)
{
    struct orrery_plan *plan = folder->plan;
    struct orr_diag *diag = &plan->object.diag;
    const char *path =
        orr_arena_printf(plan->object.arena, "%s/%s", folder->path, view_files[view]);
    FILE *out = path != NULL ? fopen(path, "w") : NULL;
    if (out == NULL) {
        return path == NULL ? orr_diag_no_memory(diag, "the path of a file")
                            : orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: cannot be opened: %s",
                                            path, strerror(errno));
    }
    const int failed = write_one(out, plan, view);
    const bool closed = fclose(out) == 0;
    if (failed != 0 || !closed) {
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: cannot be written", path);
    }
    return ORR_OK;
}

static enum orr_status write_files(struct orrery_plan *plan, const char *path)
{
    const struct folder folder = {plan, path};
    struct orr_diag *diag = &plan->object.diag;
    enum orr_status status = check_planned(plan, diag);
    if (status == ORR_OK && mkdir(path, 0777) != 0 && errno != EEXIST) {
        status = orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: the folder cannot be made: %s", path,
                               strerror(errno));
    }
    for (unsigned i = 0; i < VIEWS && status == ORR_OK; i++) {
        status = has_view(plan, i) ? write_file(&folder, i) : ORR_OK;
    }
    return status == ORR_OK ? orr_plan_write_profiles(&plan->job, path, diag) : status;
}

const char *const *orrery_plan_files(void)
{
    static const char *const files[] = {"plan.txt",
                                        "plan.json",
                                        "strategy.yml",
                                        "model.yml",
                                        "platform.yml",
                                        "workload.yml",
                                        "topology.dot",
                                        "topology.svg",
                                        "routes.csv",
                                        "rings.csv",
                                        "ports.csv",
                                        "tried.csv",
                                        "fabrics.csv",
                                        "nccl.xml",
                                        "resume.yml",
                                        "profile.json",
                                        "taskgraph.otg",
                                        "points.csv",
                                        "traffic.csv",
                                        "traffic.svg",
                                        "circuits.csv",
                                        "layout.yml",
                                        NULL};
    return files;
}

enum orrery_status orrery_plan_write_files(struct orrery_plan *plan, const char *folder)
{
    if (plan == NULL || folder == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    return orr_object_finish(&plan->object, write_files(plan, folder));
}
