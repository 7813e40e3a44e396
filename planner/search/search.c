/* The search: starts, parallel chains, and the best strategy of them; see search.h. */
#include "planner/search/search.h"

#include <inttypes.h>

#include "core/arena.h"
#include "core/rng.h"
#include "orrery/study.h"
#include "planner/search/search_moves.h"
#include "planner/search/search_private.h"
#include "planner/search/search_starts.h"
#include "planner/search/search_walk.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy_check.h"

/* The budget is used in SLICES slices. After each slice progress is reported; from slice
 * FIRST_EXCHANGE on, chains whose best strategy is worse than the best of all continue from that
 * one. */
enum { SLICES = 32, FIRST_EXCHANGE = 16 };

struct search_options orr_search_default_options(void)
{
    return (struct search_options){.budget = 4000,
                                   .alpha = 1,
                                   .scale = SEARCH_PER_MILLE,
                                   .propagation = 0.25,
                                   .chains = 4,
                                   .seed = 1,
                                   .max_strategies = 10000000};
}

/* ---- checking ---- */

static enum orr_status check_problem(const struct search_problem *problem, struct orr_diag *diag)
{
    struct strategy none = {.devices = problem->devices, .copies = problem->copies};
    struct model_graph empty = *problem->model;
    empty.ops = 0; /* checks the devices and the batch only */
    return orr_strategy_check(&empty, &none, diag);
}

static enum orr_status check_options(const struct search_options *options, struct orr_diag *diag)
{
    if (options->chains < 1 || options->chains > SEARCH_MAX_CHAINS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a search: expected 1 to %d chains, got %" PRIu32, SEARCH_MAX_CHAINS,
                             options->chains);
    }
    if (!(options->alpha >= 0) || !(options->propagation >= 0 && options->propagation <= 1)) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "a search: expected alpha of at least 0 and a probability of propagation from 0 to 1");
    }
    return ORR_OK;
}

static enum orr_status check_start(const struct search_problem *problem,
                                   const struct strategy *start, struct orr_diag *diag)
{
    if (start->devices != problem->devices || start->copies != problem->copies ||
        start->ops != problem->model->ops) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a search: expected a strategy of %" PRIu32 " operators on %" PRIu32
                             " devices in %" PRIu32 " groups to start from, got one of %" PRIu32
                             " on %" PRIu32 " in %" PRIu32,
                             problem->model->ops, problem->devices, problem->copies, start->ops,
                             start->devices, start->copies);
    }
    return orr_strategy_check(problem->model, start, diag);
}

/* ---- starts ---- */

/* Adds a generated start. Data parallelism must be legal if it is the only start. */
static enum orr_status add_start(struct search *search, const struct strategy **start, bool sharded,
                                 struct orr_diag *diag)
{
    struct space *space = &search->space;
    struct strategy *made = orr_arena_alloc(search->arena, sizeof *made);
    struct orr_diag why;
    bool legal = false;
    orr_diag_init(&why);
    if (made == NULL) {
        return orr_diag_no_memory(diag, "a search");
    }
    const enum orr_status status =
        orr_search_make_start(search->arena, space, sharded, made, &legal, &why);
    if (status != ORR_OK || (!legal && !sharded && space->starts == 0)) {
        return orr_diag_fail(diag, why.status, &why.place, "%s", why.message);
    }
    if (legal) {
        start[space->starts++] = made;
    }
    return ORR_OK;
}

/* Whether a user start fits the memory. Then no start with fully sharded weights is needed, which
 * is slow to evaluate. */
static bool any_start_fits(const struct search_problem *problem,
                           const struct strategy *const *start, uint32_t starts)
{
    struct orr_diag why;
    uint32_t i = 0;
    orr_diag_init(&why);
    while (i < starts && orr_strategy_check_memory(problem->model, start[i], problem->memory_bytes,
                                                   &why) != ORR_OK) {
        i++;
    }
    return i < starts;
}

static enum orr_status prepare_starts(struct search *search, const struct strategy *const *start,
                                      uint32_t starts, struct orr_diag *diag)
{
    const struct strategy **all = orr_arena_array(search->arena, (size_t)starts + 2, sizeof *all);
    enum orr_status status = all != NULL ? ORR_OK : orr_diag_no_memory(diag, "a search");
    for (uint32_t i = 0; i < starts && status == ORR_OK; i++) {
        all[i] = start[i];
        status = check_start(search->problem, start[i], diag);
    }
    if (status == ORR_OK) {
        status = orr_space_init(&search->space, search->arena, search->problem, all, starts, diag);
    }
    if (status == ORR_OK) {
        status = add_start(search, all, false, diag);
    }
    if (status == ORR_OK && search->problem->memory_bytes != 0 &&
        !any_start_fits(search->problem, start, starts)) {
        status = add_start(search, all, true, diag);
    }
    return status;
}

