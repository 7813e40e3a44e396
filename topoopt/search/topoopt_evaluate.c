/* Evaluation of pairs of a strategy and a network, and the best pair. */
#include "core/arena.h"
#include "orrery/study.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy_check.h"

/* ---- one ---- */

static enum orr_status set_times(const struct strategy_times *times, uint32_t ops,
                                 struct eval_strategy *evaluated, struct orr_diag *diag)
{
    for (uint32_t op = 0; op < ops; op++) {
        orr_eval_strategy_set_time(evaluated, op, (sim_time)times->forward_ps[op],
                                   (sim_time)times->backward_ps[op]);
    }
    return orr_eval_strategy_update_all(evaluated) ? ORR_OK
                                                   : orr_diag_no_memory(diag, "an evaluator");
}

static enum orr_status evaluate(struct orr_arena *scratch, const struct topoopt_problem *problem,
                                const struct plan_network *network, const struct strategy *strategy,
                                sim_time *out, struct orr_diag *diag)
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
        status = set_times(&times, problem->model->ops, evaluated, diag);
    }
    if (status == ORR_OK) {
        status = orr_evaluate(orr_eval_strategy_evaluator(evaluated), out, diag);
    }
    orr_eval_strategy_destroy(evaluated);
    return status;
}

enum orr_status orr_topoopt_time(const struct topoopt_problem *problem,
                                 const struct plan_network *network,
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

enum orr_status orr_topoopt_evaluate_standalone(struct orr_arena *arena,
                                                const struct topoopt_standalone *standalone,
                                                uint64_t *missing, sim_time *time_ps,
                                                struct orr_diag *diag)
{
    const struct topoopt_problem *problem = standalone->problem;
    const struct topoopt_wanted wanted = {standalone->strategy, standalone->strategy};
    struct topoopt_candidate candidate = {.options = *standalone->options, .ecmp_pairs = true};
    struct strategy_times times;
    struct orr_diag inner_diag;
    orr_diag_init(&inner_diag);
    *time_ps = ORR_TIME_MAX;
    if (orr_strategy_check(problem->model, standalone->strategy, &inner_diag) != ORR_OK ||
        orr_strategy_times(arena, problem->model, standalone->strategy, problem->speed, &times,
                           &inner_diag) != ORR_OK) {
        return inner_diag.status == ORR_ERR_INPUT ? ORR_OK : orr_diag_forward(diag, &inner_diag);
    }
    enum orr_status status = orr_topoopt_missing(problem, standalone->strategy, missing, diag);
    if (status == ORR_OK) {
        status = orr_topoopt_add_candidates(arena, problem, &wanted, &candidate, diag);
    }
    if (status != ORR_OK || candidate.why != NULL) {
        return status;
    }
    const struct plan_network network = {&candidate.graph, candidate.routes};
    return orr_topoopt_time(problem, &network, standalone->strategy, time_ps, diag);
}

/* ---- several ---- */

struct trials {
    const struct topoopt_plan *plan;
    struct topoopt_trial *trial;
};

static void evaluate_one(void *context, unsigned index)
{
    const struct trials *trials = context;
    struct topoopt_trial *trial = &trials->trial[index];
    const struct topoopt_candidate *candidate = &trials->plan->candidate[trial->network];
    const struct plan_network network = {&candidate->graph, candidate->routes};
    struct orr_diag diag;
    orr_diag_init(&diag);
    trial->status =
        orr_topoopt_time(trials->plan->problem, &network,
                         &trials->plan->known[trial->strategy].strategy, &trial->time_ps, &diag);
}

/* Repeats a failed evaluation to get its message in the plan's diag. */
static enum orr_status fail_trial(struct topoopt_plan *plan, const struct topoopt_trial *trial)
{
    const struct topoopt_candidate *candidate = &plan->candidate[trial->network];
    const struct plan_network network = {&candidate->graph, candidate->routes};
    sim_time time_ps;
    return orr_topoopt_time(plan->problem, &network, &plan->known[trial->strategy].strategy,
                            &time_ps, plan->diag);
}

static bool matched(const struct topoopt_candidate *candidate)
{
    bool any = false;
    for (uint32_t i = 0; i < candidate->topology.layers; i++) {
        any = any || candidate->topology.layer[i].kind == FINDER_MATCHING;
    }
    return any;
}

static enum orr_status add_attempt(struct topoopt_plan *plan, const struct topoopt_attempt *attempt)
{
    struct topoopt_attempt *grown = orr_arena_grow(
        plan->arena, plan->attempt, &plan->attempt_capacity, plan->attempts + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(plan->diag, "what was tried");
    }
    plan->attempt = grown;
    grown[plan->attempts++] = *attempt;
    return ORR_OK;
}

enum orr_status orr_topoopt_add_infeasible(struct topoopt_plan *plan,
                                           const struct topoopt_candidate *candidate)
{
    const struct topoopt_strategy *known = &plan->known[candidate->strategy];
    const struct topoopt_candidate *best =
        plan->best != TOPOOPT_NONE ? &plan->candidate[plan->best] : NULL;
    const struct topoopt_attempt attempt = {.round = plan->round,
                                            .origin = known->origin,
                                            .options = candidate->options,
                                            .before_ps =
                                                best != NULL ? best->best_ps : ORR_TIME_MAX,
                                            .after_ps = ORR_TIME_MAX,
                                            .missing_bytes = known->missing_bytes,
                                            .evaluations = known->evaluations,
                                            .outcome = TOPOOPT_NO_NETWORK,
                                            .why = orr_arena_strdup(plan->arena, candidate->why)};
    return attempt.why != NULL ? add_attempt(plan, &attempt)
                               : orr_diag_no_memory(plan->diag, "what was tried");
}

/* Updates the best strategy of the network and the best pair; returns the outcome. */
static enum topoopt_outcome update_best(struct topoopt_plan *plan,
                                        const struct topoopt_trial *trial)
{
    const struct topoopt_strategy *known = &plan->known[trial->strategy];
    struct topoopt_candidate *candidate = &plan->candidate[trial->network];
    const struct topoopt_candidate *best =
        plan->best != TOPOOPT_NONE ? &plan->candidate[plan->best] : NULL;
    const bool kept = best == NULL || topoopt_better(known->missing_bytes, trial->time_ps,
                                                     best->missing_bytes, best->best_ps);
    const bool larger = !kept && known->missing_bytes > best->missing_bytes;
    if (candidate->best == TOPOOPT_NONE ||
        topoopt_better(known->missing_bytes, trial->time_ps, candidate->missing_bytes,
                       candidate->best_ps)) {
        candidate->best = trial->strategy;
        candidate->best_ps = trial->time_ps;
        candidate->missing_bytes = known->missing_bytes;
    }
    plan->best = kept ? trial->network : plan->best;
    return kept ? TOPOOPT_KEPT : larger ? TOPOOPT_TOO_LARGE : TOPOOPT_SLOWER;
}

static enum orr_status decide(struct topoopt_plan *plan, const struct topoopt_trial *trial)
{
    const struct topoopt_strategy *known = &plan->known[trial->strategy];
    const struct topoopt_candidate *candidate = &plan->candidate[trial->network];
    const sim_time before_ps =
        plan->best != TOPOOPT_NONE ? plan->candidate[plan->best].best_ps : ORR_TIME_MAX;
    struct topoopt_attempt attempt = {.round = plan->round,
                                      .origin = known->origin,
                                      .options = candidate->options,
                                      .matched = matched(candidate),
                                      .before_ps = before_ps,
                                      .after_ps = trial->time_ps,
                                      .missing_bytes = known->missing_bytes,
                                      .evaluations = known->evaluations};
    attempt.options.ring_degree = candidate->topology.ring_degree;
    plan->spent++;
    attempt.outcome = update_best(plan, trial);
    return add_attempt(plan, &attempt);
}

static enum orr_status evaluate_all(struct topoopt_plan *plan, struct topoopt_trial *trial,
                                    uint32_t trials)
{
    enum orr_status status = ORR_OK;
    struct trials all = {plan, trial};
    orrery_parallel(plan->options->search.threads, trials, evaluate_one, &all);
    for (uint32_t i = 0; i < trials && status == ORR_OK; i++) {
        status = trial[i].status == ORR_OK ? decide(plan, &trial[i]) : fail_trial(plan, &trial[i]);
    }
    return status;
}

/* The fastest network for a strategy; the first one if all exceed ORR_TIME_MAX. */
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

enum orr_status orr_topoopt_evaluate(struct topoopt_plan *plan, struct plan_networks *networks,
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
    const enum orr_status status = evaluate_all(plan, trial, trials);
    networks->fastest = fastest_for(trial, trials, strategy[0]);
    orr_heap_free(trial);
    return status;
}
