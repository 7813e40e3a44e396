/* The dimensions in which operators are split: those with the least communication together (SiP-ML,
 * SIGCOMM'21, section 3.2). Bytes are counted as if every part were on another device, except part
 * i of two operators that are sliced equally on one axis, which are on the same. docs/models.md,
 * section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_DIMS_H
#define ORR_SIPML_SEARCH_SIPML_DIMS_H

#include "sipml/search/sipml_partition.h"

/* Bytes of an iteration along an edge (both directions, unless the model lists its gradients),
 * between a producer and a consumer with these splits. O(1). */
uint64_t orr_sipml_edge_bytes(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                              const struct sipml_split *from, const struct sipml_split *to);

/* orr_sipml_edge_bytes plus a byte for each transfer in one direction: of equal bytes fewer
 * transfers are better. O(1). */
uint64_t orr_sipml_edge_cost(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                             const struct sipml_split *from, const struct sipml_split *to);

/* Bytes for the weights of which all parts of an operator have copies: reduce-scatter and
 * all-gather of their gradients. O(1). */
uint64_t orr_sipml_weight_bytes(const struct model_op *op, const struct sipml_split *split);

/* Bytes of operators that share weights; SIPML_NEVER if they slice them differently. */
#define SIPML_NEVER (UINT64_MAX / 256)
uint64_t orr_sipml_shared_bytes(const struct model_op *owner, const struct sipml_split *owner_split,
                                const struct model_op *user, const struct sipml_split *split);

/* The cost of an operator's inputs and weights in a choice (choice[ops] are indices into splits).
 * O(inputs). */
uint64_t orr_sipml_op_cost(const struct sipml_problem *problem, const struct sipml_splits *splits,
                           const uint32_t *choice, uint32_t op);

/* The cost of all operators. SIPML_NEVER or more: the choice is invalid. O(operators + edges). */
uint64_t orr_sipml_split_cost(const struct sipml_problem *problem,
                              const struct sipml_splits *splits, const uint32_t *choice);

/* All bytes of a choice, without the cost of transfers. O(operators + edges). */
uint64_t orr_sipml_split_bytes(const struct sipml_problem *problem,
                               const struct sipml_splits *splits, const uint32_t *choice);

/* The choice with the least cost; ties: the first splits. Exact if operators can be eliminated with
 * tables of FACTORS_MAX_CELLS cells, as in chains, residual blocks and encoders with decoders. Else
 * some operators are settled by the best that their neighbors can do. From there, and from
 * DIMS_STARTS random choices, local search follows. False when memory is out. */
enum { DIMS_STARTS = 24 };
bool orr_sipml_choose_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                             const struct sipml_splits *splits, uint32_t *choice);

#endif
