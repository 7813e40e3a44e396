/* Steady rings (SiP-ML, section 4 of its hybrid parallelism; FlexNet's task graphs): an all-reduce
 * of S bytes among k members is one message from each of them to the next, of what it sends in all
 * rounds of a ring, 2 (k - 1)/k x S, rounded up. Where the network has r rings for groups of k the
 * bytes are divided among them: the first ones carry the odd bytes, so that the sum stays. There
 * are no rounds and no barriers; it ends for all at once, when all streams have arrived. */
#include "system/whole/whole_private.h"

/* 2 S - floor(2 S / k) = ceil(2 (k - 1) S / k), without running over. */
static uint64_t sent_by_each(uint64_t bytes, uint32_t members)
{
    return 2 * bytes - 2 * bytes / members;
}

void orr_whole_streams_start(struct sys *sys, const struct whole_ops *ops,
                             struct sys_operation *operation)
{
    const struct whole_rings *rings = orr_whole_rings_of(sys, operation);
    const uint64_t bytes = sent_by_each(operation->bytes, whole_size(operation));
    for (uint32_t i = 0; rings != NULL && i < rings->count; i++) {
        orr_whole_ring_start(sys, ops, operation, rings->ring[i], 0,
                             bytes / rings->count + (i < bytes % rings->count));
    }
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    orr_whole_streams_start(sys, &orr_whole_ring, operation);
}

const struct whole_ops orr_whole_ring_stream = {.start = start};
