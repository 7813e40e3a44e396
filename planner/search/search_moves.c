/* See search_moves.h. */
#include "planner/search/search_moves.h"

#include "core/arena.h"
#include "core/rng.h"
#include "planner/search/search_space.h"
#include "workload/model/op_graph.h"

#include <string.h>

/* A move of at most this many operators may split each one differently. */
enum { MOVE_MAX_EACH = 4 };

static uint32_t below(struct mover *mover, uint32_t bound)
{
    return (uint32_t)orr_rng_below(mover->rng, bound);
}

static const struct space *space_of(const struct mover *mover)
{
    return mover->map->space;
}

static uint32_t ops_of(const struct mover *mover)
{
    return space_of(mover)->problem->model->ops;
}

static const struct model_op *op_of(const struct mover *mover, uint32_t op)
{
    return &space_of(mover)->problem->model->op[op];
}

static void pick(struct mover *mover, uint32_t op)
{
    if (!mover->picked[op]) {
        mover->picked[op] = true;
        mover->pick[mover->picks++] = op;
    }
}

/* ---- selection of operators ---- */

static void pick_chain(struct mover *mover, uint32_t op)
{
    for (uint32_t at = mover->map->chain[op]; at != UINT32_MAX; at = mover->map->next[at]) {
        pick(mover, at);
    }
}

/* A run of consecutive operators around `op`, of a random length with all scales equally likely;
 * only tables, only other operators, or with probability 1/4 both. */
static void pick_run(struct mover *mover, uint32_t op)
{
    const uint32_t ops = ops_of(mover);
    uint32_t octaves = 1;
    while (octaves < 31 && ops >> octaves != 0) {
        octaves++;
    }
    const uint32_t max = UINT32_C(1) << below(mover, octaves + 1);
    const uint32_t length = 1 + below(mover, max < ops ? max : ops);
    const uint32_t back = below(mover, length);
    const uint32_t first = op > back ? op - back : 0;
    const bool any = below(mover, 4) == 0;
    for (uint32_t i = first; i < ops && i - first < length; i++) {
        if (any || op_of(mover, i)->table == op_of(mover, op)->table) {
            pick(mover, i);
        }
    }
}

/* All operators on the same devices as `op`. */
static void pick_same_devices(struct mover *mover, uint32_t op)
{
    const struct search_choice *at = &mover->walk->choice[op];
    const uint32_t parts = mover->walk->op[op].parts;
    for (uint32_t i = 0; i < ops_of(mover); i++) {
        const struct search_choice *other = &mover->walk->choice[i];
        if (i == op || (other->first == at->first && other->step == at->step &&
                        mover->walk->op[i].parts == parts && at->order < CHOICE_FROM_START &&
                        other->order < CHOICE_FROM_START)) {
            pick(mover, i);
        }
    }
}

/* Adds all runs of operators with the same sequence of classes as the selected ones, which are
 * ascending. */
static void pick_repeats(struct mover *mover)
{
    const uint32_t *class = space_of(mover)->class_of;
    const uint32_t first = mover->pick[0], length = mover->picks;
    const uint32_t last = mover->pick[length - 1];
    for (uint32_t at = 0; at + (last - first) < ops_of(mover); at++) {
        bool same = true;
        for (uint32_t i = 0; i < length && same; i++) {
            same = class[at + mover->pick[i] - first] == class[mover->pick[i]];
        }
        for (uint32_t i = 0; i < length && same; i++) {
            pick(mover, at + mover->pick[i] - first);
        }
    }
}

/* FlexFlow's propagation: moves *op to a neighbor, with a probability in proportion to the bytes of
 * the edge. false: none. */
static bool pick_neighbour(struct mover *mover, uint32_t *op)
{
    const struct move_map *map = mover->map;
    const struct model_graph *model = space_of(mover)->problem->model;
    const struct model_op *at = &model->op[*op];
    const uint32_t users = map->first_user[*op + 1] - map->first_user[*op];
    double all = (double)at->output_bytes * users, passed = 0;
    for (uint32_t i = 0; i < at->edges; i++) {
        all += (double)model->op[model->edge[at->first_edge + i].from].output_bytes;
    }
    const double want = orr_rng_unit(mover->rng) * all;
    uint32_t to = UINT32_MAX;
    for (uint32_t i = 0; i < at->edges + users && to == UINT32_MAX; i++) {
        const bool in = i < at->edges;
        const uint32_t other = in ? model->edge[at->first_edge + i].from
                                  : map->user[map->first_user[*op] + i - at->edges];
        passed += (double)(in ? model->op[other].output_bytes : at->output_bytes);
        to = passed > want ? other : UINT32_MAX;
    }
    if (to == UINT32_MAX || op_of(mover, to)->table) {
        return false;
    }
    *op = to;
    return true;
}

