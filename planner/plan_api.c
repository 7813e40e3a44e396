/* Implements include/orrery/plan.h: plans of TopoOpt and of SiP-ML, their metrics, views and files.
 */
#include "orrery/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_report.h"
#include "planner/plan_file/plan_result.h"
#include "planner/plan_file/plan_write.h"
#include "planner/sipml/sipml_search.h"
#include "planner/sipml/sipml_steps.h"
#include "planner/sipml_file/sipml_report.h"
#include "planner/sipml_file/sipml_result.h"
#include "report/pictures/pictures.h"
#include "sim/api_object.h"
#include "workload/strategy/strategy_file.h"

struct orrery_plan {
    struct orr_object object;
    bool planned;
    struct plan_job job; /* job.planner: which of the two solutions below is set */
    struct plan_result solution;
    struct sipml_result sip_ml;
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
                                                         .round = progress->search.round,
                                                         .evaluations =
                                                             progress->search.evaluations,
                                                         .budget = progress->search.budget,
                                                         .best_ps = progress->search.best_ps};
    input->progress(input->user, &public_progress);
}

static enum orr_status read_and_solve(struct orrery_plan *plan,
                                      const struct orrery_plan_input *input,
                                      enum plan_planner planner)
{
    struct orr_object *object = &plan->object;
    struct listener listener = {input};
    const struct plan_source source = {.planner = planner,
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
    enum orr_status status = orr_plan_job_read(object->arena, &source, &plan->job, &object->diag);
    if (status == ORR_OK && !input->check) {
        status = planner == PLAN_TOPOOPT ? orr_plan_solve(object->arena, &plan->job, &options,
                                                          &plan->solution, &object->diag)
                                         : orr_sipml_solve(object->arena, &plan->job, &options,
                                                           &plan->sip_ml, &object->diag);
        plan->planned = status == ORR_OK;
    }
    return status;
}

static enum orrery_status plan_with(struct orrery_plan *plan, const struct orrery_plan_input *input,
                                    enum plan_planner planner)
{
    if (plan == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_object *object = &plan->object;
    enum orr_status status = orr_check_caller_struct(
        "orrery_plan_input", input != NULL ? &input->size : NULL, sizeof *input, &object->diag);
    plan->planned = false;
    if (status == ORR_OK && (input->path == NULL) == (input->text == NULL)) {
        status = orr_diag_fail(&object->diag, ORR_ERR_INPUT, NULL,
                               "expected either the path or the text of a plan");
    }
    if (status == ORR_OK && planner == PLAN_SIP_ML && input->resume != NULL) {
        status = orr_diag_fail(&object->diag, ORR_ERR_INPUT, NULL,
                               "a plan of SiP-ML is not resumed: its search is over in seconds");
    }
    if (status == ORR_OK) {
        status = orr_object_clear(object) ? read_and_solve(plan, input, planner) : ORR_ERR_MEMORY;
    }
    return orr_object_finish(object, status);
}

enum orrery_status orrery_plan_topoopt(struct orrery_plan *plan,
                                       const struct orrery_plan_input *input)
{
    return plan_with(plan, input, PLAN_TOPOOPT);
}

enum orrery_status orrery_plan_sip_ml(struct orrery_plan *plan,
                                      const struct orrery_plan_input *input)
{
    return plan_with(plan, input, PLAN_SIP_ML);
}

/* ---- metrics ---- */

static enum orr_status check_planned(const struct orrery_plan *plan, struct orr_diag *diag)
{
    return plan->planned ? ORR_OK
                         : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "nothing was planned yet");
}

static enum orr_status check_planner(const struct orrery_plan *plan, enum plan_planner planner,
                                     struct orr_diag *diag)
{
    const enum orr_status status = check_planned(plan, diag);
    if (status != ORR_OK || plan->job.planner == planner) {
        return status;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "these are not the figures of a plan of %s",
                         planner == PLAN_TOPOOPT ? "SiP-ML" : "TopoOpt");
}

static enum orr_status fill(const struct plan_result *solution, struct orrery_plan_figures *out,
                            struct orr_diag *diag)
{
    const struct topoopt_result *result = &solution->result;
    struct plan_metrics metrics;
    const enum orr_status status = orr_plan_metrics(solution, &metrics, diag);
    *out = (struct orrery_plan_figures){
        .size = out->size,
        .servers = solution->job->servers,
        .degree = solution->job->interfaces.degree,
        .predicted_ps = result->best.predicted_ps,
        .simulated_ps = solution->simulated_ps,
        .naive_ps = result->naive.missing_bytes != 0 ? INT64_MAX : result->naive.predicted_ps,
        .data_parallel_ps = result->data_parallel.missing_bytes != 0
                                ? INT64_MAX
                                : result->data_parallel.predicted_ps,
        .reduce_bytes = metrics.reduce_bytes,
        .transfer_bytes = metrics.transfer_bytes,
        .memory_bytes = metrics.memory_bytes,
        .evaluations = solution->evaluations,
        .rounds = result->rounds,
        .converged = result->converged,
        .stopped = result->stopped};
    return status;
}

enum orrery_status orrery_plan_figures(struct orrery_plan *plan,
                                       struct orrery_plan_figures *metrics)
{
    if (plan == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &plan->object.diag;
    enum orr_status status = orr_check_caller_struct(
        "orrery_plan_figures", metrics != NULL ? &metrics->size : NULL, sizeof *metrics, diag);
    status = status == ORR_OK ? check_planner(plan, PLAN_TOPOOPT, diag) : status;
    status = status == ORR_OK ? fill(&plan->solution, metrics, diag) : status;
    return orr_object_finish(&plan->object, status);
}

static void fill_point(const struct sipml_result *solution, const struct sipml_point *point,
                       struct orrery_plan_point *out)
{
    const bool known = sipml_steps_known(&solution->searched.steps);
    *out = (struct orrery_plan_point){
        .model_parallel = point->group,
        .data_parallel = point->copies,
        .batch = point->batch,
        .estimated_ps = point->outcome == SIPML_FITS ? point->estimate.iteration_ps : INT64_MAX,
        .simulated_ps = point->simulated_ps,
        .memory_bytes = point->memory_bytes,
        .missing_bytes = point->missing_bytes,
        .steps = known ? point->steps : 0,
        .accuracy_s = known ? orr_sipml_accuracy_s(point) : 0};
}

enum orrery_status orrery_plan_sip_ml_figures(struct orrery_plan *plan,
                                              struct orrery_plan_sip_ml_figures *metrics)
{
    if (plan == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &plan->object.diag;
    enum orr_status status =
        orr_check_caller_struct("orrery_plan_sip_ml_figures",
                                metrics != NULL ? &metrics->size : NULL, sizeof *metrics, diag);
    status = status == ORR_OK ? check_planner(plan, PLAN_SIP_ML, diag) : status;
    if (status == ORR_OK) {
        const struct sipml_result *solution = &plan->sip_ml;
        const struct sipml_point *baseline = sipml_baseline(solution);
        *metrics = (struct orrery_plan_sip_ml_figures){.size = metrics->size,
                                                       .devices = solution->job.servers,
                                                       .points = solution->found.points,
                                                       .stopped = solution->stopped};
        fill_point(solution, sipml_best(solution), &metrics->best);
        if (baseline != NULL) {
            fill_point(solution, baseline, &metrics->data_parallel);
        }
    }
    return orr_object_finish(&plan->object, status);
}

/* ---- views ---- */

static int write_strategy(FILE *out, const struct plan_result *solution)
{
    return orr_strategy_write(out, &solution->job->model, &solution->result.best.strategy);
}

static int write_model(FILE *out, const struct plan_result *solution)
{
    orr_plan_write_model(out, solution->job);
    return 0;
}

static int write_platform(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_pair *best = &solution->result.best;
    orr_plan_write_platform(out, solution->job, &best->graph, &best->routes);
    return 0;
}

static int write_workload(FILE *out, const struct plan_result *solution)
{
    const struct plan_names names = {.profile = solution->job->profile};
    return orr_plan_write_workload(out, solution->job, &solution->result.best.strategy, &names);
}

static int draw(FILE *out, const struct plan_result *solution, const char *format)
{
    struct orr_arena *arena = orr_arena_create();
    char note[ORR_NOTE_BYTES];
    const struct orr_graph_view view = {.name = solution->job->model.name,
                                        .graph = solution->result.best.graph,
                                        .arena = arena,
                                        .has_bandwidths = true,
                                        .brief = true};
    const int status =
        arena == NULL || orr_graph_draw(out, &view, format, note, NULL) != ORR_OK ? 1 : 0;
    orr_arena_destroy(arena);
    return status;
}

static int write_dot(FILE *out, const struct plan_result *solution)
{
    return draw(out, solution, "dot");
}

static int write_svg(FILE *out, const struct plan_result *solution)
{
    return draw(out, solution, "svg");
}

static int write_sip_ml_workload(FILE *out, const struct sipml_result *solution)
{
    const struct plan_names names = {.profile = solution->job.profile};
    return orr_sipml_write_workload(out, solution, &names);
}

/* In the order of enum orrery_plan_view. NULL: the planner has no such view. */
static const struct {
    const char *file;
    int (*topoopt)(FILE *out, const struct plan_result *solution);
    int (*sip_ml)(FILE *out, const struct sipml_result *solution);
} views[] = {{"plan.txt", orr_plan_text, orr_sipml_text},
             {"plan.json", orr_plan_json, orr_sipml_json},
             {"strategy.yml", write_strategy, orr_sipml_write_strategy},
             {"model.yml", write_model, orr_sipml_write_model},
             {"platform.yml", write_platform, orr_sipml_write_platform},
             {"workload.yml", write_workload, write_sip_ml_workload},
             {"topology.dot", write_dot, NULL},
             {"topology.svg", write_svg, NULL},
             {"routes.csv", orr_plan_routes_csv, NULL},
             {"rings.csv", orr_plan_rings_csv, NULL},
             {"ports.csv", orr_plan_ports_csv, NULL},
             {"tried.csv", orr_plan_tried_csv, NULL},
             {"fabrics.csv", orr_plan_fabrics_csv, NULL},
             {"nccl.xml", orr_plan_nccl, NULL},
             {"resume.yml", orr_plan_resume_write, NULL},
             {"taskgraph.otg", NULL, orr_sipml_write_tasks},
             {"points.csv", NULL, orr_sipml_points_csv},
             {"traffic.csv", NULL, orr_sipml_traffic_csv},
             {"traffic.svg", NULL, orr_sipml_traffic_svg},
             {"circuits.csv", NULL, orr_sipml_circuits_csv}};
enum { VIEWS = sizeof views / sizeof *views };

static bool has_view(const struct orrery_plan *plan, unsigned view)
{
    const bool circuits = view == ORRERY_PLAN_CIRCUITS;
    return plan->job.planner == PLAN_TOPOOPT
               ? views[view].topoopt != NULL
               : views[view].sip_ml != NULL && (!circuits || plan->sip_ml.on_circuits);
}

static int write_by_planner(FILE *out, const struct orrery_plan *plan, unsigned view)
{
    return plan->job.planner == PLAN_TOPOOPT ? views[view].topoopt(out, &plan->solution)
                                             : views[view].sip_ml(out, &plan->sip_ml);
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
                             view->plan->job.planner == PLAN_TOPOOPT ? "TopoOpt" : "SiP-ML",
                             views[view->view].file);
    }
    return write_by_planner(out, view->plan, view->view) == 0
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
    return plan->job.planner == PLAN_TOPOOPT
               ? orr_plan_write_workload(out, &plan->job, &plan->solution.result.best.strategy,
                                         &names)
               : orr_sipml_write_workload(out, &plan->sip_ml, &names);
}

static int write_one(FILE *out, const struct orrery_plan *plan, unsigned view)
{
    return view == ORRERY_PLAN_WORKLOAD ? write_folder_workload(out, plan)
                                        : write_by_planner(out, plan, view);
}

static enum orr_status write_file(const struct folder *folder, unsigned view)
{
    struct orrery_plan *plan = folder->plan;
    struct orr_diag *diag = &plan->object.diag;
    const char *path =
        orr_arena_printf(plan->object.arena, "%s/%s", folder->path, views[view].file);
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
    static const char *const files[] = {"plan.txt",      "plan.json",
                                        "strategy.yml",  "model.yml",
                                        "platform.yml",  "workload.yml",
                                        "topology.dot",  "topology.svg",
                                        "routes.csv",    "rings.csv",
                                        "ports.csv",     "tried.csv",
                                        "fabrics.csv",   "nccl.xml",
                                        "resume.yml",    "profile.json",
                                        "taskgraph.otg", "points.csv",
                                        "traffic.csv",   "traffic.svg",
                                        "circuits.csv",  NULL};
    return files;
}

enum orrery_status orrery_plan_write_files(struct orrery_plan *plan, const char *folder)
{
    if (plan == NULL || folder == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    return orr_object_finish(&plan->object, write_files(plan, folder));
}
