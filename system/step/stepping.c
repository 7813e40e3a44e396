/* Dispatch between phases and steppers: begin, arrival, departure. */
#include "system/step/stepping.h"

void orr_sys_phase_begin(struct sys *sys, struct sys_stream *stream)
{
    stream->flags |= STREAM_ACTIVE;
    stream->flags &= (uint8_t) ~(STREAM_HELD | STREAM_AT_GATE | STREAM_OPEN);
    stream->sent[0] = stream->sent[1] = 0;
    stream->received[0] = stream->received[1] = 0;
    stream->left = 0;
    stream->order = orr_sys_port_order(sys, stream);
    sys_phase_of(stream)->stepper->begin(sys, stream);
}

static uint8_t phase_of_label(const struct sys *sys, uint64_t label)
{
    return (uint8_t)(label >> sys->labels.phase_shift & sys->labels.phase_mask);
}

static bool is_request(const struct sys *sys, uint64_t label)
{
    return (label & sys->labels.request_bit) != 0;
}

static inline void deliver(struct sys *sys, uint64_t label, uint64_t cookie)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)cookie;
    const uint32_t step = sys_label_step(sys, label);
    const uint8_t phase = phase_of_label(sys, label);
    const bool request = is_request(sys, label);
    if ((stream->flags & STREAM_ACTIVE) == 0 || stream->phase != phase) {
        orr_sys_unexpected_add(sys, stream, phase, step, request);
    } else if (request) {
        sys_phase_of(stream)->stepper->request(sys, stream, step);
    } else {
        const struct sys_phase *now = sys_phase_of(stream);
        now->stepper->arrived(sys, stream, now, step);
    }
}

/* Separate from the common path, which then saves no registers for this call. */
__attribute__((cold, noinline)) static void deliver_logged(struct sys *sys, uint64_t label,
                                                           uint64_t cookie)
{
    orr_sys_log_arrival(sys, label, cookie);
    deliver(sys, label, cookie);
}

void orr_sys_collective_delivered(struct sys *sys, uint64_t label, uint64_t cookie)
{
    if (__builtin_expect(sys->log != NULL, 0)) {
        deliver_logged(sys, label, cookie);
        return;
    }
    deliver(sys, label, cookie);
}

void orr_sys_collective_left(struct sys *sys, uint64_t source_cookie)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)source_cookie;
    const struct sys_phase *phase = sys_phase_of(stream);
    if (phase->stepper->left != NULL) {
        phase->stepper->left(sys, stream, phase);
    }
}
