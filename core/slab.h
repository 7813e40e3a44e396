/* Slab: records of one size with 32-bit handles and a free list. The records are in an arena, in
 * blocks that double, so they never move and need not be freed. */
#ifndef ORR_CORE_SLAB_H
#define ORR_CORE_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"

#define ORR_SLAB_NONE UINT32_MAX

enum { ORR_SLAB_FIRST_BITS = 8, ORR_SLAB_BLOCKS = 32 - ORR_SLAB_FIRST_BITS };

struct orr_slab {
    struct orr_arena *arena;
    size_t item_bytes;
    unsigned char *block[ORR_SLAB_BLOCKS]; /* block k holds 2^(8+k) records */
    uint32_t used, free_head;
};

/* An empty slab in the arena, which must outlive it; item_bytes >= 4. */
void orr_slab_init(struct orr_slab *slab, struct orr_arena *arena, size_t item_bytes);

/* A record with unspecified contents; ORR_SLAB_NONE when memory is out. Amortized O(1). */
uint32_t orr_slab_new(struct orr_slab *slab);

/* Gives a record back; its first four bytes are overwritten. O(1). */
void orr_slab_free(struct orr_slab *slab, uint32_t handle);

/* The record of a handle; the address stays the same until the record is freed. O(1). */
static inline void *orr_slab_at(const struct orr_slab *slab, uint32_t handle)
{
    const uint32_t at = handle + (1u << ORR_SLAB_FIRST_BITS);
    const unsigned bits = 31u - (unsigned)__builtin_clz(at);
    return slab->block[bits - ORR_SLAB_FIRST_BITS] + (at - (1u << bits)) * slab->item_bytes;
}

#endif
