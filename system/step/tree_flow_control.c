/* Flow control of trees (C-Cube, HPCA 2023, sections III-A and IV-B): constraints on sends in
 * addition to the receives they need.
 *
 * Phased: the root sends nothing down before it has all chunks of the tree. Its chunks wait at a
 * gate; the last one opens it for all, in the order of chunks.
 *
 * Receive buffers (credits): with b buffers, a chunk goes up an edge when the receiver has reduced
 * the chunk b before it on that edge. An event tells the sender. */
#include "system/step/stepping.h"

struct sys_gates {
    uint32_t phases, turns;
    uint32_t *arrived;     /* [members * phases * turns] chunks at the gate */
    uint64_t *free_buffer; /* [members * chunks] bit set by phase: a buffer is free for the chunk */
};

static struct sys_gates *gates_of(struct sys *sys, struct sys_stream *stream)
{
    struct sys_operation *operation = stream->operation;
    if (operation->gates != NULL) {
        return operation->gates;
    }
    const struct sys_plan *plan = operation->plan[stream->chunk];
    struct sys_gates *gates = orr_arena_alloc(operation->arena, sizeof *gates);
    uint32_t turns = 1;
    for (unsigned p = 0; p < plan->phases; p++) {
        turns = plan->phase[p].turns > turns ? plan->phase[p].turns : turns;
    }
    const size_t members = operation->group->members;
    if (gates != NULL) {
        gates->phases = plan->phases;
        gates->turns = turns;
        gates->arrived = orr_arena_array(operation->arena, members * plan->phases * turns,
                                         sizeof *gates->arrived);
        gates->free_buffer = orr_arena_array(operation->arena, members * operation->chunks,
                                             sizeof *gates->free_buffer);
    }
    if (gates == NULL || gates->arrived == NULL || gates->free_buffer == NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    return operation->gates = gates;
}

/* ---- the turn at the root ---- */

/* All chunks have arrived: those before this one continue at once. */
static void open_gate(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    struct sys_operation *operation = stream->operation;
    for (uint32_t c = phase->variant; c < operation->chunks; c += phase->turns) {
        struct sys_stream *other =
            &operation->stream[sys_stream_index(operation, stream->member, c)];
        other->flags |= STREAM_OPEN;
        if (other != stream) {
            orr_sys_generic_advance(sys, other);
        }
    }
}

static bool can_turn(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    struct sys_gates *gates = gates_of(sys, stream);
    if (gates == NULL || (stream->flags & (STREAM_OPEN | STREAM_AT_GATE)) != 0) {
        return (stream->flags & STREAM_OPEN) != 0;
    }
    const uint32_t chunks = stream->operation->chunks - phase->variant;
    const size_t gate = (size_t)stream->member.member * gates->phases + stream->phase;
    stream->flags |= STREAM_AT_GATE;
    if (++gates->arrived[gate * gates->turns + phase->variant] <
        chunks / phase->turns + (chunks % phase->turns != 0 ? 1 : 0)) {
        return false;
    }
    open_gate(sys, stream);
    return true;
}

/* ---- receive buffers ---- */

static uint64_t *free_buffer_of(const struct sys_gates *gates, const struct sys_stream *stream,
                                uint32_t chunk)
{
    return &gates->free_buffer[sys_stream_index(stream->operation, stream->member, chunk)];
}

/* The first chunks of a tree find free buffers. */
static bool has_free_buffer(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_gates *gates = gates_of(sys, stream);
    const uint32_t before = stream->chunk / sys_phase_of(stream)->turns;
    return before < sys->config->receive_buffers ||
           (gates != NULL &&
            (*free_buffer_of(gates, stream, stream->chunk) >> stream->phase & 1u) != 0);
}

/* Tells the sender by an event that the buffer is free for a later chunk, if there is one. The
 * collective cannot end before that chunk is sent. */
void orr_sys_gates_accepted(struct sys *sys, struct sys_stream *stream,
                            const struct coll_recv *recv)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    struct sys_operation *operation = stream->operation;
    const uint64_t next = stream->chunk + (uint64_t)sys->config->receive_buffers * phase->turns;
    if ((phase->holds & SYS_HOLDS_BUFFER) == 0 || !recv->reduce || next >= operation->chunks) {
        return;
    }
    const struct sys_position peer = sys_peer_position(
        &operation->dim[phase->dim], sys_position_of(stream), stream->rank, recv->peer);
    const struct sys_member_id member = orr_sys_member_at(sys, operation->group, peer);
    const struct orr_event event = {
        .label = operation->label | next << operation->chunk_shift |
                 (uint64_t)stream->phase << operation->phase_shift,
        .cookie =
            (uintptr_t)&operation->stream[sys_stream_index(operation, member, (uint32_t)next)],
        .entity = sys_slot_of_member(operation->group, member).slot,
        .kind = EVENT_BUFFER_FREE};
    orr_evq_post(sys->queue, orr_evq_now(sys->queue), &event);
}

void orr_sys_on_buffer_free(void *context, const struct orr_event *event)
{
    struct sys *sys = context;
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    const struct sys_gates *gates = gates_of(sys, stream);
    const unsigned phase =
        (unsigned)(event->label >> sys->labels.phase_shift) & sys->labels.phase_mask;
    if (gates == NULL) {
        return;
    }
    *free_buffer_of(gates, stream, stream->chunk) |= UINT64_C(1) << phase;
    if ((stream->flags & STREAM_ACTIVE) != 0 && stream->phase == phase) {
        orr_sys_generic_advance(sys, stream);
    }
}

bool orr_sys_gates_pass(struct sys *sys, struct sys_stream *stream, const struct coll_send *send)
{
    const uint8_t holds = sys_phase_of(stream)->holds;
    if ((holds & SYS_HOLDS_TURNS) != 0 && send->turns) {
        return can_turn(sys, stream);
    }
    return (holds & SYS_HOLDS_BUFFER) == 0 || !send->up || has_free_buffer(sys, stream);
}
