/* Plans of SiP-ML for programs; see include/orrery/plan.h. */
#include "orrery/plan.h"
#include "planner/plan_file/plan_kind.h"
#include "sim/api_object.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/plan/sipml_result.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_steps.h"

enum orrery_status orrery_plan_sip_ml(struct orrery_plan *plan,
                                      const struct orrery_plan_input *input)
{
    return orr_plan_with(plan, &orr_plan_kind_sip_ml, input);
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
    struct orr_diag *diag = &orr_plan_object(plan)->diag;
    const void *result = NULL;
    enum orr_status status =
        orr_check_caller_struct("orrery_plan_sip_ml_figures",
                                metrics != NULL ? &metrics->size : NULL, sizeof *metrics, diag);
    status = status == ORR_OK ? orr_plan_result_of(plan, &orr_plan_kind_sip_ml, &result) : status;
    if (status == ORR_OK) {
        const struct sipml_result *solution = result;
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
    return orr_object_finish(orr_plan_object(plan), status);
}
