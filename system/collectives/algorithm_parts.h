/* Arithmetic shared by the collective algorithms: positions modulo n, logarithms, block sizes.
 * Positions are below n, and n < 2^31, so that sums of two do not overflow. */
#ifndef ORR_SYSTEM_COLLECTIVES_ALGORITHM_PARTS_H
#define ORR_SYSTEM_COLLECTIVES_ALGORITHM_PARTS_H

#include "system/collectives/program.h"

/* Beyond this the block numbers of an all-to-all (2 n^2 of them at most) leave 32 bits. */
enum { COLL_MAX_ALL_TO_ALL = 32768 };

/* (a + b) mod n, for a, b < n. */
static inline uint32_t coll_plus(uint32_t n, uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum >= n ? sum - n : sum;
}

/* (a - b) mod n, for a, b < n. */
static inline uint32_t coll_minus(uint32_t n, uint32_t a, uint32_t b)
{
    return a >= b ? a - b : a + n - b;
}

/* Largest l with 2^l <= x; x >= 1. O(log x). */
static inline uint32_t coll_log2_floor(uint32_t x)
{
    uint32_t log = 0;
    while (x > 1) {
        x >>= 1;
        log++;
    }
    return log;
}

/* Smallest l with 2^l >= x; x >= 1. O(log x). */
static inline uint32_t coll_log2_ceil(uint32_t x)
{
    return x <= 1 ? 0 : coll_log2_floor(x - 1) + 1;
}

/* The lowest set bit of x; 0 for 0. */
static inline uint32_t coll_low_bit(uint32_t x)
{
    return x & (~x + 1);
}

/* Bytes of one block in a message: the contribution of a rank where `bytes` is that already (see
 * struct coll_args), nothing for a barrier, else ceil(bytes / n). */
static inline uint64_t coll_unit_bytes(const struct coll_args *args)
{
    switch (args->kind) {
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        return args->bytes;
    case COLL_BARRIER:
        return 0;
    default:
        return coll_block_bytes(args);
    }
}

/* Bytes of a message that carries one block: what rank `source` has for rank `block` in an
 * all-to-all, else the part `block` of the vector. */
static inline uint64_t coll_bytes_of(const struct coll_args *args, uint32_t source, uint32_t block)
{
    return __builtin_expect(args->size != NULL, 0) ? args->size(args->size_context, source, block)
                                                   : coll_unit_bytes(args);
}

/* Bytes of a message with the whole buffer. */
static inline uint64_t coll_buffer_bytes(const struct coll_args *args)
{
    return args->kind == COLL_BARRIER ? 0 : args->bytes;
}

/* Visits all n parts of the vector. O(n). */
static inline void coll_visit_all(const struct coll_args *args, coll_block_fn visit, void *context)
{
    for (uint32_t block = 0; block < args->n; block++) {
        visit(context, block);
    }
}

#endif
