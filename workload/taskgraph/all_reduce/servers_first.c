/* Hierarchical: k servers in k/g groups of g neighbours. First g - 1 rounds of a reduce-scatter in
 * the groups, in each of which every server sends S/g to the next of its group; then 2 (k/g - 1)
 * rounds of a ring across the groups, among those of equal places, of S/g/(k/g); then g - 1 rounds
 * of an all-gather in the groups. */
#include "workload/taskgraph/cluster_private.h"

static void send_round(struct reduce_run *run, uint32_t handle)
{
    struct cluster_job *job = run->job;
    const struct orr_task *task = cluster_task(job, run->task);
    const uint32_t *server = job->config.graph->next + task->first_next;
    const uint32_t k = task->nexts, group = run->step, groups = k / group;
    const bool across = run->round >= group - 1 && run->round < run->rounds - (group - 1);
    const uint64_t bytes = run->bytes / group / (across ? groups : 1);
    run->flows = k;
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t place = i % group;
        const uint32_t to = across ? (i + group) % k : i - place + (place + 1) % group;
        orr_cluster_start_flow(job, server[i], server[to], bytes, COOKIE_REDUCE | handle);
    }
}

static void start(struct cluster_job *job, const struct orr_all_reduce *choice, uint32_t index)
{
    const struct orr_task *task = cluster_task(job, index);
    const uint32_t group = choice->number, groups = task->nexts / group;
    const uint32_t handle = orr_cluster_new_reduce(job, &orr_all_reduce_hierarchical, index);
    if (handle == CLUSTER_NONE) {
        return;
    }
    struct reduce_run *run = cluster_reduce(job->cluster, handle);
    run->step = group;
    run->rounds = 2 * (group - 1) + 2 * (groups - 1);
    run->bytes = task->bytes;
    orr_rounds_start(run, handle);
}

const struct all_reduce_ops orr_all_reduce_hierarchical = {
    .start = start, .delivered = orr_rounds_delivered, .send_round = send_round};
