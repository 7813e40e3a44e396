/* The users of each operator's output and weights; see demand.h. */
#include "workload/strategy/demand.h"

#include "core/arena.h"
#include "workload/model/op_graph.h"

/* Counting sort: 0..count-1 by of[i] into list, stable; first[op] is where op's elements begin;
 * of[i] < ops. O(ops + count) */
static void bucket(const uint32_t *of, uint32_t count, uint32_t ops, uint32_t *first,
                   uint32_t *list)
{
    for (uint32_t i = 0; i < count; i++) {
        first[of[i] + 1]++;
    }
    for (uint32_t op = 0; op < ops; op++) {
        first[op + 1] += first[op];
    }
    for (uint32_t i = count; i-- > 0;) {
        list[--first[of[i] + 1]] = i;
    }
    for (uint32_t op = 0; op < ops; op++) { /* shift: first[op + 1] now holds the begin of op */
        first[op] = first[op + 1];
    }
    first[ops] = count;
}

static bool list_users(struct orr_arena *arena, struct demand *demand)
{
    const struct model_graph *model = demand->model;
    uint32_t *from = orr_arena_array(arena, (size_t)model->edges + 1, sizeof *from);
    for (uint32_t edge = 0; edge < model->edges && from != NULL; edge++) {
        from[edge] = model->edge[edge].from;
    }
    if (from != NULL) {
        bucket(from, model->edges, model->ops, demand->first_user, demand->user);
    }
    return from != NULL;
}

static bool list_sharers(struct orr_arena *arena, struct demand *demand)
{
    const struct model_graph *model = demand->model;
    uint32_t *owner = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *owner);
    for (uint32_t op = 0; op < model->ops && owner != NULL; op++) {
        owner[op] = model->op[op].owner;
    }
    if (owner != NULL) {
        bucket(owner, model->ops, model->ops, demand->first_sharer, demand->sharer);
    }
    return owner != NULL;
}

bool orr_demand_init(struct orr_arena *arena, const struct model_graph *model,
                     const struct strategy *strategy, struct demand *out)
{
    const size_t group = orr_strategy_group(strategy), ops = model->ops, edges = model->edges;
    *out = (struct demand){.model = model,
                           .strategy = strategy,
                           .samples =
                               (double)orr_model_batch(model, strategy->devices) / strategy->copies,
                           .consumer = orr_arena_array(arena, edges + 1, sizeof(uint32_t)),
                           .first_user = orr_arena_array(arena, ops + 2, sizeof(uint32_t)),
                           .user = orr_arena_array(arena, edges + 1, sizeof(uint32_t)),
                           .first_sharer = orr_arena_array(arena, ops + 2, sizeof(uint32_t)),
                           .sharer = orr_arena_array(arena, ops + 1, sizeof(uint32_t)),
                           .stamp = orr_arena_array(arena, group, sizeof(uint32_t)),
                           .by_edge = orr_arena_array(arena, group, sizeof(uint32_t)),
                           .by_part = orr_arena_array(arena, group, sizeof(uint32_t)),
                           .member = orr_arena_array(arena, group, sizeof(uint32_t))};
    if (out->consumer == NULL || out->first_user == NULL || out->user == NULL ||
        out->first_sharer == NULL || out->sharer == NULL || out->stamp == NULL ||
        out->by_edge == NULL || out->by_part == NULL || out->member == NULL) {
        return false;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        for (uint32_t i = 0; i < model->op[op].edges; i++) {
            out->consumer[model->op[op].first_edge + i] = op;
        }
    }
    return list_users(arena, out) && list_sharers(arena, out);
}
