/* Events of ASTRA-sim's steppers: delayed steps, and receives. */
#include "system/astra/astra_stepping.h"

sim_time orr_sys_reduction_time(const struct sys *sys, uint64_t bytes)
{
    if (sys->config->reduction_bytes_per_s == 0) {
        return 0; /* overlapped */
    }
    /* One write and two reads, each truncated to whole ns. */
    const double ns = (double)bytes / sys->config->reduction_bytes_per_s * 1e9;
    return ns < 3e15 ? 3 * (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
}

void orr_sys_post_step(struct sys *sys, struct sys_stream *stream, sim_time delay,
                       enum sys_step_wait wait, uint32_t packet)
{
    const struct orr_event event = {.label = sys_label(stream, packet),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_STEP,
                                    .aux = wait == SYS_ENDPOINT_THEN_REDUCTION,
                                    .part = wait == SYS_REDUCTION ? ORR_PART_REDUCTION
                                                                  : ORR_PART_ENDPOINT};
    orr_evq_post_batched(sys->queue, orr_time_add(orr_evq_now(sys->queue), delay), &event);
}

void orr_sys_post_recv(struct sys *sys, struct sys_stream *stream, uint32_t recv)
{
    if (stream->unexpected != SYS_NONE &&
        orr_sys_unexpected_take(sys, stream, stream->phase, recv, false)) {
        orr_sys_post_now(sys, stream, EVENT_UNEXPECTED, recv);
    }
}