static void pick_propagated(struct mover *mover, uint32_t op)
{
    pick(mover, op);
    uint32_t steps = 0;
    while (steps++ < ops_of(mover) && pick_neighbour(mover, &op)) {
        pick(mover, op);
        if (orr_rng_unit(mover->rng) >= 0.75) {
            return;
        }
    }
}

/* ---- splits and placements ---- */

/* A random number of parts; then the split by samples only if there is one and with probability
 * 1/2, else a random split. */
static uint32_t any_split(struct mover *mover, uint32_t op)
{
    const struct space *space = space_of(mover);
    const struct space_class *class = &space->class[space->class_of[op]];
    const struct space_width *width =
        &space->width[class->first_width + below(mover, class->widths)];
    const bool samples = !op_of(mover, op)->table && below(mover, 2) == 0;
    for (uint32_t i = 0; i < width->splits && samples; i++) {
        if (space->split[width->first + i].degree[0] == width->parts) {
            return width->first + i;
        }
    }
    return width->first + below(mover, width->splits);
}

/* A neighbor of the operator's split: twice the degree in one dimension, half of it in one, or
 * both. UINT32_MAX: there is none. */
static uint32_t next_split(struct mover *mover, uint32_t op)
{
    const struct space *space = space_of(mover);
    const uint32_t dims = op_of(mover, op)->dims;
    uint32_t degree[MODEL_MAX_DIMS];
    memcpy(degree, space->split[mover->walk->choice[op].split].degree, sizeof degree);
    const uint32_t more = below(mover, dims), less = below(mover, dims), which = below(mover, 3);
    if (which != 0) {
        degree[more] *= 2;
    }
    if (which != 1) {
        degree[less] = degree[less] % 2 == 0 ? degree[less] / 2 : degree[less];
    }
    return orr_space_find(space, space->class_of[op], degree);
}

/* The split of `op` with the degrees that `like` has in dimensions of the same names; UINT32_MAX:
 * there is none. */
static uint32_t split_named(const struct mover *mover, uint32_t op, uint32_t like, uint32_t split)
{
    const struct space *space = space_of(mover);
    const struct model_op *to = op_of(mover, op), *from = op_of(mover, like);
    uint32_t degree[MODEL_MAX_DIMS];
    for (uint32_t d = 0; d < to->dims; d++) {
        const uint32_t named = orr_model_dim_named(from, to->dim[d].name);
        degree[d] = named != UINT32_MAX ? space->split[split].degree[named] : 1;
    }
    return orr_space_find(space, space->class_of[op], degree);
}

/* A random split of an operator into as many parts as another split, with the same degree of
 * samples if possible. */
static uint32_t split_as_wide(struct mover *mover, uint32_t op, uint32_t split)
{
    const struct space *space = space_of(mover);
    const struct space_width *width =
        orr_space_width(space, space->class_of[op], space->split[split].parts);
    if (width == NULL) {
        return UINT32_MAX;
    }
    const uint32_t from = below(mover, width->splits);
    for (uint32_t i = 0; i < width->splits; i++) {
        const uint32_t at = width->first + (from + i) % width->splits;
        if (space->split[at].degree[0] == space->split[split].degree[0]) {
            return at;
        }
    }
    return width->first + from;
}

/* A random split of an operator into as many parts as another split. */
static uint32_t split_any_as_wide(struct mover *mover, uint32_t op, uint32_t split)
{
    const struct space *space = space_of(mover);
    const struct space_width *width =
        orr_space_width(space, space->class_of[op], space->split[split].parts);
    return width != NULL ? width->first + below(mover, width->splits) : UINT32_MAX;
}

/* The split of an operator that follows the pivot: the same for all operators of a class. */
static uint32_t split_of_follower(struct mover *mover, uint32_t op, uint32_t split, bool named)
{
    const uint32_t class = space_of(mover)->class_of[op];
    if (mover->like[class] == 0) {
        uint32_t found = named ? split_named(mover, op, mover->pivot, split) : UINT32_MAX;
        found = found == UINT32_MAX ? split_as_wide(mover, op, split) : found;
        mover->like[class] = found == UINT32_MAX ? UINT32_MAX : found + 1;
        mover->classes[mover->liked++] = class;
    }
    return mover->like[class] == UINT32_MAX ? UINT32_MAX : mover->like[class] - 1;
}

static void forget(struct mover *mover)
{
    for (uint32_t i = 0; i < mover->liked; i++) {
        mover->like[mover->classes[i]] = 0;
    }
    for (uint32_t i = 0; i < mover->picks; i++) {
        mover->picked[mover->pick[i]] = false;
    }
    mover->liked = mover->picks = 0;
}

