/* The public view of what the network carried: links of a graph, and pairs of NPUs. */
#include "sim/load/platform_network.h"
#include "sim/load/rehearse.h"
#include "sim/orrery_private.h"

const struct net_config *orr_job_network(const struct orrery *job)
{
    return &job->network;
}

size_t orrery_links(const struct orrery *job)
{
    return job->network.graph != NULL && job->net != NULL ? job->network.graph->links : 0;
}

const char *orrery_node_name(const struct orrery *job, uint32_t node)
{
    const struct net_graph *graph = job->network.graph;
    return graph != NULL && graph->name != NULL && node < graph->nodes ? graph->name[node] : NULL;
}

/* Circuits come and go in the run, all else is known before. */
static double offered_of(const struct orrery *job, uint32_t link)
{
    const struct net_graph *graph = job->network.graph;
    const sim_time wall = orrery_wall_ps(job);
    return orr_net_moves_circuits(graph) ? job->net->ops->offered(job->net, link, wall)
                                         : orr_net_link_offered(graph, link, wall);
}

enum orrery_status orrery_link(const struct orrery *job, size_t index, struct orrery_link *link)
{
    if (index >= orrery_links(job)) {
        return orr_refuse_index(job, "link", index, orrery_links(job));
    }
    const struct net_link *from = &job->network.graph->link[index];
    *link = (struct orrery_link){.from = from->from,
                                 .to = from->to,
                                 .count = from->count,
                                 .bandwidth_bytes_per_s = from->bytes_per_s,
                                 .latency_ps = from->latency_ps,
                                 .bytes = job->net->ops->link_bytes(job->net, (uint32_t)index),
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
    job->net->ops->stats(job->net, stats);
    for (unsigned d = 0; d < job->network.dims; d++) {
        demand += (double)stats[d].bytes;
    }
    for (uint32_t i = 0; i < job->network.graph->links; i++) {
        const bool by_npu = job->network.graph->link[i].from < job->npus;
        sent += by_npu ? (double)job->net->ops->link_bytes(job->net, i) : 0;
    }
    return demand > 0 ? sent / demand : 1;
}

static const struct net_pair *pairs_of(const struct orrery *job, size_t *count)
{
    *count = 0;
    return job->net != NULL && job->net->traffic != NULL
               ? orr_net_traffic_pairs(job->net->traffic, count)
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
        return orr_refuse_index(job, "pair of NPUs", index, count);
    }
    *pair = (struct orrery_pair){.from = pairs[index].src,
                                 .to = pairs[index].dst,
                                 .messages = pairs[index].messages,
                                 .bytes = pairs[index].bytes};
    return orr_net_traffic_failed(job->net->traffic) ? ORRERY_ERROR_MEMORY : ORRERY_OK;
}

/* ---- circuits for demands, and iterations ---- */

bool orrery_circuits(const struct orrery *job, struct orrery_circuits *circuits)
{
    const struct orr_rehearsed *of = job->rehearsed;
    if (of == NULL || of->demands == 0) {
        return false;
    }
    *circuits = (struct orrery_circuits){.once = of->once,
                                         .group = of->group,
                                         .pairs = of->demands,
                                         .weight = of->weight,
                                         .weights = of->weights,
                                         .deficit = of->told.deficit,
                                         .switch_ps = of->switch_ps};
    return true;
}

uint32_t orrery_iterations(const struct orrery *job)
{
    return job->engine != NULL && job->jobs == NULL ? orr_engine_job(job->engine, 0).iterations : 0;
}

int64_t orrery_iteration_ps(const struct orrery *job, uint32_t index)
{
    return index < orrery_iterations(job) ? orr_engine_job(job->engine, 0).iteration_ps[index] : 0;
}
