/* orrery model tasks: the task graph of a strategy, as a file. */
#include "cli/model/model_command.h"
#include "cli/options.h"
#include "core/arena.h"
#include "et_converter/task_graph_input.h"
#include "sim/load/model_file.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/model/profile.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

struct tasks_job {
    struct orr_arena *arena;
    struct model_graph model;
    struct strategy strategy;
    struct model_profile profile;
    struct tg_graph graph;
};

/* Sources of operator times: the profile, or else the platform's roofline. */
static enum orr_status find_speed(struct tasks_job *plan,
                                  const struct orr_model_arguments *arguments,
                                  struct model_speed *speed, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    *speed = (struct model_speed){.iteration_ps = arguments->compute_ps};
    if (arguments->profile != NULL) {
        status = orr_model_profile_load(plan->arena, arguments->profile, &plan->profile, diag);
        speed->profile = &plan->profile;
    }
    return status == ORR_OK && arguments->platform != NULL
               ? orr_model_roofline_load(plan->arena, arguments->platform, arguments->set.text,
                                         arguments->set.count, &speed->roofline, diag)
               : status;
}

static enum orr_status make_graph(struct tasks_job *plan,
                                  const struct orr_model_arguments *arguments,
                                  struct orr_diag *diag)
{
    struct model_speed speed;
    struct strategy_times times;
    enum orr_status status = find_speed(plan, arguments, &speed, diag);
    if (status == ORR_OK) {
        status =
            orr_strategy_times(plan->arena, &plan->model, &plan->strategy, &speed, &times, diag);
    }
    if (status == ORR_OK) {
        status = orr_strategy_lower(plan->arena, &plan->model, &plan->strategy, &times,
                                    &plan->graph, diag);
    }
    if (status == ORR_OK && arguments->expand) {
        const struct tg_graph folded = plan->graph;
        status = orr_tg_expand(plan->arena, &folded, &plan->graph, diag);
    }
    return status;
}

static enum orr_status save(struct tasks_job *plan, const char *path, struct orr_diag *diag)
{
    const char *wrong = NULL;
    const struct conv_task_graph_output output = {.form = orr_convert_task_graph_form(path, &wrong),
                                                  .path = path};
    if (wrong != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s\"%s\"", wrong, path);
    }
    const struct conv_task_graph graph = {.graph = plan->graph};
    return orr_convert_write_task_graph(&graph, &output, diag);
}

int orr_model_tasks_command(const struct orr_model_arguments *arguments)
{
    struct tasks_job plan = {.arena = orr_arena_create()};
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    enum orr_status status =
        plan.arena != NULL
            ? orr_model_load_inputs(plan.arena, arguments, &plan.model, &plan.strategy, &diag)
            : orr_diag_no_memory(&diag, "a strategy");
    if (status == ORR_OK) {
        status = make_graph(&plan, arguments, &diag);
    }
    if (status == ORR_OK) {
        status = save(&plan, arguments->output, &diag);
    }
    orr_arena_destroy(plan.arena);
    return orr_print_diag(&diag);
}
