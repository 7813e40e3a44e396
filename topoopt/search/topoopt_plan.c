/* The alternating optimization; see topoopt.h.
 *
 * Round 0 evaluates data parallelism, and the strategy that a search finds on the ideal switch of d
 * x B (the naive plan), each on its own networks. Each further round searches strategies on the
 * best network and on the best network of another strategy, builds networks for the strategies that
 * it found, and relinks them with the best strategy. */
#include <string.h>

#include "core/arena.h"
#include "network/graph_build.h"
#include "planner/search/search.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/strategy/strategy_check.h"

enum { WIDTH = 2, KEPT_NETWORKS = 8 };

static const char *const origins[] = {"data parallelism",
                                      "searched on the ideal switch",
                                      "searched on the topology",
                                      "by rule",
                                      "a layout",
                                      "between two",
                                      "given"};
static const char *const outcomes[] = {"kept", "slower", "larger than memory", "no topology"};

const char *orr_topoopt_origin_name(enum topoopt_origin origin)
{
    return origins[origin];
}

const char *orr_topoopt_outcome_name(enum topoopt_outcome outcome)
{
    return outcomes[outcome];
}

struct topoopt_options orr_topoopt_default_options(void)
{
    struct topoopt_options defaults = {.search = orr_search_default_options(),
                                       .rounds = TOPOOPT_DEFAULT_ROUNDS,
                                       .until_convergence = true,
                                       .topologies = TOPOOPT_DEFAULT_TOPOLOGIES};
    defaults.search.budget = TOPOOPT_DEFAULT_BUDGET;
    return defaults;
}

uint64_t orr_topoopt_default_budget(uint32_t devices)
{
    const uint64_t n = devices > 0 && devices < 128 ? devices : 128;
    const uint64_t budget = (uint64_t)TOPOOPT_DEFAULT_BUDGET * 128 * 128 / (n * n);
    return budget < TOPOOPT_MAX_DEFAULT_BUDGET ? budget : TOPOOPT_MAX_DEFAULT_BUDGET;
}

/* ---- round 0 ---- */

static enum orr_status add_data_parallel(struct topoopt_plan *plan, uint32_t *number)
{
    const struct topoopt_problem *problem = plan->problem;
    struct strategy_draft draft;
    if (!orr_strategy_draft_init(&draft, plan->arena, problem->model, problem->devices,
                                 problem->copies) ||
        !orr_strategy_data_parallel(&draft)) {
        return orr_diag_no_memory(plan->diag, "data parallelism");
    }
    draft.strategy.server = problem->server;
    const struct strategy strategy = orr_strategy_drafted(&draft);
    const enum orr_status status = orr_strategy_check(problem->model, &strategy, plan->diag);
    return status != ORR_OK
               ? status
               : orr_topoopt_add_strategy(plan, &strategy, TOPOOPT_DATA_PARALLEL, 0, number);
}

