/* Free neighbours around a ring of servers, number n - 1 beside number 0: a job on a ring without a
 * switch in front of it needs a block of them (SiP-ML, section 3.3). Which one, the paper leaves
 * open: here it is best fit, at the beginning of the smallest hole that is large enough. */
#ifndef ORR_SIM_CLUSTER_RING_BLOCK_H
#define ORR_SIM_CLUSTER_RING_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct orr_ring_block {
    bool found;
    uint32_t first;   /* server of the block; of holes as small the one that begins lowest */
    uint32_t hole;    /* how many free servers it is the beginning of */
    uint32_t longest; /* how many free servers are next to each other at most */
};

/* servers: of the ring, at most 2^30; wanted: at least 1; is_free: whether a server may be taken.
 * O(servers). */
struct orr_ring_block orr_ring_block_find(uint32_t servers, uint32_t wanted,
                                          bool (*is_free)(const void *context, uint32_t server),
                                          const void *context);

/* The servers of a block into server[count], in their order around the ring. O(count). */
void orr_ring_block_list(uint32_t servers, uint32_t first, uint32_t *server, uint32_t count);

#endif
