/* Plans for a fixed network: strategies only. */
#include "topoopt/search/topoopt_private.h"

/* The pair of a strategy and the fixed network. */
static enum orr_status pair_of(const struct topoopt_plan *plan, uint32_t strategy,
                               struct topoopt_pair *out)
{
    const struct plan_network *on = plan->problem->on;
    const struct topoopt_strategy *known = &plan->known[strategy];
    *out = (struct topoopt_pair){.strategy = known->strategy,
                                 .graph = *on->graph,
                                 .routes = on->routes,
                                 .missing_bytes = known->missing_bytes,
                                 .origin = known->origin};
    return orr_topoopt_time(plan->problem, on, &out->strategy, &out->predicted_ps, plan->diag);
}

enum orr_status orr_topoopt_plan_fixed(struct topoopt_plan *plan)
{
    struct topoopt_starts starts;
    struct topoopt_result *out = plan->out;
    uint32_t found = TOPOOPT_NONE;
    enum orr_status status = orr_topoopt_layouts(plan, &plan->layouts);
    starts = plan->layouts;
    starts.origin = TOPOOPT_ON_TOPOLOGY;
    starts.strategy[starts.count++] = plan->data_parallel.strategy;
    if (status == ORR_OK && plan->options->start != NULL) {
        status = orr_topoopt_add_strategy(plan, plan->options->start, TOPOOPT_USER, 0,
                                          &starts.strategy[starts.count++]);
    }
    if (status == ORR_OK) {
        status = orr_topoopt_search(plan, plan->problem->on, &starts, plan->options->search.budget,
                                    &found);
    }
    if (status == ORR_OK) {
        status = pair_of(plan, plan->data_parallel.strategy, &out->data_parallel);
    }
    if (status == ORR_OK) {
        status = pair_of(plan, found, &out->best);
    }
    const bool is_better =
        status == ORR_OK &&
        topoopt_better(out->best.missing_bytes, out->best.predicted_ps,
                       out->data_parallel.missing_bytes, out->data_parallel.predicted_ps);
    out->best = is_better ? out->best : out->data_parallel;
    out->naive = out->best;
    out->stopped = topoopt_stopped(plan);
    out->evaluations = plan->spent;
    return status;
}
