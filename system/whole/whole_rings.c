/* Synchronous rings: an all-reduce of S bytes among k members takes 2 (k - 1) rounds, in each of
 * which every member sends S/k to the next. Where the network has r rings for groups of k, each
 * carries S/k/r with rounds of its own. Small ones, S <= 18000 (k - 1), take one round with the
 * bytes of all. */
#include "system/whole/whole_private.h"

enum { SMALL_BYTES_PER_STEP = 18000 };

uint32_t orr_whole_rings(const struct sys *sys, uint32_t members)
{
    const struct net_graph *network = sys->net->config->graph;
    uint32_t rings = 0;
    for (uint32_t i = 0; network != NULL && i < network->rings; i++) {
        rings += network->ring[i].npus == members;
    }
    return rings;
}

uint32_t orr_whole_ring_step(const struct sys *sys, uint32_t members, uint32_t index)
{
    const struct net_graph *network = sys->net->config->graph;
    for (uint32_t i = 0; network != NULL && i < network->rings; i++) {
        if (network->ring[i].npus == members && index-- == 0) {
            const int64_t k = members, jump = network->ring[i].jump;
            return (uint32_t)((jump % k + k) % k);
        }
    }
    return 1;
}

static void act(struct sys *sys, uint32_t handle, uint32_t member)
{
    const struct whole_run *run = whole_run_at(sys, handle);
    const uint32_t count = whole_size(run->operation), step = run->step;
    const uint32_t to = member + step < count ? member + step : member + step - count;
    orr_whole_send(sys, handle,
                   &(struct whole_send){.from = member, .to = to, .bytes = run->bytes});
}

static void start_ring(struct sys *sys, struct sys_operation *operation, uint32_t step,
                       uint32_t rings)
{
    const uint64_t k = whole_size(operation), bytes = operation->bytes;
    const bool small = bytes <= SMALL_BYTES_PER_STEP * (k - 1);
    const uint32_t handle = orr_whole_new_run(sys, &orr_whole_ring, operation);
    if (handle == SYS_NONE) {
        return;
    }
    struct whole_run *run = whole_run_at(sys, handle);
    run->step = step;
    run->rounds = small ? 1 : (uint32_t)(2 * (k - 1));
    run->bytes = (small ? bytes * 2 * (k - 1) / k / k : bytes / k) / rings;
    orr_whole_rounds_start(sys, handle);
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    const uint32_t members = whole_size(operation), given = orr_whole_rings(sys, members);
    const uint32_t rings = given == 0 ? 1 : given;
    for (uint32_t i = 0; i < rings; i++) {
        start_ring(sys, operation, orr_whole_ring_step(sys, members, i), rings);
    }
}

const struct whole_ops orr_whole_ring = {
    .start = start, .delivered = orr_whole_rounds_delivered, .act = act};
