/* 128-bit hash of a stream of bytes, to tell equal files from different ones. MurmurHash3 x64 128
 * by Austin Appleby (public domain): not for secrets, and an equal hash of different files is as
 * likely as a hardware fault. */
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

/* Starts from struct et_hash = {0}. O(count). */
void orr_et_hash_add(struct et_hash *hash, const void *data, size_t count);

/* Ends the hash: low and high are the result. O(1). */
void orr_et_hash_end(struct et_hash *hash);

static inline bool orr_et_hash_equal(const struct et_hash *a, const struct et_hash *b)
{
    return a->low == b->low && a->high == b->high && a->bytes == b->bytes;
}

#endif
