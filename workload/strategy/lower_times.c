/* How long the parts of a strategy take; see lower.h. */
#include "workload/strategy/lower.h"

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
    *out = (struct strategy_times){forward_ps, backward_ps};
    return status;
}
