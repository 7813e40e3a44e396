/* The current strategy of a chain; see search_walk.h. */
#include "planner/search/search_walk.h"

#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "workload/strategy/strategy_check.h"

/* ---- memory and computation of devices ---- */

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Adds the memory and computation of an operator to its devices, or removes it: sums modulo
 * 2^64. */
static void add_usage(struct walk *walk, uint32_t op, bool away)
{
    const struct space_split *split = &walk->space->split[walk->choice[op].split];
    const uint32_t *device = orr_strategy_devices(&walk->strategy, op);
    const uint64_t part_ps =
        min((uint64_t)split->forward_ps + (uint64_t)split->backward_ps, walk->max_of_op);
    orr_strategy_add_memory(walk->space->problem->model, &walk->strategy, op, walk->of_op,
                            walk->last);
    for (uint32_t i = 0; i < split->parts; i++) {
        const uint32_t at = device[i];
        const uint64_t bytes = min(walk->of_op[at], walk->max_of_op);
        walk->of_op[at] = 0;
        walk->bytes[at] += away ? 0 - bytes : bytes;
        walk->load_ps[at] += away ? 0 - part_ps : part_ps;
    }
}

static void apply_choice(struct walk *walk, uint32_t op, const struct search_choice *choice)
{
    const struct model_op *of = &walk->space->problem->model->op[op];
    const struct space_split *split = &walk->space->split[choice->split];
    memcpy(walk->degree + walk->op[op].first_degree, split->degree,
           of->dims * sizeof *walk->degree);
    orr_space_devices(walk->space, op, choice, walk->device + walk->op[op].first_device);
    walk->op[op].parts = split->parts;
    walk->choice[op] = *choice;
}

static void mark_stale(struct walk *walk, uint32_t op)
{
    if (!walk->is_stale[op]) {
        walk->is_stale[op] = true;
        walk->stale[walk->stales++] = op;
    }
}

static bool same_choice(const struct search_choice *a, const struct search_choice *b)
{
    return a->split == b->split && a->first == b->first && a->step == b->step &&
           a->order == b->order;
}

static void move_to(struct walk *walk, uint32_t op, const struct search_choice *choice)
{
    add_usage(walk, op, true);
    apply_choice(walk, op, choice);
    add_usage(walk, op, false);
    mark_stale(walk, op);
}

void orr_walk_set(struct walk *walk, uint32_t op, const struct search_choice *choice)
{
    if (same_choice(&walk->choice[op], choice)) {
        return;
    }
    if (walk->changed[op] == 0) {
        walk->change[walk->changes] = (struct walk_change){op, walk->choice[op]};
        walk->changed[op] = ++walk->changes;
    }
    move_to(walk, op, choice);
}

void orr_walk_keep(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->changes; i++) {
        walk->changed[walk->change[i].op] = 0;
    }
    walk->changes = 0;
}

void orr_walk_undo(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->changes; i++) {
        const struct walk_change *change = &walk->change[i];
        if (!same_choice(&walk->choice[change->op], &change->before)) {
            move_to(walk, change->op, &change->before);
        }
    }
    orr_walk_keep(walk);
}

void orr_walk_go(struct walk *walk, const struct search_choice *choice)
{
    for (uint32_t op = 0; op < walk->strategy.ops; op++) {
        orr_walk_set(walk, op, &choice[op]);
    }
    orr_walk_keep(walk);
}

/* ---- objective ---- */

static uint64_t missing_on(const struct walk *walk, uint32_t device)
{
    const uint64_t capacity = walk->space->problem->memory_bytes;
    return capacity != 0 && walk->bytes[device] > capacity ? walk->bytes[device] - capacity : 0;
}

uint64_t orr_walk_missing(const struct walk *walk)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < walk->space->group; i++) {
        missing = sat_plus(missing, missing_on(walk, i));
    }
    return missing;
}

uint64_t orr_walk_max_missing(const struct walk *walk)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < walk->space->group; i++) {
        max = missing_on(walk, i) > max ? missing_on(walk, i) : max;
    }
    return max;
}

sim_time orr_walk_lower_bound_ps(const struct walk *walk)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < walk->space->group; i++) {
        max = walk->load_ps[i] > max ? walk->load_ps[i] : max;
    }
    return (sim_time)max;
}

enum orr_status orr_walk_time(struct walk *walk, sim_time limit_ps, sim_time *time_ps,
                              struct orr_diag *diag)
{
    for (uint32_t i = 0; i < walk->stales; i++) {
        const uint32_t op = walk->stale[i];
        const struct space_split *split = &walk->space->split[walk->choice[op].split];
        orr_eval_strategy_set_time(walk->evaluator, op, split->forward_ps, split->backward_ps);
        walk->is_stale[op] = false;
    }
    const uint32_t stales = walk->stales;
    walk->stales = 0;
    if (!orr_eval_strategy_update_list(walk->evaluator, walk->stale, stales)) {
        return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL,
                             "a search: out of memory, or no path between two devices");
    }
    return orr_evaluate_within(orr_eval_strategy_evaluator(walk->evaluator), limit_ps, time_ps,
                               diag);
}