/* The ideal switch: one link for each server, as fast as all of its interfaces together. */
static enum orr_status make_switch(struct orr_arena *arena, const struct topoopt_problem *problem,
                                   struct net_graph *graph, struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct net_link link = {.to = problem->devices,
                            .count = 1,
                            .bytes_per_s =
                                problem->topology.kind.bytes_per_s * problem->topology.degree,
                            .latency_ps = problem->topology.kind.latency_ps};
    orr_net_graph_begin(&builder, arena, problem->devices, 1);
    for (; link.from < problem->devices; link.from++) {
        orr_net_graph_both(&builder, &link);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

static void add_start(struct topoopt_starts *starts, uint32_t strategy)
{
    bool there = strategy == TOPOOPT_NONE || starts->count == TOPOOPT_MAX_STARTS;
    for (uint32_t i = 0; i < starts->count; i++) {
        there = there || starts->strategy[i] == strategy;
    }
    if (!there) {
        starts->strategy[starts->count++] = strategy;
    }
}

static bool data_parallelism_fits(const struct topoopt_plan *plan)
{
    return plan->known[plan->data_parallel.strategy].missing_bytes == 0;
}

static enum orr_status search_on_switch(struct topoopt_plan *plan, uint64_t budget,
                                        uint32_t *number)
{
    struct net_graph graph;
    struct topoopt_starts starts = {.origin = TOPOOPT_ON_SWITCH};
    for (uint32_t i = 0; i < plan->layouts.count && !data_parallelism_fits(plan); i++) {
        add_start(&starts, plan->layouts.strategy[i]);
    }
    add_start(&starts, plan->data_parallel.strategy);
    const struct plan_network network = {&graph, {.routing = NULL}};
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status = arena == NULL ? orr_diag_no_memory(plan->diag, "a switch")
                                           : make_switch(arena, plan->problem, &graph, plan->diag);
    if (status == ORR_OK) {
        status = orr_topoopt_search(plan, &network, &starts, budget, number);
    }
    orr_arena_destroy(arena);
    return status;
}

/* Builds networks for a strategy and evaluates it and others on them; *fastest is the best network
 * for it. */
static enum orr_status build_and_evaluate(struct topoopt_plan *plan, uint32_t strategy,
                                          uint32_t max, const struct topoopt_starts *others,
                                          uint32_t *fastest)
{
    struct plan_networks networks;
    uint32_t judged[TOPOOPT_MAX_STARTS + 1] = {strategy}, count = 1;
    enum orr_status status = orr_topoopt_add_all_candidates(plan, strategy, max, &networks);
    for (uint32_t i = 0; others != NULL && i < others->count; i++) {
        if (others->strategy[i] != strategy) {
            judged[count++] = others->strategy[i];
        }
    }
    if (status == ORR_OK) {
        status = orr_topoopt_evaluate(plan, &networks, judged, count);
    }
    *fastest = networks.fastest;
    return status;
}

/* Fails with the message of the finder if there is no topology even for data parallelism. */
static enum orr_status no_network(struct topoopt_plan *plan)
{
    const char *why = plan->attempts > 0 ? plan->attempt[0].why : "no topology";
    return orr_diag_fail(plan->diag, ORR_ERR_INPUT, NULL, "%s", why);
}

/* ---- rounds ---- */

/* Whether a network is searched before another one. */
static bool before(const struct topoopt_candidate *a, const struct topoopt_candidate *b)
{
    return topoopt_better(a->missing_bytes, a->best_ps, b->missing_bytes, b->best_ps);
}

/* The best network that was not searched since its best strategy was found, and that was built for
 * none of `count` strategies; TOPOOPT_NONE: there is none. */
static uint32_t next_network(const struct topoopt_plan *plan, const uint32_t *built_for,
                             uint32_t count)
{
    uint32_t next = TOPOOPT_NONE;
    for (uint32_t i = 0; i < plan->candidate_count; i++) {
        const struct topoopt_candidate *candidate = &plan->candidate[i];
        bool free = candidate->arena != NULL && candidate->best != TOPOOPT_NONE &&
                    candidate->searched != candidate->best;
        for (uint32_t k = 0; k < count; k++) {
            free = free && candidate->strategy != built_for[k];
        }
        next =
            free && (next == TOPOOPT_NONE || before(candidate, &plan->candidate[next])) ? i : next;
    }
    return next;
}

/* Chooses the networks of a round: the best ones of different strategies, or that of the best pair
 * again. */
static uint32_t choose(const struct topoopt_plan *plan, uint32_t network[WIDTH])
{
    uint32_t built_for[WIDTH], count = 0;
    uint32_t next = next_network(plan, built_for, count);
    while (count < WIDTH && next != TOPOOPT_NONE) {
        built_for[count] = plan->candidate[next].strategy;
        network[count++] = next;
        next = next_network(plan, built_for, count);
    }
    if (count == 0) {
        network[count++] = plan->best;
    }
    return count;
}

/* Starts of a search: the best strategy of the network, the best of all, the naive plan's, and data
 * parallelism. */
static struct topoopt_starts starts_on(const struct topoopt_plan *plan, uint32_t network)
{
    struct topoopt_starts starts = {.origin = TOPOOPT_ON_TOPOLOGY};
    add_start(&starts, plan->candidate[network].best);
    add_start(&starts, plan->candidate[plan->best].best);
    add_start(&starts, plan->naive.strategy);
    add_start(&starts, plan->data_parallel.strategy);
    return starts;
}

static enum orr_status relink_with(struct topoopt_plan *plan, uint32_t other)
{
    uint32_t found = TOPOOPT_NONE, fastest;
    const uint32_t best = plan->candidate[plan->best].best;
    enum orr_status status = ORR_OK;
    if (other != TOPOOPT_NONE && best != other && !topoopt_stopped(plan)) {
        status = orr_topoopt_path_relinking(plan, best, other, &found);
    }
    return status != ORR_OK || found == TOPOOPT_NONE
               ? status
               : build_and_evaluate(plan, found, plan->options->topologies, NULL, &fastest);
}

/* Searches on a network with routes for all pairs of devices. */
static enum orr_status search_on(struct topoopt_plan *plan, uint32_t number, uint64_t budget,
                                 uint32_t *found)
{
    const struct topoopt_starts starts = starts_on(plan, number);
    const struct topoopt_candidate *from = &plan->candidate[number];
    const struct topoopt_wanted wanted = {&plan->known[from->strategy].strategy,
                                          &plan->known[from->best].strategy};
    struct topoopt_candidate candidate = {.options = from->options, .padded = true};
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status =
        arena == NULL
            ? orr_diag_no_memory(plan->diag, "a topology")
            : orr_topoopt_add_candidates(arena, plan->problem, &wanted, &candidate, plan->diag);
    if (status == ORR_OK) {
        const struct plan_network network = {&candidate.graph, candidate.routes};
        status = orr_topoopt_search(plan, &network, &starts, budget, found);
    }
    orr_arena_destroy(arena);
    return status;
}

/* Searches on a network; evaluates the result on the same network with its own routes, and on its
 * own networks. */
static enum orr_status search_candidate(struct topoopt_plan *plan, uint32_t number, uint64_t budget)
{
    const struct topoopt_starts others = starts_on(plan, number);
    struct plan_networks here;
    uint32_t found = TOPOOPT_NONE, fastest;
    plan->candidate[number].searched = plan->candidate[number].best;
    enum orr_status status = search_on(plan, number, budget, &found);
    if (status == ORR_OK) {
        status = orr_topoopt_reroute(plan, number, found, &here);
    }
    if (status == ORR_OK) {
        status = orr_topoopt_evaluate(plan, &here, &found, 1);
    }
    if (status == ORR_OK) {
        status = build_and_evaluate(plan, found, plan->options->topologies, &others, &fastest);
    }
    return status != ORR_OK ? status : relink_with(plan, found);
}

/* Frees all networks but the best ones and those of the result. */
static void free_worse(struct topoopt_plan *plan)
{
    uint32_t kept[KEPT_NETWORKS + 3] = {plan->best, plan->naive.network,
                                        plan->data_parallel.network};
    uint32_t count = 3;
    while (count < KEPT_NETWORKS + 3) {
        uint32_t next = TOPOOPT_NONE;
        for (uint32_t i = 0; i < plan->candidate_count; i++) {
            bool there = plan->candidate[i].arena == NULL;
            for (uint32_t k = 0; k < count; k++) {
                there = there || kept[k] == i;
            }
            next = !there && (next == TOPOOPT_NONE ||
                              before(&plan->candidate[i], &plan->candidate[next]))
                       ? i
                       : next;
        }
        kept[count++] = next;
    }
    orr_topoopt_free_candidates(plan, kept, count);
}

static enum orr_status one_round(struct topoopt_plan *plan, uint64_t budget)
{
    uint32_t network[WIDTH];
    const uint32_t count = choose(plan, network);
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < count && status == ORR_OK && !topoopt_stopped(plan); i++) {
        status = search_candidate(plan, network[i], budget / count);
    }
    free_worse(plan);
    return status;
}

/* ---- all ---- */

/* Evaluates the user's start strategy on its own networks. */
static enum orr_status evaluate_user_start(struct topoopt_plan *plan)
{
    uint32_t number = TOPOOPT_NONE, fastest;
    const enum orr_status status =
        orr_topoopt_add_strategy(plan, plan->options->start, TOPOOPT_USER, 0, &number);
    return status == ORR_OK
               ? build_and_evaluate(plan, number, plan->options->topologies, NULL, &fastest)
               : status;
}

/* Round 0: data parallelism with the best of its networks, and the ideal switch's strategy with the
 * requested network, searched from the best layouts if data parallelism does not fit the memory. */
static enum orr_status begin(struct topoopt_plan *plan, uint64_t budget)
{
    const uint32_t max = plan->options->topologies;
    enum orr_status status = build_and_evaluate(plan, plan->data_parallel.strategy, max, NULL,
                                                &plan->data_parallel.network);
    if (status == ORR_OK && plan->best == TOPOOPT_NONE) {
        status = no_network(plan);
    }
    if (status == ORR_OK) {
        status = orr_topoopt_heuristics(plan, &plan->rules);
    }
    if (status == ORR_OK) {
        status = orr_topoopt_layouts(plan, &plan->layouts);
    }
    if (status == ORR_OK) {
        status = search_on_switch(plan, budget, &plan->naive.strategy);
    }
    if (status == ORR_OK) {
        status = build_and_evaluate(plan, plan->naive.strategy, 1, NULL, &plan->naive.network);
    }
    return status == ORR_OK && plan->options->start != NULL ? evaluate_user_start(plan) : status;
}

static enum orr_status evaluate_starts(struct topoopt_plan *plan,
                                       const struct topoopt_starts *starts)
{
    uint32_t fastest;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < starts->count && status == ORR_OK; i++) {
        status = build_and_evaluate(plan, starts->strategy[i], plan->options->topologies, NULL,
                                    &fastest);
    }
    return status;
}

