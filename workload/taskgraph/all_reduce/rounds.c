/* All-reduces in rounds with a barrier: a round begins when all flows of the one before have
 * arrived. Which flows a round has is the kind's. */
#include "workload/taskgraph/cluster_private.h"

void orr_rounds_start(struct reduce_run *run, uint32_t handle)
{
    run->job->result.rounds++;
    run->ops->send_round(run, handle);
}

void orr_rounds_delivered(struct orr_cluster *cluster, uint32_t handle, uint32_t part)
{
    struct reduce_run *run = cluster_reduce(cluster, handle);
    (void)part;
    if (--run->flows != 0) {
        return;
    }
    if (++run->round < run->rounds) {
        orr_rounds_start(run, handle);
    } else {
        orr_cluster_end_reduce(cluster, handle);
    }
}
