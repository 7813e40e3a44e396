/* Properties of a generated model, for the public API. */
#include "orrery/orrery.h"
#include "sim/local_memory.h"
#include "sim/orrery_private.h"
#include "workload/gen/models.h"

struct orrery_model orr_model_of(const struct gen_model *model)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    struct gen_totals totals;
    model->ops->totals(model->job, &totals);
    return (struct orrery_model){.parameters = totals.parameters,
                                 .active_parameters = totals.active_parameters,
                                 .step_flops = totals.model_flops,
                                 .step_samples = totals.samples,
                                 .step_tokens = totals.tokens,
                                 .steps = plan->steps,
                                 .stages = plan->pipeline.stages,
                                 .mtp_parameters = totals.mtp_parameters};
}

enum orrery_status orrery_model(const struct orrery *job, struct orrery_model *out)
{
    const struct gen_model *model = &job->files.job_description.model;
    *out = (struct orrery_model){.steps = 0};
    if (model->ops == NULL) {
        return orr_reject_call(job, "the workload is no generated model");
    }
    *out = orr_model_of(model);
    return ORRERY_OK;
}

enum orrery_status orrery_model_memory(const struct orrery *job, uint32_t stage,
                                       struct orrery_model_memory *out)
{
    const struct gen_model *model = &job->files.job_description.model;
    struct gen_memory memory;
    *out = (struct orrery_model_memory){.capacity_bytes = job->local.capacity_bytes};
    if (model->ops == NULL || stage >= model->ops->plan(model->job)->pipeline.stages) {
        return orr_reject_call(
            job, "memory of stage %u: the workload is no generated model with it", stage);
    }
    if (!orr_gen_model_memory(model, stage, &memory)) {
        return ORRERY_ERROR_INTERNAL;
    }
    out->weights_bytes = memory.weights_bytes;
    out->gradients_bytes = memory.gradients_bytes;
    out->optimizer_bytes = memory.optimizer_bytes;
    out->activations_bytes = memory.activations_bytes;
    return ORRERY_OK;
}

uint64_t orr_local_memory_bytes(const struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    uint64_t bytes = 0;
    uint64_t pooled = 0;
    return model->ops != NULL && orr_gen_model_bytes(model, &bytes, &pooled)
               ? bytes
               : job->found.local_peak_bytes;
}
