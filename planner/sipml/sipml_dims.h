/* The dimensions that all operators are split in: those with the least communication together
 * (SiP-ML, SIGCOMM'21, section 3.2), counted as if every part were somewhere else, but part i of
 * two operators that are sliced alike on one axis at one place. docs/models.md, section 15. */
#ifndef ORR_PLANNER_SIPML_SIPML_DIMS_H
#define ORR_PLANNER_SIPML_SIPML_DIMS_H

#include "planner/sipml/sipml_partition.h"

/* Bytes of an iteration along an edge (both ways, unless the model lists its gradients), between a
 * producer and a consumer that are split so. O(1). */
uint64_t orr_sipml_edge_bytes(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                              const struct sipml_split *from, const struct sipml_split *to);

/* The same and a byte for each transfer one way: of equal bytes fewer transfers are better. O(1).
 */
uint64_t orr_sipml_edge_cost(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                             const struct sipml_split *from, const struct sipml_split *to);

/* Bytes for the weights that the parts of an operator have copies of: their gradients are scattered
 * and gathered among the parts. O(1). */
uint64_t orr_sipml_weight_bytes(const struct model_op *op, const struct sipml_split *split);

/* Of operators that share weights, the owner first: SIPML_NEVER where they slice them otherwise. */
#define SIPML_NEVER (UINT64_MAX / 256)
uint64_t orr_sipml_shared_bytes(const struct model_op *owner, const struct sipml_split *owner_split,
                                const struct model_op *user, const struct sipml_split *split);

/* What a choice of all (numbers of ways, choice[ops]) costs for an operator's inputs and weights.
 * O(inputs). */
uint64_t orr_sipml_op_cost(const struct sipml_problem *problem, const struct sipml_splits *splits,
                           const uint32_t *choice, uint32_t op);

/* The cost of all operators; at least SIPML_NEVER: it is no choice. O(operators + edges). */
uint64_t orr_sipml_split_cost(const struct sipml_problem *problem,
                              const struct sipml_splits *splits, const uint32_t *choice);

/* All bytes of a choice, without what transfers cost beside these. O(operators + edges). */
uint64_t orr_sipml_split_bytes(const struct sipml_problem *problem,
                               const struct sipml_splits *splits, const uint32_t *choice);

/* The choice that costs least, the first ways where that is equal: exact where operators can be
 * eliminated with tables of FACTORS_MAX_CELLS cells, as in chains, residual blocks and encoders
 * with decoders. Elsewhere some operators are settled by what their neighbours can do at best; from
 * there, and from DIMS_STARTS choices by lot, single changes follow while they help. False when
 * memory is out. */
enum { DIMS_STARTS = 24 };
bool orr_sipml_choose_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                             const struct sipml_splits *splits, uint32_t *choice);

#endif
