/* Jobs without symmetry reduction: every NPU is simulated; see fold_job.h. */
#include <string.h>

#include "core/evq.h"
#include "memory/mem.h"
#include "network/allocation.h"
#include "network/capacity_changes.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/ring_links.h"
#include "sim/fold/fold_job.h"
#include "sim/fold/fold_routes.h"
#include "system/sys_config.h"
#include "workload/engine/engine.h"
#include "workload/engine/slowdown.h"
#include "workload/trace/trace.h"

static const char *of_memory_and_compute(const struct wl_fold_job *job)
{
    if (!orr_mem_type_find(job->remote->type)->is_contention_free) {
        return "NPUs share a remote memory";
    }
    if (job->compute->slowdown != NULL && job->compute->slowdown->jitter != WL_JITTER_NONE) {
        return "compute.slowdown.jitter gives every NPU durations of its own";
    }
    return NULL;
}

/* Graphs are folded only if shares depend on the set of flows alone, for jobs whose events of one
 * instant commute (as those of task graphs by number do, workload/engine/issue_fifo.c). */
/* Why the backend's keys rule out folding, or NULL. */
static const char *why_not(const struct net_ops *ops, const struct net_config *network)
{
    return ops->folding != NULL && ops->folding->unfoldable != NULL
               ? ops->folding->unfoldable(network)
               : NULL;
}

static const char *of_graph(const struct wl_fold_job *job)
{
    const struct net_config *network = job->network;
    const struct net_ops *ops = orr_net_backend_find(network->backend);
    /* Circuits for demands are equal for all equivalent groups. */
    const bool turns = job->group_npus != 0 && orr_net_is_allocated(network->graph);
    if ((orr_net_changes(network) && !turns) || network->channels != 0) {
        return "links of the network change, or carry channels";
    }
    if (net_recovers_rings(network)) {
        return "rings of the network have lost links";
    }
    if (network->graph->npus > FOLD_ROUTES_MAX_NPUS && !turns &&
        !orr_net_graph_is_flat(network->graph)) {
        return "there are more than 16384 NPUs on a graph";
    }
    if (ops->folding == NULL || !ops->folding->is_order_independent) {
        return "messages of the network wait for each other in the order of their start";
    }
    const char *why = why_not(ops, network);
    if (why != NULL) {
        return why;
    }
    if (job->system->rendezvous) {
        return "rendezvous requests go against the direction of the data";
    }
    return of_memory_and_compute(job);
}

static bool by_number(const struct wl_traces *traces)
{
    bool all = traces->layout == NULL;
    for (uint32_t i = 0; i < traces->count && all; i++) {
        all = strcmp(traces->trace[i]->rules, ORR_RULES_BY_NUMBER) == 0;
    }
    return all;
}

bool orr_wl_folds_by_rotation(const struct wl_fold_job *job)
{
    return job->group_npus == 0 && job->network->graph != NULL &&
           job->system->policy->folds_by_rotation && by_number(job->traces);
}

const char *orr_wl_unfoldable(const struct wl_fold_job *job)
{
    if (job->group_npus != 0 || orr_wl_folds_by_rotation(job)) {
        return of_graph(job);
    }
    if (job->system->policy->not_folded != NULL) {
        return job->system->policy->not_folded;
    }
    if (job->network->graph != NULL) {
        return of_graph(job);
    }
    const struct net_ops *ops = orr_net_backend_find(job->network->backend);
    const char *why = why_not(ops, job->network);
    if (why != NULL) {
        return why;
    }
    if (job->system->rendezvous) {
        return "rendezvous requests go against the direction of the data";
    }
    return of_memory_and_compute(job);
}
