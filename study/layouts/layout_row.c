/* The results of a layout; see layout_study.h. */
#include <math.h>
#include <string.h>

#include "core/time.h"
#include "study/layouts/layout_study.h"

enum { DAY_S = 86400, HOUR_S = 3600 };

static double known(double value)
{
    return value >= 0 ? value : NAN;
}

/* What follows from the time of a step. */
static void set_rates(const struct orr_layout_study *study, const struct orr_layout_case *of,
                      struct orr_best_layout *out)
{
    const struct orrery_layout_search *given = &study->given;
    const double gpu_hour = given->dollars_per_gpu_hour;
    out->tokens_per_s = of->tokens / out->time_s;
    out->model_flops_utilization = of->peak_s / out->time_s;
    if (out->tokens_per_s > 0) {
        out->dollars_per_million_tokens = 1e6 / out->tokens_per_s / HOUR_S * of->npus * gpu_hour;
        out->days = given->tokens / out->tokens_per_s / DAY_S;
        out->gpu_hours = out->days * 24 * of->npus;
        out->cost = out->gpu_hours * gpu_hour;
        out->kwh = out->gpu_hours * given->watts_per_gpu / 1e3;
        out->energy_dollars = out->kwh * given->dollars_per_kwh;
    }
}

static void set_shares(const struct orr_step_estimate *of, struct orr_best_layout *out)
{
    out->compute = of->compute_s / of->step_s;
    out->recomputed = of->recompute_s / of->step_s;
    out->exchange = of->exchange_s / of->step_s;
    out->bubble = of->bubble_s / of->step_s;
    out->weights = of->weights_s / of->step_s;
}

static void set_texts(const struct orr_layout_case *of, const struct orr_estimated_layout *found,
                      struct orr_best_layout *out)
{
    (void)orr_layout_text(found, out->layout);
    (void)orr_layout_why(found, of->capacity_bytes, out->why);
}

void orr_layout_row(const struct orr_layout_study *study, const struct orr_kept_layout *kept,
                    double time_s, bool texts, struct orr_best_layout *out)
{
    const struct orr_layout_case *of = &study->cases[kept->number];
    const struct orr_estimated_layout *found = &kept->of;
    const struct gen_change *change = &found->change;
    out->of = *of->name != '\0' ? of->name : NULL;
    out->number = kept->number;
    out->npus = of->npus;
    out->tensor = change->tensor;
    out->context = change->context;
    out->expert = change->expert;
    out->replicas = change->replicas;
    out->expert_tensor = change->expert_tensor > 0 ? change->expert_tensor : change->tensor;
    out->pipeline = change->pipeline;
    out->chunks = change->chunks;
    out->data = found->data;
    out->micro_batch = (uint32_t)change->micro_batch;
    out->zero = change->zero;
    out->context_exchange = orr_gen_context_exchange_name(change->context_exchange);
    out->recompute = orr_gen_recompute_name(change->recompute);
    out->overlap = of->overlap;
    out->overlap_gather = of->overlap_gather;
    out->batch = of->samples;
    out->batch_tokens = of->tokens;
    out->time_s = time_s;
    out->estimated_ps = orr_time_of_seconds(found->estimate.step_s);
    out->memory_bytes = found->memory_bytes;
    out->memory_left_bytes =
        of->capacity_bytes > 0 ? (double)of->capacity_bytes - (double)found->memory_bytes : NAN;
    set_shares(&found->estimate, out);
    out->network_dollars = known(of->dollars);
    out->network_watts = known(of->watts);
    set_rates(study, of, out);
    if (texts) {
        set_texts(of, found, out);
    }
    out->rank = orr_layout_rank(&study->goals, out);
}
