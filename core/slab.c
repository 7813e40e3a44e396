/* Records in doubling blocks; see slab.h. */
#include "core/slab.h"

#include <stdbool.h>
#include <string.h>

enum { ALIGN_BYTES = 16 };

void orr_slab_init(struct orr_slab *slab, struct orr_arena *arena, size_t item_bytes)
{
    memset(slab, 0, sizeof *slab);
    slab->arena = arena;
    slab->item_bytes = item_bytes;
    slab->free_head = ORR_SLAB_NONE;
}

/* Allocates a block if all are full. Blocks 0..k-1 hold 2^(8+k) - 2^8 records: `used` is such a sum
 * when they are full. */
static bool ensure_block(struct orr_slab *slab)
{
    const uint32_t at = slab->used + (1u << ORR_SLAB_FIRST_BITS);
    if (slab->used > UINT32_MAX - (1u << ORR_SLAB_FIRST_BITS)) {
        return false;
    }
    const unsigned block = 31u - (unsigned)__builtin_clz(at) - ORR_SLAB_FIRST_BITS;
    if (slab->block[block] == NULL) {
        /* Not zeroed: pages after the last record take no memory. */
        const size_t count = (size_t)1 << (block + ORR_SLAB_FIRST_BITS);
        slab->block[block] =
            orr_arena_alloc_raw(slab->arena, count * slab->item_bytes, ALIGN_BYTES);
    }
    return slab->block[block] != NULL;
}

uint32_t orr_slab_new(struct orr_slab *slab)
{
    const uint32_t handle = slab->free_head;
    if (handle != ORR_SLAB_NONE) {
        memcpy(&slab->free_head, orr_slab_at(slab, handle), sizeof slab->free_head);
        return handle;
    }
    return ensure_block(slab) ? slab->used++ : ORR_SLAB_NONE;
}

void orr_slab_free(struct orr_slab *slab, uint32_t handle)
{
    memcpy(orr_slab_at(slab, handle), &slab->free_head, sizeof slab->free_head);
    slab->free_head = handle;
}
