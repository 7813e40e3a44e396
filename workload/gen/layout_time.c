/* Approximate time of a layout; see layout_time.h. */
#include "workload/gen/layout_time.h"

#include "workload/parallel/layout.h"

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

/* The layers of the stage with the most, relative to the mean: all other stages wait for it. */
static double stage_imbalance(const struct gen_estimate *of)
{
    return (double)orr_gen_max_layers(of->plan, &of->row) * of->plan->pipeline.stages /
           of->row.layers;
}

/* All-reduces of the activations of a sample in one layer: 4, and 2 more with recomputation; a ring
 * moves each byte twice. */
static double tensor_seconds(const struct gen_estimate *of, const struct gen_speed *speed)
{
    const struct gen_plan *plan = of->plan;
    const uint32_t ranks = plan->layout.size[GEN_TENSOR];
    const double layers = orr_gen_max_layers(of->plan, &of->row);
    const double times = plan->recompute == GEN_RECOMPUTE_FULL ? 6 : 4;
    return layers * times * of->layer_bytes * 2 * (ranks - 1) / ranks / bandwidth(speed, ranks);
}

/* Gradients and, with ZeRO, weights: once a step; with ZeRO-2 and -3 once a micro-batch. */
static double data_seconds(const struct gen_estimate *of, const struct gen_speed *speed)
{
    const struct gen_plan *plan = of->plan;
    const struct gen_layout *layout = &plan->layout;
    const uint32_t ranks = orr_gen_family_size(layout, GEN_DP);
    const double held = of->totals.parameters / layout->size[GEN_TENSOR] / plan->pipeline.stages *
                        stage_imbalance(of);
    const double micros = plan->pipeline.micros;
    const double times = plan->zero < 2 ? 2 : plan->zero == 2 ? micros + 1 : 3 * micros;
    return times * held * (double)plan->gradient_bytes * (ranks - 1) / ranks /
           bandwidth(speed, layout->npus / plan->pipeline.stages);
}

double orr_gen_sample_seconds(const struct gen_estimate *of, const struct gen_speed *speed)
{
    const struct gen_plan *plan = of->plan;
    const uint32_t npus = plan->layout.npus;
    const double samples = (double)plan->batch; /* samples of a step */
    const double of_rank = (double)plan->micro_batch * plan->pipeline.micros;
    const double bubble =
        1 + (plan->pipeline.stages - 1) / ((double)plan->pipeline.micros * plan->pipeline.chunks);
    double seconds = 0;
    if (speed->flops > 0) {
        seconds += of->totals.model_flops / npus * recompute_factor(plan->recompute) /
                   speed->flops * stage_imbalance(of);
    }
    if (speed->near_bytes_per_s > 0 && speed->far_bytes_per_s > 0) {
        seconds += of_rank * tensor_seconds(of, speed);
    }
    seconds *= bubble;
    if (speed->near_bytes_per_s > 0 && speed->far_bytes_per_s > 0) {
        seconds += data_seconds(of, speed);
    }
    return seconds / samples;
}
