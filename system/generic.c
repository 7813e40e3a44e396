/* Stepping any collective program by its own rules: a send goes as soon as the receives it needs
 * are complete, and what arrives is always taken in. Counters of a stream: sent and received per
 * lane, `left` the messages that have left the port (where the network has ports). */
#include "system/internal.h"

/* Whether the member takes part in the phase: on its way from or to a root, a rooted collective
 * runs only in the slices that hold the root's coordinates in the lower dimensions. Dimensions that
 * the collective leaves out do not count: every slice of them has a root of its own. */
static bool takes_part(const struct sys_stream *stream)
{
    const struct sys_run *run = stream->run;
    if (run->kind < COLL_BROADCAST || run->kind > COLL_SCATTER) {
        return true;
    }
    for (unsigned d = 0; d < sys_phase_of(stream)->dim; d++) {
        const bool involved = (run->dim_mask >> run->dim[d].queue_dim & 1u) != 0;
        if (involved && sys_index_in(&run->dim[d], sys_position_of(stream)) != run->root_coord[d]) {
            return false;
        }
    }
    return true;
}

struct coll_args sys_args_of(const struct sys_stream *stream)
{
    const struct sys_run *run = stream->run;
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct sys_dim *dim = &run->dim[phase->dim];
    const bool alone = !takes_part(stream); /* alone, it has an empty program */
    return (struct coll_args){.kind = (enum coll_kind)phase->kind,
                              .n = alone ? 1 : dim->n,
                              .rank = alone ? 0 : sys_index_in(dim, sys_position_of(stream)),
                              .root = alone ? 0 : run->root_coord[phase->dim],
                              .window = phase->window,
                              .variant = phase->variant,
                              .bytes = phase->bytes};
}

static bool counts_departures(const struct sys *sys)
{
    return sys->net->ops->tells_sent && !sys->net->config->reference_timing;
}

/* Messages of a lane that may wait at ports at once: enough to use every port of the dimension, no
 * more, so that a port holds O(1) messages of a chunk. */
static uint32_t send_credit(const struct sys *sys, const struct sys_stream *stream)
{
    if (!counts_departures(sys)) {
        return UINT32_MAX;
    }
    const struct sys_dim *dim = &stream->run->dim[sys_phase_of(stream)->dim];
    const struct net_dim *net = &sys->net->config->dim[dim->queue_dim];
    const bool per_peer = net->block == NET_FULLY_CONNECTED && !net->per_npu;
    return (per_peer || stream->run->flat ? dim->n : 1) * sys_phase_of(stream)->algorithm->lanes;
}

/* Index of the j-th send or receive of a lane: lanes interleave. */
static uint32_t in_lane(const struct coll_algorithm *algorithm, uint32_t lane, uint32_t j)
{
    return j * algorithm->lanes + lane;
}

static void pump_lane(struct sys *sys, struct sys_stream *stream, const struct coll_args *args,
                      uint32_t lane)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const struct sys_dim *dim = &stream->run->dim[sys_phase_of(stream)->dim];
    const uint32_t sends = algorithm->sends(args);
    const uint32_t credit = send_credit(sys, stream);
    for (;;) {
        const uint32_t k = in_lane(algorithm, lane, stream->sent[lane]);
        if (k >= sends || stream->sent[0] + stream->sent[1] - stream->left >= credit) {
            return;
        }
        struct coll_send send;
        algorithm->send(args, k, &send);
        if (send.need > stream->received[lane]) {
            return;
        }
        stream->sent[lane]++;
        sys_send_step(sys, stream,
                      sys_peer_position(dim, sys_position_of(stream), args->rank, send.peer),
                      send.peer_recv, send.bytes, send.backwards);
    }
}

static void pump(struct sys *sys, struct sys_stream *stream, const struct coll_args *args)
{
    for (uint32_t lane = 0; lane < sys_phase_of(stream)->algorithm->lanes; lane++) {
        pump_lane(sys, stream, args, lane);
    }
}

static bool complete(const struct sys *sys, const struct sys_stream *stream,
                     const struct coll_args *args)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const uint32_t sends = algorithm->sends(args);
    return stream->received[0] + stream->received[1] == algorithm->recvs(args) &&
           stream->sent[0] + stream->sent[1] == sends &&
           (!counts_departures(sys) || stream->left == sends);
}

