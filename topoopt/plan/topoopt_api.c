/* Plans of TopoOpt for programs; see include/orrery/plan.h. */
#include "orrery/plan.h"
#include "sim/api_object.h"
#include "topoopt/plan/plan_report.h"
#include "topoopt/plan/plan_result.h"
#include "topoopt/plan/topoopt_kind.h"

enum orrery_status orrery_plan_topoopt(struct orrery_plan *plan,
                                       const struct orrery_plan_input *input)
{
    return orr_plan_with(plan, &orr_plan_kind_topoopt, input);
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
    struct orr_diag *diag = &orr_plan_object(plan)->diag;
    const void *result = NULL;
    enum orr_status status = orr_check_caller_struct(
        "orrery_plan_figures", metrics != NULL ? &metrics->size : NULL, sizeof *metrics, diag);
    status = status == ORR_OK ? orr_plan_result_of(plan, &orr_plan_kind_topoopt, &result) : status;
    status = status == ORR_OK ? fill(result, metrics, diag) : status;
    return orr_object_finish(orr_plan_object(plan), status);
}