/* Evaluates all starts: sets the time of the first one, and *best. */
static enum orr_status evaluate_starts(struct search *search, struct chain_point *best,
                                       struct orr_diag *diag)
{
    const struct space *space = &search->space;
    const uint32_t ops = search->problem->model->ops;
    struct chain_state at;
    enum orr_status status = orr_walk_init(&search->walk, search->arena, space, 0, diag);
    if (status == ORR_OK && !orr_chain_state_init(&at, search->arena, ops)) {
        status = orr_diag_no_memory(diag, "a search");
    }
    for (uint32_t s = 0; s < space->starts && status == ORR_OK; s++) {
        for (uint32_t op = 0; op < ops; op++) {
            at.now.choice[op] = orr_space_choice_of_start(space, s, op);
        }
        orr_walk_go(&search->walk, at.now.choice);
        at.now.missing_bytes = orr_walk_missing(&search->walk);
        at.now.time_ps = SEARCH_NO_TIME;
        if (at.now.missing_bytes == 0) {
            status = orr_walk_time(&search->walk, ORR_TIME_MAX, &at.now.time_ps, diag);
        }
        if (s == 0) {
            search->out->first_ps = at.now.time_ps;
        }
        if (s == 0 || orr_chain_better(&at.now, &at.best)) {
            orr_chain_copy(&at.best, &at.now, ops);
        }
    }
    orr_walk_fini(&search->walk);
    *best = at.best;
    return status;
}

/* ---- chains ---- */

static void run_chain(void *context, unsigned index)
{
    orr_chain_run(&((struct search *)context)->chain[index]);
}

static const struct chain_point *best_of(const struct search *search, uint32_t *number)
{
    const struct chain_state *chain = search->state->chain;
    *number = 0;
    for (uint32_t i = 1; i < search->state->chains; i++) {
        *number = orr_chain_better(&chain[i].best, &chain[*number].best) ? i : *number;
    }
    return &chain[*number].best;
}

/* Chains whose best is worse than the best of all continue from that one. */
static void exchange_best(struct search *search)
{
    uint32_t number;
    const struct chain_point *best = best_of(search, &number);
    for (uint32_t i = 0; i < search->state->chains; i++) {
        struct chain_state *state = &search->state->chain[i];
        if (state->begun > 0 && orr_chain_better(best, &state->high)) {
            orr_chain_copy(&state->high, best, search->state->ops);
            orr_chain_copy(&state->now, best, search->state->ops);
            orr_walk_go(&search->chain[i].walk, state->now.choice);
        }
    }
}

static void report_progress(const struct search *search)
{
    const struct search_options *options = search->options;
    struct search_progress progress = {.budget = options->budget};
    uint32_t number;
    const struct chain_point *best = best_of(search, &number);
    for (uint32_t i = 0; i < search->state->chains; i++) {
        progress.tries += search->state->chain[i].tries;
    }
    progress.best_ps = best->time_ps;
    progress.missing_bytes = best->missing_bytes;
    if (options->progress != NULL) {
        options->progress(options->context, &progress);
    }
}

static enum orr_status make_chains(struct search *search, struct orr_diag *diag)
{
    const struct search_options *options = search->options;
    search->chain = orr_arena_array(search->arena, options->chains, sizeof *search->chain);
    if (search->chain == NULL || !orr_move_map_init(&search->map, search->arena, &search->space)) {
        return orr_diag_no_memory(diag, "a search");
    }
    for (uint32_t i = 0; i < options->chains; i++) {
        search->chain[i] = (struct chain){.space = &search->space,
                                          .map = &search->map,
                                          .options = options,
                                          .state = &search->state->chain[i],
                                          .number = i,
                                          .first = i % search->space.starts,
                                          .share = options->budget / options->chains +
                                                   (i < options->budget % options->chains)};
    }
    return ORR_OK;
}

/* The status of the first chain that failed, with its message. */
static enum orr_status first_failure(const struct search *search, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < search->options->chains; i++) {
        const struct chain *chain = &search->chain[i];
        if (chain->status != ORR_OK) {
            return orr_diag_fail(diag, chain->status, &chain->diag.place, "%s",
                                 chain->diag.message);
        }
    }
    return ORR_OK;
}

