/* Lowers a model under a strategy to a task graph: the computations, transfers and all-reduces of
 * every device in one iteration (FlexNet's logical task graphs; SiP-ML, SIGCOMM'21, section 4).
 *
 * Every part has a forward and a backward task, the second after the first. Transfers go along
 * edges (demand.h), and back with the gradients; a transfer that carries a tensor for several parts
 * takes back the sum of their gradients. The all-reduce of a shard of weights begins when the
 * backward tasks of all parts with the shard are done, of all operators that share it.
 *
 * With several groups the graph has tg_graph.copies, and its all-reduces are across the groups.
 * With strategy_server.reduce_at_end the all-reduces of a device wait for a task without time after
 * all its backward tasks (no overlap of gradients). If m devices of a group have the same shard of
 * W bytes, they first scatter it, W / m from each to each; each reduces its m-th across the groups
 * and sends the sum to the others. A model that lists its gradients has no backward tasks: all
 * tasks are forward ones, followed by the all-reduces. */
#ifndef ORR_WORKLOAD_STRATEGY_LOWER_H
#define ORR_WORKLOAD_STRATEGY_LOWER_H

#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

/* Times of a part of each operator. */
struct strategy_times {
    const uint64_t *forward_ps, *backward_ps; /* [ops], at most ORR_TIME_MAX */
};

/* Computes the times of one part of each operator, in the arena. With speed->iteration_ps all are
 * scaled by one factor so that the device that computes longest, forward and backward, takes that
 * time. Errors: parts that were not measured and have no roofline; iteration_ps is set, but no part
 * takes any time. O(operators x dimensions + parts). */
enum orr_status orr_strategy_times(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy, const struct model_speed *speed,
                                   struct strategy_times *out, struct orr_diag *diag);

/* Builds the task graph of a checked strategy, in the arena; tasks wait for smaller numbers only.
 * Errors: more than 2^31 tasks; memory. O(tasks + dependencies). */
enum orr_status orr_strategy_lower(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy,
                                   const struct strategy_times *times, struct tg_graph *out,
                                   struct orr_diag *diag);

#endif
