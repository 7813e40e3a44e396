/* Time and completion of one access; see access.h. */
#include "memory/pools/access.h"

#include "memory/mem.h"

static sim_time truncate_ns(double ns)
{
    return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

sim_time orr_mem_access_time(const struct mem_config *config, uint64_t bytes)
{
    if (config->whole_ns) {
        return orr_time_add(truncate_ns(config->given_latency_ns),
                            truncate_ns((double)bytes / config->given_bytes_per_ns));
    }
    return orr_time_add(config->latency_ps,
                        orr_time_of_bytes(bytes, config->bandwidth_bytes_per_s));
}

static void on_done(void *context, const struct orr_event *event)
{
    const struct mem_listener *listener = &((struct mem *)context)->listener;
    listener->done(listener->context, orr_slot(event->entity), event->cookie);
}

void orr_mem_base_init(struct mem *mem, const struct mem_ops *ops, const struct mem_config *config,
                       struct orr_evq *queue)
{
    *mem = (struct mem){.ops = ops, .config = config, .queue = queue};
    orr_evq_handle(queue, EVENT_ACCESS_DONE, on_done, mem);
}

void orr_mem_post_done(struct mem *mem, struct orr_slot npu, uint64_t label, uint64_t cookie,
                       sim_time time)
{
    const struct orr_event event = {.label = label,
                                    .cookie = cookie,
                                    .entity = npu.slot,
                                    .kind = EVENT_ACCESS_DONE,
                                    .part = ORR_PART_REMOTE_MEMORY};
    orr_evq_post_batched(mem->queue, time, &event);
}
