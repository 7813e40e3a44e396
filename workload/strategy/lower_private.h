/* A strategy on its way to a task graph; shared by lower.c and lower_reduce.c. */
#ifndef ORR_WORKLOAD_STRATEGY_LOWER_PRIVATE_H
#define ORR_WORKLOAD_STRATEGY_LOWER_PRIVATE_H

#include "workload/strategy/lower.h"
#include "workload/strategy/lower_carriers.h"
#include "workload/taskgraph/tg_builder.h"

struct lowering {
    const struct model_graph *model;
    const struct strategy *strategy;
    const struct strategy_times *times;
    struct orr_arena *scratch;
    struct demand demand;
    struct tg_builder *builder;
    struct lower_carriers carriers;
    uint32_t *forward;  /* [ops] their first tasks */
    uint32_t *backward; /* [ops] the same when the model lists its gradients */
    uint32_t *name;     /* [ops] as the builder has them */
    uint32_t *all_done; /* [devices of a group] behind all parts of each; NULL: none */
    uint32_t *wait;     /* [waits] behind what the task of an all-reduce is, grown in scratch */
    size_t waits, wait_capacity;
    uint32_t op, consumer;  /* that is gone through, and at the other end of its edge */
    uint64_t forward_tasks; /* tasks of the forward pass */
    uint32_t added;         /* tasks */
    bool failed;            /* memory is out */
};

/* Adds a transfer of the operator that is gone through, and returns its number. */
uint32_t orr_lower_transfer(struct lowering *lower, uint32_t from, uint32_t to, uint64_t bytes,
                            enum tg_pass pass);

/* Adds a task without time behind all backward tasks of each device, which its all-reduces wait
 * for. O(parts). */
void orr_lower_ends(struct lowering *lower);

/* Adds the tasks of an all-reduce, behind the backward tasks of the operator and all that share its
 * weights, or behind all of its members; a demand_reduce_fn. */
void orr_lower_reduce(void *context, const struct demand_reduce *reduce);

#endif
