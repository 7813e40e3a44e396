/* Layout search, for the public API. */
#include <inttypes.h>

#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "workload/gen/layout_search.h"
#include "workload/gen/layout_time.h"
#include "workload/gen/models.h"

static void add(struct orrery_layout *out, const char *text)
{
    if (text != NULL) {
        out->set[out->sets++] = text;
    }
}

/* Lists the settings that differ from the user's. */
static void describe_layout(struct orrery *job, const struct gen_plan *plan,
                            const struct gen_layout_candidate *found, struct orrery_layout *out)
{
    const struct gen_change given = orr_gen_plan_settings(plan);
    const struct gen_change *change = &found->change;
    const uint32_t data = gen_data_ranks(&plan->layout);
    *out = (struct orrery_layout){.bytes = found->bytes, .changes = found->changes};
    if (change->tensor != given.tensor) {
        add(out, orr_arena_printf(job->arena, "workload.parallel.tensor=%" PRIu32, change->tensor));
    }
    if (change->pipeline != given.pipeline) {
        add(out,
            orr_arena_printf(job->arena, "workload.parallel.pipeline=%" PRIu32, change->pipeline));
    }
    if (plan->data_is_set && found->changes != 0 && found->data != data) {
        add(out, orr_arena_printf(job->arena, "workload.parallel.data=%" PRIu32, found->data));
    }
    if (change->zero != given.zero) {
        add(out, orr_arena_printf(job->arena, "workload.parallel.zero=%u", change->zero));
    }
    if (change->recompute != given.recompute) {
        add(out, orr_arena_printf(job->arena, "workload.training.recompute=%s",
                                  orr_gen_recompute_name(change->recompute)));
    }
}

/* The first dimension is the fast domain; all other dimensions count as the slowest of them. */
static struct gen_speed speed_of(const struct orrery *job)
{
    const struct net_config *network = &job->network;
    struct gen_speed speed = {.flops = job->compute.peak_flops, .near = 1};
    if (network->dims == 0) {
        return speed;
    }
    speed.near = network->dim[0].npus;
    speed.near_bytes_per_s = speed.far_bytes_per_s = network->dim[0].bandwidth_bytes_per_s;
    for (unsigned d = 1; d < network->dims; d++) {
        const double bandwidth = network->dim[d].bandwidth_bytes_per_s;
        speed.far_bytes_per_s =
            bandwidth < speed.far_bytes_per_s ? bandwidth : speed.far_bytes_per_s;
    }
    return speed;
}

enum orrery_status orrery_find_layouts(struct orrery *job, struct orrery_layouts *out)
{
    const struct gen_model *model = &job->files.job_description.model;
    const uint64_t capacity_bytes[2] = {job->local.capacity_bytes, orr_pool_capacity(job)};
    const struct gen_speed speed = speed_of(job);
    struct gen_layout_candidates found;
    uint64_t added_bytes = 0, pooled = 0;
    *out = (struct orrery_layouts){.count = 0};
    if (model->ops == NULL || model->job == NULL) {
        return orr_reject_call(job, "layouts: the workload is no generated model");
    }
    const enum orr_status status =
        orr_gen_search_layouts(model, capacity_bytes, &speed, &found, &job->diag);
    if (status == ORR_OK) {
        const struct gen_plan *plan = model->ops->plan(model->job);
        out->count = found.count;
        out->single = model->ops->change == NULL;
        out->pool = orr_gen_model_bytes(model, &added_bytes, &pooled) &&
                    (capacity_bytes[0] == 0 || added_bytes <= capacity_bytes[0]);
        for (unsigned i = 0; i < found.count; i++) {
            describe_layout(job, plan, &found.near[i], &out->near[i]);
        }
        describe_layout(job, plan, &found.min, &out->min);
    }
    return orr_finish_call(job, status);
}
