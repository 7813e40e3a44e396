/* Best-fit search of a block of free servers on a ring; see ring_block.h. */
#include "sim/cluster/ring_block.h"

/* A hole: consecutive free servers between two used ones, or the entire ring. */
struct hole {
    uint32_t first, count;
};

static void consider(struct orr_ring_block *block, struct hole hole, uint32_t wanted)
{
    block->longest = hole.count > block->longest ? hole.count : block->longest;
    if (hole.count >= wanted && (!block->found || hole.count < block->hole)) {
        block->found = true;
        block->first = hole.first;
        block->hole = hole.count;
    }
}

struct orr_ring_block orr_ring_block_find(uint32_t servers, uint32_t wanted,
                                          bool (*is_free)(const void *context, uint32_t server),
                                          const void *context)
{
    struct orr_ring_block block = {.found = false};
    struct hole hole = {0, 0};
    uint32_t taken = 0; /* the first used server: no hole crosses it */
    while (taken < servers && is_free(context, taken)) {
        taken++;
    }
    if (taken == servers) {
        consider(&block, (struct hole){0, servers}, wanted);
        return block;
    }
    for (uint32_t i = 1; i <= servers;
         i++) { /* up to `taken` once more, which ends the last hole */
        const uint32_t server = (taken + i) % servers;
        if (is_free(context, server)) {
            hole.first = hole.count == 0 ? server : hole.first;
            hole.count++;
        } else if (hole.count > 0) {
            consider(&block, hole, wanted);
            hole.count = 0;
        }
    }
    return block;
}

void orr_ring_block_list(uint32_t servers, uint32_t first, uint32_t *server, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        server[i] = (first + i) % servers;
    }
}
