/* Nodes that wait for a prefix of a collective, for the public API. */
#include "orrery/prefix.h"

#include "core/fold.h"
#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

size_t orrery_prefixes(const struct orrery *job, uint32_t rank)
{
    return job->ran && rank < job->npus
               ? orr_engine_prefixes(job->layers.engine, orr_slot_of(job, orr_rank(rank)))
               : 0;
}

enum orrery_status orrery_prefix(const struct orrery *job, uint32_t rank, size_t index,
                                 struct orrery_prefix *out)
{
    if (index >= orrery_prefixes(job, rank)) {
        return orr_reject_index(job, "prefix", index, orrery_prefixes(job, rank));
    }
    const struct wl_prefix prefix =
        orr_engine_prefix(job->layers.engine, orr_slot_of(job, orr_rank(rank)), (uint32_t)index);
    *out = (struct orrery_prefix){.collective = prefix.collective,
                                  .node = prefix.node,
                                  .bytes = prefix.bytes,
                                  .there_ps = prefix.there_ps};
    return ORRERY_OK;
}

bool orrery_gradient_queue(const struct orrery *job, struct orrery_gradient_queue *out)
{
    struct wl_queue queue = {0};
    const bool any = job->ran && orr_engine_queue(job->layers.engine, &queue);
    *out = (struct orrery_gradient_queue){.turnaround_ps = queue.turnaround_ps,
                                          .first_wait_ps = queue.first_wait_ps,
                                          .bubbles_ps = queue.bubbles_ps};
    return any;
}
