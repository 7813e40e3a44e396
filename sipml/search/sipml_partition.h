/* Partition: the splits of each operator, into how many parts and in which dimension (SiP-ML,
 * SIGCOMM'21, section 3.2). */
#ifndef ORR_SIPML_SEARCH_SIPML_PARTITION_H
#define ORR_SIPML_SEARCH_SIPML_PARTITION_H

#include "sipml/search/sipml_place.h"

/* A split: equal parts of one dimension. */
struct sipml_split {
    uint32_t dim, parts;
    bool last_resort; /* not split, against the rule, because no other split slices shared weights
                         equally */
};

/* The splits of all operators. */
struct sipml_splits {
    uint32_t *first; /* [ops + 1] into split */
    struct sipml_split *split;
    size_t splits, capacity;
};

/* The power of two nearest to time / quantum by the rounding, from 1 to max. Exact. */
uint32_t orr_sipml_parts(sim_time time, sim_time quantum, enum sipml_rounding rounding,
                         uint32_t max);

/* Samples of a group in an iteration. */
uint64_t orr_sipml_samples(const struct sipml_problem *problem);

/* Number of shards of the weights of an operator with a split. */
uint32_t orr_sipml_shards(const struct model_op *op, const struct sipml_split *split);

/* Writes the degrees of a split into degree[dims]. */
void orr_sipml_degrees(const struct model_op *op, const struct sipml_split *split,
                       uint32_t *degree);

/* All splits, in the arena: in those dimensions that reach the largest number of parts, up to that
 * of the rule, the samples last. Operators that share weights may also be sliced into as many parts
 * as the finest of them. Errors: an operator without a time; with `blocks` one without a dimension
 * `parts`; memory. O(operators x dimensions x log parts). */
enum orr_status orr_sipml_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                                 struct sipml_splits *out, struct orr_diag *diag);

#endif
