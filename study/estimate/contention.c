/* Links that several streams share: each has its part of them, so what a pass waits for takes
 * longer by the share of the time in which others are there. Others are gradients that are reduced
 * behind every pass (ZeRO-2), and messages between stages. See estimate_private.h. */
#include <math.h>

#include "study/estimate/estimate_private.h"

/* Seconds of a stage's passes of a micro-batch, and of the reductions of its gradients. */
struct busy {
    double passes, reduces;
};

static struct busy busy_of(const struct est_job *job, uint32_t stage)
{
    struct busy busy = {0};
    for (uint32_t c = 0; c < job->plan->pipeline.chunks; c++) {
        const struct est_chunk *chunk = est_chunk_of(job, stage, c);
        busy.passes += chunk->forward + chunk->backward;
        for (uint32_t l = chunk->range.first; l < chunk->range.end; l++) {
            busy.reduces += job->layer[l]->reduce;
        }
    }
    return busy;
}

static bool reduces_always(const struct est_job *job)
{
    return job->plan->zero == 2 && job->plan->overlap;
}

double orr_est_reducing(struct est_job *job, uint32_t stage, int dim)
{
    if (!reduces_always(job) || !orr_group_spans(&job->groups, GEN_DP, dim)) {
        return 0;
    }
    const struct busy busy = busy_of(job, stage);
    return busy.passes > 0 ? fmin(1, busy.reduces / busy.passes) : 0;
}

/* The share of the time in which a stage sends and receives over a dimension. */
static double messaging(struct est_job *job, uint32_t stage, int dim)
{
    const struct gen_pipeline *pipeline = &job->plan->pipeline;
    if (pipeline->stages == 1 ||
        orr_message_outermost(&job->groups, stage, (stage + 1) % pipeline->stages) != dim) {
        return 0;
    }
    const struct est_messages messages = orr_est_messages(job, stage);
    const struct busy busy = busy_of(job, stage);
    return busy.passes > 0
               ? fmin(1, pipeline->chunks * fmax(messages.next, messages.before) / busy.passes)
               : 0;
}

static void lengthen(struct est_exchange *exchange, const double factor[EST_LANES])
{
    exchange->seconds *= factor[exchange->lane];
}

void orr_est_contend(struct est_job *job)
{
    static const enum gen_family family[] = {[EST_TENSOR] = GEN_TP,
                                             [EST_EXPERT_TENSOR] = GEN_ETP,
                                             [EST_CONTEXT] = GEN_CP,
                                             [EST_EXPERT] = GEN_EP};
    const uint32_t middle = job->plan->pipeline.stages / 2;
    double factor[EST_LANES] = {1, 1, 1, 1, 1, 1, 1}, longest = 1;
    for (unsigned lane = 0; lane < sizeof family / sizeof *family; lane++) {
        const int dim = orr_group_outermost(&job->groups, family[lane]);
        const double share = orr_est_reducing(job, middle, dim) + messaging(job, middle, dim);
        factor[lane] += dim >= 0 ? fmin(1, share) : 0;
        longest = fmax(longest, factor[lane]);
    }
    for (uint32_t b = 0; b < job->blocks && longest > 1; b++) {
        for (uint32_t i = 0; i < job->block[b].block->ops; i++) {
            struct est_op *op = &job->block[b].op[i];
            lengthen(&op->to, factor);
            lengthen(&op->back, factor);
            lengthen(&op->regather, factor);
        }
    }
    if (longest > 1) {
        orr_est_time_chunks(job);
    }
}
