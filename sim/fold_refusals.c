/* Jobs in which no two NPUs are simulated as one, whatever they do: see fold_job.h. */
#include <string.h>

#include "sim/fold_job.h"

const char *orr_wl_unfoldable(const struct wl_fold_job *job)
{
    if (job->system->policy->order != ORR_ORDER_LABEL) {
        return "the reference's rules order events by who posted them first";
    }
    if (job->network->astra_timing) {
        return "the reference's timing";
    }
    if (job->network->graph != NULL) {
        return "the network is a graph";
    }
    if (job->network->flows.windows && strcmp(job->network->backend, orr_net_flow.name) == 0) {
        return "flows share links by congestion windows";
    }
    if (job->network->packet_bytes != 0 &&
        strcmp(job->network->backend, orr_net_congestion.name) == 0) {
        return "messages go in packets";
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
