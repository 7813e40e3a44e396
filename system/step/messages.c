/* Messages of collectives: their priority at ports, and how they are sent. */
#include "core/evq.h"
#include "network/net.h"
#include "system/collectives/program.h"
#include "system/plan/operation.h"
#include "system/plan/phase.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"

uint64_t orr_sys_member_order(const struct sys *sys, const struct sys_member *member)
{
    const uint64_t age_mask = (UINT64_C(1) << 32) - 1;
    uint64_t age = member->age;
    uint64_t rank = 0;
    if (sys->config->priority == SYS_LIFO) {
        age = age_mask - age;
    } else if (sys->config->priority == SYS_EXPLICIT) {
        rank =
            UINT16_MAX - (uint64_t)(member->priority > UINT16_MAX ? UINT16_MAX : member->priority);
    }
    return sys_port_order_of_age(rank << 32 | age);
}

/* max(input, output) of the phase. */
static uint64_t phase_size(const struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const bool grows = phase->kind == COLL_ALL_GATHER || phase->kind == COLL_GATHER;
    return grows ? phase->bytes * stream->operation->dim[phase->dim].n : phase->bytes;
}

/* Smallest first: by size; the label orders equal sizes by age, oldest first. Smallest input first:
 * ties newest first. */
uint64_t orr_sys_port_order(const struct sys *sys, const struct sys_stream *stream)
{
    if (sys->config->port_order == SYS_SMALLEST_FIRST) {
        return phase_size(stream);
    }
    if (sys->config->port_order == SYS_SMALLEST_INPUT_FIRST) {
        const uint64_t max = UINT64_MAX >> SYS_CHUNK_BITS;
        const uint64_t bytes = sys_phase_of(stream)->bytes;
        return (bytes < max ? bytes : max) << SYS_CHUNK_BITS |
               (SYS_MAX_CHUNKS - 1u - stream->chunk);
    }
    return orr_sys_member_order(sys, sys_member_of(stream)) | stream->chunk;
}

/* The network channel of a message: that of the tree edge in the stream's slice; or, for a ring
 * step, the link. */
__attribute__((cold)) static uint32_t channel_of(struct sys *sys, const struct sys_stream *stream,
                                                 struct sys_position position, uint32_t channel)
{
    if (channel == 0) {
        return sys_phase_of(stream)->algorithm->around ? NET_LINK : 0;
    }
    const struct sys_operation *operation = stream->operation;
    return orr_sys_tree_channel(sys, operation->dim[sys_phase_of(stream)->dim].queue_dim,
                                sys_rank_of(stream), sys_rank_at(operation->group, position),
                                channel);
}

/* Of a phase whose messages are in flight at once. */
__attribute__((cold)) static uint64_t batch_of(const struct sys_stream *stream)
{
    return sys_phase_of(stream)->at_once == SYS_CHUNK_AT_ONCE ? (uintptr_t)stream
                                                              : (uintptr_t)stream->operation;
}

/* Sends a message with the direction, channel and bytes of `send`; `label_low` is the step. */
static void send_message(struct sys *sys, struct sys_stream *stream, struct sys_position position,
                         uint64_t label_low, const struct coll_send *send)
{
    struct sys_operation *operation = stream->operation;
    const struct sys_member_id peer = orr_sys_member_at(sys, operation->group, position);
    sys_count_messages(sys, sys_rank_of(stream), 1);
    /* The peer's stream has the same label. */
    const struct net_msg msg = {
        .src = sys_rank_of(stream),
        .dst = sys_rank_at(operation->group, position),
        .bytes = send->bytes,
        .order = stream->order,
        .label = sys_label(stream, 0) | label_low,
        .cookie = (uintptr_t)&operation->stream[sys_stream_index(operation, peer, stream->chunk)],
        .source_cookie = (uintptr_t)stream,
        .stream = operation->port_stream,
        .channel = __builtin_expect((send->channel != 0) | sys->keeps_ring_links, 0)
                       ? channel_of(sys, stream, position, send->channel)
                       : 0,
        .backwards = send->backwards,
        .batch = __builtin_expect(sys_phase_of(stream)->at_once != SYS_IN_LINE, 0)
                     ? batch_of(stream)
                     : 0,
        .at_once = operation->order != NULL};
    if (__builtin_expect(sys->log != NULL, 0)) {
        orr_sys_log_send(sys, stream, send, &msg);
    }
    net_send(sys->net, &msg);
}

void orr_sys_send_step(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                       const struct coll_send *send)
{
    send_message(sys, stream, peer, send->peer_recv, send);
}

void orr_sys_send_request(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                          uint32_t peer_send)
{
    const struct coll_send request = {.bytes = SYS_REQUEST_BYTES};
    send_message(sys, stream, peer, sys->labels.request_bit | peer_send, &request);
}

void orr_sys_post_now(struct sys *sys, struct sys_stream *stream, uint16_t kind, uint32_t step)
{
    const struct orr_event event = {.label = sys_label(stream, step),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = kind};
    orr_evq_post(sys->queue, orr_evq_now(sys->queue), &event);
}