/* Evaluates heuristic strategies, layouts and the switch's strategy on all their networks, and
 * relinks the best one with the switch's strategy and with data parallelism. */
static enum orr_status diversify(struct topoopt_plan *plan)
{
    const uint32_t max = plan->options->topologies, naive = plan->naive.strategy;
    uint32_t fastest;
    enum orr_status status = evaluate_starts(plan, &plan->rules);
    if (status == ORR_OK) {
        status = evaluate_starts(plan, &plan->layouts);
    }
    if (status == ORR_OK) {
        status = build_and_evaluate(plan, naive, max, NULL, &fastest);
    }
    if (status == ORR_OK) {
        status = relink_with(plan, naive);
    }
    return status != ORR_OK ? status : relink_with(plan, plan->data_parallel.strategy);
}

static enum orr_status alternate(struct topoopt_plan *plan)
{
    const struct topoopt_options *options = plan->options;
    const uint64_t budget = options->search.budget / (1 + (uint64_t)options->rounds);
    enum orr_status status = begin(plan, budget);
    if (status == ORR_OK && options->rounds > 0 && !topoopt_stopped(plan)) {
        status = diversify(plan);
    }
    while (status == ORR_OK && plan->round < options->rounds && !topoopt_stopped(plan) &&
           !(plan->out->converged && options->until_convergence)) {
        const struct topoopt_candidate was = plan->candidate[plan->best];
        plan->round++;
        status = one_round(plan, budget);
        const struct topoopt_candidate *is = &plan->candidate[plan->best];
        const bool same = is->best_ps == was.best_ps && is->missing_bytes == was.missing_bytes;
        plan->barren = same ? plan->barren + 1 : 0;
        plan->out->converged = plan->barren >= TOPOOPT_BARREN_ROUNDS;
        orr_topoopt_report_progress(plan, plan->spent);
    }
    plan->out->stopped = topoopt_stopped(plan);
    return status;
}

