/* Generated starts; see search_starts.h. */
#include "planner/search/search_starts.h"

#include "core/arena.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

/* Whether only the samples are split. */
static bool is_split_by_samples(const struct space_split *split)
{
    return split->degree[0] == split->parts;
}

/* Whether a is a better split to start from. */
static bool is_preferred(const struct space_split *a, const struct space_split *b, bool sharded)
{
    if (sharded && a->shards != b->shards) {
        return a->shards > b->shards;
    }
    if (is_split_by_samples(a) != is_split_by_samples(b)) {
        return is_split_by_samples(a);
    }
    return a->parts != b->parts ? a->parts > b->parts : a->cuts < b->cuts;
}

/* The split of an operator; a table that is not sharded gets the fewest parts. Shared weights are
 * sliced as at their owner, if possible. */
static uint32_t split_for(const struct space *space, uint32_t op, bool sharded, uint32_t shards)
{
    const struct model_op *of = &space->problem->model->op[op];
    const struct space_class *class = &space->class[space->class_of[op]];
    uint32_t best = UINT32_MAX;
    if (of->table && !sharded) {
        return class->first;
    }
    for (uint32_t i = class->first; i < class->first + class->splits; i++) {
        const struct space_split *split = &space->split[i];
        if ((shards == 0 || split->shards == shards) &&
            (best == UINT32_MAX || is_preferred(split, &space->split[best], sharded))) {
            best = i;
        }
    }
    return best != UINT32_MAX ? best : class->first;
}

static bool set(struct strategy_draft *draft, const struct space *space, bool sharded,
                uint32_t *split)
{
    const struct model_graph *model = space->problem->model;
    uint32_t tables = 0;
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint32_t owner = model->op[op].owner;
        split[op] =
            split_for(space, op, sharded, owner != op ? space->split[split[owner]].shards : 0);
        const struct space_split *at = &space->split[split[op]];
        const uint32_t device = tables % space->group;
        const bool whole_table = model->op[op].table && at->parts == 1;
        tables += whole_table;
        if (!orr_strategy_set(draft, op, at->degree, whole_table ? &device : NULL)) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_search_make_start(struct orr_arena *arena, const struct space *space,
                                      bool sharded, struct strategy *out, bool *legal,
                                      struct orr_diag *diag)
{
    const struct search_problem *problem = space->problem;
    struct strategy_draft draft;
    uint32_t *split = orr_arena_array(arena, (size_t)problem->model->ops + 1, sizeof *split);
    if (split == NULL || !orr_strategy_draft_init(&draft, arena, problem->model, problem->devices,
                                                  problem->copies)) {
        return orr_diag_no_memory(diag, "a search");
    }
    draft.strategy.server = problem->server;
    if (!set(&draft, space, sharded, split)) {
        return orr_diag_no_memory(diag, "a search");
    }
    *out = orr_strategy_drafted(&draft);
    *legal = orr_strategy_check(problem->model, out, diag) == ORR_OK;
    return ORR_OK;
}
