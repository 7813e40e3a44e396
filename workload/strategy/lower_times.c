/* The times of a strategy's parts; see lower.h. */
#include "core/arena.h"
#include "core/saturate.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/lower.h"

/* Computation time of the device that computes longest; saturates. */
static uint64_t max_of(const struct model_graph *model, const struct strategy *strategy,
                       const struct strategy_times *times, uint64_t *sum)
{
    uint64_t max = 0;
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint32_t *device = orr_strategy_devices(strategy, op);
        const uint64_t both = sat_plus(times->forward_ps[op], times->backward_ps[op]);
        for (uint32_t i = 0; i < strategy->op[op].parts; i++) {
            sum[device[i]] = sat_plus(sum[device[i]], both);
            max = sum[device[i]] > max ? sum[device[i]] : max;
        }
    }
    return max;
}

static enum orr_status scale_times(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy, sim_time iteration_ps,
                                   uint64_t *forward_ps, uint64_t *backward_ps,
                                   struct orr_diag *diag)
{
    const struct strategy_times times = {forward_ps, backward_ps};
    uint64_t *sum = orr_arena_array(arena, orr_strategy_group(strategy), sizeof *sum);
    const uint64_t max = sum != NULL ? max_of(model, strategy, &times, sum) : 0;
    if (sum == NULL) {
        return orr_diag_no_memory(diag, "the times of operators");
    }
    if (max == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the computation time of an iteration cannot be spread over the "
                             "operators: expected an operator with a time above 0");
    }
    const double ratio = (double)iteration_ps / (double)max;
    for (uint32_t op = 0; op < model->ops; op++) {
        forward_ps[op] = (uint64_t)orr_time_scale((sim_time)forward_ps[op], ratio);
        backward_ps[op] = (uint64_t)orr_time_scale((sim_time)backward_ps[op], ratio);
    }
    return ORR_OK;
}

enum orr_status orr_strategy_times(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy, const struct model_speed *speed,
                                   struct strategy_times *out, struct orr_diag *diag)
{
    const uint64_t samples = orr_model_batch(model, strategy->devices) / strategy->copies;
    uint64_t *forward_ps = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *forward_ps);
    uint64_t *backward_ps = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *backward_ps);
    enum orr_status status = forward_ps != NULL && backward_ps != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(diag, "the times of operators");
    for (uint32_t op = 0; op < model->ops && status == ORR_OK; op++) {
        struct model_times times = {0};
        status = orr_model_part_time(model, op, orr_strategy_degrees(strategy, op), speed, samples,
                                     &times, diag);
        forward_ps[op] = (uint64_t)times.forward_ps;
        backward_ps[op] = (uint64_t)times.backward_ps;
    }
    if (status == ORR_OK && speed->iteration_ps > 0) {
        status =
            scale_times(arena, model, strategy, speed->iteration_ps, forward_ps, backward_ps, diag);
    }
    *out = (struct strategy_times){forward_ps, backward_ps};
    return status;
}
