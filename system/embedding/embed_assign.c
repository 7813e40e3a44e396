/* Path assignment: selects a path for each edge with the fewest conflicts, then the fewest NPUs
 * between. Greedy descent, edge by edge until a local optimum; then branch and bound for the task's
 * number of steps. k edges over a record of `count` parallel links have k - count conflicts,
 * whichever lanes they get. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_private.h"

struct assignment {
    struct embed_task *task;
    uint32_t *order; /* [edges] ascending by number of choices */
    uint32_t *min;   /* [edges + 1] lower bound of NPUs of the remaining edges */
    uint32_t *best;  /* [edges] best choice */
    struct embed_cost cost;
    uint32_t steps;
};

/* ---- uses ---- */

/* Adds a path; returns the added conflicts. */
static uint32_t use_path(struct embed_task *task, const struct embed_path *path)
{
    uint32_t conflicts = 0;
    for (uint32_t i = 0; i < path->hops; i++) {
        conflicts += task->uses[path->link[i]]++ >= task->graph->link[path->link[i]].count ? 1 : 0;
    }
    return conflicts;
}

static void release_path(struct embed_task *task, const struct embed_path *path)
{
    for (uint32_t i = 0; i < path->hops; i++) {
        task->uses[path->link[i]]--;
    }
}

static struct embed_cost use(struct embed_task *task, const struct embed_choice *choice)
{
    const uint32_t conflicts = use_path(task, &choice->up);
    return (struct embed_cost){.conflicts = conflicts + use_path(task, &choice->down),
                               .between = choice->up.between + choice->down.between};
}

static void release(struct embed_task *task, const struct embed_choice *choice)
{
    release_path(task, &choice->up);
    release_path(task, &choice->down);
}

static struct embed_cost sum(struct embed_cost a, struct embed_cost b)
{
    return (struct embed_cost){a.conflicts + b.conflicts, a.between + b.between};
}

/* ---- one edge at a time ---- */

/* Selects and adds the first cheapest choice while all other edges stay. */
static struct embed_cost pick(struct embed_task *task, struct embed_edge *edge)
{
    struct embed_cost best = {0, 0};
    for (uint32_t i = 0; i < edge->choices; i++) {
        const struct embed_cost cost = use(task, &edge->choice[i]);
        release(task, &edge->choice[i]);
        if (i == 0 || embed_cheaper(cost, best)) {
            best = cost;
            edge->picked = i;
        }
    }
    return use(task, &edge->choice[edge->picked]);
}

/* Selects again; whether the new path costs less. */
static bool repick(struct embed_task *task, struct embed_edge *edge)
{
    const uint32_t before = edge->picked;
    release(task, &edge->choice[before]);
    const struct embed_cost old = use(task, &edge->choice[before]);
    release(task, &edge->choice[before]);
    const struct embed_cost now = pick(task, edge);
    if (embed_cheaper(now, old)) {
        return true;
    }
    release(task, &edge->choice[edge->picked]);
    edge->picked = before;
    (void)use(task, &edge->choice[before]);
    return false;
}

static void release_all(struct embed_task *task)
{
    for (uint32_t i = 0; i < task->edges; i++) {
        release(task, &task->edge[i].choice[task->edge[i].picked]);
    }
}

static struct embed_cost count(struct embed_task *task)
{
    struct embed_cost cost = {0, 0};
    for (uint32_t i = 0; i < task->edges; i++) {
        cost = sum(cost, use(task, &task->edge[i].choice[task->edge[i].picked]));
    }
    release_all(task);
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
            better = (edge->choices > 1 && repick(task, &task->edge[order[i]])) || better;
        }
    }
    release_all(task);
    return count(task);
}

/* ---- branch and bound ---- */

static void keep(struct assignment *assignment, struct embed_cost cost)
{
    assignment->cost = cost;
    for (uint32_t i = 0; i < assignment->task->edges; i++) {
        assignment->best[i] = assignment->task->edge[i].picked;
    }
}

/* False: out of steps. */
static bool branch(struct assignment *assignment, uint32_t depth, struct embed_cost cost)
{
    struct embed_task *task = assignment->task;
    struct embed_cost min = cost;
    min.between += assignment->min[depth];
    if (!embed_cheaper(min, assignment->cost)) {
        return true;
    }
    if (depth == task->edges) {
        keep(assignment, cost);
        return true;
    }
    struct embed_edge *edge = &task->edge[assignment->order[depth]];
    bool done = true;
    for (uint32_t i = 0; i < edge->choices && done; i++) {
        done = assignment->steps-- > 0;
        edge->picked = i;
        const struct embed_cost more = use(task, &edge->choice[i]);
        done = done && branch(assignment, depth + 1, sum(cost, more));
        release(task, &edge->choice[i]);
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
static void order_edges(struct assignment *assignment)
{
    const struct embed_task *task = assignment->task;
    for (uint32_t i = 0; i < task->edges; i++) {
        uint32_t at = i;
        for (; at > 0 && task->edge[assignment->order[at - 1]].choices > task->edge[i].choices;
             at--) {
            assignment->order[at] = assignment->order[at - 1];
        }
        assignment->order[at] = i;
    }
    for (uint32_t i = task->edges; i-- > 0;) {
        assignment->min[i] =
            assignment->min[i + 1] + min_between(&task->edge[assignment->order[i]]);
    }
}

static bool init_assignment(struct assignment *assignment, struct embed_task *task,
                            struct orr_arena *arena)
{
    const size_t entries = (size_t)task->edges + 1;
    *assignment = (struct assignment){.task = task, .steps = task->steps + task->edges};
    assignment->order = orr_arena_array(arena, entries, sizeof *assignment->order);
    assignment->min = orr_arena_array(arena, entries, sizeof *assignment->min);
    assignment->best = orr_arena_array(arena, entries, sizeof *assignment->best);
    return assignment->order != NULL && assignment->min != NULL && assignment->best != NULL;
}

enum orr_status orr_embed_assign(struct embed_task *task, struct orr_arena *arena,
                                 struct embed_cost *cost, bool *fewest, struct orr_diag *diag)
{
    struct assignment assignment;
    if (!init_assignment(&assignment, task, arena)) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    order_edges(&assignment);
    keep(&assignment, descend(task, assignment.order));
    *fewest = branch(&assignment, 0, (struct embed_cost){0, 0});
    for (uint32_t i = 0; i < task->edges; i++) {
        task->edge[i].picked = assignment.best[i];
    }
    *cost = assignment.cost;
    return ORR_OK;
}
