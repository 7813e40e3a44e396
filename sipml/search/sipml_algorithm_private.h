/* State of Algorithm 1; shared by sipml_algorithm.c and sipml_repair.c. */
#ifndef ORR_SIPML_SEARCH_SIPML_ALGORITHM_PRIVATE_H
#define ORR_SIPML_SEARCH_SIPML_ALGORITHM_PRIVATE_H

#include "sipml/search/sipml_algorithm.h"

/* Devices are kept in blocks; of each block the device that is free first is known. */
enum { SIPML_BLOCK = 64 };

struct sipml_block {
    uint32_t earliest; /* device that is free first */
    uint64_t min_held; /* bytes */
    bool stale;        /* a device of it was assigned to since */
};

struct placement_state {
    const struct sipml_graph *graph;
    const struct sipml_limits *limits;
    bool is_unlimited;         /* edges have no limit */
    uint32_t *device;          /* [parts] valid for the parts placed so far */
    sim_time *end;             /* [parts] when they end */
    sim_time *op_end;          /* [ops] when their last parts end */
    sim_time *avail;           /* [k] when devices are free */
    uint64_t *held;            /* [k] bytes */
    struct sipml_block *block; /* [k / SIPML_BLOCK, rounded up] */
    bool memory_exhausted; /* a part had no device with memory left; from then on memory is ignored
                            */
    uint32_t *holding;     /* [k] plus one: the operator whose only shard was counted last */
    /* The edges of the current part: how many of its `parents` each device meets. `base` counts the
     * parents of the operator; those of the part are added and removed. */
    uint32_t *met; /* [k] */
    uint32_t base, parents;
    uint32_t parent_device, base_parent_device; /* the device of one parent, if there is any */
    uint32_t *count;                            /* [k] scratch */
    sim_time ready;  /* when the parents of all parts of the operator end */
    sim_time floor;  /* no start of the current part is earlier; 0 with free_first */
    uint32_t wanted; /* device that the current part prefers, or UINT32_MAX */
    bool *is_bad;    /* [parts] it has a violated edge, or moved */
    uint32_t bad;    /* parts placed in the last pass with a violated edge */
    uint64_t visits;
};

/* Begins an operator: counts the parents of all its parts. */
void orr_sipml_begin_op(struct placement_state *state, uint32_t op);

/* Adds the further parents of part i of the operator (returns when all its parents end), and
 * removes them. */
sim_time orr_sipml_add_parents(struct placement_state *state, uint32_t op, uint32_t i);
void orr_sipml_remove_parents(struct placement_state *state, uint32_t op, uint32_t i);

/* The device of Algorithm 1 for the current part; UINT32_MAX: none. */
uint32_t orr_sipml_best_device(struct placement_state *state, uint32_t op);

/* The device that meets most parents; sets memory_exhausted if none has memory left. O(k). */
uint32_t orr_sipml_find_max_met(struct placement_state *state, uint32_t op);

/* Assigns part i of the operator to a device: updates times, memory and the parents of later parts.
 * `ready` is when its parents end. */
void orr_sipml_assign(struct placement_state *state, uint32_t op, uint32_t i, uint32_t device,
                      sim_time ready);

/* Whether memory is left for a part of an operator. */
bool orr_sipml_fits(const struct placement_state *state, uint32_t op, uint32_t device);

/* Resets times and memory, so that all parts are assigned again from the first on. */
void orr_sipml_restart(struct placement_state *state);

/* Repairs after part i of an operator was assigned with a violated edge. Returns whether all edges
 * up to it are met, and adds the rounds. */
bool orr_sipml_repair(struct placement_state *state, uint32_t op, uint32_t i, uint32_t *rounds);

#endif
