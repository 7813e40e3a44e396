/* Compute slowdown: stragglers (per NPU) and jitter (per node). Key `compute.slowdown`
 * (docs/models.md, section 2). */
#ifndef ORR_WORKLOAD_ENGINE_SLOWDOWN_H
#define ORR_WORKLOAD_ENGINE_SLOWDOWN_H

#include "core/fold.h"
#include "core/status.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

enum wl_jitter { WL_JITTER_NONE, WL_JITTER_UNIFORM, WL_JITTER_NORMAL, WL_JITTER_LOGNORMAL };

struct wl_slowdown {
    const double *factor; /* [npus], of stragglers; NULL: none */
    enum wl_jitter jitter;
    double spread; /* the jitter's standard deviation, as a share of the mean */
    uint64_t seed;
};

/* The factor of a node's duration: > 0, or 0 in the extreme tail of a normal distribution. A pure
 * function of its arguments, so it does not depend on the order of events. O(1). */
double orr_wl_slowdown_factor(const struct wl_slowdown *slowdown, struct orr_rank rank,
                              uint64_t node_id);

/* Reads the key's value for `npus` NPUs; *out is NULL if the value changes nothing. Errors name the
 * location and what was expected. */
enum orr_status orr_wl_slowdown_read(struct orr_arena *arena, const struct orr_conf *node,
                                     uint32_t npus, const struct wl_slowdown **out,
                                     struct orr_diag *diag);

#endif
