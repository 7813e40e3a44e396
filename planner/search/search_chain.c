/* See search_chain.h. */
#include "planner/search/search_chain.h"

#include "core/arena.h"
#include "planner/search/search.h"
#include "planner/search/search_space.h"

#include <math.h>
#include <string.h>

static uint32_t ops_of(const struct chain *chain)
{
    return chain->space->problem->model->ops;
}

bool orr_chain_better(const struct chain_point *a, const struct chain_point *b)
{
    return a->missing_bytes != b->missing_bytes ? a->missing_bytes < b->missing_bytes
                                                : a->time_ps < b->time_ps;
}

void orr_chain_copy(struct chain_point *to, const struct chain_point *from, uint32_t ops)
{
    struct search_choice *choice = to->choice;
    memcpy(choice, from->choice, ops * sizeof *choice);
    *to = *from;
    to->choice = choice;
}

bool orr_chain_state_init(struct chain_state *state, struct orr_arena *arena, uint32_t ops)
{
    struct chain_point *const point[] = {&state->now, &state->high, &state->best};
    *state = (struct chain_state){.begun = 0};
    for (size_t i = 0; i < sizeof point / sizeof *point; i++) {
        point[i]->choice = orr_arena_array(arena, (size_t)ops + 1, sizeof *point[i]->choice);
        point[i]->missing_bytes = UINT64_MAX;
        point[i]->time_ps = SEARCH_NO_TIME;
        if (point[i]->choice == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- acceptance ---- */

static sim_time evaluate(struct chain *chain, sim_time limit_ps)
{
    sim_time time_ps = SEARCH_NO_TIME;
    chain->status = orr_walk_time(&chain->walk, limit_ps, &time_ps, &chain->diag);
    chain->state->evaluations++;
    return time_ps;
}

/* The longest time that the Metropolis rule accepts, from a random number that is drawn before the
 * time is known. Strategies with a larger lower bound need no evaluation. */
static sim_time acceptance_limit(struct chain *chain)
{
    const struct search_options *options = chain->options;
    const double now = (double)chain->state->now.time_ps;
    const double unit_ps = options->scale == SEARCH_PER_MS ? 1e9 : now / 1000;
    const double drawn = -log(1.0 - orr_rng_unit(&chain->state->rng));
    const double limit = options->alpha > 0 ? now + drawn / options->alpha * unit_ps : INFINITY;
    return limit < (double)(SEARCH_NO_TIME / 2) ? (sim_time)limit : SEARCH_NO_TIME - 1;
}

static void accept(struct chain *chain, uint64_t missing, sim_time time_ps)
{
    struct chain_state *state = chain->state;
    for (uint32_t i = 0; i < chain->walk.changes; i++) {
        const uint32_t op = chain->walk.change[i].op;
        state->now.choice[op] = chain->walk.choice[op];
    }
    orr_walk_keep(&chain->walk);
    state->now.missing_bytes = missing;
    state->now.time_ps = time_ps;
    state->accepted++;
    if (orr_chain_better(&state->now, &state->high)) {
        orr_chain_copy(&state->high, &state->now, ops_of(chain));
    }
    if (orr_chain_better(&state->now, &state->best)) {
        orr_chain_copy(&state->best, &state->now, ops_of(chain));
    }
}

/* Accepts or undoes the changes of the walk. If memory is missing now, a strategy with at most as
 * much missing is accepted, whatever its time. */
static void accept_or_undo(struct chain *chain)
{
    struct chain_state *state = chain->state;
    const uint64_t missing = orr_walk_missing(&chain->walk);
    sim_time time_ps = SEARCH_NO_TIME;
    bool taken = missing <= state->now.missing_bytes;
    state->refused += !taken;
    if (taken && missing == 0) {
        const sim_time limit =
            state->now.missing_bytes == 0 ? acceptance_limit(chain) : SEARCH_NO_TIME - 1;
        taken = orr_walk_lower_bound_ps(&chain->walk) <= limit;
        time_ps = taken ? evaluate(chain, limit) : time_ps;
        taken = taken && time_ps <= limit;
    }
    if (chain->status == ORR_OK && taken) {
        accept(chain, missing, time_ps);
    } else {
        orr_walk_undo(&chain->walk);
    }
}

/* ---- the walk ---- */

/* (Re)starts the chain from its next start. */
static void begin_at_start(struct chain *chain)
{
    struct chain_state *state = chain->state;
    const struct space *space = chain->space;
    const uint32_t start = (chain->first + state->begun * chain->options->chains) % space->starts;
    for (uint32_t op = 0; op < ops_of(chain); op++) {
        state->now.choice[op] = orr_space_choice_of_start(space, start, op);
    }
    orr_walk_go(&chain->walk, state->now.choice);
    state->begun++;
    state->high.missing_bytes = UINT64_MAX;
    state->high.time_ps = SEARCH_NO_TIME;
    const uint64_t missing = orr_walk_missing(&chain->walk);
    const sim_time time_ps = missing == 0 ? evaluate(chain, ORR_TIME_MAX) : SEARCH_NO_TIME;
    accept(chain, missing, time_ps);
    state->accepted--; /* a start is no try */
}

static void init_chain(struct chain *chain)
{
    orr_diag_init(&chain->diag);
    chain->arena = orr_arena_create();
    chain->status = chain->arena == NULL ? orr_diag_no_memory(&chain->diag, "a search")
                                         : orr_walk_init(&chain->walk, chain->arena, chain->space,
                                                         chain->first, &chain->diag);
    if (chain->status == ORR_OK && !orr_mover_init(&chain->mover, chain->arena, chain->map,
                                                   &chain->walk, &chain->state->rng)) {
        chain->status = orr_diag_no_memory(&chain->diag, "a search");
    }
    chain->mover.propagation = chain->options->propagation;
    if (chain->status == ORR_OK && chain->state->begun > 0) {
        orr_walk_go(&chain->walk, chain->state->now.choice);
    }
}

/* FlexFlow: returns to the best strategy after every hundredth of the budget, at the latest after
 * 1000 tries. */
static void return_to_best(struct chain *chain)
{
    const uint64_t hundredth = chain->options->budget / 100;
    const uint64_t every = hundredth < 1 ? 1 : hundredth > 1000 ? 1000 : hundredth;
    struct chain_state *state = chain->state;
    if (state->tries % every == 0 && orr_chain_better(&state->high, &state->now)) {
        orr_chain_copy(&state->now, &state->high, ops_of(chain));
        orr_walk_go(&chain->walk, state->now.choice);
    }
}

static bool is_stopped(const struct chain *chain)
{
    return chain->options->stop != NULL && *chain->options->stop != 0;
}

void orr_chain_run(struct chain *chain)
{
    struct chain_state *state = chain->state;
    if (chain->arena == NULL) {
        init_chain(chain);
    }
    while (chain->status == ORR_OK && state->tries < chain->until && !is_stopped(chain)) {
        const uint64_t begins = state->tries * (chain->options->restarts + 1) / chain->share;
        if (begins >= state->begun) {
            begin_at_start(chain);
        }
        if (chain->status == ORR_OK && orr_move(&chain->mover)) {
            accept_or_undo(chain);
        }
        state->tries++;
        return_to_best(chain);
    }
}

void orr_chain_fini(struct chain *chain)
{
    orr_walk_fini(&chain->walk);
    orr_arena_destroy(chain->arena);
    chain->arena = NULL;
}
