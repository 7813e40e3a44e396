/* How much of an NPU's peak rate and memory bandwidth operations reach, by their kind and size, and
 * what time each of them takes besides: `compute.efficiency` (docs/models.md, 2). */
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

/* Of one kind. */
struct wl_kind_efficiency {
    struct wl_curve peak;   /* of the peak rate, by operations */
    struct wl_curve memory; /* of the memory bandwidth, by bytes */
    sim_time constant_ps;   /* that every operation takes besides: launch, bias, transposes */
};

struct wl_efficiency {
    struct wl_kind_efficiency of[ORR_OP_KINDS];
};

/* O(points). */
double orr_wl_curve_at(const struct wl_curve *curve, double size);

/* Whether both are the same, and were given rather than what counts where nothing is. O(points). */
bool orr_wl_curves_agree(const struct wl_curve *a, const struct wl_curve *b);

/* Reads the value of the key: a share of the peak for all operations, then *share is set and *out
 * is NULL; or a list of curves, then *share is 1. Kinds of operators without an entry take that of
 * `default` unless its scope is a layer; then they reach all, with a warning. Errors name what was
 * expected at which place. */
enum orr_status orr_wl_efficiency_read(struct orr_arena *arena, const struct orr_conf *node,
                                       double *share, const struct wl_efficiency **out,
                                       struct orr_diag *diag);

#endif
