/* What the tasks of jobs and their all-reduces ask of the cluster that they run on: events, flows,
 * all-reduces under way, and the end of an iteration. */
#include "workload/taskgraph/cluster_private.h"

void orr_cluster_post(struct orr_cluster *cluster, sim_time time, uint16_t kind, uint64_t cookie)
{
    const struct orr_event event = {.cookie = cookie, .kind = kind, .part = ORR_PART_OTHER};
    orr_evq_post(cluster->queue, time, &event);
}

void orr_cluster_no_memory(struct orr_cluster *cluster)
{
    orr_evq_stop(cluster->queue, ORR_ERR_MEMORY);
}

/* Flows are numbered job by job, so that the paths of one do not depend on the others. */
void orr_cluster_start_flow(struct cluster_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                            uint64_t cookie)
{
    const uint64_t key = (uint64_t)job->config.stream << 40 | job->flows++;
    orr_net_flows_start(job->cluster->flows, job->node[from], job->node[to], bytes, key, cookie);
}

void orr_cluster_check_end(struct cluster_job *job)
{
    if (job->done != job->config.graph->tasks || job->reducing != 0) {
        return;
    }
    const sim_time now = orr_evq_now(job->cluster->queue);
    job->iteration_ps[job->iteration++] = now - job->began_ps;
    job->result.end_ps = now;
    if (job->iteration < job->config.iterations) {
        orr_cluster_post(job->cluster, now, EVENT_BEGIN, job->number);
    }
}

uint32_t orr_cluster_new_reduce(struct cluster_job *job, const struct all_reduce_ops *ops,
                                uint32_t task)
{
    struct orr_cluster *cluster = job->cluster;
    const uint32_t handle = orr_slab_new(&cluster->reduces);
    if (handle == ORR_SLAB_NONE) {
        orr_cluster_no_memory(cluster);
        return CLUSTER_NONE;
    }
    *cluster_reduce(cluster, handle) = (struct reduce_run){.job = job, .ops = ops, .task = task};
    job->reducing++;
    return handle;
}

void orr_cluster_end_reduce(struct orr_cluster *cluster, uint32_t handle)
{
    struct cluster_job *job = cluster_reduce(cluster, handle)->job;
    orr_slab_free(&cluster->reduces, handle);
    job->reducing--;
    orr_cluster_check_end(job);
}
