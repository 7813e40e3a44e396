/* Strategies between two: an operator is split and placed as the one or the other has it. A search
 * on the topology at hand finds little that needs another topology, and the two are often of
 * different ones (the switch's, and data parallelism); so each of these is judged on a topology of
 * its own.
 *
 * Operators go over in blocks, each a chain of operators with one input and one user. First all
 * blocks go over one after the other, the one with most weights first, and the best place on that
 * way is kept; from there blocks go over or back by themselves, where that helps. */
#include <stdlib.h>

#include "orrery/study.h"
#include "planner/topoopt/topoopt_private.h"
#include "workload/workload.h"

enum { MAX_BLOCKS = 48, AT_ONCE = 8 };

struct between {
    struct topoopt_plan *plan;
    const struct strategy *end[2];
    struct finder_options options;
    uint32_t *block; /* [ops] TOPOOPT_NONE: both ends have it alike */
    uint32_t blocks;
    uint64_t mask; /* blocks that are as the second end has them: the best until now */
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

/* Chains go on while an operator has one input, whose only user it is. */
static void find_blocks(struct between *between, const uint32_t *users)
{
    const struct model_graph *model = between->plan->problem->model;
    for (uint32_t op = 0; op < model->ops; op++) {
        const struct model_op *at = &model->op[op];
        const uint32_t input = at->edges == 1 ? model->edge[at->first_edge].from : op;
        const bool goes_on =
            input != op && users[input] == 1 && between->block[input] != TOPOOPT_NONE;
        if (orr_topoopt_alike(model, between->end[0], between->end[1], op)) {
            between->block[op] = TOPOOPT_NONE;
        } else {
            between->block[op] = goes_on ? between->block[input] : between->blocks++;
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

/* Numbers blocks by falling weights; where they are too many, neighbours are one. */
static void order_blocks(struct between *between, struct weighed *weighed, uint32_t *number)
{
    const struct model_graph *model = between->plan->problem->model;
    const uint32_t blocks = between->blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        weighed[i].block = i;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        if (between->block[op] != TOPOOPT_NONE) {
            weighed[between->block[op]].bytes += model->op[op].weight_bytes;
        }
    }
    qsort(weighed, blocks, sizeof *weighed, by_weight);
    for (uint32_t i = 0; i < blocks; i++) {
        number[weighed[i].block] =
            blocks <= MAX_BLOCKS ? i : (uint32_t)((uint64_t)i * MAX_BLOCKS / blocks);
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        if (between->block[op] != TOPOOPT_NONE) {
            between->block[op] = number[between->block[op]];
        }
    }
    between->blocks = blocks <= MAX_BLOCKS ? blocks : MAX_BLOCKS;
}

static enum orr_status make_blocks(struct between *between, struct orr_arena *arena)
{
    const struct model_graph *model = between->plan->problem->model;
    uint32_t *users = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *users);
    uint32_t *number = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *number);
    struct weighed *weighed = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *weighed);
    between->block = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *between->block);
    if (users == NULL || number == NULL || weighed == NULL || between->block == NULL) {
        return orr_diag_no_memory(between->plan->diag, "blocks");
    }
    count_users(model, users);
    find_blocks(between, users);
    order_blocks(between, weighed, number);
    return ORR_OK;
}

/* ---- one of them, with its topology ---- */

static bool mixed(const struct between *between, struct orr_arena *arena, uint64_t mask,
                  struct strategy *out)
{
    const struct strategy *end[2] = {between->end[0], between->end[1]};
    const struct model_graph *model = between->plan->problem->model;
    struct strategy_draft draft;
    bool set = orr_strategy_draft_init(&draft, arena, model, end[0]->devices, end[0]->copies);
    draft.strategy.server = end[0]->server;
    for (uint32_t op = 0; op < model->ops && set; op++) {
        const uint32_t block = between->block[op];
        const struct strategy *of = end[block != TOPOOPT_NONE && (mask >> block & 1) != 0];
        set = orr_strategy_set(&draft, op, orr_strategy_degrees(of, op),
                               orr_strategy_devices(of, op));
    }
    *out = orr_strategy_drafted(&draft);
    return set;
}

struct point {
    uint64_t mask;
    sim_time time_ps; /* ORR_TIME_MAX: it cannot be, */
    uint64_t missing_bytes;
    enum orr_status status;
};

struct points {
    const struct between *between;
    struct point *point;
};

