/* Ranking and Pareto fronts; see sweep_rank.h. */
#include "study/ranking/sweep_rank.h"

#include "core/arena.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_store.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct orr_sweep_entry *first = a, *second = b;
    if (first->group != second->group) {
        return first->group < second->group ? -1 : 1;
    }
    if (first->goal != second->goal) {
        return first->goal < second->goal ? -1 : 1;
    }
    if (first->other != second->other) {
        return first->other < second->other ? -1 : 1;
    }
    return first->point < second->point ? -1 : first->point > second->point;
}

static double goal_of(const struct orr_sweep_row *row, enum orr_sweep_goal goal)
{
    const double time = (double)row->wall_ps;
    return goal == ORR_SWEEP_BY_TIME   ? time
           : goal == ORR_SWEEP_BY_COST ? row->cost
                                       : time * row->cost;
}

static uint32_t rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal, bool grouped,
                     struct orr_sweep_entry *entry)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < store->sweep->points; point++) {
        const struct orr_sweep_row *row = &store->row[point];
        if (row->state == ORR_SWEEP_DONE && (goal == ORR_SWEEP_BY_TIME || isfinite(row->cost))) {
            const double other = goal == ORR_SWEEP_BY_TIME ? row->cost : (double)row->wall_ps;
            entry[count++] = (struct orr_sweep_entry){
                .goal = goal_of(row, goal),
                .other = other,
                .point = point,
                .group = grouped ? orr_sweep_group(store->sweep, point) : 0};
        }
    }
    qsort(entry, count, sizeof *entry, compare);
    return count;
}

uint32_t orr_sweep_rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                        struct orr_sweep_entry *entry)
{
    return rank(store, goal, false, entry);
}

uint32_t orr_sweep_rank_groups(const struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    return rank(store, ORR_SWEEP_BY_TIME, true, entry);
}

uint32_t orr_sweep_keep_frontier(const struct orr_sweep_store *store, struct orr_sweep_entry *entry,
                                 uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double cost = store->row[entry[i].point].cost;
        if (isfinite(cost) && (kept == 0 || entry[kept - 1].group != entry[i].group ||
                               cost < store->row[entry[kept - 1].point].cost)) {
            entry[kept++] = entry[i];
        }
    }
    return kept;
}

bool orr_sweep_mark(struct orr_sweep_store *store)
{
    const uint32_t points = store->sweep->points;
    struct orr_sweep_entry *entry = orr_heap_calloc(points, sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    const uint32_t kept =
        orr_sweep_keep_frontier(store, entry, orr_sweep_rank_groups(store, entry));
    for (uint32_t point = 0; point < points; point++) {
        store->row[point].pareto = false;
    }
    for (uint32_t i = 0; i < kept; i++) {
        store->row[entry[i].point].pareto = true;
    }
    store->marked = true;
    orr_heap_free(entry);
    return true;
}
