/* Approximate time of a layout of a transformer, to rank layouts that fit: closed forms without
 * overlap. */
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"

static double bandwidth(const struct gen_speed *speed, uint32_t reach)
{
    return reach <= speed->near ? speed->near_bytes_per_s : speed->far_bytes_per_s;
}

/* Full recomputation repeats the forward pass, a third of the step; selective only attention, which
 * is a small part (Korthikanti et al. 2022). */
static double recompute_factor(enum gen_recompute recompute)
{
    return recompute == GEN_RECOMPUTE_FULL        ? 4.0 / 3
           : recompute == GEN_RECOMPUTE_SELECTIVE ? 1.03
                                                  : 1;
}

static uint32_t max_layers(const struct tf_job *job)
{
    const struct gen_row row = orr_transformer_row(&job->model);
    return orr_gen_max_layers(&job->plan, &row);
}

/* The layers of the stage with the most, relative to the mean: all other stages wait for it. */
static double stage_imbalance(const struct tf_job *job)
{
    return (double)max_layers(job) * job->plan.pipeline.stages /
           orr_transformer_all_layers(&job->model);
}

/* All-reduces of the activations of a sample in one layer: 4, and 2 more with recomputation; a ring
 * moves each byte twice. */
static double tensor_seconds(const struct tf_job *job, const struct gen_speed *speed)
{
    const struct gen_plan *plan = &job->plan;
    const uint32_t ranks = plan->layout.size[GEN_TENSOR];
    const double tokens = (double)(job->model.sequence + job->model.encoder_sequence) /
                          plan->layout.size[GEN_CONTEXT];
    const double bytes = tokens * (double)job->model.hidden * (double)plan->element_bytes;
    const double layers = max_layers(job);
    const double times = plan->recompute == GEN_RECOMPUTE_FULL ? 6 : 4;
    return layers * times * bytes * 2 * (ranks - 1) / ranks / bandwidth(speed, ranks);
}

/* Gradients and, with ZeRO, weights: once a step; with ZeRO-2 and -3 once a micro-batch. */
static double data_seconds(const struct tf_job *job, const struct gen_speed *speed,
                           double parameters)
{
    const struct gen_plan *plan = &job->plan;
    const struct gen_layout *layout = &plan->layout;
    const uint32_t ranks = orr_gen_family_size(layout, GEN_DP);
    const double held =
        parameters / layout->size[GEN_TENSOR] / plan->pipeline.stages * stage_imbalance(job);
    const double micros = plan->pipeline.micros;
    const double times = plan->zero < 2 ? 2 : plan->zero == 2 ? micros + 1 : 3 * micros;
    return times * held * (double)plan->gradient_bytes * (ranks - 1) / ranks /
           bandwidth(speed, layout->npus / plan->pipeline.stages);
}

double orr_transformer_sample_seconds(const struct tf_job *job, const struct gen_speed *speed)
{
    const struct gen_plan *plan = &job->plan;
    const uint32_t npus = plan->layout.npus;
    struct gen_totals totals;
    (void)orr_transformer_totals(job, &totals);
    const double samples = (double)plan->batch; /* samples of a step */
    const double of_rank = (double)plan->micro_batch * plan->pipeline.micros;
    const double bubble =
        1 + (plan->pipeline.stages - 1) / ((double)plan->pipeline.micros * plan->pipeline.chunks);
    double seconds = 0;
    if (speed->flops > 0) {
        seconds += totals.model_flops / npus * recompute_factor(plan->recompute) / speed->flops *
                   stage_imbalance(job);
    }
    if (speed->near_bytes_per_s > 0 && speed->far_bytes_per_s > 0) {
        seconds += of_rank * tensor_seconds(job, speed);
    }
    seconds *= bubble;
    if (speed->near_bytes_per_s > 0 && speed->far_bytes_per_s > 0) {
        seconds += data_seconds(job, speed, totals.parameters);
    }
    return seconds / samples;
}
