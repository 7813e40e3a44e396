/* Picks ways of edges such that the fewest links are used twice, then over the fewest NPUs:
 * greedily, edge by edge again until nothing gets better, and then by branch and bound, for as many
 * steps as the task grants. A link record of `count` parallel links that k edges use has k - count
 * conflicts, whichever lanes they get. */
#include <string.h>

#include "system/embedding/embed_private.h"

struct search {
    struct embed_task *task;
    uint32_t *order; /* edges: those with fewer choices first */
    uint32_t *min;   /* [edges + 1]: NPUs that the edges from here on go over at least */
    uint32_t *best;  /* [edges] picked */
    struct embed_cost cost;
    uint32_t steps;
};

/* ---- uses ---- */

/* Takes a way; the conflicts that it adds. */
static uint32_t take_way(struct embed_task *task, const struct embed_path *way)
{
    uint32_t conflicts = 0;
    for (uint32_t i = 0; i < way->hops; i++) {
        conflicts += task->uses[way->link[i]]++ >= task->graph->link[way->link[i]].count ? 1 : 0;
    }
    return conflicts;
}

static void leave_way(struct embed_task *task, const struct embed_path *way)
{
    for (uint32_t i = 0; i < way->hops; i++) {
        task->uses[way->link[i]]--;
    }
}

static struct embed_cost take(struct embed_task *task, const struct embed_choice *choice)
{
    const uint32_t conflicts = take_way(task, &choice->up);
    return (struct embed_cost){.conflicts = conflicts + take_way(task, &choice->down),
                               .between = choice->up.between + choice->down.between};
}

static void leave(struct embed_task *task, const struct embed_choice *choice)
{
    leave_way(task, &choice->up);
    leave_way(task, &choice->down);
}

static struct embed_cost sum(struct embed_cost a, struct embed_cost b)
{
    return (struct embed_cost){a.conflicts + b.conflicts, a.between + b.between};
}

/* ---- one edge at a time ---- */

/* The first of its cheapest choices as all others stand, and takes it. */
static struct embed_cost pick(struct embed_task *task, struct embed_edge *edge)
{
    struct embed_cost best = {0, 0};
    for (uint32_t i = 0; i < edge->choices; i++) {
        const struct embed_cost cost = take(task, &edge->choice[i]);
        leave(task, &edge->choice[i]);
        if (i == 0 || embed_cheaper(cost, best)) {
            best = cost;
            edge->picked = i;
        }
    }
    return take(task, &edge->choice[edge->picked]);
}

/* Whether it picked another way that costs less. */
static bool pick_again(struct embed_task *task, struct embed_edge *edge)
{
    const uint32_t before = edge->picked;
    leave(task, &edge->choice[before]);
    const struct embed_cost old = take(task, &edge->choice[before]);
    leave(task, &edge->choice[before]);
    const struct embed_cost now = pick(task, edge);
    if (embed_cheaper(now, old)) {
        return true;
    }
    leave(task, &edge->choice[edge->picked]);
    edge->picked = before;
    (void)take(task, &edge->choice[before]);
    return false;
}

static void leave_all(struct embed_task *task)
{
    for (uint32_t i = 0; i < task->edges; i++) {
        leave(task, &task->edge[i].choice[task->edge[i].picked]);
    }
}

static struct embed_cost count(struct embed_task *task)
{
    struct embed_cost cost = {0, 0};
    for (uint32_t i = 0; i < task->edges; i++) {
        cost = sum(cost, take(task, &task->edge[i].choice[task->edge[i].picked]));
    }
    leave_all(task);
    return cost;
}

static struct embed_cost descend(struct embed_task *task, const uint32_t *order)
{
    for (uint32_t i = 0; i < task->edges; i++) {
        (void)pick(task, &task->edge[order[i]]);
    }
    for (bool better = true; better;) {
        better = false;
        for (uint32_t i = 0; i < task->edges; i++) {
            const struct embed_edge *edge = &task->edge[order[i]];
            better = (edge->choices > 1 && pick_again(task, &task->edge[order[i]])) || better;
        }
    }
    leave_all(task);
    return count(task);
}

/* ---- branch and bound ---- */

static void keep(struct search *search, struct embed_cost cost)
{
    search->cost = cost;
    for (uint32_t i = 0; i < search->task->edges; i++) {
        search->best[i] = search->task->edge[i].picked;
    }
}

/* False: the steps are used up. */
static bool branch(struct search *search, uint32_t depth, struct embed_cost cost)
{
    struct embed_task *task = search->task;
    struct embed_cost min = cost;
    min.between += search->min[depth];
    if (!embed_cheaper(min, search->cost)) {
        return true;
    }
    if (depth == task->edges) {
        keep(search, cost);
        return true;
    }
    struct embed_edge *edge = &task->edge[search->order[depth]];
    bool done = true;
    for (uint32_t i = 0; i < edge->choices && done; i++) {
        done = search->steps-- > 0;
        edge->picked = i;
        const struct embed_cost more = take(task, &edge->choice[i]);
        done = done && branch(search, depth + 1, sum(cost, more));
        leave(task, &edge->choice[i]);
    }
    return done;
}

/* ---- the search ---- */

static uint32_t min_between(const struct embed_edge *edge)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < edge->choices; i++) {
        const uint32_t between = edge->choice[i].up.between + edge->choice[i].down.between;
        min = between < min ? between : min;
    }
    return min;
}

/* Stable, by the number of choices. */
static void put_in_order(struct search *search)
{
    const struct embed_task *task = search->task;
    for (uint32_t i = 0; i < task->edges; i++) {
        uint32_t at = i;
        for (; at > 0 && task->edge[search->order[at - 1]].choices > task->edge[i].choices; at--) {
            search->order[at] = search->order[at - 1];
        }
        search->order[at] = i;
    }
    for (uint32_t i = task->edges; i-- > 0;) {
        search->min[i] = search->min[i + 1] + min_between(&task->edge[search->order[i]]);
    }
}

static bool open_search(struct search *search, struct embed_task *task, struct orr_arena *arena)
{
    const size_t room = (size_t)task->edges + 1;
    *search = (struct search){.task = task, .steps = task->steps + task->edges};
    search->order = orr_arena_array(arena, room, sizeof *search->order);
    search->min = orr_arena_array(arena, room, sizeof *search->min);
    search->best = orr_arena_array(arena, room, sizeof *search->best);
    return search->order != NULL && search->min != NULL && search->best != NULL;
}

enum orr_status orr_embed_assign(struct embed_task *task, struct orr_arena *arena,
                                 struct embed_cost *cost, bool *fewest, struct orr_diag *diag)
{
    struct search search;
    if (!open_search(&search, task, arena)) {
        return orr_diag_no_memory(diag, "ways of trees");
    }
    put_in_order(&search);
    keep(&search, descend(task, search.order));
    *fewest = branch(&search, 0, (struct embed_cost){0, 0});
    for (uint32_t i = 0; i < task->edges; i++) {
        task->edge[i].picked = search.best[i];
    }
    *cost = search.cost;
    return ORR_OK;
}
