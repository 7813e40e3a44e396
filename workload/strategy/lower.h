/* A model under a strategy as a task graph: what every device computes, sends and reduces in one
 * iteration (FlexNet's logical task graphs; SiP-ML, SIGCOMM'21, section 4).
 *
 * Of every part there is a forward and a backward task, the second after the first. Along edges go
 * transfers (demand.h), back the same ones the other way, with the gradients; a transfer that
 * carries a tensor for several parts takes back what all of them add to its gradient. An all-reduce
 * of a shard of weights begins when the backward tasks of all parts with the shard are done, of all
 * operators that share it. With several groups the graph says so (tg_graph.copies): its all-reduces
 * are across the groups. With strategy_server.reduce_at_end a task without time behind all backward
 * tasks of a device is what its all-reduces wait for (gradients that do not overlap). Where m
 * devices of a group have the same shard of W bytes they scatter it first, W / m from each to each,
 * each reduces its m-th across the groups, and sends the sum to the others. Of a model that lists
 * its gradients nothing goes back: all tasks are forward ones, and behind them come the
 * all-reduces. */
#ifndef ORR_WORKLOAD_STRATEGY_LOWER_H
#define ORR_WORKLOAD_STRATEGY_LOWER_H

#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

/* How long a part of each operator takes. */
struct strategy_times {
    const uint64_t *forward_ps, *backward_ps; /* [ops], at most ORR_TIME_MAX */
};

/* The times of one part of each operator, in the arena. With speed->iteration_ps all of them are
 * scaled alike, so that the device that computes longest, forwards and backwards, takes so long.
 * Errors: parts that were not measured and whose time no roofline says; no part takes any time, and
 * an iteration is to. O(operators x dimensions + parts). */
enum orr_status orr_strategy_times(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy, const struct model_speed *speed,
                                   struct strategy_times *out, struct orr_diag *diag);

/* The task graph of a strategy that was checked, in the arena; numbered so that tasks wait for
 * smaller numbers only. Errors: more than 2^31 tasks; memory. O(tasks + dependencies). */
enum orr_status orr_strategy_lower(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy,
                                   const struct strategy_times *times, struct tg_graph *out,
                                   struct orr_diag *diag);

#endif