/* ---- creation ---- */

static uint32_t max_parts(const struct space *space, uint32_t op)
{
    const struct space_class *class = &space->class[space->class_of[op]];
    return space->split[class->first + class->splits - 1].parts;
}

/* Allocates the arrays of a strategy, for the widest split of each operator. */
static bool make_strategy(struct walk *walk, struct orr_arena *arena)
{
    const struct model_graph *model = walk->space->problem->model;
    uint64_t degrees = 0, devices = 0;
    walk->op = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *walk->op);
    for (uint32_t op = 0; op < model->ops && walk->op != NULL; op++) {
        walk->op[op] = (struct strategy_op){.first_degree = (uint32_t)degrees,
                                            .first_device = (uint32_t)devices};
        degrees += model->op[op].dims;
        devices += max_parts(walk->space, op);
    }
    if (walk->op == NULL || devices > UINT32_MAX) {
        return false;
    }
    walk->degree = orr_arena_array(arena, degrees + 1, sizeof *walk->degree);
    walk->device = orr_arena_array(arena, devices + 1, sizeof *walk->device);
    walk->strategy = (struct strategy){.devices = walk->space->problem->devices,
                                       .copies = walk->space->problem->copies,
                                       .ops = model->ops,
                                       .op = walk->op,
                                       .degree = walk->degree,
                                       .device = walk->device,
                                       .server = walk->space->problem->server};
    return walk->degree != NULL && walk->device != NULL;
}

static bool make_arrays(struct walk *walk, struct orr_arena *arena)
{
    const size_t ops = (size_t)walk->space->problem->model->ops + 1, group = walk->space->group;
    walk->choice = orr_arena_array(arena, ops, sizeof *walk->choice);
    walk->change = orr_arena_array(arena, ops, sizeof *walk->change);
    walk->changed = orr_arena_array(arena, ops, sizeof *walk->changed);
    walk->stale = orr_arena_array(arena, ops, sizeof *walk->stale);
    walk->is_stale = orr_arena_array(arena, ops, sizeof *walk->is_stale);
    walk->bytes = orr_arena_array(arena, group, sizeof *walk->bytes);
    walk->load_ps = orr_arena_array(arena, group, sizeof *walk->load_ps);
    walk->of_op = orr_arena_array(arena, group, sizeof *walk->of_op);
    walk->last = orr_arena_array(arena, group, sizeof *walk->last);
    walk->max_of_op = (UINT64_C(1) << 62) / ops;
    return walk->choice != NULL && walk->change != NULL && walk->changed != NULL &&
           walk->stale != NULL && walk->is_stale != NULL && walk->bytes != NULL &&
           walk->load_ps != NULL && walk->of_op != NULL && walk->last != NULL;
}

enum orr_status orr_walk_init(struct walk *walk, struct orr_arena *arena, const struct space *space,
                              uint32_t start, struct orr_diag *diag)
{
    const struct search_problem *problem = space->problem;
    *walk = (struct walk){.space = space};
    if (!make_strategy(walk, arena) || !make_arrays(walk, arena)) {
        return orr_diag_no_memory(diag, "a search");
    }
    for (uint32_t op = 0; op < problem->model->ops; op++) {
        const struct search_choice choice = orr_space_choice_of_start(space, start, op);
        apply_choice(walk, op, &choice);
    }
    for (uint32_t op = 0; op < problem->model->ops; op++) {
        add_usage(walk, op, false);
        mark_stale(walk, op);
    }
    const struct eval_strategy_setup setup = {
        .model = problem->model, .strategy = &walk->strategy, .network = problem->network};
    return orr_eval_strategy_create(&walk->evaluator, &setup, diag);
}

void orr_walk_fini(struct walk *walk)
{
    orr_eval_strategy_destroy(walk->evaluator);
    walk->evaluator = NULL;
}

bool orr_walk_copy(const struct walk *walk, struct orr_arena *arena, struct strategy *out)
{
    struct strategy_draft draft;
    if (!orr_strategy_draft_init(&draft, arena, walk->space->problem->model, walk->strategy.devices,
                                 walk->strategy.copies)) {
        return false;
    }
    draft.strategy.server = walk->strategy.server;
    for (uint32_t op = 0; op < walk->strategy.ops; op++) {
        if (!orr_strategy_set(&draft, op, orr_strategy_degrees(&walk->strategy, op),
                              orr_strategy_devices(&walk->strategy, op))) {
            return false;
        }
    }
    *out = orr_strategy_drafted(&draft);
    return true;
}
