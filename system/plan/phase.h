/* What a collective becomes: the phases of its chunks, and the order in which they are served. */
#ifndef ORR_SYSTEM_PLAN_PHASE_H
#define ORR_SYSTEM_PLAN_PHASE_H

#include "system/state.h"

enum sys_queue_class { QUEUE_ALL, QUEUE_FIRST_HALF, QUEUE_SECOND_HALF };

/* Receives come after sends (after_sends.c); the root waits for all chunks, and sends up wait for
 * room at the receiver (tree_flow_control.c). */
enum { SYS_HOLDS_RECEIVES = 1, SYS_HOLDS_TURNS = 2, SYS_HOLDS_BUFFER = 4 };

/* One phase of a chunk: a collective inside one logical dimension. */
struct sys_phase {
    uint8_t dim;
    uint8_t kind; /* enum coll_kind */
    uint8_t queue_class;
    bool backwards; /* the ring's other direction */
    uint8_t holds;  /* SYS_HOLDS_...: what sends and receives wait for besides */
    bool from_tree; /* a part of an all-reduce whose root is that of its tree */
    uint32_t window;
    uint32_t variant;
    uint32_t turns; /* chunks with so many between them have the same variant */
    uint32_t root;  /* in the dimension, of a kind with a root */
    uint32_t
        at_roots;    /* bits of dimensions: only who is at the root of the tree there takes part */
    uint32_t credit; /* messages of a lane that may wait at ports at once */
    uint64_t bytes;  /* as coll_args.bytes */
    const struct coll_algorithm *algorithm;
    const struct coll_trees *trees;        /* that it is given */
    const struct sys_stepper_ops *stepper; /* NULL in a system that only plans */
};

struct sys_plan {
    unsigned phases;
    const struct sys_phase *phase; /* [phases] */
};

/* The chunk-phases of a dimension, in the order in which they are served. */
struct sys_phase_order {
    const uint32_t *item;         /* chunk << 8 | phase, those of a dimension behind each other */
    uint32_t first[SYS_MAX_DIMS]; /* of each of the operation's dimensions */
    uint32_t items;
};

#endif
