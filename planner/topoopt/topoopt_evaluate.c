/* Pairs of a strategy and a network: what the evaluator says of them, and which is best. */
#include "orrery/study.h"
#include "planner/topoopt/topoopt_private.h"
#include "workload/workload.h"

/* ---- one ---- */

static enum orr_status tell(const struct strategy_times *times, uint32_t ops,
                            struct eval_strategy *evaluated, struct orr_diag *diag)
{
    for (uint32_t op = 0; op < ops; op++) {
        orr_eval_strategy_time(evaluated, op, (sim_time)times->forward_ps[op],
                               (sim_time)times->backward_ps[op]);
    }
    return orr_eval_strategy_tell(evaluated) ? ORR_OK : orr_diag_no_memory(diag, "an evaluator");
}

static enum orr_status evaluate(struct orr_arena *scratch, const struct topoopt_problem *problem,
                                const struct topoopt_network *network,
                                const struct strategy *strategy, sim_time *out,
                                struct orr_diag *diag)
{
    const struct eval_strategy_setup setup = {.model = problem->model,
                                              .strategy = strategy,
                                              .network = {.graph = network->graph,
                                                          .routes = network->routes,
                                                          .model = problem->flows,
                                                          .stream = problem->stream}};
    struct strategy_times times;
    struct eval_strategy *evaluated = NULL;
    enum orr_status status =
        orr_strategy_times(scratch, problem->model, strategy, problem->speed, &times, diag);
    if (status == ORR_OK) {
        status = orr_eval_strategy_create(&evaluated, &setup, diag);
    }
    if (status == ORR_OK) {
        status = tell(&times, problem->model->ops, evaluated, diag);
    }
    if (status == ORR_OK) {
        status = orr_evaluate(orr_eval_strategy_evaluator(evaluated), out, diag);
    }
    orr_eval_strategy_destroy(evaluated);
    return status;
}

enum orr_status orr_topoopt_time(const struct topoopt_problem *problem,
                                 const struct topoopt_network *network,
                                 const struct strategy *strategy, sim_time *out,
                                 struct orr_diag *diag)
{
    struct orr_arena *scratch = orr_arena_create();
    const enum orr_status status = scratch == NULL
                                       ? orr_diag_no_memory(diag, "an evaluator")
                                       : evaluate(scratch, problem, network, strategy, out, diag);
    orr_arena_destroy(scratch);
    return status;
}

enum orr_status orr_topoopt_alone(struct orr_arena *arena, const struct topoopt_alone *alone,
                                  uint64_t *missing, sim_time *time_ps, struct orr_diag *diag)
{
    const struct topoopt_problem *problem = alone->problem;
    const struct topoopt_wanted wanted = {alone->strategy, alone->strategy};
    struct topoopt_candidate laid = {.options = *alone->options, .quick = true};
    struct strategy_times times;
    struct orr_diag refused;
    orr_diag_init(&refused);
    *time_ps = ORR_TIME_MAX;
    if (orr_strategy_check(problem->model, alone->strategy, &refused) != ORR_OK ||
        orr_strategy_times(arena, problem->model, alone->strategy, problem->speed, &times,
                           &refused) != ORR_OK) {
        return refused.status == ORR_ERR_INPUT ? ORR_OK : orr_diag_forward(diag, &refused);
    }
    enum orr_status status = orr_topoopt_missing(problem, alone->strategy, missing, diag);
    if (status == ORR_OK) {
        status = orr_topoopt_add_candidates(arena, problem, &wanted, &laid, diag);
    }
    if (status != ORR_OK || laid.why != NULL) {
        return status;
    }
    const struct topoopt_network network = {&laid.graph, laid.routes};
    return orr_topoopt_time(problem, &network, alone->strategy, time_ps, diag);
}

/* ---- several ---- */

struct trials {
    const struct topoopt_plan *plan;
    struct topoopt_trial *trial;
};

static void judge_one(void *context, unsigned index)
{
    const struct trials *trials = context;
    struct topoopt_trial *trial = &trials->trial[index];
    const struct topoopt_candidate *laid = &trials->plan->laid[trial->network];
    const struct topoopt_network network = {&laid->graph, laid->routes};
    struct orr_diag diag;
    orr_diag_init(&diag);
    trial->status =
        orr_topoopt_time(trials->plan->problem, &network,
                         &trials->plan->seen[trial->strategy].strategy, &trial->time_ps, &diag);
}

/* What went wrong is worked out again where it can be told. */
static enum orr_status failed(struct topoopt_plan *plan, const struct topoopt_trial *trial)
{
    const struct topoopt_candidate *laid = &plan->laid[trial->network];
    const struct topoopt_network network = {&laid->graph, laid->routes};
    sim_time time_ps;
    return orr_topoopt_time(plan->problem, &network, &plan->seen[trial->strategy].strategy,
                            &time_ps, plan->diag);
}

static bool matched(const struct topoopt_candidate *laid)
{
    bool any = false;
    for (uint32_t i = 0; i < laid->topology.layers; i++) {
        any = any || laid->topology.layer[i].kind == FINDER_MATCHING;
    }
    return any;
}

