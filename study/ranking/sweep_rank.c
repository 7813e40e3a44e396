/* Ranking and Pareto fronts; see sweep_rank.h. */
#include "study/ranking/sweep_rank.h"

#include "core/arena.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_measures.h"
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
    if (first->third != second->third) {
        return first->third < second->third ? -1 : 1;
    }
    return first->point < second->point ? -1 : first->point > second->point;
}

static double measure_of(const struct orr_sweep_store *store, uint32_t point, size_t index)
{
    return store->measures->value[point * orr_sweep_measure_count(store->sweep) + index];
}

/* On the axes of the front; those of two axes are the same on the third. */
static struct orr_sweep_entry front_entry(const struct orr_sweep_store *store, uint32_t point)
{
    const struct orr_sweep_row *row = &store->row[point];
    const size_t fronts = store->sweep->fronts;
    if (fronts == 0) {
        return (struct orr_sweep_entry){.goal = (double)row->wall_ps, .other = row->cost};
    }
    return (struct orr_sweep_entry){.goal = measure_of(store, point, 0),
                                    .other = measure_of(store, point, 1),
                                    .third = fronts > 2 ? measure_of(store, point, 2) : 0};
}

static struct orr_sweep_entry entry_of(const struct orr_sweep_store *store, uint32_t point,
                                       enum orr_sweep_goal goal)
{
    const struct orr_sweep_row *row = &store->row[point];
    const double time = (double)row->wall_ps;
    switch (goal) {
    case ORR_SWEEP_BY_TIME:
        return (struct orr_sweep_entry){.goal = time, .other = row->cost};
    case ORR_SWEEP_BY_COST:
        return (struct orr_sweep_entry){.goal = row->cost, .other = time};
    case ORR_SWEEP_BY_BOTH:
        return (struct orr_sweep_entry){.goal = time * row->cost, .other = time};
    case ORR_SWEEP_BY_RANK:
        return (struct orr_sweep_entry){.goal = measure_of(store, point, store->sweep->fronts),
                                        .other = time};
    default:
        return front_entry(store, point);
    }
}

static uint32_t rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal, bool grouped,
                     struct orr_sweep_entry *entry)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < store->sweep->points; point++) {
        const struct orr_sweep_row *row = &store->row[point];
        if (row->state != ORR_SWEEP_DONE || row->excluded) {
            continue;
        }
        struct orr_sweep_entry one = entry_of(store, point, goal);
        const bool of_front = goal == ORR_SWEEP_BY_FRONT;
        if (isfinite(one.goal) && (!of_front || (isfinite(one.other) && isfinite(one.third)))) {
            one.point = point;
            one.group = grouped ? orr_sweep_group(store->sweep, point) : 0;
            entry[count++] = one;
        }
    }
    if (count != 0) {
        qsort(entry, count, sizeof *entry, compare);
    }
    return count;
}

uint32_t orr_sweep_rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                        struct orr_sweep_entry *entry)
{
    return rank(store, goal, false, entry);
}

uint32_t orr_sweep_rank_groups(const struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    return rank(store, ORR_SWEEP_BY_FRONT, true, entry);
}

/* Whether one of the kept entries of its group, which are no worse on the first axis, equals or
 * beats it on the others. With two axes the last one is the best on the second. */
static bool is_beaten(const struct orr_sweep_entry *kept, uint32_t count, size_t axes,
                      const struct orr_sweep_entry *entry)
{
    for (uint32_t i = count; i-- > 0 && kept[i].group == entry->group;) {
        if (kept[i].other <= entry->other && kept[i].third <= entry->third) {
            return true;
        }
        if (axes < ORR_SWEEP_MAX_FRONT) {
            return false;
        }
    }
    return false;
}

uint32_t orr_sweep_keep_frontier(const struct orr_sweep_store *store, struct orr_sweep_entry *entry,
                                 uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_beaten(entry, kept, store->sweep->fronts, &entry[i])) {
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
