/* Exhaustive search: enumerates all strategies of a space, the first operator's choices fastest.
 * For small cases, as a reference for random searches. */
#include <inttypes.h>

#include "core/arena.h"
#include "planner/search/search.h"
#include "planner/search/search_private.h"
#include "planner/search/search_space.h"
#include "planner/search/search_walk.h"

/* The present choice of an operator, a digit of the enumeration. */
struct digit {
    uint32_t split, placement;
};

/* Advances to the next choice of an operator; false: it is the first one again. */
static bool next_choice(const struct space *space, uint32_t op, struct digit *digit)
{
    const struct space_class *class = &space->class[space->class_of[op]];
    if (++digit->placement < orr_space_count_placements(space, digit->split)) {
        return true;
    }
    digit->placement = 0;
    if (++digit->split < class->first + class->splits) {
        return true;
    }
    digit->split = class->first;
    return false;
}

static void set(struct walk *walk, uint32_t op, const struct digit *digit)
{
    const struct search_choice choice =
        orr_space_placement_at(walk->space, digit->split, digit->placement);
    orr_walk_set(walk, op, &choice);
}

static bool advance(struct walk *walk, struct digit *digit)
{
    bool more = false;
    for (uint32_t op = 0; op < walk->strategy.ops && !more; op++) {
        more = next_choice(walk->space, op, &digit[op]);
        set(walk, op, &digit[op]);
    }
    orr_walk_keep(walk);
    return more;
}

/* Whether all operators that share weights slice them equally. */
static bool is_legal(const struct walk *walk)
{
    const struct model_op *op = walk->space->problem->model->op;
    bool legal = true;
    for (uint32_t i = 0; i < walk->strategy.ops && legal; i++) {
        legal = walk->space->split[walk->choice[i].split].shards ==
                walk->space->split[walk->choice[op[i].owner].split].shards;
    }
    return legal;
}

/* Evaluates the present strategy, unless its lower bound exceeds the best time. */
static enum orr_status evaluate(struct search *search, struct chain_point *best,
                                struct orr_diag *diag)
{
    struct walk *walk = &search->walk;
    struct chain_point at = {
        .choice = walk->choice, .missing_bytes = orr_walk_missing(walk), .time_ps = SEARCH_NO_TIME};
    enum orr_status status = ORR_OK;
    search->out->tries++;
    search->out->refused_for_memory += at.missing_bytes > 0;
    if (at.missing_bytes == 0 && orr_walk_lower_bound_ps(walk) <= best->time_ps) {
        status = orr_walk_time(walk, best->time_ps, &at.time_ps, diag);
        search->out->evaluations++;
    }
    if (status == ORR_OK && orr_chain_better(&at, best)) {
        orr_chain_copy(best, &at, walk->strategy.ops);
    }
    return status;
}

static enum orr_status check_count(const struct search *search, struct orr_diag *diag)
{
    const uint64_t count = orr_space_count(&search->space);
    if (count <= search->options->max_strategies) {
        return ORR_OK;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "an exhaustive search: expected at most %" PRIu64
                         " strategies, got a space of %s%" PRIu64,
                         search->options->max_strategies, count >= INT64_MAX ? "over " : "", count);
}

enum orr_status orr_search_exhaust(struct search *search, struct chain_point *best,
                                   struct orr_diag *diag)
{
    const struct search_options *options = search->options;
    const uint32_t ops = search->problem->model->ops;
    struct walk *walk = &search->walk;
    struct digit *digit = orr_arena_array(search->arena, (size_t)ops + 1, sizeof *digit);
    enum orr_status status = check_count(search, diag);
    if (status == ORR_OK) {
        status = digit != NULL ? orr_walk_init(walk, search->arena, &search->space, 0, diag)
                               : orr_diag_no_memory(diag, "a search");
    }
    for (uint32_t op = 0; op < ops && status == ORR_OK; op++) {
        digit[op].split = search->space.class[search->space.class_of[op]].first;
        set(walk, op, &digit[op]);
    }
    bool more = status == ORR_OK;
    while (more) {
        status = is_legal(walk) ? evaluate(search, best, diag) : ORR_OK;
        search->out->stopped = options->stop != NULL && *options->stop != 0;
        more = status == ORR_OK && !search->out->stopped && advance(walk, digit);
    }
    orr_walk_fini(walk);
    return status;
}
