/* NPUs that compute more slowly than they should: stragglers, and jitter from node to node.
 * `compute.slowdown` (docs/models.md, 2). */
#ifndef ORR_WORKLOAD_ENGINE_SLOWDOWN_H
#define ORR_WORKLOAD_ENGINE_SLOWDOWN_H

#include "core/core.h"

enum wl_jitter { WL_JITTER_NONE, WL_JITTER_UNIFORM, WL_JITTER_NORMAL, WL_JITTER_LOGNORMAL };

struct wl_slowdown {
    const double *factor; /* [npus], of stragglers; NULL: there are none */
    enum wl_jitter jitter;
    double spread; /* the jitter's standard deviation, as a share of the mean */
    uint64_t seed;
};

/* What the duration of a node is multiplied by: > 0, or 0 in the farthest tail of a normal. A pure
 * function of its arguments, so that no order of events can change it. O(1). */
double orr_wl_slowdown_factor(const struct wl_slowdown *slowdown, struct orr_rank rank,
                              uint64_t node_id);

/* Reads the value of the key for a platform of so many NPUs; *out is NULL when it changes nothing.
 * Errors name what was expected at which place. */
enum orr_status orr_wl_slowdown_read(struct orr_arena *arena, const struct orr_conf *node,
                                     uint32_t npus, const struct wl_slowdown **out,
                                     struct orr_diag *diag);

#endif
