/* Generic stepper: a send goes when the receives it needs are complete; arrived messages are
 * accepted at once or, if the algorithm requires it, after some of the sends. Counters of a stream:
 * `sent` and `received` per lane; `left`, the messages that have left the port (if the network has
 * ports). */
#include "system/step/stepping.h"

/* Arguments of the program during the phase; at its begin see orr_sys_args_of. Not by
 * orr_sys_phase_args: a call here costs 5 % of a run. */
static struct coll_args args_of(const struct sys_stream *stream, const struct sys_phase *phase)
{
    const struct sys_operation *operation = stream->operation;
    return (struct coll_args){.kind = (enum coll_kind)phase->kind,
                              .n = operation->dim[phase->dim].n,
                              .rank = stream->rank,
                              .root = phase->root,
                              .window = phase->window,
                              .variant = phase->variant,
                              .bytes = phase->bytes,
                              .trees = phase->trees,
                              .rings = phase->rings,
                              .forest = phase->forest,
                              .size = operation->size_of,
                              .size_context = stream};
}

/* Empty messages of uneven collectives are not sent, and count as received. */
static bool is_uneven(const struct sys_stream *stream)
{
    return __builtin_expect(stream->operation->sizes != NULL, 0);
}

/* Whether receive k is empty. */
static bool receives_nothing(const struct coll_args *args, const struct coll_algorithm *algorithm,
                             uint32_t k)
{
    struct coll_recv recv;
    algorithm->recv(args, k, &recv);
    return recv.bytes == 0;
}

/* Index of the j-th send or receive of a lane: lanes interleave. */
static uint32_t index_in_lane(const struct coll_algorithm *algorithm, uint32_t lane, uint32_t j)
{
    return j * algorithm->lanes + lane;
}

static void pump_lane(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                      uint32_t lane)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    for (;;) {
        const uint32_t k = index_in_lane(algorithm, lane, stream->sent[lane]);
        if (k >= stream->sends || stream->need[lane] > stream->received[lane] ||
            stream->sent[0] + stream->sent[1] - stream->left >= phase->credit) {
            return;
        }
        const struct coll_args args = args_of(stream, phase);
        struct coll_send send;
        algorithm->send(&args, k, &send);
        if (send.need > stream->received[lane]) {
            stream->need[lane] = send.need;
            return;
        }
        if (__builtin_expect(phase->holds, 0) && !orr_sys_gates_pass(sys, stream, &send)) {
            return;
        }
        stream->sent[lane]++;
        if (send.bytes == 0 && is_uneven(stream)) {
            stream->left++;
            continue;
        }
        orr_sys_send_step(sys, stream,
                          sys_peer_position(&stream->operation->dim[phase->dim],
                                            sys_position_of(stream), stream->rank, send.peer),
                          &send);
    }
}

static void pump(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase)
{
    pump_lane(sys, stream, phase, 0);
    if (phase->algorithm->lanes > 1) {
        pump_lane(sys, stream, phase, 1);
    }
}

static bool complete(const struct sys *sys, const struct sys_stream *stream,
                     const struct sys_phase *phase)
{
    if (stream->sent[0] + stream->sent[1] != stream->sends ||
        (sys->counts_departures && stream->left != stream->sends)) {
        return false;
    }
    const struct coll_args args = args_of(stream, phase);
    return stream->received[0] + stream->received[1] == phase->algorithm->recvs(&args);
}

/* Whether the lane has no send that may go now; as pump_lane finds it. */
static inline bool lane_waits(const struct sys_stream *stream, const struct sys_phase *phase,
                              uint32_t lane)
{
    return stream->need[lane] > stream->received[lane] ||
           stream->sent[0] + stream->sent[1] - stream->left >= phase->credit;
}

/* Whether nothing can happen before something else arrives or leaves; half of all calls, so they
 * end before registers are saved. */
static inline bool waits(const struct sys_stream *stream, const struct sys_phase *phase)
{
    return stream->sent[0] + stream->sent[1] != stream->sends &&
           (phase->holds & SYS_HOLDS_RECEIVES) == 0 && phase->algorithm->lanes == 1 &&
           lane_waits(stream, phase, 0);
}

