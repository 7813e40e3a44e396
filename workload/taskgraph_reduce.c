/* All-reduces of task graphs: synchronous rings. An all-reduce of S bytes among k servers takes
 * 2 (k - 1) rounds, in each of which every server sends S/k to the next; a round begins when all
 * flows of the one before have arrived. Where the network has r rings for groups of k, each carries
 * S/k/r with rounds of its own. Small ones, S <= 18000 (k - 1), take one round with the bytes of
 * all. */
#include "workload/taskgraph_private.h"

enum { SMALL_BYTES_PER_STEP = 18000 };

static const struct orr_task *task_of(const struct orr_taskgraph_run *run, uint32_t task)
{
    return &run->config.graph->task[task];
}

static void start_round(struct orr_taskgraph_run *run, uint32_t handle)
{
    struct ring_run *ring = orr_slab_at(&run->rings, handle);
    const struct orr_task *task = task_of(run, ring->task);
    const uint32_t *server = run->config.graph->next + task->first_next;
    const uint32_t count = task->nexts, step = ring->step;
    ring->flows = count;
    run->result.rounds++;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = i + step < count ? i + step : i + step - count;
        const uint32_t ends[2] = {server[i], server[to]};
        taskgraph_start_flow(run, ends, ring->bytes, UINT64_C(1) << COOKIE_RING_BIT | handle);
    }
}

static void start_ring(struct orr_taskgraph_run *run, uint32_t task_index, uint32_t step,
                       uint32_t rings)
{
    const struct orr_task *task = task_of(run, task_index);
    const uint64_t k = task->nexts;
    const bool small = task->bytes <= SMALL_BYTES_PER_STEP * (k - 1);
    const uint64_t block = task->bytes / k;
    const uint32_t handle = orr_slab_new(&run->rings);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(run->queue, ORR_ERR_MEMORY);
        return;
    }
    *(struct ring_run *)orr_slab_at(&run->rings, handle) =
        (struct ring_run){.task = task_index,
                          .step = step,
                          .rounds = small ? 1 : (uint32_t)(2 * (k - 1)),
                          .bytes = (small ? task->bytes * 2 * (k - 1) / k / k : block) / rings};
    start_round(run, handle);
}

void taskgraph_reduce(struct orr_taskgraph_run *run, uint32_t task)
{
    const struct net_graph *network = run->config.network;
    const uint32_t k = task_of(run, task)->nexts;
    uint32_t rings = 0;
    for (uint32_t i = 0; i < network->rings; i++) {
        rings += network->ring[i].npus == k;
    }
    run->result.all_reduces++;
    if (rings == 0) {
        start_ring(run, task, 1, 1);
        return;
    }
    for (uint32_t i = 0; i < network->rings; i++) {
        const int64_t jump = network->ring[i].jump;
        if (network->ring[i].npus == k) {
            start_ring(run, task, (uint32_t)((jump % k + k) % k), rings);
        }
    }
}

void taskgraph_ring_delivered(struct orr_taskgraph_run *run, uint32_t handle)
{
    struct ring_run *ring = orr_slab_at(&run->rings, handle);
    if (--ring->flows != 0) {
        return;
    }
    if (--ring->rounds != 0) {
        start_round(run, handle);
    } else {
        orr_slab_free(&run->rings, handle);
    }
}
