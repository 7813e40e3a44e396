/* Turns: with a service order (plan/phase_order.c), a member's dimension serves one chunk-phase
 * after the other. Invariant: of the chunk-phases of a dimension exactly those before its turn have
 * been served; the one whose turn it is runs, or its chunk is still in another dimension. */
#include "system/step/stepping.h"

/* The chunk-phase whose turn it is on a dimension of the member; SYS_NONE past the end. */
static uint32_t turn_of(const struct sys_operation *operation, struct sys_member_id member,
                        unsigned dim)
{
    const uint32_t turn = operation->turn[(size_t)member.member * operation->dims + dim];
    const uint32_t end =
        dim + 1 < operation->dims ? operation->order->first[dim + 1] : operation->order->items;
    return operation->order->first[dim] + turn < end
               ? operation->order->item[operation->order->first[dim] + turn]
               : SYS_NONE;
}

void orr_sys_phase_enter(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    if (operation->order != NULL && turn_of(operation, stream->member, sys_phase_of(stream)->dim) !=
                                        ((uint32_t)stream->chunk << 8 | stream->phase)) {
        stream->flags |= STREAM_READY;
        return;
    }
    orr_sys_phase_begin(sys, stream);
}

void orr_sys_phase_serve_next(struct sys *sys, struct sys_operation *operation,
                              struct sys_member_id member, unsigned dim)
{
    operation->turn[(size_t)member.member * operation->dims + dim]++;
    const uint32_t item = turn_of(operation, member, dim);
    if (item == SYS_NONE) {
        return;
    }
    struct sys_stream *next = &operation->stream[sys_stream_index(operation, member, item >> 8)];
    if ((next->flags & STREAM_READY) != 0 && next->phase == (item & 0xFF)) {
        next->flags &= (uint8_t)~STREAM_READY;
        orr_sys_phase_begin(sys, next);
    }
}

static const struct sys_stepper_ops *stepper_of(const struct sys_operation *operation,
                                                const struct sys_phase *phase)
{
    (void)operation;
    (void)phase;
    return &orr_sys_generic_steps;
}

static void next(struct sys *sys, struct sys_stream *stream)
{
    stream->phase++;
    orr_sys_phase_begin(sys, stream);
}

const struct sys_chunk_ops orr_sys_chunks_by_turns = {.name = "turns",
                                                      .stepper_of = stepper_of,
                                                      .start = orr_sys_phase_enter,
                                                      .next = next,
                                                      .stall_hint = ""};
