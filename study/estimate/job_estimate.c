/* The estimate of a loaded job; see job_estimate.h. */
#include "study/estimate/job_estimate.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "orrery/job_model.h"
#include "sim/loaded_job.h"
#include "workload/engine/engine.h"
#include "workload/gen/models.h"

const char *orr_job_cannot_estimate(const struct orrery *job)
{
    return !orr_loaded_compute(job)->roofline
               ? "compute.peak is missing: without it computation takes no time"
           : orr_loaded_network(job)->dims == 0
               ? "the network is a graph; estimates of layouts know networks of dimensions "
                 "(network.topology)"
               : NULL;
}

/* Computing beside exchanges of tokens takes so many times as long: these hold SMs. */
static double token_pace(const struct wl_compute *compute)
{
    return compute->sms > compute->token_sms ? compute->sms / (compute->sms - compute->token_sms)
                                             : 1;
}

enum orr_status orr_job_costs_open(const struct orrery *job, struct orr_step_costs *costs,
                                   struct orr_diag *diag)
{
    const struct wl_compute *compute = orr_loaded_compute(job);
    *costs = (struct orr_step_costs){.roofline = orr_wl_roofline_of(compute),
                                     .token_pace = token_pace(compute)};
    return orr_group_costs_create(orr_loaded_network(job), orr_loaded_library(job), &costs->groups,
                                  diag);
}

void orr_job_costs_close(struct orr_step_costs *costs)
{
    orr_group_costs_destroy(costs->groups);
}

static bool estimate(const struct orrery *job, const struct rank_program *program, double *seconds)
{
    struct orr_step_costs costs;
    struct orr_step_estimate step = {.step_s = 0};
    struct orr_diag diag;
    orr_diag_init(&diag);
    const bool told = orr_job_costs_open(job, &costs, &diag) == ORR_OK &&
                      orr_step_estimate(&costs, program, &step, &diag) == ORR_OK;
    orr_job_costs_close(&costs);
    *seconds = step.step_s;
    return told;
}

bool orr_job_estimate(const struct orrery *job, double *seconds, const char **why)
{
    const struct gen_model *model = orr_loaded_model(job);
    struct orrery_model of = {.steps = 1};
    bool told = false;
    *why = model == NULL || model->ops->program == NULL ? "the workload is no generated model"
                                                        : orr_job_cannot_estimate(job);
    if (*why != NULL) {
        return false;
    }
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? model->ops->program(arena, model->job, GEN_FULLEST) : NULL;
    if (program != NULL && orr_step_can_estimate(program, why)) {
        (void)orrery_model(job, &of);
        told = estimate(job, program, seconds);
        *seconds *= of.steps > 0 ? of.steps : 1;
    }
    orr_arena_destroy(arena);
    return told;
}
