/* The end of a step: gradients that are left to reduce, updates, weights that are gathered; see
 * estimate_private.h. */
#include <math.h>

#include "study/estimate/estimate_private.h"

bool orr_est_gathers_first(const struct gen_plan *plan)
{
    return (plan->zero == 1 || plan->zero == 2) && plan->overlap_gather && plan->has_optimizer;
}

/* Without overlap all gradients are reduced behind the last pass, the last layer's first. */
static void reduce_left(const struct est_job *job, const struct est_chunk *chunk,
                        struct est_stage *stage)
{
    for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
        est_reduce_layer(job, l, stage->free, stage);
    }
}

void orr_est_reduce_rest(struct est_job *job, struct est_stage *stages)
{
    const struct rank_program *program = job->program;
    const struct rank_layer *end = &program->layer[program->layers - 1];
    for (uint32_t s = 0; s < job->plan->pipeline.stages && !job->plan->overlap; s++) {
        for (uint32_t c = job->plan->pipeline.chunks; c-- > 0;) {
            reduce_left(job, est_chunk_of(job, s, c), &stages[s]);
        }
    }
    if (end->tied_parameters > 0) { /* both ends of the model have these weights */
        const uint64_t bytes = end->tied_parameters * job->plan->gradient_bytes;
        double *first = &stages[0].reduced[0], *last = &stages[0].reduced[program->layers - 1];
        *first = *last = fmax(*first, *last) + orr_collective_seconds(&job->groups, GEN_EMBEDDING,
                                                                      ORR_COMM_ALL_REDUCE, bytes);
    }
}

/* Updates layers in the order in which their gradients are there: weights that both ends have come
 * last. Then stage->reduced are the ends of the updates. */
static void update_layers(const struct est_job *job, uint32_t number, bool tied,
                          struct est_stage *stage, double *updated)
{
    for (uint32_t c = job->plan->pipeline.chunks; c-- > 0;) {
        const struct est_chunk *chunk = est_chunk_of(job, number, c);
        for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
            if ((job->program->layer[l].tied_parameters > 0) == tied) {
                *updated = fmax(*updated, stage->reduced[l]) + job->layer[l]->update;
                stage->reduced[l] = *updated;
            }
        }
    }
}

double orr_est_step_end(struct est_job *job, uint32_t number, struct est_stage *stage)
{
    const struct gen_plan *plan = job->plan;
    const bool gathers = (plan->zero == 1 || plan->zero == 2) && !orr_est_gathers_first(plan);
    double end = stage->free;
    update_layers(job, number, false, stage, &end);
    update_layers(job, number, true, stage, &end);
    for (uint32_t c = plan->pipeline.chunks; c-- > 0 && gathers;) {
        const struct est_chunk *chunk = est_chunk_of(job, number, c);
        for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
            stage->data_lane = fmax(stage->data_lane, stage->reduced[l]) + job->layer[l]->gather;
        }
    }
    return fmax(end, stage->data_lane);
}
