/* The layouts of a search that are kept while all are estimated: the best of each case by rank,
 * those on the front, and for each limit the best that only this limit excludes. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_KEPT_H
#define ORR_STUDY_LAYOUTS_LAYOUT_KEPT_H

#include "study/layouts/layout_estimates.h"
#include "study/layouts/layout_goals.h"

struct orr_kept_layout {
    struct orr_estimated_layout of;
    uint32_t number;  /* of its case */
    uint64_t ordinal; /* among all that were estimated: which one it is */
    double rank;      /* less is better */
    double axis[ORR_LAYOUT_MAX_FRONT];
};

/* The `max` best, in order; equally good ones by memory, then as they came. */
struct orr_kept_best {
    struct orr_kept_layout *of; /* [count] */
    uint32_t count, max;
};

bool orr_kept_best_init(struct orr_kept_best *best, uint32_t max); /* false: no memory */
void orr_kept_best_add(struct orr_kept_best *best, const struct orr_kept_layout *layout);

/* The best of each case, tensor and pipeline degree. */
struct orr_kept_map {
    struct orr_kept_layout *of; /* [count] */
    size_t count, capacity;
    size_t last; /* found last: neighbours in the walk have the same degrees */
};

/* O(1) mostly, O(count) for other degrees. False: no memory. */
bool orr_kept_map_add(struct orr_kept_map *map, const struct orr_kept_layout *layout);

/* Whether `a` equals or beats `b` on all axes. */
bool orr_front_covers(const double *a, const double *b, unsigned axes);

/* The layouts that no other equals or beats on all axes. */
struct orr_kept_front {
    struct orr_kept_layout *of; /* [count] */
    size_t count, capacity;
    unsigned axes;
};

/* O(front). False: no memory. */
bool orr_kept_front_add(struct orr_kept_front *front, const struct orr_kept_layout *layout);

#endif