static void advance(struct sys *sys, struct sys_stream *stream, const struct coll_args *args)
{
    pump(sys, stream, args);
    if (complete(sys, stream, args)) {
        sys_phase_finished(sys, stream);
    }
}

/* Takes in what was held back in an algorithm that goes by counts, now that more is complete. */
static void take_held(struct sys *sys, struct sys_stream *stream, const struct coll_args *args,
                      uint32_t lane)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const uint32_t recvs = algorithm->recvs(args);
    for (uint32_t k = lane; stream->early != SYS_NONE && k < recvs; k += algorithm->lanes) {
        struct coll_recv recv;
        algorithm->recv(args, k, &recv);
        if (recv.after != 0 && recv.after <= stream->received[lane] &&
            sys_early_take(sys, stream, stream->phase, k, false)) {
            stream->received[lane]++;
        }
    }
}

static void take_by_count(struct sys *sys, struct sys_stream *stream, const struct coll_args *args,
                          uint32_t k, uint32_t lane)
{
    struct coll_recv recv;
    sys_phase_of(stream)->algorithm->recv(args, k, &recv);
    if (recv.after > stream->received[lane]) {
        sys_early_add(sys, stream, stream->phase, k, false);
        return;
    }
    stream->received[lane]++;
    take_held(sys, stream, args, lane);
}

static void take_in_order(struct sys *sys, struct sys_stream *stream, const struct coll_args *args,
                          uint32_t k, uint32_t lane)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    if (k != in_lane(algorithm, lane, stream->received[lane])) {
        sys_early_add(sys, stream, stream->phase, k, false);
        return;
    }
    stream->received[lane]++;
    const uint32_t recvs = algorithm->recvs(args);
    for (uint32_t next = in_lane(algorithm, lane, stream->received[lane]);
         next < recvs && sys_early_take(sys, stream, stream->phase, next, false);
         next += algorithm->lanes) {
        stream->received[lane]++;
    }
}

static void take(struct sys *sys, struct sys_stream *stream, const struct coll_args *args,
                 uint32_t k)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const uint32_t lane = algorithm->lanes == 1 ? 0 : k % algorithm->lanes;
    if (algorithm->in_order) {
        take_in_order(sys, stream, args, k, lane);
    } else {
        take_by_count(sys, stream, args, k, lane);
    }
}

void sys_generic_taken(struct sys *sys, struct sys_stream *stream, uint32_t recv)
{
    const struct coll_args args = sys_args_of(stream);
    take(sys, stream, &args, recv);
    advance(sys, stream, &args);
}

void sys_generic_arrived(struct sys *sys, struct sys_stream *stream, uint32_t recv)
{
    if (stream->run->endpoint_ps == 0) {
        sys_generic_taken(sys, stream, recv);
        return;
    }
    const struct orr_event event = {.label = sys_label(stream, recv),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_npu_of(stream),
                                    .kind = EVENT_TAKEN,
                                    .part = ORR_PART_ENDPOINT};
    orr_evq_post_own(sys->queue, orr_time_add(orr_evq_now(sys->queue), stream->run->endpoint_ps),
                     &event);
}

void sys_generic_left(struct sys *sys, struct sys_stream *stream)
{
    const struct coll_args args = sys_args_of(stream);
    stream->left++;
    advance(sys, stream, &args);
}

/* A phase without messages ends in an event of its own, so that phases never nest. */
static void post_empty(struct sys *sys, struct sys_stream *stream)
{
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_npu_of(stream),
                                    .kind = EVENT_EMPTY};
    orr_evq_post_own(sys->queue, orr_evq_now(sys->queue), &event);
}

void sys_generic_begin(struct sys *sys, struct sys_stream *stream)
{
    const struct coll_args args = sys_args_of(stream);
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const uint32_t recvs = algorithm->recvs(&args);
    if (recvs == 0 && algorithm->sends(&args) == 0) {
        post_empty(sys, stream);
        return;
    }
    /* In ascending order, so that what is held back again lies behind. */
    for (uint32_t recv = 0; stream->early != SYS_NONE && recv < recvs; recv++) {
        if (sys_early_take(sys, stream, stream->phase, recv, false)) {
            take(sys, stream, &args, recv);
        }
    }
    pump(sys, stream, &args);
    if (complete(sys, stream, &args)) {
        post_empty(sys, stream);
    }
}
