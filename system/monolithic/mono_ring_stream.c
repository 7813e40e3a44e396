/* Ring streams (SiP-ML, section 4, hybrid parallelism; FlexNet's task graphs): an all-reduce of S
 * bytes among k members is one message from each to the next, with the bytes of all rounds of a
 * ring: 2 (k - 1)/k x S, rounded up. If the network has r rings for groups of k, the bytes are
 * divided among them; the first rings carry the odd bytes, so the sum is exact. No rounds, no
 * barriers: the all-reduce ends for all members when all streams have arrived. */
#include "system/monolithic/mono_private.h"

/* 2 S - floor(2 S / k) = ceil(2 (k - 1) S / k), without overflow. */
static uint64_t sent_by_each(uint64_t bytes, uint32_t members)
{
    return 2 * bytes - 2 * bytes / members;
}

void orr_mono_streams_start(struct sys *sys, const struct mono_ops *ops,
                            struct sys_operation *operation)
{
    const struct mono_rings *rings = orr_mono_rings_of(sys, operation);
    const uint64_t bytes = sent_by_each(operation->bytes, mono_size(operation));
    for (uint32_t i = 0; rings != NULL && i < rings->count; i++) {
        orr_mono_ring_start(sys, ops, operation, rings->ring[i], 0,
                            bytes / rings->count + (i < bytes % rings->count));
    }
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    orr_mono_streams_start(sys, &orr_mono_ring, operation);
}

const struct mono_ops orr_mono_ring_stream = {.start = start};