/* Makes a pair of the result: its network is built again in the result's arena. */
static enum orr_status make_pair(const struct topoopt_plan *plan,
                                 const struct topoopt_chosen *chosen, struct topoopt_pair *out)
{
    const struct topoopt_strategy *known = &plan->known[chosen->strategy];
    const struct topoopt_candidate *from = &plan->candidate[chosen->network];
    struct topoopt_candidate candidate = {.options = from->options};
    const struct topoopt_wanted wanted = {&plan->known[from->strategy].strategy,
                                          &plan->known[from->routed].strategy};
    const enum orr_status status =
        orr_topoopt_add_candidates(plan->arena, plan->problem, &wanted, &candidate, plan->diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct topoopt_pair){.strategy = known->strategy,
                                 .topology = candidate.topology,
                                 .graph = candidate.graph,
                                 .routes = candidate.routes,
                                 .missing_bytes = known->missing_bytes,
                                 .origin = known->origin};
    const struct plan_network network = {&out->graph, out->routes};
    return orr_topoopt_time(plan->problem, &network, &out->strategy, &out->predicted_ps,
                            plan->diag);
}

static enum orr_status make_result(struct topoopt_plan *plan)
{
    struct topoopt_result *out = plan->out;
    const struct topoopt_chosen best = {plan->candidate[plan->best].best, plan->best};
    enum orr_status status = make_pair(plan, &best, &out->best);
    if (status == ORR_OK) {
        status = make_pair(plan, &plan->data_parallel, &out->data_parallel);
    }
    out->naive = out->data_parallel;
    if (status == ORR_OK && plan->naive.network != TOPOOPT_NONE) {
        status = make_pair(plan, &plan->naive, &out->naive);
    }
    out->attempt = plan->attempt;
    out->attempts = (uint32_t)plan->attempts;
    out->rounds = plan->round;
    out->evaluations = plan->spent;
    return status;
}

enum orr_status orr_topoopt_plan(struct orr_arena *arena, const struct topoopt_problem *problem,
                                 const struct topoopt_options *options, struct topoopt_result *out,
                                 struct orr_diag *diag)
{
    struct topoopt_plan plan = {.problem = problem,
                                .options = options,
                                .arena = arena,
                                .diag = diag,
                                .out = out,
                                .best = TOPOOPT_NONE,
                                .data_parallel = {TOPOOPT_NONE, TOPOOPT_NONE},
                                .naive = {TOPOOPT_NONE, TOPOOPT_NONE}};
    *out = (struct topoopt_result){.rounds = 0};
    enum orr_status status = add_data_parallel(&plan, &plan.data_parallel.strategy);
    if (status == ORR_OK && problem->on != NULL) {
        return orr_topoopt_plan_fixed(&plan);
    }
    if (status == ORR_OK) {
        status = alternate(&plan);
    }
    if (status == ORR_OK) {
        status = make_result(&plan);
    }
    orr_topoopt_free_candidates(&plan, NULL, 0);
    return status;
}
