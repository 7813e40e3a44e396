/* Whether a strategy makes sense for its model, and fits the devices. */
#ifndef ORR_WORKLOAD_STRATEGY_STRATEGY_CHECK_H
#define ORR_WORKLOAD_STRATEGY_STRATEGY_CHECK_H

#include "workload/strategy/strategy.h"

/* Devices in equal groups, a batch that is known, that the groups divide and that has a sample for
 * each way it is split; degrees that the dimensions allow, as many devices as parts, devices that
 * there are; weights that are shared by operators that slice them alike. The first fault is named,
 * with its place where the strategy was read. O(operators x dimensions + parts). */
enum orr_status orr_strategy_check(const struct model_graph *model, const struct strategy *strategy,
                                   struct orr_diag *diag);

/* Warns, once, of operators that are whole between two that are split alike, so that their input is
 * gathered and their output scattered again, although they could be split as these are: an
 * activation between two layers of experts. O(edges x dimensions). */
void orr_strategy_warn_regathered(const struct model_graph *model, const struct strategy *strategy,
                                  struct orr_diag *diag);

/* Bytes that each device of a group holds, into bytes[k]: the weights of its parts, each shard
 * once, their gradients, the optimizer's state of their parameters, and the outputs of its parts,
 * which are kept for the backward pass. The operator that has most of it is most[k] (NULL: not
 * asked). False when memory is out. O(parts). */
bool orr_strategy_memory(const struct model_graph *model, const struct strategy *strategy,
                         uint64_t *bytes, uint32_t *max);

/* Adds what the parts of one operator hold to bytes[k]. Shards that two parts of a device have
 * count once where these are numbered one after the other. last[k] is scratch, all 0 before and
 * after. O(parts). */
void orr_strategy_add_memory(const struct model_graph *model, const struct strategy *strategy,
                             uint32_t op, uint64_t *bytes, uint32_t *last);

/* Whether no device holds more than so many bytes (0: any number): else the first one that holds
 * most, the operator with most of it and the bytes that are missing are named. */
enum orr_status orr_strategy_check_memory(const struct model_graph *model,
                                          const struct strategy *strategy, uint64_t capacity_bytes,
                                          struct orr_diag *diag);

#endif