static enum orr_status run_slices(struct search *search, struct orr_diag *diag)
{
    const struct search_options *options = search->options;
    enum orr_status status = ORR_OK;
    uint32_t *slice = &search->state->slice;
    while (*slice < SLICES && status == ORR_OK && !search->out->stopped) {
        for (uint32_t i = 0; i < options->chains; i++) {
            struct chain *chain = &search->chain[i];
            chain->until = chain->share / SLICES * (*slice + 1) +
                           chain->share % SLICES * (*slice + 1) / SLICES;
        }
        orrery_parallel(options->threads, options->chains, run_chain, search);
        status = first_failure(search, diag);
        search->out->stopped = options->stop != NULL && *options->stop != 0;
        if (status == ORR_OK && !search->out->stopped) {
            (*slice)++;
            if (*slice >= FIRST_EXCHANGE && *slice < SLICES) {
                exchange_best(search);
            }
            report_progress(search);
        }
    }
    return status;
}

static void sum_counts(struct search *search)
{
    struct search_result *out = search->out;
    for (uint32_t i = 0; i < search->state->chains; i++) {
        const struct chain_state *chain = &search->state->chain[i];
        out->tries += chain->tries;
        out->accepted += chain->accepted;
        out->evaluations += chain->evaluations;
        out->refused_for_memory += chain->refused;
    }
    out->chains = search->state->chains;
    out->state = search->state;
}

static enum orr_status walk_chains(struct search *search, struct chain_point *best,
                                   struct orr_diag *diag)
{
    const struct search_options *options = search->options;
    enum orr_status status = ORR_OK;
    if (options->resume != NULL) {
        status = orr_search_state_copy(search, diag);
    } else {
        search->state =
            orr_search_state_new(search->arena, search->problem->model->ops, options->chains);
        status = search->state != NULL ? ORR_OK : orr_diag_no_memory(diag, "a search");
    }
    for (uint32_t i = 0; i < options->chains && status == ORR_OK && options->resume == NULL; i++) {
        orr_rng_init(&search->state->chain[i].rng, options->seed, i);
    }
    if (status == ORR_OK) {
        orr_search_hashes(search, search->state->hash);
        status = make_chains(search, diag);
    }
    if (status == ORR_OK) {
        status = run_slices(search, diag);
    }
    for (uint32_t i = 0; search->chain != NULL && i < options->chains; i++) {
        orr_chain_fini(&search->chain[i]);
    }
    if (status == ORR_OK) {
        const struct chain_point *found = best_of(search, &search->out->best_chain);
        *best = orr_chain_better(found, best) ? *found : *best;
        sum_counts(search);
    }
    return status;
}

static enum orr_status fill_result(struct search *search, const struct chain_point *best,
                                   struct orr_diag *diag)
{
    struct search_result *out = search->out;
    orr_walk_go(&search->walk, best->choice);
    out->time_ps = best->time_ps;
    out->missing_bytes = orr_walk_max_missing(&search->walk);
    out->strategies = orr_space_count(&search->space);
    return orr_walk_copy(&search->walk, search->arena, &out->best)
               ? ORR_OK
               : orr_diag_no_memory(diag, "a search");
}

enum orr_status orr_search(struct orr_arena *arena, const struct search_problem *problem,
                           const struct search_options *options,
                           const struct strategy *const *start, uint32_t starts,
                           struct search_result *out, struct orr_diag *diag)
{
    struct search search = {.arena = arena, .problem = problem, .options = options, .out = out};
    struct chain_point best;
    *out = (struct search_result){.time_ps = SEARCH_NO_TIME};
    enum orr_status status = check_options(options, diag);
    if (status == ORR_OK) {
        status = check_problem(problem, diag);
    }
    if (status == ORR_OK) {
        status = prepare_starts(&search, start, starts, diag);
    }
    if (status == ORR_OK) {
        status = evaluate_starts(&search, &best, diag);
    }
    if (status == ORR_OK) {
        status = options->exhaustive ? orr_search_exhaust(&search, &best, diag)
                                     : walk_chains(&search, &best, diag);
    }
    return status == ORR_OK ? fill_result(&search, &best, diag) : status;
}

enum orr_status orr_search_count(const struct search_problem *problem, uint64_t *count,
                                 struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct space space;
    enum orr_status status =
        arena != NULL ? check_problem(problem, diag) : orr_diag_no_memory(diag, "a search");
    if (status == ORR_OK) {
        status = orr_space_init(&space, arena, problem, NULL, 0, diag);
    }
    if (status == ORR_OK) {
        *count = orr_space_count(&space);
    }
    orr_arena_destroy(arena);
    return status;
}
