/* Prefix dependencies: nodes that wait for the first bytes of a collective (the attribute prefix_of
 * of a trace). After the run: when each prefix was delivered, and how long nodes waited. */
#ifndef ORRERY_PREFIX_H
#define ORRERY_PREFIX_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A prefix that a node waits for: the first `bytes` of a collective. `collective` and `node` are
 * indices as of orrery_node; there_ps: time of delivery (< 0: never). */
struct orrery_prefix {
    size_t collective, node;
    uint64_t bytes;
    int64_t there_ps;
};

/* The number of prefixes of a rank, and one of them, in the order of the collectives.
 * ORRERY_ERROR_INPUT if there is no such prefix. O(log nodes). */
ORRERY_API size_t orrery_prefixes(const struct orrery *job, uint32_t rank);
ORRERY_API enum orrery_status orrery_prefix(const struct orrery *job, uint32_t rank, size_t index,
                                            struct orrery_prefix *prefix);

/* Waiting of nodes for prefixes, the maximum over all collectives and NPUs: from the start of the
 * last member until the first chunk is delivered (turnaround_ps); from the NPU's own start until
 * the first prefix that a node waits for (first_wait_ps); idle time of the NPU between its first
 * and its last prefix (bubbles_ps). False, and all 0, if no node waits for a prefix. */
struct orrery_gradient_queue {
    int64_t turnaround_ps, first_wait_ps, bubbles_ps;
};
ORRERY_API bool orrery_gradient_queue(const struct orrery *job,
                                      struct orrery_gradient_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
