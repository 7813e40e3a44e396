/* Plans of TopoOpt as a kind of plan (plan_kind.h). */
#include "topoopt/plan/topoopt_kind.h"
#include "core/arena.h"
#include "orrery/plan.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_write.h"
#include "report/pictures/pictures.h"
#include "topoopt/plan/plan_report.h"
#include "topoopt/plan/plan_result.h"
#include "topoopt/search/topoopt.h"
#include "workload/strategy/strategy_file.h"

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

static int write_layout(FILE *out, const struct plan_result *solution)
{
    return fputs(solution->layout.job, out) < 0 ? 1 : 0;
}

static int (*const views[])(FILE *out, const struct plan_result *solution) = {
    [ORRERY_PLAN_TEXT] = orr_plan_text,
    [ORRERY_PLAN_JSON] = orr_plan_json,
    [ORRERY_PLAN_STRATEGY] = write_strategy,
    [ORRERY_PLAN_MODEL] = write_model,
    [ORRERY_PLAN_PLATFORM] = write_platform,
    [ORRERY_PLAN_WORKLOAD] = write_workload,
    [ORRERY_PLAN_DOT] = write_dot,
    [ORRERY_PLAN_SVG] = write_svg,
    [ORRERY_PLAN_ROUTES] = orr_plan_routes_csv,
    [ORRERY_PLAN_RINGS] = orr_plan_rings_csv,
    [ORRERY_PLAN_PORTS] = orr_plan_ports_csv,
    [ORRERY_PLAN_TRIED] = orr_plan_tried_csv,
    [ORRERY_PLAN_FABRICS] = orr_plan_fabrics_csv,
    [ORRERY_PLAN_NCCL] = orr_plan_nccl,
    [ORRERY_PLAN_RESUME] = orr_plan_resume_write,
    [ORRERY_PLAN_LAYOUT] = write_layout};

static bool has_view(const void *result, enum orrery_plan_view view)
{
    const struct plan_result *solution = result;
    return (size_t)view < sizeof views / sizeof *views && views[view] != NULL &&
           (view != ORRERY_PLAN_LAYOUT || solution->layout.job != NULL);
}

static int write_view(FILE *out, const void *result, enum orrery_plan_view view)
{
    return views[view](out, result);
}

static int write_workload_of(FILE *out, const void *result, const struct plan_names *names)
{
    const struct plan_result *solution = result;
    return orr_plan_write_workload(out, solution->job, &solution->result.best.strategy, names);
}

static enum orr_status solve(struct orr_arena *arena, const struct plan_job *job,
                             const struct plan_options *options, void *result,
                             struct orr_diag *diag)
{
    return orr_plan_solve(arena, job, options, result, diag);
}

const struct plan_kind orr_plan_kind_topoopt = {.name = "topoopt",
                                                .title = "TopoOpt",
                                                .plans_topology = true,
                                                .default_budget = orr_topoopt_default_budget,
                                                .picture = ORRERY_PLAN_SVG,
                                                .pictured = "The topology drawn",
                                                .result_bytes = sizeof(struct plan_result),
                                                .solve = solve,
                                                .has_view = has_view,
                                                .write_view = write_view,
                                                .write_workload = write_workload_of};
