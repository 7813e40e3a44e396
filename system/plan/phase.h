/* Plan of a collective: the phases of its chunks, and the order in which they are served. */
#ifndef ORR_SYSTEM_PLAN_PHASE_H
#define ORR_SYSTEM_PLAN_PHASE_H

#include "system/state.h"

enum sys_queue_class { QUEUE_ALL, QUEUE_FIRST_HALF, QUEUE_SECOND_HALF };

/* Constraints of a phase: receives ordered after sends (after_sends.c); the root waits for all
 * chunks, and sends up wait for a free receive buffer (tree_flow_control.c). */
enum { SYS_HOLDS_RECEIVES = 1, SYS_HOLDS_TURNS = 2, SYS_HOLDS_BUFFER = 4 };

/* Which messages of an NPU are in flight at once, as one batch of the network: those of a chunk, or
 * those of all chunks of the collective. */
enum sys_at_once { SYS_IN_LINE, SYS_CHUNK_AT_ONCE, SYS_ALL_AT_ONCE };

/* One phase of a chunk: a collective inside one logical dimension. */
struct sys_phase {
    uint8_t dim;
    uint8_t kind; /* enum coll_kind */
    uint8_t queue_class;
    bool backwards;  /* the ring's other direction */
    uint8_t holds;   /* set of SYS_HOLDS_...: further constraints on sends and receives */
    bool from_tree;  /* part of an all-reduce: the root is that of its tree */
    uint8_t at_once; /* enum sys_at_once */
    uint32_t window;
    uint32_t variant;
    uint32_t turns; /* number of variants: chunk c has variant c mod turns */
    uint32_t root;  /* rooted kinds: index in the dimension */
    uint32_t
        at_roots; /* set of dimensions: only members at the root of their trees there take part */
    uint32_t credit; /* maximum messages of a lane queued at ports */
    uint64_t bytes;  /* as coll_args.bytes */
    const struct coll_algorithm *algorithm;
    const struct coll_trees *trees;        /* user trees, or NULL */
    const struct coll_rings *rings;        /* rings on links, or NULL */
    const struct coll_forest *forest;      /* trees on links, or NULL */
    const struct sys_stepper_ops *stepper; /* NULL in a system that only plans */
};

struct sys_plan {
    unsigned phases;
    const struct sys_phase *phase; /* [phases] */
};

/* The chunk-phases of the dimensions in service order (phase_order.c). */
struct sys_phase_order {
    const uint32_t *item;         /* chunk << 8 | phase, grouped by dimension */
    uint32_t first[SYS_MAX_DIMS]; /* first item of each of the operation's dimensions */
    uint32_t items;
};

#endif