/* All selected operators follow the pivot to a split, at its placement or (stay) at their own. */
static void follow(struct mover *mover, const struct search_choice *to, bool stay)
{
    const struct space *space = space_of(mover);
    const bool named = below(mover, 2) == 0;
    const bool each = mover->picks <= MOVE_MAX_EACH && below(mover, 2) == 0;
    const uint32_t pivot_class = space->class_of[mover->pivot];
    mover->like[pivot_class] = to->split + 1;
    mover->classes[mover->liked++] = pivot_class;
    for (uint32_t i = 0; i < mover->picks; i++) {
        const uint32_t op = mover->pick[i];
        const uint32_t split = op == mover->pivot ? to->split
                               : !each            ? split_of_follower(mover, op, to->split, named)
                               : named            ? split_any_as_wide(mover, op, to->split)
                                                  : any_split(mover, op);
        if (split != UINT32_MAX) {
            const struct search_choice choice =
                op == mover->pivot && !stay
                    ? *to
                    : orr_space_placement_like(space, split, stay ? &mover->walk->choice[op] : to);
            orr_walk_set(mover->walk, op, &choice);
        }
    }
}

static void change_picked(struct mover *mover)
{
    mover->pivot = mover->pick[below(mover, mover->picks)];
    const uint32_t next = below(mover, 4) == 0 ? next_split(mover, mover->pivot) : UINT32_MAX;
    const uint32_t split = next != UINT32_MAX ? next : any_split(mover, mover->pivot);
    const struct search_choice to = orr_space_placement_at(
        space_of(mover), split, below(mover, orr_space_count_placements(space_of(mover), split)));
    follow(mover, &to, mover->picks > 1 && below(mover, 2) == 0);
}

/* Moves the selected operators to another placement with the same splits. */
static void shift_picked(struct mover *mover)
{
    const struct space *space = space_of(mover);
    const uint32_t pivot = mover->pick[0], split = mover->walk->choice[pivot].split;
    const struct search_choice to = orr_space_placement_at(
        space, split, below(mover, orr_space_count_placements(space, split)));
    for (uint32_t i = 0; i < mover->picks; i++) {
        const uint32_t op = mover->pick[i];
        const struct search_choice choice =
            op == pivot ? to : orr_space_placement_like(space, mover->walk->choice[op].split, &to);
        orr_walk_set(mover->walk, op, &choice);
    }
}

/* The split with twice or half the degree in the dimension of the largest degree; UINT32_MAX: there
 * is none. */
static uint32_t split_scaled(const struct mover *mover, uint32_t op, bool wider)
{
    const struct space *space = space_of(mover);
    uint32_t degree[MODEL_MAX_DIMS], max = 0;
    memcpy(degree, space->split[mover->walk->choice[op].split].degree, sizeof degree);
    for (uint32_t d = 1; d < op_of(mover, op)->dims; d++) {
        max = degree[d] > degree[max] ? d : max;
    }
    if (!wider && degree[max] % 2 != 0) {
        return UINT32_MAX;
    }
    degree[max] = wider ? degree[max] * 2 : degree[max] / 2;
    return orr_space_find(space, space->class_of[op], degree);
}

/* All selected operators move to twice or half as many devices. A single operator would have to
 * receive from the devices that all others still use. */
static void scale_picked(struct mover *mover)
{
    const struct space *space = space_of(mover);
    const bool wider = below(mover, 2) == 0;
    const uint32_t pivot = mover->pick[0], split = split_scaled(mover, pivot, wider);
    if (split == UINT32_MAX) {
        return;
    }
    const struct search_choice to = orr_space_placement_at(
        space, split, below(mover, orr_space_count_placements(space, split)));
    for (uint32_t i = 0; i < mover->picks; i++) {
        const uint32_t op = mover->pick[i], scaled = split_scaled(mover, op, wider);
        if (scaled != UINT32_MAX) {
            const struct search_choice choice =
                op == pivot ? to : orr_space_placement_like(space, scaled, &to);
            orr_walk_set(mover->walk, op, &choice);
        }
    }
}

/* Swaps the placements of two tables; or moves or splits one of them. */
static void change_table(struct mover *mover)
{
    const struct move_map *map = mover->map;
    const struct space *space = space_of(mover);
    const uint32_t one = map->table[below(mover, map->tables)];
    const uint32_t other = map->table[below(mover, map->tables)];
    const struct search_choice a = mover->walk->choice[one], b = mover->walk->choice[other];
    pick(mover, one);
    switch (below(mover, 3)) {
    case 0: {
        const struct search_choice to_a = orr_space_placement_like(space, a.split, &b);
        const struct search_choice to_b = orr_space_placement_like(space, b.split, &a);
        orr_walk_set(mover->walk, one, &to_a);
        orr_walk_set(mover->walk, other, &to_b);
        break;
    }
    case 1:
        shift_picked(mover);
        break;
    default:
        change_picked(mover);
        break;
    }
}

