/* State of a check; private to checker.c (promises that need no run), checker_run.c
 * (the run) and checker_fail.c.
 *
 * A rank holds for every block (or part of one) the set of contributions in it. Where data is
 * combined, contributor c is rank c; elsewhere a block has one contributor and the set says whether
 * the block is there. So "complete" always means all contributors. */
#ifndef ORR_SYSTEM_COLLECTIVES_CHECKER_INTERNAL_H
#define ORR_SYSTEM_COLLECTIVES_CHECKER_INTERNAL_H

#include <stddef.h>

#include "system/collectives/algorithm_parts.h"
#include "system/collectives/checker.h"

/* Pairs of ranks are numbered in 32 bits. */
enum { CHECK_LANES = 2, CHECK_SIZES = 48, CHECK_MAX_RANKS = 65535 };

struct check_message {
    struct check_message *next; /* in the queue of a pair, held by a rank, or in a free list */
    uint32_t source, destination;
    uint32_t recv; /* of the destination */
    uint32_t lane;
    uint32_t after;       /* receives of the lane that must be complete before this one */
    uint32_t after_sends; /* sends of the lane that must have gone before this one is complete */
    bool reduce;
    uint32_t blocks;
    uint32_t size_class;
    uint64_t words[]; /* blocks * (number of the block, its set) */
};

struct check_lane {
    uint32_t next_send;       /* index in the program; `sends` when none is left */
    struct coll_send pending; /* send number next_send */
    uint32_t complete;        /* receives */
    bool ready;               /* in the pool of ready sends */
};

struct check_rank {
    uint32_t sends, recvs;           /* in the program */
    uint32_t sends_done, recvs_done; /* in the run */
    struct check_lane lane[CHECK_LANES];
    bool *claimed;              /* [recvs], some send is this receive */
    uint64_t *sets;             /* [blocks * width] */
    struct check_message *held; /* arrived, not complete */
};

/* Unordered pool of possible next steps. */
struct check_pool {
    uint32_t count;
    uint32_t *items;
};

struct check {
    const struct coll_algorithm *algorithm;
    struct coll_args args; /* rank: the rank of the current call */
    struct orr_arena *arena;
    struct orr_diag *diag;
    uint64_t random;
    unsigned order;        /* seed mod 3 */
    uint32_t blocks;       /* ids */
    uint32_t contributors; /* per block */
    uint32_t width;        /* words of a set */
    struct check_rank *ranks;
    struct check_message **first, **last;      /* [n * n] messages in flight, by (source, dest) */
    struct check_message *unused[CHECK_SIZES]; /* by size class */
    struct check_pool ready, flying; /* lanes that can send; pairs with messages in flight */
};

/* The block's number without its part. */
static inline uint32_t check_base(const struct check *check, uint32_t block)
{
    return block / check->algorithm->lanes;
}

/* Bytes of a block, or of its part. */
static inline uint64_t check_block_bytes(const struct check *check, uint32_t block)
{
    const struct coll_args *args = &check->args;
    const uint32_t base = check_base(check, block);
    const uint64_t bytes = args->kind == COLL_ALL_TO_ALL
                               ? coll_bytes_of(args, base / args->n, base % args->n)
                               : coll_bytes_of(args, base, base);
    if (check->algorithm->lanes == 1) {
        return bytes;
    }
    return block % 2 == 0 ? bytes - bytes / 2 : bytes / 2;
}

/* Fails with "ALGORITHM KIND (arguments): TEXT". */
enum orr_status orr_check_fail(const struct check *check, enum orr_status status,
                               const char *format, ...) ORR_PRINTF(3, 4);

/* Runs all programs from the start and checks the result. */
enum orr_status orr_check_run(struct check *check);

#endif
