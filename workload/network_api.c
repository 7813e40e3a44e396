/* The public view of what the network carried: links of a graph, and pairs of NPUs. */
#include "workload/orrery_private.h"

size_t orrery_links(const struct orrery *job)
{
    return job->network.graph != NULL && job->net != NULL ? job->network.graph->links : 0;
}

static const char *node_name(struct orrery *job, uint32_t node)
{
    char text[NET_NODE_BYTES];
    const char *name = net_node_name(job->network.graph, node, text);
    return name == text ? orr_arena_strdup(job->arena, text) : name;
}

enum orrery_status orrery_link(struct orrery *job, size_t index, struct orrery_link *link)
{
    if (index >= orrery_links(job)) {
        return ORRERY_ERROR_INPUT;
    }
    const struct net_link *from = &job->network.graph->link[index];
    *link = (struct orrery_link){.from = node_name(job, from->from),
                                 .to = node_name(job, from->to),
                                 .count = from->count,
                                 .bandwidth_bytes_per_s = from->bytes_per_s,
                                 .latency_ps = from->latency_ps,
                                 .bytes = job->net->ops->link_bytes(job->net, (uint32_t)index)};
    return link->from != NULL && link->to != NULL ? ORRERY_OK : ORRERY_ERROR_MEMORY;
}

static const struct net_pair *pairs_of(const struct orrery *job, size_t *count)
{
    *count = 0;
    return job->net != NULL && job->net->traffic != NULL
               ? net_traffic_pairs(job->net->traffic, count)
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
        return ORRERY_ERROR_INPUT;
    }
    *pair = (struct orrery_pair){.from = pairs[index].src,
                                 .to = pairs[index].dst,
                                 .messages = pairs[index].messages,
                                 .bytes = pairs[index].bytes};
    return net_traffic_failed(job->net->traffic) ? ORRERY_ERROR_MEMORY : ORRERY_OK;
}
