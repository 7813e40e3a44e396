/* Nodes that wait for a part of a collective (the attribute prefix_of of a trace): when each part
 * was there, and how long was waited for them. After the run. */
#ifndef ORRERY_PREFIX_H
#define ORRERY_PREFIX_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first `bytes` of a collective, for which a node waits: both by index, as of orrery_node; and
 * when they were there (< 0: never). */
struct orrery_prefix {
    size_t collective, node;
    uint64_t bytes;
    int64_t there_ps;
};

/* How many there are of a rank; one of them, in the order of the collectives. ORRERY_ERROR_INPUT
 * when there is no such one. O(log nodes). */
ORRERY_API size_t orrery_prefixes(const struct orrery *job, uint32_t rank);
ORRERY_API enum orrery_status orrery_prefix(const struct orrery *job, uint32_t rank, size_t index,
                                            struct orrery_prefix *prefix);

/* How long nodes waited that wait for a part of a collective (prefix_of), the longest of all
 * collectives and NPUs: from when all had started one until its first chunk was there
 * (turnaround_ps); from when the NPU had, until the first part was that a node waits for
 * (first_wait_ps); and between the first and the last of these the time in which the NPU did
 * nothing but wait (bubbles_ps). False, and all 0, where no node waits for a part. */
struct orrery_gradient_queue {
    int64_t turnaround_ps, first_wait_ps, bubbles_ps;
};
ORRERY_API bool orrery_gradient_queue(const struct orrery *job,
                                      struct orrery_gradient_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
