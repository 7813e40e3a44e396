/* Layouts that are kept; see layout_kept.h. */
#include "study/layouts/layout_kept.h"

#include "core/arena.h"

/* ---- the best ---- */

static bool is_better(const struct orr_kept_layout *a, const struct orr_kept_layout *b)
{
    const double difference = a->rank - b->rank;
    const double close = 1e-9 * (b->rank < 0 ? -b->rank : b->rank);
    return difference < -close || (difference <= close && a->of.memory_bytes < b->of.memory_bytes);
}

bool orr_kept_best_init(struct orr_kept_best *best, uint32_t max)
{
    *best = (struct orr_kept_best){.of = orr_heap_calloc(max, sizeof *best->of), .max = max};
    return best->of != NULL;
}

void orr_kept_best_add(struct orr_kept_best *best, const struct orr_kept_layout *layout)
{
    uint32_t at = best->count;
    if (at == best->max && !is_better(layout, &best->of[at - 1])) {
        return;
    }
    at = at == best->max ? at - 1 : best->count++;
    for (; at > 0 && is_better(layout, &best->of[at - 1]); at--) {
        best->of[at] = best->of[at - 1];
    }
    best->of[at] = *layout;
}

/* ---- growing lists ---- */

/* Room for one more; NULL: no memory, and the list is gone. */
static struct orr_kept_layout *grown_for(struct orr_kept_layout *list, size_t count,
                                         size_t *capacity)
{
    if (count < *capacity) {
        return list;
    }
    *capacity = *capacity > 0 ? 2 * *capacity : 64;
    struct orr_kept_layout *grown = orr_heap_realloc(list, *capacity * sizeof *list);
    if (grown == NULL) {
        orr_heap_free(list);
    }
    return grown;
}

static bool is_in_cell(const struct orr_kept_layout *cell, const struct orr_kept_layout *layout)
{
    return cell->number == layout->number && cell->of.change.tensor == layout->of.change.tensor &&
           cell->of.change.pipeline == layout->of.change.pipeline;
}

bool orr_kept_map_add(struct orr_kept_map *map, const struct orr_kept_layout *layout)
{
    if (map->last >= map->count || !is_in_cell(&map->of[map->last], layout)) {
        map->last = 0;
        while (map->last < map->count && !is_in_cell(&map->of[map->last], layout)) {
            map->last++;
        }
    }
    if (map->last < map->count) {
        if (is_better(layout, &map->of[map->last])) {
            map->of[map->last] = *layout;
        }
        return true;
    }
    map->of = grown_for(map->of, map->count, &map->capacity);
    if (map->of == NULL) {
        return false;
    }
    map->of[map->count++] = *layout;
    return true;
}

/* ---- the front ---- */

bool orr_front_covers(const double *a, const double *b, unsigned axes)
{
    for (unsigned i = 0; i < axes; i++) {
        if (a[i] > b[i]) {
            return false;
        }
    }
    return true;
}

bool orr_kept_front_add(struct orr_kept_front *front, const struct orr_kept_layout *layout)
{
    for (size_t i = 0; i < front->count; i++) {
        if (orr_front_covers(front->of[i].axis, layout->axis, front->axes)) {
            return true;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < front->count; i++) {
        if (!orr_front_covers(layout->axis, front->of[i].axis, front->axes)) {
            front->of[kept++] = front->of[i];
        }
    }
    front->count = kept;
    front->of = grown_for(front->of, front->count, &front->capacity);
    if (front->of == NULL) {
        return false;
    }
    front->of[front->count++] = *layout;
    return true;
}
