/* Chooses the splits: exactly by variable elimination, else by local search; see sipml_dims.h. */
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "core/saturate.h"
#include "sipml/search/sipml_dims.h"
#include "sipml/search/variable_elimination.h"

struct choosing {
    const struct sipml_problem *problem;
    const struct sipml_splits *splits;
    struct factors factors;
};

static const struct sipml_split *split_of(const struct choosing *choose, uint32_t op,
                                          uint32_t value)
{
    return &choose->splits->split[choose->splits->first[op] + value];
}

static bool add_weights(struct choosing *choose, uint32_t op)
{
    const struct model_op *at = &choose->problem->model->op[op];
    const uint32_t splits = choose->factors.values[op];
    uint64_t *cost = orr_factors_add(&choose->factors, op, UINT32_MAX);
    for (uint32_t v = 0; v < splits && cost != NULL; v++) {
        const struct sipml_split *split = split_of(choose, op, v);
        cost[v] = sat_plus(split->last_resort ? SIPML_NEVER / 4 : 0,
                           at->owner == op ? orr_sipml_weight_bytes(at, split) : 0);
    }
    return cost != NULL;
}

static bool add_shared(struct choosing *choose, uint32_t op)
{
    const struct model_graph *model = choose->problem->model;
    const uint32_t owner = model->op[op].owner, splits = choose->factors.values[op];
    uint64_t *cost = orr_factors_add(&choose->factors, owner, op);
    for (uint32_t i = 0; i < choose->factors.values[owner] * splits && cost != NULL; i++) {
        cost[i] = orr_sipml_shared_bytes(&model->op[owner], split_of(choose, owner, i / splits),
                                         &model->op[op], split_of(choose, op, i % splits));
    }
    return cost != NULL;
}

static bool add_edge(struct choosing *choose, uint32_t op, uint32_t edge)
{
    const uint32_t from = choose->problem->model->edge[edge].from;
    const uint32_t splits = choose->factors.values[op];
    uint64_t *cost = orr_factors_add(&choose->factors, from, op);
    for (uint32_t i = 0; i < choose->factors.values[from] * splits && cost != NULL; i++) {
        cost[i] = orr_sipml_edge_cost(choose->problem, op, edge, split_of(choose, from, i / splits),
                                      split_of(choose, op, i % splits));
    }
    return cost != NULL;
}

static bool add_op(struct choosing *choose, uint32_t op)
{
    const struct model_op *at = &choose->problem->model->op[op];
    bool made = add_weights(choose, op) && (at->owner == op || add_shared(choose, op));
    for (uint32_t i = 0; i < at->edges && made; i++) {
        made = add_edge(choose, op, at->first_edge + i);
    }
    return made;
}

/* ---- local search ---- */

/* The users of an operator's output or weights, operator by operator. */
struct neighbors {
    uint32_t *first, *op;
};

static bool find_neighbors(struct orr_arena *arena, const struct model_graph *model,
                           struct neighbors *out)
{
    const size_t max = (size_t)model->edges + model->ops + 1;
    out->first = orr_arena_array(arena, (size_t)model->ops + 2, sizeof(uint32_t));
    out->op = orr_arena_array(arena, max, sizeof(uint32_t));
    if (out->first == NULL || out->op == NULL) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t op = model->ops; op-- > 0;) {
            const struct model_op *at = &model->op[op];
            for (uint32_t i = 0; i <= at->edges; i++) {
                const uint32_t of =
                    i < at->edges ? model->edge[at->first_edge + i].from : at->owner;
                if (pass == 0) {
                    out->first[of]++;
                } else {
                    out->op[--out->first[of]] = op;
                }
            }
        }
        for (uint32_t op = 0; op <= model->ops && pass == 0; op++) {
            out->first[op + 1] += out->first[op];
        }
    }
    return true;
}

