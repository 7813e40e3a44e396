/* Utilization of links under the flow backend: a message's busy time is spread evenly over its time
 * in flight, whatever its share of each link at a moment. */
#include "network/backends/flow_private.h"
#include "network/net.h"

/* Busy time of one message in one dimension. */
struct flow_busy {
    sim_time began;
    double busy_ps;
};

void orr_flow_busy_before(struct flow_net *net)
{
    for (unsigned d = 0; net->linked.base.use != NULL && d < net->linked.base.config->dims; d++) {
        net->before[d] = net->linked.stats[d].busy_ps;
    }
}

void orr_flow_busy_began(struct flow_net *net, uint32_t handle, sim_time time)
{
    const unsigned dims = net->linked.base.config->dims;
    if (net->linked.base.use == NULL) {
        return;
    }
    struct flow_busy *grown = orr_arena_grow(net->linked.arena, net->uses, &net->uses_alloc,
                                             ((size_t)handle + 1) * dims, sizeof *grown);
    if (grown == NULL) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return;
    }
    net->uses = grown;
    for (unsigned d = 0; d < dims; d++) {
        const orr_sum busy_ps = net->linked.stats[d].busy_ps - net->before[d];
        grown[(size_t)handle * dims + d] =
            (struct flow_busy){.began = time, .busy_ps = (double)busy_ps};
    }
}

void orr_flow_busy_ended(struct flow_net *net, uint32_t handle)
{
    const unsigned dims = net->linked.base.config->dims;
    for (unsigned d = 0; net->linked.base.use != NULL && d < dims; d++) {
        const struct flow_busy *use = &net->uses[(size_t)handle * dims + d];
        if (use->busy_ps > 0) {
            net_use(&net->linked.base, d, use->began, orr_evq_now(net->linked.base.queue),
                    use->busy_ps);
        }
    }
}
