/* Searches for strategies on a network, and their progress. */
#include "core/arena.h"
#include "core/diag.h"
#include "planner/search/search.h"
#include "topoopt/search/topoopt_private.h"

/* Forwards the progress of a search. */
struct progress_relay {
    const struct topoopt_plan *plan;
    uint64_t budget; /* of the plan */
};

static void on_progress(void *context, const struct search_progress *reported)
{
    const struct progress_relay *progress_relay = context;
    const struct topoopt_plan *plan = progress_relay->plan;
    orr_topoopt_report_progress(plan, plan->spent + reported->tries);
}

void orr_topoopt_report_progress(const struct topoopt_plan *plan, uint64_t spent)
{
    const struct topoopt_candidate *best =
        plan->best != TOPOOPT_NONE ? &plan->candidate[plan->best] : NULL;
    const struct topoopt_progress progress = {
        .round = plan->round,
        .evaluations = spent,
        .budget = plan->options->search.budget,
        .best_ps = best != NULL ? best->best_ps : ORR_TIME_MAX,
        .missing_bytes = best != NULL ? best->missing_bytes : 0};
    if (plan->options->progress != NULL) {
        plan->options->progress(plan->options->context, &progress);
    }
}

static struct search_problem problem_on(const struct topoopt_problem *problem,
                                        const struct plan_network *network)
{
    return (struct search_problem){.model = problem->model,
                                   .speed = problem->speed,
                                   .devices = problem->devices,
                                   .copies = problem->copies,
                                   .server = problem->server,
                                   .memory_bytes = problem->memory_bytes,
                                   .network = {.graph = network->graph,
                                               .routes = network->routes,
                                               .model = problem->flows,
                                               .stream = problem->stream},
                                   .dimensions = problem->dimensions};
}

enum orr_status orr_topoopt_search(struct topoopt_plan *plan, const struct plan_network *network,
                                   const struct topoopt_starts *starts, uint64_t budget,
                                   uint32_t *number)
{
    const struct search_problem problem = problem_on(plan->problem, network);
    const struct strategy *start[TOPOOPT_MAX_STARTS];
    struct progress_relay progress_relay = {.plan = plan};
    struct search_options options = plan->options->search;
    struct search_result found;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(plan->diag, "a search");
    }
    for (uint32_t i = 0; i < starts->count; i++) {
        start[i] = &plan->known[starts->strategy[i]].strategy;
    }
    options.budget = budget;
    options.seed += plan->searches++;
    options.progress = on_progress;
    options.context = &progress_relay;
    enum orr_status status =
        orr_search(arena, &problem, &options, start, starts->count, &found, plan->diag);
    if (status == ORR_OK) {
        plan->spent += found.tries;
        status = orr_topoopt_add_strategy(plan, &found.best, starts->origin, found.tries, number);
    }
    orr_arena_destroy(arena);
    return status;
}