static uint64_t cost_with_neighbors(const struct choosing *choose,
                                    const struct neighbors *neighbors, const uint32_t *choice,
                                    uint32_t op)
{
    uint64_t cost = orr_sipml_op_cost(choose->problem, choose->splits, choice, op);
    for (uint32_t i = neighbors->first[op]; i < neighbors->first[op + 1]; i++) {
        const uint32_t other = neighbors->op[i];
        /* Counted already: itself, or a neighbor that is listed twice (equal ones are adjacent). */
        const bool counted =
            other == op || (i > neighbors->first[op] && neighbors->op[i - 1] == other);
        cost =
            counted
                ? cost
                : sat_plus(cost, orr_sipml_op_cost(choose->problem, choose->splits, choice, other));
    }
    return cost;
}

static bool improve(const struct choosing *choose, const struct neighbors *neighbors,
                    uint32_t *choice, uint32_t op)
{
    const uint32_t old = choice[op];
    uint32_t best = old;
    uint64_t min = cost_with_neighbors(choose, neighbors, choice, op);
    for (uint32_t w = choose->splits->first[op]; w < choose->splits->first[op + 1]; w++) {
        choice[op] = w;
        const uint64_t cost = cost_with_neighbors(choose, neighbors, choice, op);
        best = cost < min ? w : best;
        min = cost < min ? cost : min;
    }
    choice[op] = best;
    return best != old;
}

enum { MAX_SWEEPS = 32 };

static uint64_t descend(const struct choosing *choose, const struct neighbors *neighbors,
                        uint32_t *choice)
{
    const uint32_t ops = choose->problem->model->ops;
    bool better = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && better; sweep++) {
        better = false;
        for (uint32_t op = 0; op < ops; op++) {
            better |= improve(choose, neighbors, choice, op);
        }
    }
    return orr_sipml_split_cost(choose->problem, choose->splits, choice);
}

/* Local search from the choice and from DIMS_STARTS random ones; the best remains. */
static bool search_from_starts(struct orr_arena *arena, const struct choosing *choose,
                               uint32_t *choice)
{
    const uint32_t ops = choose->problem->model->ops;
    uint32_t *other = orr_arena_array(arena, (size_t)ops + 1, sizeof *other);
    struct neighbors neighbors;
    struct orr_rng rng;
    if (other == NULL || !find_neighbors(arena, choose->problem->model, &neighbors)) {
        return false;
    }
    orr_rng_init(&rng, 1, 0);
    uint64_t min = descend(choose, &neighbors, choice);
    for (int start = 0; start < DIMS_STARTS; start++) {
        for (uint32_t op = 0; op < ops; op++) {
            const uint32_t first = choose->splits->first[op];
            other[op] =
                first + (uint32_t)orr_rng_below(&rng, choose->splits->first[op + 1] - first);
        }
        const uint64_t cost = descend(choose, &neighbors, other);
        if (cost < min) {
            memcpy(choice, other, ops * sizeof *choice);
            min = cost;
        }
    }
    return true;
}

bool orr_sipml_choose_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                             const struct sipml_splits *splits, uint32_t *choice)
{
    const uint32_t ops = problem->model->ops;
    struct choosing choose = {.problem = problem, .splits = splits};
    uint32_t *values = orr_arena_array(arena, (size_t)ops + 1, sizeof *values);
    bool exact = true;
    bool made = values != NULL;
    for (uint32_t op = 0; op < ops && made; op++) {
        values[op] = splits->first[op + 1] - splits->first[op];
    }
    made = made && orr_factors_init(&choose.factors, arena, ops, values);
    for (uint32_t op = 0; op < ops && made; op++) {
        made = add_op(&choose, op);
    }
    made = made && orr_factors_solve(&choose.factors, choice, &exact);
    for (uint32_t op = 0; op < ops && made; op++) {
        choice[op] += splits->first[op];
    }
    return made && (exact || search_from_starts(arena, &choose, choice));
}
