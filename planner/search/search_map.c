/* Index of the model for moves: users, chains, tables, and operators with shared weights; see
 * search_moves.h. */
#include "core/arena.h"
#include "planner/search/search_moves.h"

/* Groups items by key (CSR): list[first[i] .. first[i + 1]] are the items with key i, ascending. */
static bool group_by(struct orr_arena *arena, const uint32_t *key, uint32_t items, uint32_t keys,
                     uint32_t **first, uint32_t **list)
{
    *first = orr_arena_array(arena, (size_t)keys + 2, sizeof **first);
    *list = orr_arena_array(arena, (size_t)items + 1, sizeof **list);
    if (*first == NULL || *list == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < items; i++) {
        (*first)[key[i] + 2]++;
    }
    for (uint32_t i = 0; i < keys; i++) {
        (*first)[i + 2] += (*first)[i + 1]; /* shifted by one: position of the next item of a key */
    }
    for (uint32_t i = 0; i < items; i++) {
        (*list)[(*first)[key[i] + 1]++] = i;
    }
    return true;
}

static bool find_users(struct move_map *map, struct orr_arena *arena,
                       const struct model_graph *model)
{
    uint32_t *from = orr_arena_array(arena, (size_t)model->edges + 1, sizeof *from);
    uint32_t *consumer = orr_arena_array(arena, (size_t)model->edges + 1, sizeof *consumer);
    if (from == NULL || consumer == NULL) {
        return false;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        for (uint32_t i = 0; i < model->op[op].edges; i++) {
            from[model->op[op].first_edge + i] = model->edge[model->op[op].first_edge + i].from;
            consumer[model->op[op].first_edge + i] = op;
        }
    }
    if (!group_by(arena, from, model->edges, model->ops, &map->first_user, &map->user)) {
        return false;
    }
    for (uint32_t i = 0; i < model->edges; i++) {
        map->user[i] = consumer[map->user[i]];
    }
    return true;
}

static void find_chains(struct move_map *map, const struct model_graph *model)
{
    for (uint32_t op = 0; op < model->ops; op++) {
        const struct model_op *at = &model->op[op];
        const uint32_t from = at->edges == 1 ? model->edge[at->first_edge].from : UINT32_MAX;
        map->next[op] = UINT32_MAX;
        map->chain[op] = op;
        if (from != UINT32_MAX && map->first_user[from + 1] - map->first_user[from] == 1) {
            map->next[from] = op;
            map->chain[op] = map->chain[from];
        }
    }
}

bool orr_move_map_init(struct move_map *map, struct orr_arena *arena, const struct space *space)
{
    const struct model_graph *model = space->problem->model;
    const size_t ops = (size_t)model->ops + 1;
    uint32_t *owner = orr_arena_array(arena, ops, sizeof *owner);
    *map = (struct move_map){.space = space,
                             .chain = orr_arena_array(arena, ops, sizeof *map->chain),
                             .next = orr_arena_array(arena, ops, sizeof *map->next),
                             .table = orr_arena_array(arena, ops, sizeof *map->table)};
    if (owner == NULL || map->chain == NULL || map->next == NULL || map->table == NULL) {
        return false;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        owner[op] = model->op[op].owner;
        if (model->op[op].table) {
            map->table[map->tables++] = op;
        }
    }
    if (!find_users(map, arena, model) ||
        !group_by(arena, owner, model->ops, model->ops, &map->first_sharer, &map->sharer)) {
        return false;
    }
    find_chains(map, model);
    return true;
}
