/* What a collective becomes: the phases of its chunks, and the order in which they are served. */
#ifndef ORR_SYSTEM_PLAN_PHASE_H
#define ORR_SYSTEM_PLAN_PHASE_H

#include "system/state.h"

enum sys_queue_class { QUEUE_ALL, QUEUE_FIRST_HALF, QUEUE_SECOND_HALF };

/* One phase of a chunk: a collective inside one logical dimension. */
struct sys_phase {
    uint8_t dim;
    uint8_t kind; /* enum coll_kind */
    uint8_t queue_class;
    bool backwards; /* the ring's other direction */
    uint32_t window;
    uint32_t variant;
    uint32_t credit; /* messages of a lane that may wait at ports at once */
    uint64_t bytes;  /* as coll_args.bytes */
    const struct coll_algorithm *algorithm;
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
