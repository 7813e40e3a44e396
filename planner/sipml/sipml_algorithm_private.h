/* Algorithm 1 under way; shared by sipml_algorithm.c and sipml_repair.c. */
#ifndef ORR_PLANNER_SIPML_SIPML_ALGORITHM_PRIVATE_H
#define ORR_PLANNER_SIPML_SIPML_ALGORITHM_PRIVATE_H

#include "planner/sipml/sipml_algorithm.h"

/* So many devices have the earliest of them noted. */
enum { SIPML_BLOCK = 64 };

struct sipml_block {
    uint32_t earliest; /* device that is free first */
    uint64_t min_held; /* bytes */
};

struct placement_state {
    const struct sipml_graph *graph;
    const struct sipml_limits *limits;
    bool is_unlimited;         /* no edge has a limit */
    uint32_t *device;          /* [parts] of those placed so far */
    sim_time *end;             /* [parts] when they end */
    sim_time *op_end;          /* [ops] when their last parts end */
    sim_time *avail;           /* [k] when devices are free */
    uint64_t *held;            /* [k] bytes */
    struct sipml_block *block; /* [k / SIPML_BLOCK, rounded up] */
    bool memory_exhausted; /* a part had no device with memory left: memory is no matter any more */
    uint32_t *holding;     /* [k] operator, plus one, whose only shard was counted last */
    /* Of the part that is placed: how many of its `parents` each device would meet. Those of the
     * operator are counted once (`base`), those of the part come and go. */
    uint32_t *met; /* [k] */
    uint32_t base, parents;
    uint32_t parent_device, base_parent_device; /* device of one of them, if there is any */
    uint32_t *count;                            /* [k] scratch */
    sim_time ready;                             /* when the operator's parents of all parts end */
    bool *is_bad;                               /* [parts] an edge of it is not met, or it moved */
    uint32_t bad; /* parts placed in the last pass with an edge that is not met */
    uint64_t visits;
};

/* Begins an operator: counts what all its parts have for parents. */
void orr_sipml_begin_op(struct placement_state *state, uint32_t op);

/* Counts what part i of the operator has for parents beside these, and forgets it. */
sim_time orr_sipml_add_parents(struct placement_state *state, uint32_t op, uint32_t i);
void orr_sipml_remove_parents(struct placement_state *state, uint32_t op, uint32_t i);

/* The device of Algorithm 1 for the part that is looked at; UINT32_MAX: none. */
uint32_t orr_sipml_best_device(const struct placement_state *state, uint32_t op);

/* The device that meets most parents; `full` when none has memory left. O(k). */
uint32_t orr_sipml_find_max_met(struct placement_state *state, uint32_t op);

/* Puts part i of the operator on a device: times, memory, and what the parts behind it have to
 * meet. `ready` is when its parents end. */
void orr_sipml_assign(struct placement_state *state, uint32_t op, uint32_t i, uint32_t device,
                      sim_time ready);

/* Whether memory is left for a part of an operator. */
bool orr_sipml_fits(const struct placement_state *state, uint32_t op, uint32_t device);

/* Forgets times and memory: parts are put again from the first on. */
void orr_sipml_restart(struct placement_state *state);

/* Repairs from part i of an operator on, which was put with an edge that is not met. Returns
 * whether all edges are met up to it, and adds its rounds. */
bool orr_sipml_repair(struct placement_state *state, uint32_t op, uint32_t i, uint32_t *rounds);

#endif
