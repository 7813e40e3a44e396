/* Into how many parts, and in which dimensions, an operator can be split (SiP-ML, SIGCOMM'21,
 * section 3.2). */
#ifndef ORR_PLANNER_SIPML_SIPML_PARTITION_H
#define ORR_PLANNER_SIPML_SIPML_PARTITION_H

#include "planner/sipml/sipml_place.h"

/* An operator in equal parts of one dimension. */
struct sipml_split {
    uint32_t dim, parts;
    bool last_resort; /* whole against the rule, as nothing else slices shared weights alike */
};

/* The ways of all operators. */
struct sipml_splits {
    uint32_t *first; /* [ops + 1] into way */
    struct sipml_split *split;
    size_t splits, capacity;
};

/* The power of two that is nearest to time / quantum by the rounding, from 1 to most. Exact. */
uint32_t orr_sipml_parts(sim_time time, sim_time quantum, enum sipml_rounding rounding,
                         uint32_t max);

/* Samples of a group. */
uint64_t orr_sipml_samples(const struct sipml_problem *problem);

/* Shards of the weights of an operator that is split so. */
uint32_t orr_sipml_shards(const struct model_op *op, const struct sipml_split *split);

/* The degrees of a way, into degree[dims]. */
void orr_sipml_degrees(const struct model_op *op, const struct sipml_split *split,
                       uint32_t *degree);

/* All ways, in the arena: those dimensions that reach the most parts, up to what the rule says, the
 * samples last. Operators that share weights may also be sliced into as many parts as the one with
 * the most. Errors: an operator whose time nothing tells; with `blocks` one without a dimension
 * `parts`; memory. O(operators x dimensions x log parts). */
enum orr_status orr_sipml_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                                 struct sipml_splits *out, struct orr_diag *diag);

#endif
