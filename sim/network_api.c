/* Results of the network, for the public API: links of a graph, pairs of NPUs, utilization,
 * circuits. */
#include "network/allocation.h"
#include "network/graph.h"
#include "network/link_utilization.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "network/traffic.h"
#include "orrery/orrery.h"
#include "sim/load/pilot_run.h"
#include "sim/load/platform_network.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

const struct net_config *orr_job_network(const struct orrery *job)
{
    return &job->network;
}

size_t orrery_links(const struct orrery *job)
{
    return job->network.graph != NULL && job->layers.net != NULL ? job->network.graph->links : 0;
}

const char *orrery_node_name(const struct orrery *job, uint32_t node)
{
    const struct net_graph *graph = job->network.graph;
    return graph != NULL && graph->name != NULL && node < graph->nodes ? graph->name[node] : NULL;
}

/* Bytes that a link could have carried. Circuits change during the run; all other changes are known
 * before. */
static double offered_of(const struct orrery *job, uint32_t link)
{
    const struct net_graph *graph = job->network.graph;
    const sim_time wall = orrery_wall_ps(job);
    return orr_net_moves_circuits(graph)
               ? job->layers.net->ops->capacities->offered(job->layers.net, link, wall)
               : orr_net_link_offered(graph, link, wall);
}

enum orrery_status orrery_link(const struct orrery *job, size_t index, struct orrery_link *link)
{
    if (index >= orrery_links(job)) {
        return orr_reject_index(job, "link", index, orrery_links(job));
    }
    const struct net_link *from = &job->network.graph->link[index];
    *link = (struct orrery_link){
        .from = from->from,
        .to = from->to,
        .count = from->count,
        .bandwidth_bytes_per_s = from->bytes_per_s,
        .latency_ps = from->latency_ps,
        .bytes = job->layers.net->ops->links->bytes(job->layers.net, (uint32_t)index),
        .offered_bytes = offered_of(job, (uint32_t)index)};
    return ORRERY_OK;
}

double orrery_bandwidth_tax(const struct orrery *job)
{
    struct net_dim_stats stats[NET_MAX_DIMS];
    double demand = 0, sent = 0;
    if (orrery_links(job) == 0) {
        return 0;
    }
    job->layers.net->ops->stats(job->layers.net, stats);
    for (unsigned d = 0; d < job->network.dims; d++) {
        demand += (double)stats[d].bytes;
    }
    for (uint32_t i = 0; i < job->network.graph->links; i++) {
        const bool by_npu = job->network.graph->link[i].from < job->npus;
        sent += by_npu ? (double)job->layers.net->ops->links->bytes(job->layers.net, i) : 0;
    }
    return demand > 0 ? sent / demand : 1;
}

struct orrery_link_steps orrery_link_steps(const struct orrery *job)
{
    struct orrery_link_steps steps = {.steps = 0};
    if (job->ran && job->layers.net != NULL && job->layers.net->use != NULL) {
        steps.steps = orr_net_link_utilization_steps(job->layers.net->use);
        steps.step_ps = orr_net_link_utilization_step_ps(job->layers.net->use);
    }
    return steps;
}

/* Caps utilization at `max` links. A flow's busy time is spread evenly, which can exceed the number
 * of links in a step: the excess moves to later steps with capacity, the rest to earlier ones. */
static void spread(double *links, size_t steps, double max)
{
    double rest = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < steps; i++) {
            double *at = &links[pass == 0 ? i : steps - 1 - i];
            const double sum = *at + rest;
            *at = sum < max ? sum : max;
            rest = sum - *at;
        }
    }
}

/* A simulated NPU represents its class. */
enum orrery_status orrery_link_use(const struct orrery *job, unsigned dim, double *links,
                                   size_t max)
{
    const size_t steps = orrery_link_steps(job).steps;
    double all[NET_USE_STEPS];
    struct net_dim_stats stats[NET_MAX_DIMS];
    if (steps == 0 || dim >= job->network.dims) {
        return orr_reject_call(job, "the use of links of dimension %u is not known", dim);
    }
    orr_net_link_utilization_read(job->layers.net->use, dim, all);
    for (size_t i = 0; i < steps; i++) {
        all[i] *= (double)(job->npus / job->fold.slots);
    }
    job->layers.net->ops->stats(job->layers.net, stats);
    spread(all, steps, (double)stats[dim].servers);
    for (size_t i = 0; i < steps && i < max; i++) {
        links[i] = all[i];
    }
    return ORRERY_OK;
}

static const struct net_pair *pairs_of(const struct orrery *job, size_t *count)
{
    *count = 0;
    return job->layers.net != NULL && job->layers.net->traffic != NULL
               ? orr_net_traffic_pairs(job->layers.net->traffic, count)
               : NULL;
}

size_t orrery_pairs(const struct orrery *job)
{
    size_t count;
    (void)pairs_of(job, &count);
    return count;
}

enum orrery_status orrery_pair(const struct orrery *job, size_t index, struct orrery_pair *pair)
{
    size_t count;
    const struct net_pair *pairs = pairs_of(job, &count);
    if (index >= count) {
        return orr_reject_index(job, "pair of NPUs", index, count);
    }
    *pair = (struct orrery_pair){.from = pairs[index].src,
                                 .to = pairs[index].dst,
                                 .messages = pairs[index].messages,
                                 .bytes = pairs[index].bytes};
    return orr_net_traffic_failed(job->layers.net->traffic) ? ORRERY_ERROR_MEMORY : ORRERY_OK;
}

/* ---- circuits for demands, and iterations ---- */

bool orrery_circuits(const struct orrery *job, struct orrery_circuits *circuits)
{
    const struct orr_pilot_result *of = job->pilot_result;
    if (of == NULL || of->demands == 0) {
        return false;
    }
    *circuits = (struct orrery_circuits){.once = of->once,
                                         .group = of->group,
                                         .pairs = of->demands,
                                         .weight = of->weight,
                                         .weights = of->weights,
                                         .deficit = of->report.deficit,
                                         .switch_ps = of->switch_ps};
    return true;
}

uint32_t orrery_iterations(const struct orrery *job)
{
    return job->layers.engine != NULL && job->cluster.jobs == NULL
               ? orr_engine_job(job->layers.engine, 0).iterations
               : 0;
}

int64_t orrery_iteration_ps(const struct orrery *job, uint32_t index)
{
    return index < orrery_iterations(job)
               ? orr_engine_job(job->layers.engine, 0).iteration_ps[index]
               : 0;
}
