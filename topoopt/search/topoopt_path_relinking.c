/* Path relinking (Glover; Laguna and Marti) between two strategies: each operator is split and
 * placed as in one or the other. A search on one topology rarely finds strategies that need another
 * topology, and the two strategies often are of different ones (the switch's, and data
 * parallelism); so each intermediate strategy is evaluated on a topology of its own.
 *
 * Operators change in blocks, each a chain of operators with one input and one user. First all
 * blocks change one by one, the one with the most weights first, and the best intermediate strategy
 * is kept; from there single blocks change to or from the second strategy if that is better. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/study.h"
#include "topoopt/search/topoopt_private.h"

enum { MAX_BLOCKS = 48, AT_ONCE = 8 };

struct relinking {
    struct topoopt_plan *plan;
    const struct strategy *end[2];
    struct finder_options options;
    uint32_t *block; /* [ops]; TOPOOPT_NONE: equal in both strategies */
    uint32_t blocks;
    uint64_t mask; /* blocks as in the second strategy, of the best one so far */
    sim_time time_ps;
    uint64_t missing_bytes;
};

/* ---- blocks ---- */

static void count_users(const struct model_graph *model, uint32_t *users)
{
    for (uint32_t e = 0; e < model->edges; e++) {
        users[model->edge[e].from]++;
    }
}

/* A chain continues while an operator has one input and is its only user. */
static void find_blocks(struct relinking *relinking, const uint32_t *users)
{
    const struct model_graph *model = relinking->plan->problem->model;
    for (uint32_t op = 0; op < model->ops; op++) {
        const struct model_op *at = &model->op[op];
        const uint32_t input = at->edges == 1 ? model->edge[at->first_edge].from : op;
        const bool goes_on =
            input != op && users[input] == 1 && relinking->block[input] != TOPOOPT_NONE;
        if (orr_topoopt_op_is_identical(model, relinking->end[0], relinking->end[1], op)) {
            relinking->block[op] = TOPOOPT_NONE;
        } else {
            relinking->block[op] = goes_on ? relinking->block[input] : relinking->blocks++;
        }
    }
}

struct weighed {
    uint32_t block;
    uint64_t bytes;
};

static int by_weight(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? 1 : -1;
    }
    return x->block < y->block ? -1 : x->block > y->block;
}

/* Numbers blocks by descending weights; if there are too many, neighbors in this order are
 * merged. */
static void order_blocks(struct relinking *relinking, struct weighed *weighed, uint32_t *number)
{
    const struct model_graph *model = relinking->plan->problem->model;
    const uint32_t blocks = relinking->blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        weighed[i].block = i;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        if (relinking->block[op] != TOPOOPT_NONE) {
            weighed[relinking->block[op]].bytes += model->op[op].weight_bytes;
        }
    }
    qsort(weighed, blocks, sizeof *weighed, by_weight);
    for (uint32_t i = 0; i < blocks; i++) {
        number[weighed[i].block] =
            blocks <= MAX_BLOCKS ? i : (uint32_t)((uint64_t)i * MAX_BLOCKS / blocks);
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        if (relinking->block[op] != TOPOOPT_NONE) {
            relinking->block[op] = number[relinking->block[op]];
        }
    }
    relinking->blocks = blocks <= MAX_BLOCKS ? blocks : MAX_BLOCKS;
}

static enum orr_status make_blocks(struct relinking *relinking, struct orr_arena *arena)
{
    const struct model_graph *model = relinking->plan->problem->model;
    uint32_t *users = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *users);
    uint32_t *number = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *number);
    struct weighed *weighed = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *weighed);
    relinking->block = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *relinking->block);
    if (users == NULL || number == NULL || weighed == NULL || relinking->block == NULL) {
        return orr_diag_no_memory(relinking->plan->diag, "blocks");
    }
    count_users(model, users);
    find_blocks(relinking, users);
    order_blocks(relinking, weighed, number);
    return ORR_OK;
}

/* ---- evaluation ---- */

static bool mix_strategies(const struct relinking *relinking, struct orr_arena *arena,
                           uint64_t mask, struct strategy *out)
{
    const struct strategy *end[2] = {relinking->end[0], relinking->end[1]};
    const struct model_graph *model = relinking->plan->problem->model;
    struct strategy_draft draft;
    bool set = orr_strategy_draft_init(&draft, arena, model, end[0]->devices, end[0]->copies);
    draft.strategy.server = end[0]->server;
    for (uint32_t op = 0; op < model->ops && set; op++) {
        const uint32_t block = relinking->block[op];
        const struct strategy *of = end[block != TOPOOPT_NONE && (mask >> block & 1) != 0];
        set = orr_strategy_set(&draft, op, orr_strategy_degrees(of, op),
                               orr_strategy_devices(of, op));
    }
    *out = orr_strategy_drafted(&draft);
    return set;
}

struct point {
    uint64_t mask;
    sim_time time_ps; /* ORR_TIME_MAX: infeasible */
    uint64_t missing_bytes;
    enum orr_status status;
};

