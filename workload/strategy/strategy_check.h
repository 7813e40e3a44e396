/* Checks of a strategy against its model and its devices' memory. */
#ifndef ORR_WORKLOAD_STRATEGY_STRATEGY_CHECK_H
#define ORR_WORKLOAD_STRATEGY_STRATEGY_CHECK_H

#include "core/diag.h"
#include "workload/strategy/strategy.h"

struct model_graph;

/* Checks: devices in equal groups; a known batch that the groups divide, with at least one sample
 * for each part of a split by samples; degrees that the dimensions allow; a device for each part;
 * devices that exist; shared weights that all operators slice equally. The error names the first
 * violation, with its location if the strategy was read. O(operators x dimensions + parts). */
enum orr_status orr_strategy_check(const struct model_graph *model, const struct strategy *strategy,
                                   struct orr_diag *diag);

/* Warns, once, of unsplit operators between two operators of the same split, whose input is
 * gathered and whose output is scattered again although they could have that split: an activation
 * between two layers of experts. O(edges x dimensions). */
void orr_strategy_warn_regathered(const struct model_graph *model, const struct strategy *strategy,
                                  struct orr_diag *diag);

/* Memory of each device of a group, into bytes[k]: the weights of its parts (each shard once),
 * their gradients, the optimizer state, and the outputs of its parts, which are kept for the
 * backward pass. max[k] (may be NULL): the operator that takes the most of it. False when memory is
 * out. O(parts). */
bool orr_strategy_memory(const struct model_graph *model, const struct strategy *strategy,
                         uint64_t *bytes, uint32_t *max);

/* Adds the memory of one operator's parts to bytes[k]. A shard of two parts of a device counts once
 * if the parts have consecutive numbers. last[k]: scratch, all 0 before and after. O(parts). */
void orr_strategy_add_memory(const struct model_graph *model, const struct strategy *strategy,
                             uint32_t op, uint64_t *bytes, uint32_t *last);

/* Fails if a device needs more than capacity_bytes (0: no limit): names the first device with the
 * largest need, the operator that takes the most of it and the missing bytes. */
enum orr_status orr_strategy_check_memory(const struct model_graph *model,
                                          const struct strategy *strategy, uint64_t capacity_bytes,
                                          struct orr_diag *diag);

#endif
