/* Synchronous rings: an all-reduce of S bytes among k servers takes 2 (k - 1) rounds, in each of
 * which every server sends S/k to the next. Where the network has r rings for groups of k, each
 * carries S/k/r with rounds of its own. Small ones, S <= 18000 (k - 1), take one round with the
 * bytes of all. */
#include "workload/taskgraph/cluster_private.h"

enum { SMALL_BYTES_PER_STEP = 18000 };

uint32_t orr_rings_of(const struct cluster_job *job, uint32_t servers)
{
    const struct net_graph *network = job->cluster->config.network;
    uint32_t rings = 0;
    for (uint32_t i = 0; i < network->rings; i++) {
        rings += network->ring[i].npus == servers && network->ring[i].order == NULL;
    }
    return rings;
}

uint32_t orr_ring_step(const struct cluster_job *job, uint32_t servers, uint32_t index)
{
    const struct net_graph *network = job->cluster->config.network;
    for (uint32_t i = 0; i < network->rings; i++) {
        if (network->ring[i].npus == servers && network->ring[i].order == NULL && index-- == 0) {
            const int64_t k = servers, jump = network->ring[i].jump;
            return (uint32_t)((jump % k + k) % k);
        }
    }
    return 1;
}

static void send_round(struct reduce_run *run, uint32_t handle)
{
    struct cluster_job *job = run->job;
    const struct orr_task *task = cluster_task(job, run->task);
    const uint32_t *server = job->config.graph->next + task->first_next;
    const uint32_t count = task->nexts, step = run->step;
    run->flows = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = i + step < count ? i + step : i + step - count;
        orr_cluster_start_flow(job, server[i], server[to], run->bytes, COOKIE_REDUCE | handle);
    }
}

static void start_ring(struct cluster_job *job, uint32_t index, uint32_t step, uint32_t rings)
{
    const struct orr_task *task = cluster_task(job, index);
    const uint64_t k = task->nexts;
    const bool small = task->bytes <= SMALL_BYTES_PER_STEP * (k - 1);
    const uint32_t handle = orr_cluster_new_reduce(job, &orr_all_reduce_ring, index);
    if (handle == CLUSTER_NONE) {
        return;
    }
    struct reduce_run *run = cluster_reduce(job->cluster, handle);
    run->step = step;
    run->rounds = small ? 1 : (uint32_t)(2 * (k - 1));
    run->bytes = (small ? task->bytes * 2 * (k - 1) / k / k : task->bytes / k) / rings;
    orr_rounds_start(run, handle);
}

static void start(struct cluster_job *job, const struct orr_all_reduce *choice, uint32_t index)
{
    const uint32_t servers = cluster_task(job, index)->nexts, given = orr_rings_of(job, servers);
    const uint32_t rings = given == 0 ? 1 : given;
    (void)choice;
    for (uint32_t i = 0; i < rings; i++) {
        start_ring(job, index, orr_ring_step(job, servers, i), rings);
    }
}

const struct all_reduce_ops orr_all_reduce_ring = {
    .start = start, .delivered = orr_rounds_delivered, .send_round = send_round};