/* Operators that share weights must go over together, and a network may not be. */
static enum orr_status judge(struct orr_arena *arena, const struct between *between,
                             struct point *point, struct orr_diag *diag)
{
    struct strategy strategy;
    const struct topoopt_alone alone = {between->plan->problem, &strategy, &between->options};
    if (!mixed(between, arena, point->mask, &strategy)) {
        return orr_diag_no_memory(diag, "a strategy");
    }
    return orr_topoopt_alone(arena, &alone, &point->missing_bytes, &point->time_ps, diag);
}

static void judge_one(void *context, unsigned index)
{
    const struct points *points = context;
    struct orr_arena *arena = orr_arena_create();
    struct point *point = &points->point[index];
    struct orr_diag diag;
    orr_diag_init(&diag);
    point->time_ps = ORR_TIME_MAX;
    point->status = arena == NULL ? ORR_ERR_MEMORY : judge(arena, points->between, point, &diag);
    orr_arena_destroy(arena);
}

/* Judges points side by side; the first best of them is kept where it is better. */
static enum orr_status try(struct between *between, struct point *point, uint32_t count)
{
    struct topoopt_plan *plan = between->plan;
    struct points points = {between, point};
    orrery_parallel(plan->options->search.threads, count, judge_one, &points);
    for (uint32_t i = 0; i < count; i++) {
        if (point[i].status != ORR_OK) {
            return orr_diag_fail(plan->diag, point[i].status, NULL,
                                 "a strategy between two could not be judged");
        }
        if (point[i].time_ps != ORR_TIME_MAX &&
            topoopt_better(point[i].missing_bytes, point[i].time_ps, between->missing_bytes,
                           between->time_ps)) {
            between->mask = point[i].mask;
            between->time_ps = point[i].time_ps;
            between->missing_bytes = point[i].missing_bytes;
        }
    }
    plan->spent += count;
    return ORR_OK;
}

/* ---- the ways between ---- */

static enum orr_status go_over(struct between *between)
{
    struct point point[MAX_BLOCKS];
    uint32_t count = 0;
    for (uint64_t mask = 1; count < between->blocks; mask = mask << 1 | 1) {
        point[count++] = (struct point){.mask = mask};
    }
    return try(between, point, count);
}

static enum orr_status go_alone(struct between *between)
{
    enum orr_status status = ORR_OK;
    for (uint32_t first = 0; first < between->blocks && status == ORR_OK; first += AT_ONCE) {
        struct point point[AT_ONCE];
        const uint64_t from = between->mask;
        uint32_t count = 0;
        for (; count < AT_ONCE && first + count < between->blocks; count++) {
            point[count] = (struct point){.mask = from ^ UINT64_C(1) << (first + count)};
        }
        status = topoopt_stopped(between->plan) ? ORR_OK : try(between, point, count);
    }
    return status;
}

static enum orr_status walk(struct between *between, struct orr_arena *arena, uint32_t *number)
{
    struct topoopt_plan *plan = between->plan;
    struct strategy strategy;
    const uint64_t spent = plan->spent;
    enum orr_status status = make_blocks(between, arena);
    if (status != ORR_OK || between->blocks < 2) {
        return status;
    }
    status = go_over(between);
    if (status == ORR_OK) {
        status = go_alone(between);
    }
    if (status != ORR_OK || between->time_ps == ORR_TIME_MAX) {
        return status;
    }
    return mixed(between, arena, between->mask, &strategy)
               ? orr_topoopt_add_strategy(plan, &strategy, TOPOOPT_BETWEEN, plan->spent - spent,
                                          number)
               : orr_diag_no_memory(plan->diag, "a strategy");
}

enum orr_status orr_topoopt_path_relinking(struct topoopt_plan *plan, uint32_t from, uint32_t to,
                                           uint32_t *number)
{
    struct between between = {.plan = plan,
                              .end = {&plan->seen[from].strategy, &plan->seen[to].strategy},
                              .options = plan->laid[plan->best].options,
                              .time_ps = ORR_TIME_MAX,
                              .missing_bytes = UINT64_MAX};
    struct orr_arena *arena = orr_arena_create();
    *number = TOPOOPT_NONE;
    const enum orr_status status = arena == NULL ? orr_diag_no_memory(plan->diag, "strategies")
                                                 : walk(&between, arena, number);
    orr_arena_destroy(arena);
    return status;
}
