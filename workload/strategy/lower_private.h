/* State of lowering a strategy to a task graph; shared by lower.c and lower_reduce.c. */
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
    uint32_t *forward;  /* [ops] the operators' first forward tasks */
    uint32_t *backward; /* [ops] and backward tasks; the same as `forward` if the model lists its
                           gradients */
    uint32_t *name;     /* [ops] name numbers of the builder */
    uint32_t *all_done; /* [devices of a group] the task after all parts of each; NULL: none */
    uint32_t *wait;     /* [waits] dependencies of an all-reduce's task, grown in scratch */
    size_t waits, wait_capacity;
    uint32_t op, consumer;  /* the current operator, and the consumer of its edge */
    uint64_t forward_tasks; /* number of forward tasks */
    uint32_t added;         /* tasks added so far */
    bool failed;            /* memory is out */
};

/* Adds a transfer of the current operator, and returns its number. */
uint32_t orr_lower_transfer(struct lowering *lower, uint32_t from, uint32_t to, uint64_t bytes,
                            enum tg_pass pass);

/* Adds a task without time after all backward tasks of each device; its all-reduces wait for it.
 * O(parts). */
void orr_lower_ends(struct lowering *lower);

/* Adds the tasks of an all-reduce, after the backward tasks of the operator and all that share its
 * weights, or after all tasks of its members; a demand_reduce_fn. */
void orr_lower_reduce(void *context, const struct demand_reduce *reduce);

#endif