struct points {
    const struct relinking *relinking;
    struct point *point;
};

/* Evaluates a point; one that splits shared weights differently, or has no topology, is
 * infeasible. */
static enum orr_status evaluate(struct orr_arena *arena, const struct relinking *relinking,
                                struct point *point, struct orr_diag *diag)
{
    struct strategy strategy;
    const struct topoopt_standalone standalone = {relinking->plan->problem, &strategy,
                                                  &relinking->options};
    if (!mix_strategies(relinking, arena, point->mask, &strategy)) {
        return orr_diag_no_memory(diag, "a strategy");
    }
    return orr_topoopt_evaluate_standalone(arena, &standalone, &point->missing_bytes,
                                           &point->time_ps, diag);
}

static void evaluate_one(void *context, unsigned index)
{
    const struct points *points = context;
    struct orr_arena *arena = orr_arena_create();
    struct point *point = &points->point[index];
    struct orr_diag diag;
    orr_diag_init(&diag);
    point->time_ps = ORR_TIME_MAX;
    point->status =
        arena == NULL ? ORR_ERR_MEMORY : evaluate(arena, points->relinking, point, &diag);
    orr_arena_destroy(arena);
}

/* Evaluates points in parallel; keeps the first best one if it is better. */
static enum orr_status evaluate_points(struct relinking *relinking, struct point *point,
                                       uint32_t count)
{
    struct topoopt_plan *plan = relinking->plan;
    struct points points = {relinking, point};
    orrery_parallel(plan->options->search.threads, count, evaluate_one, &points);
    for (uint32_t i = 0; i < count; i++) {
        if (point[i].status != ORR_OK) {
            return orr_diag_fail(plan->diag, point[i].status, NULL,
                                 "a strategy of path relinking could not be evaluated");
        }
        if (point[i].time_ps != ORR_TIME_MAX &&
            topoopt_better(point[i].missing_bytes, point[i].time_ps, relinking->missing_bytes,
                           relinking->time_ps)) {
            relinking->mask = point[i].mask;
            relinking->time_ps = point[i].time_ps;
            relinking->missing_bytes = point[i].missing_bytes;
        }
    }
    plan->spent += count;
    return ORR_OK;
}

/* ---- relinking ---- */

static enum orr_status relink_in_order(struct relinking *relinking)
{
    struct point point[MAX_BLOCKS];
    uint32_t count = 0;
    for (uint64_t mask = 1; count < relinking->blocks; mask = mask << 1 | 1) {
        point[count++] = (struct point){.mask = mask};
    }
    return evaluate_points(relinking, point, count);
}

static enum orr_status relink_single(struct relinking *relinking)
{
    enum orr_status status = ORR_OK;
    for (uint32_t first = 0; first < relinking->blocks && status == ORR_OK; first += AT_ONCE) {
        struct point point[AT_ONCE];
        const uint64_t from = relinking->mask;
        uint32_t count = 0;
        for (; count < AT_ONCE && first + count < relinking->blocks; count++) {
            point[count] = (struct point){.mask = from ^ UINT64_C(1) << (first + count)};
        }
        status =
            topoopt_stopped(relinking->plan) ? ORR_OK : evaluate_points(relinking, point, count);
    }
    return status;
}

static enum orr_status relink(struct relinking *relinking, struct orr_arena *arena,
                              uint32_t *number)
{
    struct topoopt_plan *plan = relinking->plan;
    struct strategy strategy;
    const uint64_t spent = plan->spent;
    enum orr_status status = make_blocks(relinking, arena);
    if (status != ORR_OK || relinking->blocks < 2) {
        return status;
    }
    status = relink_in_order(relinking);
    if (status == ORR_OK) {
        status = relink_single(relinking);
    }
    if (status != ORR_OK || relinking->time_ps == ORR_TIME_MAX) {
        return status;
    }
    return mix_strategies(relinking, arena, relinking->mask, &strategy)
               ? orr_topoopt_add_strategy(plan, &strategy, TOPOOPT_RELINKED, plan->spent - spent,
                                          number)
               : orr_diag_no_memory(plan->diag, "a strategy");
}

enum orr_status orr_topoopt_path_relinking(struct topoopt_plan *plan, uint32_t from, uint32_t to,
                                           uint32_t *number)
{
    struct relinking relinking = {.plan = plan,
                                  .end = {&plan->known[from].strategy, &plan->known[to].strategy},
                                  .options = plan->candidate[plan->best].options,
                                  .time_ps = ORR_TIME_MAX,
                                  .missing_bytes = UINT64_MAX};
    struct orr_arena *arena = orr_arena_create();
    *number = TOPOOPT_NONE;
    const enum orr_status status = arena == NULL ? orr_diag_no_memory(plan->diag, "strategies")
                                                 : relink(&relinking, arena, number);
    orr_arena_destroy(arena);
    return status;
}
