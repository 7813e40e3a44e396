/* Plans of SiP-ML as a kind of plan; see sipml_kind.h. */
#include "sipml/plan/sipml_kind.h"

#include "orrery/plan.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_write.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/plan/sipml_report.h"
#include "sipml/plan/sipml_result.h"

/* ---- views ---- */

static int write_workload(FILE *out, const struct sipml_result *result)
{
    const struct plan_names names = {.profile = result->job.profile};
    return orr_sipml_write_workload(out, result, &names);
}

static int (*const views[])(FILE *out, const struct sipml_result *result) = {
    [ORRERY_PLAN_TEXT] = orr_sipml_text,
    [ORRERY_PLAN_JSON] = orr_sipml_json,
    [ORRERY_PLAN_STRATEGY] = orr_sipml_write_strategy,
    [ORRERY_PLAN_MODEL] = orr_sipml_write_model,
    [ORRERY_PLAN_PLATFORM] = orr_sipml_write_platform,
    [ORRERY_PLAN_WORKLOAD] = write_workload,
    [ORRERY_PLAN_TASKS] = orr_sipml_write_tasks,
    [ORRERY_PLAN_POINTS] = orr_sipml_points_csv,
    [ORRERY_PLAN_TRAFFIC] = orr_sipml_traffic_csv,
    [ORRERY_PLAN_TRAFFIC_SVG] = orr_sipml_traffic_svg,
    [ORRERY_PLAN_CIRCUITS] = orr_sipml_circuits_csv};

static bool has_view(const void *result, enum orrery_plan_view view)
{
    return (size_t)view < sizeof views / sizeof *views && views[view] != NULL &&
           (view != ORRERY_PLAN_CIRCUITS || ((const struct sipml_result *)result)->on_circuits);
}

static int write_view(FILE *out, const void *result, enum orrery_plan_view view)
{
    return views[view](out, result);
}

static int write_workload_of(FILE *out, const void *result, const struct plan_names *names)
{
    return orr_sipml_write_workload(out, result, names);
}

static enum orr_status solve(struct orr_arena *arena, const struct plan_job *job,
                             const struct plan_options *options, void *result,
                             struct orr_diag *diag)
{
    return orr_sipml_solve(arena, job, options, result, diag);
}

const struct plan_kind orr_plan_kind_sip_ml = {.name = "sip-ml",
                                               .title = "SiP-ML",
                                               .section = "sip_ml",
                                               .once = "is over in seconds",
                                               .picture = ORRERY_PLAN_TRAFFIC_SVG,
                                               .pictured = "Traffic between the first devices",
                                               .result_bytes = sizeof(struct sipml_result),
                                               .prepare = orr_sipml_job_prepare,
                                               .check_network = orr_sipml_job_check_network,
                                               .read = orr_sipml_job_read,
                                               .solve = solve,
                                               .has_view = has_view,
                                               .write_view = write_view,
                                               .write_workload = write_workload_of};
