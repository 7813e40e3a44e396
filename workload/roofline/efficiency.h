/* How much of an NPU's peak rate and memory bandwidth operations reach, by their kind and size:
 * `compute.efficiency` (docs/models.md, 2). */
#ifndef ORR_WORKLOAD_ROOFLINE_EFFICIENCY_H
#define ORR_WORKLOAD_ROOFLINE_EFFICIENCY_H

#include "core/core.h"
#include "workload/trace/trace.h"

/* A share in (0, 1] by a size: linear in the size's logarithm between points, constant outside. */
struct wl_curve {
    size_t points;          /* >= 1 */
    const double *log_size; /* [points], ascending */
    const double *share;    /* [points] */
};

struct wl_efficiency {
    struct wl_curve peak[ORR_OP_KINDS];   /* of the peak rate, by operations */
    struct wl_curve memory[ORR_OP_KINDS]; /* of the memory bandwidth, by bytes */
};

/* O(points). */
double orr_wl_curve_at(const struct wl_curve *curve, double size);

/* Reads the value of the key: a share of the peak for all operations, then *share is set and *out
 * is NULL; or a list of curves, then *share is 1. Errors name what was expected at which place. */
enum orr_status orr_wl_efficiency_read(struct orr_arena *arena, const struct orr_conf *node,
                                       double *share, const struct wl_efficiency **out,
                                       struct orr_diag *diag);

#endif
