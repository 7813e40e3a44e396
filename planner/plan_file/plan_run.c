/* Runs a strategy of a plan from the text of its files; see plan_run.h. */
#include "planner/plan_file/plan_run.h"

#include <stdio.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_write.h"
#include "planner/plan_network.h"

/* The platform (or the workload) as text on the heap; NULL: memory is out. */
static char *text_of(const struct plan_job *job, const struct plan_network *on,
                     const struct strategy *strategy, bool platform)
{
    const struct plan_names names = {.profile = job->profile};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int status = out != NULL ? 0 : 1;
    if (out != NULL && platform) {
        orr_plan_write_platform(out, job, on->graph, &on->routes);
    } else if (out != NULL) {
        status = orr_plan_write_workload(out, job, strategy, &names);
    }
    if ((out != NULL && fclose(out) != 0) || status != 0) {
        orr_heap_free(text);
        return NULL;
    }
    return text;
}

struct run {
    struct orrery_platform *platform;
    struct orrery_workload *workload;
    struct orrery *job;
    char *platform_text, *workload_text;
};

static enum orrery_status run(struct run *run, const char **error)
{
    *error = "";
    enum orrery_status status = orrery_platform_parse(run->platform, run->platform_text);
    if (status != ORRERY_OK) {
        *error = orrery_platform_error(run->platform);
        return status;
    }
    status = orrery_workload_parse(run->workload, run->workload_text);
    if (status != ORRERY_OK) {
        *error = orrery_workload_error(run->workload);
        return status;
    }
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = run->platform,
                                       .workload = run->workload};
    status = orrery_load_parts(run->job, &parts);
    if (status == ORRERY_OK) {
        status = orrery_run(run->job);
    }
    *error = status != ORRERY_OK ? orrery_error(run->job) : "";
    return status;
}

enum orr_status orr_plan_run(const struct plan_job *job, const struct plan_network *on,
                             const struct strategy *strategy, struct plan_run_result *ran,
                             struct orr_diag *diag)
{
    struct run made = {orrery_platform_new(), orrery_workload_new(), orrery_new(),
                       text_of(job, on, strategy, true), text_of(job, on, strategy, false)};
    const char *error = "";
    enum orr_status status = ORR_OK;
    if (made.platform == NULL || made.workload == NULL || made.job == NULL ||
        made.platform_text == NULL || made.workload_text == NULL) {
        status = orr_diag_no_memory(diag, "a run of the plan");
    } else {
        status = (enum orr_status)run(&made, &error);
        if (status != ORR_OK) {
            (void)orr_diag_fail(diag, status, NULL, "a run of the plan: %s", error);
        }
    }
    if (status == ORR_OK) {
        struct orrery_circuits circuits = {.weight = 0};
        (void)orrery_circuits(made.job, &circuits);
        *ran = (struct plan_run_result){orrery_wall_ps(made.job), circuits.weight};
    }
    orrery_free(made.job);
    orrery_workload_free(made.workload);
    orrery_platform_free(made.platform);
    orr_heap_free(made.platform_text);
    orr_heap_free(made.workload_text);
    return status;
}
