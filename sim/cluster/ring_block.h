/* Contiguous allocation on a ring of servers, where number n - 1 is next to number 0. A job on a
 * ring without an optical switch needs a block of neighbours (SiP-ML, section 3.3). The paper
 * leaves the choice open; here it is best fit: the start of the smallest hole that is large enough.
 */
#ifndef ORR_SIM_CLUSTER_RING_BLOCK_H
#define ORR_SIM_CLUSTER_RING_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct orr_ring_block {
    bool found;
    uint32_t first;   /* first server of the block; ties: the lowest hole */
    uint32_t hole;    /* size of its hole */
    uint32_t longest; /* size of the largest hole */
};

/* servers: of the ring, at most 2^30; wanted: at least 1; is_free: whether a server may be taken.
 * O(servers). */
struct orr_ring_block orr_ring_block_find(uint32_t servers, uint32_t wanted,
                                          bool (*is_free)(const void *context, uint32_t server),
                                          const void *context);

/* The servers of a block into server[count], in their order around the ring. O(count). */
void orr_ring_block_list(uint32_t servers, uint32_t first, uint32_t *server, uint32_t count);

#endif