ORR_NOINLINE static void advance_now(struct sys *sys, struct sys_stream *stream,
                                     const struct sys_phase *phase)
{
    if (stream->sent[0] + stream->sent[1] != stream->sends) {
        pump(sys, stream, phase);
    }
    if (__builtin_expect((phase->holds & SYS_HOLDS_RECEIVES) != 0, 0)) {
        orr_sys_accept_after_sends(sys, stream);
    }
    if (complete(sys, stream, phase)) {
        sys->up.phase_finished(sys, stream);
    }
}

static inline void advance(struct sys *sys, struct sys_stream *stream,
                           const struct sys_phase *phase)
{
    if (!waits(stream, phase)) {
        advance_now(sys, stream, phase);
    }
}

/* First receive of the lane whose `after` is at least `received`; `after` ascends. */
static uint32_t first_after(const struct coll_algorithm *algorithm, const struct coll_args *args,
                            uint32_t lane, uint32_t received)
{
    uint32_t low = 0, high = algorithm->recvs(args) / algorithm->lanes + 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, k = index_in_lane(algorithm, lane, middle);
        struct coll_recv recv = {.after = UINT32_MAX};
        if (k < algorithm->recvs(args)) {
            algorithm->recv(args, k, &recv);
        }
        if (recv.after < received) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Accepts held messages of an algorithm that counts receives (`after`), after one more is complete.
 * Receives that need fewer were accepted before. */
static void accept_held(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                        uint32_t lane)
{
    if ((stream->flags & STREAM_HELD) == 0) {
        return;
    }
    const struct coll_algorithm *algorithm = phase->algorithm;
    const struct coll_args args = args_of(stream, phase);
    const uint32_t recvs = algorithm->recvs(&args);
    const uint32_t first = first_after(algorithm, &args, lane, stream->received[lane]);
    for (uint32_t k = index_in_lane(algorithm, lane, first); stream->unexpected != 0 && k < recvs;
         k += algorithm->lanes) {
        struct coll_recv recv;
        algorithm->recv(&args, k, &recv);
        if (recv.after > stream->received[lane]) {
            return;
        }
        if (orr_sys_unexpected_take(sys, stream, stream->phase, k, false)) {
            stream->received[lane]++;
        }
    }
}

static void accept_by_count(struct sys *sys, struct sys_stream *stream,
                            const struct sys_phase *phase, uint32_t k, uint32_t lane)
{
    const struct coll_args args = args_of(stream, phase);
    struct coll_recv recv;
    phase->algorithm->recv(&args, k, &recv);
    if (recv.after > stream->received[lane]) {
        stream->flags |= STREAM_HELD;
        orr_sys_unexpected_add(sys, stream, stream->phase, k, false);
        return;
    }
    stream->received[lane]++;
    if (__builtin_expect(phase->holds, 0)) {
        orr_sys_gates_accepted(sys, stream, &recv);
    }
    accept_held(sys, stream, phase, lane);
}

/* In order: counts the empty receives that are next in the lane. */
static void skip_next_empty(struct sys_stream *stream, const struct sys_phase *phase, uint32_t lane)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    const struct coll_args args = args_of(stream, phase);
    const uint32_t recvs = algorithm->recvs(&args);
    for (uint32_t k = index_in_lane(algorithm, lane, stream->received[lane]);
         k < recvs && receives_nothing(&args, algorithm, k); k += algorithm->lanes) {
        stream->received[lane]++;
    }
}

/* At the begin of an uneven phase: counts the empty receives that are due. In kinds that may be
 * uneven no receive waits for others (coll_recv.after), unless they are in order. */
__attribute__((cold)) static void skip_empty(struct sys_stream *stream,
                                             const struct sys_phase *phase)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    const struct coll_args args = args_of(stream, phase);
    const uint32_t recvs = algorithm->recvs(&args);
    for (uint32_t lane = 0; lane < algorithm->lanes && algorithm->in_order; lane++) {
        skip_next_empty(stream, phase, lane);
    }
    for (uint32_t k = 0; k < recvs && !algorithm->in_order; k++) {
        stream->received[k % algorithm->lanes] += receives_nothing(&args, algorithm, k);
    }
}

ORR_NOINLINE static void accept_in_order(struct sys *sys, struct sys_stream *stream,
                                         const struct sys_phase *phase, uint32_t k, uint32_t lane)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    if (k != index_in_lane(algorithm, lane, stream->received[lane])) {
        orr_sys_unexpected_add(sys, stream, stream->phase, k, false);
        return;
    }
    do {
        stream->received[lane]++;
        if (is_uneven(stream)) {
            skip_next_empty(stream, phase, lane);
        }
    } while (stream->unexpected != 0 &&
             orr_sys_unexpected_take(sys, stream, stream->phase,
                                     index_in_lane(algorithm, lane, stream->received[lane]),
                                     false));
}

