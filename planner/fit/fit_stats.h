/* Error statistics of a model: quantiles of model / measured - 1 over chosen rows. */
#ifndef ORR_PLANNER_FIT_FIT_STATS_H
#define ORR_PLANNER_FIT_FIT_STATS_H

#include <stddef.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

/* The rows that count: row[0..count) of the two arrays; row NULL: the first count. model and
 * measured have the same unit; measured is above 0. */
struct fit_rows {
    const double *model, *measured;
    const size_t *row;
    size_t count;
};

/* Quantiles are interpolated linearly between the two nearest (the median of two is their mean). */
struct fit_stats {
    size_t count;
    double median, p90; /* of |model / measured - 1|; NaN: no rows */
    double bias;        /* median of model / measured - 1, with its sign */
    double worst;       /* the largest |model / measured - 1| ... */
    size_t worst_row;   /* ... of this row, of equal ones the first; SIZE_MAX: no rows */
};

/* The quantile q (0 to 1) of count > 0 ascending values. O(1). */
double orr_fit_quantile(const double *sorted, size_t count, double q);

/* Computes the statistics. Errors: ORR_ERR_INPUT, which names the row, if model or measured are not
 * finite or measured is not above 0; memory (in the arena: as many numbers as rows). O(rows log
 * rows). */
enum orr_status orr_fit_stats(struct orr_arena *arena, const struct fit_rows *rows,
                              struct fit_stats *out, struct orr_diag *diag);

/* The median over groups of the median of |model / measured - 1| in each group. group[row] is any
 * number that identifies the group of a row. NaN: no rows. Errors and cost as above. */
enum orr_status orr_fit_median_of_groups(struct orr_arena *arena, const struct fit_rows *rows,
                                         const size_t *group, double *out, struct orr_diag *diag);

#endif
