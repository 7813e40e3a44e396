/* Jobs in which no two NPUs are simulated as one, whatever they do: see fold_job.h. */
#include "sim/fold_job.h"

const char *orr_wl_unfoldable(const struct wl_fold_job *job)
{
    if (job->system->policy->order != ORR_ORDER_LABEL) {
        return job->system->policy->ignores_rules
                   ? "the reference's rules order events by who posted them first"
                   : "a task graph's events are ordered by who posted them first";
    }
    if (job->network->astra_timing) {
        return "the reference's timing";
    }
    if (job->network->graph != NULL) {
        return "the network is a graph";
    }
    const struct net_ops *ops = orr_net_backend_find(job->network->backend);
    const char *why = ops->unfoldable != NULL ? ops->unfoldable(job->network) : NULL;
    if (why != NULL) {
        return why;
    }
    if (job->system->rendezvous) {
        return "rendezvous requests go against the direction of the data";
    }
    if (!orr_mem_type_find(job->remote->type)->side_by_side) {
        return "NPUs share a remote memory";
    }
    if (job->compute->slowdown != NULL && job->compute->slowdown->jitter != WL_JITTER_NONE) {
        return "compute.slowdown.jitter gives every NPU durations of its own";
    }
    return NULL;
}