static enum orr_status note(struct topoopt_plan *plan, const struct topoopt_attempt *attempt)
{
    struct topoopt_attempt *grown = orr_arena_grow(plan->arena, plan->attempt, &plan->attempt_room,
                                                   plan->attempts + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(plan->diag, "what was tried");
    }
    plan->attempt = grown;
    grown[plan->attempts++] = *attempt;
    return ORR_OK;
}

enum orr_status orr_topoopt_give_up(struct topoopt_plan *plan, const struct topoopt_candidate *laid)
{
    const struct topoopt_strategy *seen = &plan->seen[laid->strategy];
    const struct topoopt_candidate *best =
        plan->best != TOPOOPT_NONE ? &plan->laid[plan->best] : NULL;
    const struct topoopt_attempt attempt = {.round = plan->round,
                                            .origin = seen->origin,
                                            .options = laid->options,
                                            .before_ps =
                                                best != NULL ? best->best_ps : ORR_TIME_MAX,
                                            .after_ps = ORR_TIME_MAX,
                                            .missing_bytes = seen->missing_bytes,
                                            .evaluations = seen->evaluations,
                                            .outcome = TOPOOPT_NO_NETWORK,
                                            .why = orr_arena_strdup(plan->arena, laid->why)};
    return attempt.why != NULL ? note(plan, &attempt)
                               : orr_diag_no_memory(plan->diag, "what was tried");
}

/* The network's best strategy, the best of all pairs, and what the strategy can do. */
static enum topoopt_outcome keep(struct topoopt_plan *plan, const struct topoopt_trial *trial)
{
    const struct topoopt_strategy *seen = &plan->seen[trial->strategy];
    struct topoopt_candidate *laid = &plan->laid[trial->network];
    const struct topoopt_candidate *best =
        plan->best != TOPOOPT_NONE ? &plan->laid[plan->best] : NULL;
    const bool kept = best == NULL || topoopt_better(seen->missing_bytes, trial->time_ps,
                                                     best->missing_bytes, best->best_ps);
    const bool larger = !kept && seen->missing_bytes > best->missing_bytes;
    if (laid->best == TOPOOPT_NONE ||
        topoopt_better(seen->missing_bytes, trial->time_ps, laid->missing_bytes, laid->best_ps)) {
        laid->best = trial->strategy;
        laid->best_ps = trial->time_ps;
        laid->missing_bytes = seen->missing_bytes;
    }
    plan->best = kept ? trial->network : plan->best;
    return kept ? TOPOOPT_KEPT : larger ? TOPOOPT_LARGER : TOPOOPT_SLOWER;
}

static enum orr_status decide(struct topoopt_plan *plan, const struct topoopt_trial *trial)
{
    const struct topoopt_strategy *seen = &plan->seen[trial->strategy];
    const struct topoopt_candidate *laid = &plan->laid[trial->network];
    const sim_time before_ps =
        plan->best != TOPOOPT_NONE ? plan->laid[plan->best].best_ps : ORR_TIME_MAX;
    struct topoopt_attempt attempt = {.round = plan->round,
                                      .origin = seen->origin,
                                      .options = laid->options,
                                      .matched = matched(laid),
                                      .before_ps = before_ps,
                                      .after_ps = trial->time_ps,
                                      .missing_bytes = seen->missing_bytes,
                                      .evaluations = seen->evaluations};
    attempt.options.ring_degree = laid->topology.ring_degree;
    plan->spent++;
    attempt.outcome = keep(plan, trial);
    return note(plan, &attempt);
}

static enum orr_status judge_all(struct topoopt_plan *plan, struct topoopt_trial *trial,
                                 uint32_t trials)
{
    enum orr_status status = ORR_OK;
    struct trials all = {plan, trial};
    orrery_parallel(plan->options->search.threads, trials, judge_one, &all);
    for (uint32_t i = 0; i < trials && status == ORR_OK; i++) {
        status = trial[i].status == ORR_OK ? decide(plan, &trial[i]) : failed(plan, &trial[i]);
    }
    return status;
}

/* The first one where all take longer than can be counted. */
static uint32_t fastest_for(const struct topoopt_trial *trial, uint32_t trials, uint32_t strategy)
{
    sim_time time_ps = ORR_TIME_MAX;
    uint32_t fastest = TOPOOPT_NONE;
    for (uint32_t i = 0; i < trials; i++) {
        if (trial[i].strategy == strategy &&
            (fastest == TOPOOPT_NONE || trial[i].time_ps < time_ps)) {
            time_ps = trial[i].time_ps;
            fastest = trial[i].network;
        }
    }
    return fastest;
}

enum orr_status orr_topoopt_evaluate(struct topoopt_plan *plan, struct topoopt_networks *networks,
                                     const uint32_t *strategy, uint32_t strategies)
{
    const uint32_t trials = networks->count * strategies;
    struct topoopt_trial *trial = orr_heap_calloc((size_t)trials + 1, sizeof *trial);
    if (trial == NULL) {
        return orr_diag_no_memory(plan->diag, "pairs");
    }
    for (uint32_t i = 0; i < trials; i++) {
        trial[i].network = networks->number[i / strategies];
        trial[i].strategy = strategy[i % strategies];
    }
    const enum orr_status status = judge_all(plan, trial, trials);
    networks->fastest = fastest_for(trial, trials, strategy[0]);
    orr_heap_free(trial);
    return status;
}
