/* Goodput by closed form; see goodput_model.h. */
#include "study/goodput/goodput_model.h"

#include <math.h>

/* P(a Poisson number of this mean is at most `limit`). */
static double poisson_at_most(double mean, uint32_t limit)
{
    double sum = 0;
    for (uint32_t k = 0; k <= limit && mean > 0; k++) {
        sum += exp(-mean + k * log(mean) - lgamma(k + 1.0));
        if (k > mean && sum + 1e-17 >= 1) {
            break;
        }
    }
    return mean > 0 ? fmin(sum, 1) : 1;
}

static double failures_per_s(const struct orr_goodput_model *model)
{
    return model->broken_per_s + model->other_per_s;
}

/* Shares of a clock that stands still while the job waits for nodes: the failures of the job are
 * Poisson on it, whatever it waits for. */
static void running_shares(const struct orr_goodput_model *model, double *part)
{
    const double rate = failures_per_s(model), period = model->work_s + model->stall_s;
    const double running = exp(-rate * model->restart_s);
    part[ORR_GOODPUT_RESTART] = 1 - running;
    if (rate * period < 1e-12) { /* the limit of no failures */
        part[ORR_GOODPUT_USEFUL] = running * model->work_s / period;
        part[ORR_GOODPUT_CHECKPOINT] = running * model->stall_s / period;
    } else {
        /* Times from a restart to a failure are exponential. Saved is tau for each k with
         * k (tau + s) + w - s below it; it stands still in the last s of every period. */
        const double delay = model->write_s - model->stall_s;
        part[ORR_GOODPUT_USEFUL] =
            running * rate * model->work_s * exp(-rate * delay) / expm1(rate * period);
        part[ORR_GOODPUT_CHECKPOINT] = running * exp(-rate * model->work_s) *
                                       expm1(-rate * model->stall_s) / expm1(-rate * period);
    }
    part[ORR_GOODPUT_REWORK] =
        fmax(0, running - part[ORR_GOODPUT_USEFUL] - part[ORR_GOODPUT_CHECKPOINT]);
}

struct orr_goodput_shares orr_goodput_closed_form(const struct orr_goodput_model *model)
{
    struct orr_goodput_shares shares = {.speed = 1};
    const double up = poisson_at_most(model->broken_per_s * model->repair_s, model->spares);
    const double even = exp(-model->slow_per_s * model->slow_s);
    running_shares(model, shares.part);
    for (unsigned i = 0; i < ORR_GOODPUT_PARTS; i++) {
        shares.part[i] *= up;
    }
    shares.part[ORR_GOODPUT_WAITING] = 1 - up;
    shares.speed = model->slow_factor > 1 ? even + (1 - even) / model->slow_factor : 1;
    shares.failures = failures_per_s(model) * up;
    return shares;
}

double orr_goodput_first_order(const struct orr_goodput_model *model)
{
    const double lost = model->stall_s / model->work_s +
                        failures_per_s(model) * (model->work_s / 2 + model->restart_s +
                                                 model->write_s - model->stall_s);
    return fmax(0, 1 - lost);
}

double orr_goodput_young_s(double stall_s, double mtbf_s)
{
    return sqrt(2 * stall_s * mtbf_s);
}

double orr_goodput_daly_s(double stall_s, double mtbf_s)
{
    const double ratio = stall_s / (2 * mtbf_s);
    return ratio < 1
               ? orr_goodput_young_s(stall_s, mtbf_s) * (1 + sqrt(ratio) / 3 + ratio / 9) - stall_s
               : mtbf_s;
}