/* ---- shared weights ---- */

static uint32_t shards_of(const struct mover *mover, uint32_t op)
{
    return space_of(mover)->split[mover->walk->choice[op].split].shards;
}

/* A split of `op` with as many shards as `like` has: the split with the same degrees, or one with
 * as many parts as `like` or, with probability 1/2, as `op` has now, or any. */
static uint32_t split_sharded(struct mover *mover, uint32_t op, uint32_t like)
{
    const struct space *space = space_of(mover);
    const struct space_class *class = &space->class[space->class_of[op]];
    const uint32_t shards = shards_of(mover, like), split = mover->walk->choice[like].split;
    const uint32_t named = split_named(mover, op, like, split);
    const bool keep = below(mover, 2) == 0;
    const uint32_t parts = space->split[keep ? mover->walk->choice[op].split : split].parts;
    uint32_t found = UINT32_MAX;
    if (!keep && named != UINT32_MAX && space->split[named].shards == shards) {
        return named;
    }
    for (uint32_t i = 0; i < class->splits; i++) {
        const struct space_split *at = &space->split[class->first + i];
        if (at->shards == shards && (found == UINT32_MAX || at->parts == parts)) {
            found = class->first + i;
        }
    }
    return found;
}

/* Makes all operators that share weights with `op` slice them as it does. false: impossible. */
static bool share(struct mover *mover, uint32_t op)
{
    const struct move_map *map = mover->map;
    const uint32_t owner = op_of(mover, op)->owner;
    for (uint32_t i = map->first_sharer[owner]; i < map->first_sharer[owner + 1]; i++) {
        const uint32_t other = map->sharer[i];
        if (shards_of(mover, other) != shards_of(mover, op)) {
            const uint32_t split = split_sharded(mover, other, op);
            if (split == UINT32_MAX) {
                return false;
            }
            const struct search_choice choice =
                orr_space_placement_like(space_of(mover), split, &mover->walk->choice[op]);
            orr_walk_set(mover->walk, other, &choice);
        }
    }
    return true;
}

/* The changes of other operators are appended to those of the move and need no further ones. */
static bool share_all(struct mover *mover)
{
    for (uint32_t i = 0; i < mover->walk->changes; i++) {
        if (!share(mover, mover->walk->change[i].op)) {
            return false;
        }
    }
    return true;
}

/* ---- a move ---- */

static void choose(struct mover *mover)
{
    const uint32_t op = below(mover, ops_of(mover));
    if (orr_rng_unit(mover->rng) < mover->propagation) {
        pick_propagated(mover, op);
        const struct search_choice to = mover->walk->choice[op];
        mover->pivot = op;
        follow(mover, &to, false);
        return;
    }
    const uint32_t kind = below(mover, 16);
    if (kind < 3 && mover->map->tables > 0) {
        change_table(mover);
    } else if (kind < 5) {
        pick_same_devices(mover, op);
        if (below(mover, 2) == 0) {
            shift_picked(mover);
        } else {
            scale_picked(mover);
        }
    } else {
        if (kind < 8) {
            pick(mover, op);
        } else if (kind < 12) {
            pick_chain(mover, op);
        } else {
            pick_run(mover, op);
        }
        if (below(mover, 2) == 0) {
            pick_repeats(mover);
        }
        change_picked(mover);
    }
}

bool orr_move(struct mover *mover)
{
    choose(mover);
    const bool done = share_all(mover) && mover->walk->changes > 0;
    if (!done) {
        orr_walk_undo(mover->walk);
    }
    forget(mover);
    return done;
}

bool orr_mover_init(struct mover *mover, struct orr_arena *arena, const struct move_map *map,
                    struct walk *walk, struct orr_rng *rng)
{
    const size_t ops = (size_t)map->space->problem->model->ops + 1;
    const size_t classes = (size_t)map->space->classes + 1;
    *mover = (struct mover){.map = map,
                            .walk = walk,
                            .rng = rng,
                            .pick = orr_arena_array(arena, ops, sizeof *mover->pick),
                            .picked = orr_arena_array(arena, ops, sizeof *mover->picked),
                            .like = orr_arena_array(arena, classes, sizeof *mover->like),
                            .classes = orr_arena_array(arena, classes, sizeof *mover->classes)};
    return mover->pick != NULL && mover->picked != NULL && mover->like != NULL &&
           mover->classes != NULL;
}
