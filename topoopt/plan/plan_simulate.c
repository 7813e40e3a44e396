/* Simulation of a plan from the text of its files; see plan_result.h. */
#include "planner/plan_file/plan_run.h"
#include "topoopt/plan/plan_result.h"
#include "topoopt/search/topoopt.h"

static enum orr_status simulate(const struct plan_result *solution, const struct topoopt_pair *pair,
                                sim_time *time_ps, struct orr_diag *diag)
{
    const struct plan_network on = {&pair->graph, pair->routes};
    struct plan_run_result ran = {.time_ps = 0};
    const enum orr_status status = orr_plan_run(solution->job, &on, &pair->strategy, &ran, diag);
    *time_ps = ran.time_ps;
    return status;
}

void orr_plan_choose_by_run(struct plan_result *solution)
{
    struct topoopt_result *result = &solution->result;
    if (solution->both_simulated && solution->data_parallel_ps < solution->simulated_ps) {
        solution->overruled = true;
        solution->searched = result->best;
        solution->searched_ps = solution->simulated_ps;
        result->best = result->data_parallel;
        solution->simulated_ps = solution->data_parallel_ps;
    }
}

enum orr_status orr_plan_simulate(struct plan_result *solution, struct orr_diag *diag)
{
    const struct topoopt_pair *best = &solution->result.best,
                              *baseline = &solution->result.data_parallel;
    const bool both = best->origin != TOPOOPT_DATA_PARALLEL && baseline->missing_bytes == 0 &&
                      baseline->predicted_ps != ORR_TIME_MAX;
    enum orr_status status = simulate(solution, best, &solution->simulated_ps, diag);
    solution->simulated = status == ORR_OK;
    if (best->origin == TOPOOPT_DATA_PARALLEL) {
        solution->data_parallel_ps = solution->simulated_ps;
    }
    if (status == ORR_OK && both) {
        status = simulate(solution, baseline, &solution->data_parallel_ps, diag);
        solution->both_simulated = status == ORR_OK;
    }
    orr_plan_choose_by_run(solution);
    return status;
}