/* The usual case: the next receive of a lane, with none that came before it. */
static inline bool is_next(const struct sys_stream *stream, const struct sys_phase *phase,
                           uint32_t k, uint32_t lane)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    return algorithm->in_order && phase->holds == 0 && stream->unexpected == 0 &&
           k == index_in_lane(algorithm, lane, stream->received[lane]) && !is_uneven(stream);
}

static inline void accept(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                          uint32_t k)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    const uint32_t lane = algorithm->lanes == 1 ? 0 : k % algorithm->lanes;
    if (is_next(stream, phase, k, lane)) {
        stream->received[lane]++;
    } else if (__builtin_expect((phase->holds & SYS_HOLDS_RECEIVES) != 0, 0)) {
        orr_sys_unexpected_add(sys, stream, stream->phase, k, false); /* until it is due */
    } else if (algorithm->in_order) {
        accept_in_order(sys, stream, phase, k, lane);
    } else {
        accept_by_count(sys, stream, phase, k, lane);
    }
}

static void accept_and_advance(struct sys *sys, struct sys_stream *stream,
                               const struct sys_phase *phase, uint32_t recv)
{
    accept(sys, stream, phase, recv);
    advance(sys, stream, phase);
}

void orr_sys_generic_accept(struct sys *sys, struct sys_stream *stream, uint32_t recv)
{
    accept_and_advance(sys, stream, sys_phase_of(stream), recv);
}

void orr_sys_generic_accept_at(struct sys *sys, const struct sys_stream *stream, uint32_t recv,
                               sim_time time)
{
    const struct orr_event event = {.label = sys_label(stream, recv),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_ACCEPTED,
                                    .part = ORR_PART_ENDPOINT};
    orr_evq_post_batched(sys->queue, time, &event);
}

static void arrived(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                    uint32_t recv)
{
    if (stream->operation->endpoint_ps == 0) {
        accept_and_advance(sys, stream, phase, recv);
    } else {
        const sim_time now = orr_evq_now(sys->queue);
        orr_sys_generic_accept_at(sys, stream, recv,
                                  orr_time_add(now, stream->operation->endpoint_ps));
    }
}

void orr_sys_generic_advance(struct sys *sys, struct sys_stream *stream)
{
    advance(sys, stream, sys_phase_of(stream));
}

void orr_sys_generic_pump(struct sys *sys, struct sys_stream *stream)
{
    pump(sys, stream, sys_phase_of(stream));
}

static void left(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase)
{
    stream->left++;
    advance(sys, stream, phase);
}

/* A phase without messages ends in a separate event, so that phases never nest. */
static void post_empty(struct sys *sys, struct sys_stream *stream)
{
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_EMPTY};
    orr_evq_post_batched(sys->queue, orr_evq_now(sys->queue), &event);
}

static void begin(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct coll_args args = orr_sys_args_of(stream);
    const uint32_t recvs = phase->algorithm->recvs(&args);
    stream->need[0] = stream->need[1] = 0;
    stream->rank = args.rank;
    stream->sends = phase->algorithm->sends(&args);
    if (recvs == 0 && stream->sends == 0) {
        post_empty(sys, stream);
        return;
    }
    if (is_uneven(stream)) {
        skip_empty(stream, phase);
    }
    /* Ascending, so that a message held back again is behind the loop. */
    const bool at_once = (phase->holds & SYS_HOLDS_RECEIVES) == 0;
    for (uint32_t recv = 0; at_once && stream->unexpected != 0 && recv < recvs; recv++) {
        if (orr_sys_unexpected_take(sys, stream, stream->phase, recv, false)) {
            accept(sys, stream, phase, recv);
        }
    }
    pump(sys, stream, phase);
    if (!at_once) {
        orr_sys_accept_after_sends(sys, stream);
    }
    if (complete(sys, stream, phase)) {
        post_empty(sys, stream);
    }
}

const struct sys_stepper_ops orr_sys_generic_steps = {
    .name = "generic",
    .begin = begin,
    .arrived = arrived,
    .left = left,
};
