/* 128-bit hash of a stream of bytes, to distinguish files. MurmurHash3 x64 128 by Austin Appleby
 * (public domain): not cryptographic; equal hashes of different files are as unlikely as a hardware
 * fault. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_HASH_H
#define ORR_WORKLOAD_TRACE_ET_ET_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct et_hash {
    uint64_t low, high;
    uint64_t bytes;         /* hashed so far */
    unsigned char tail[16]; /* the bytes % 16 that wait for a full block */
};

/* Adds bytes; the initial state is struct et_hash = {0}. O(count). */
void orr_et_hash_add(struct et_hash *hash, const void *data, size_t count);

/* Ends the hash: low and high are the result. O(1). */
void orr_et_hash_end(struct et_hash *hash);

static inline bool orr_et_hash_equal(const struct et_hash *a, const struct et_hash *b)
{
    return a->low == b->low && a->high == b->high && a->bytes == b->bytes;
}

#endif
