/* Stepping of ring, direct and halving-doubling exactly as ASTRA-sim's event chains do (facts in
 * docs/how-to/astra-sim-collectives.md), in O(1) state per member and chunk.
 *
 * A member inserts one packet at the start for each message it may have in flight, and one for
 * every message it receives. An inserted packet takes the endpoint delay, then the local reduction
 * if there is one, and then increments the count of "general" events, each of which may release one
 * send. Counters: sent[0] sends = receives posted, sent[1] inserted packets, received[0] messages
 * received, received[1] general events. */
#include "system/astra/astra_stepping.h"

struct shape {
    uint32_t n, index;
    uint32_t total;    /* sends */
    uint32_t parallel; /* in flight at once */
    uint32_t cycle;    /* period of packets that are forwarded unreduced */
    uint32_t log2;     /* halving-doubling */
};

static uint32_t log2_of(uint32_t n)
{
    uint32_t log2 = 0;
    while ((UINT32_C(2) << log2) <= n) {
        log2++;
    }
    return log2;
}

static uint32_t ring_sends(enum coll_kind kind, uint32_t n)
{
    if (kind == COLL_ALL_TO_ALL) {
        return n * (n - 1) / 2;
    }
    return kind == COLL_ALL_REDUCE ? 2 * (n - 1) : n - 1;
}

static void direct_shape(const struct sys_stream *stream, struct shape *shape)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const uint32_t others = shape->n - 1;
    shape->total = phase->kind == COLL_ALL_REDUCE ? 2 * others : others;
    shape->parallel = phase->window != 0 && phase->window < others ? phase->window : others;
    const uint32_t reduced = stream->operation->flat ? others * shape->parallel : shape->parallel;
    shape->cycle = shape->parallel + reduced;
}

static struct shape shape_of(const struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct sys_dim *dim = &stream->operation->dim[phase->dim];
    struct shape shape = {
        .n = dim->n, .index = sys_index_in(dim, sys_position_of(stream)), .parallel = 1};
    if (phase->algorithm->chain == COLL_CHAIN_TO_ALL) {
        direct_shape(stream, &shape);
    } else if (phase->algorithm->chain == COLL_CHAIN_EXCHANGE) {
        shape.log2 = log2_of(shape.n);
        shape.cycle = shape.log2;
        shape.total = phase->kind == COLL_ALL_REDUCE ? 2 * shape.log2 : shape.log2;
    } else {
        shape.total = ring_sends((enum coll_kind)phase->kind, shape.n);
        shape.cycle = shape.n;
    }
    return shape;
}

/* Whether inserted packet p is reduced before it counts. */
static bool reduces(const struct sys_stream *stream, const struct shape *shape, uint32_t p)
{
    const enum coll_kind kind = (enum coll_kind)sys_phase_of(stream)->kind;
    if (p % shape->cycle < shape->parallel) {
        return false;
    }
    return kind == COLL_REDUCE_SCATTER || (kind == COLL_ALL_REDUCE && p / shape->cycle % 2 == 0);
}

static uint64_t halving_doubling_bytes(const struct sys_phase *phase, uint32_t log2, uint32_t k)
{
    if (phase->kind == COLL_ALL_GATHER) {
        return phase->bytes << k;
    }
    if (k < log2) {
        return phase->bytes >> (k + 1);
    }
    /* Halved once more and doubled again, with the truncation in between. */
    return (phase->bytes >> (log2 + 1)) << (k - log2 + 1);
}

static uint64_t packet_bytes(const struct sys_stream *stream, const struct shape *shape, uint32_t k)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    if (phase->algorithm->chain == COLL_CHAIN_EXCHANGE) {
        return halving_doubling_bytes(phase, shape->log2, k);
    }
    return phase->kind == COLL_ALL_GATHER ? phase->bytes : phase->bytes / shape->n;
}

static bool is_backwards(const struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    const struct sys_phase *phase = sys_phase_of(stream);
    if (phase->queue_class != QUEUE_ALL) {
        return phase->backwards;
    }
    const uint32_t queues = operation->sys->config->queues_per_dim;
    return queues > 1 && sys_queue_number(sys_member_of(stream), stream) >= queues / 2;
}

/* Distance in members to the destination of send k, forwards. */
static uint32_t distance(const struct sys_stream *stream, const struct shape *shape, uint32_t k)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    if (phase->algorithm->chain == COLL_CHAIN_EXCHANGE) {
        uint32_t step = k;
        if (phase->kind == COLL_ALL_GATHER || k >= shape->log2) {
            step = (phase->kind == COLL_ALL_GATHER ? shape->log2 : 2 * shape->log2) - 1 - k;
        }
        return ((shape->index ^ (UINT32_C(1) << step)) + shape->n - shape->index) % shape->n;
    }
    const uint32_t steps =
        phase->algorithm->chain == COLL_CHAIN_TO_ALL ? 1 + k % (shape->n - 1) : 1;
    return is_backwards(stream) ? shape->n - steps : steps;
}

static struct sys_position position_at(const struct sys_stream *stream, const struct shape *shape,
                                       uint32_t forwards)
{
    const struct sys_dim *dim = &stream->operation->dim[sys_phase_of(stream)->dim];
    return sys_peer_position(dim, sys_position_of(stream), shape->index,
                             (shape->index + forwards) % shape->n);
}

/* The source of receive k: halving-doubling exchanges, the others mirror the destination. */
static struct sys_position source_of(const struct sys_stream *stream, const struct shape *shape,
                                     uint32_t k)
{
    const uint32_t forwards = distance(stream, shape, k);
    const bool exchange = sys_phase_of(stream)->algorithm->chain == COLL_CHAIN_EXCHANGE;
    return position_at(stream, shape, exchange ? forwards : shape->n - forwards);
}

static void send_data(struct sys *sys, struct sys_stream *stream, const struct shape *shape,
                      uint32_t k)
{
    const struct sys_position to = position_at(stream, shape, distance(stream, shape, k));
    /* The network routes the shorter way, forwards if both are equal, whatever the ring. */
    const struct coll_send send = {.peer_recv = k, .bytes = packet_bytes(stream, shape, k)};
    orr_sys_send_step(sys, stream, to, &send);
}

static void insert(struct sys *sys, struct sys_stream *stream, const struct shape *shape)
{
    const uint32_t packet = stream->sent[1]++;
    orr_sys_post_step(sys, stream, stream->operation->endpoint_ps,
                      reduces(stream, shape, packet) ? SYS_ENDPOINT_THEN_REDUCTION : SYS_ENDPOINT,
                      packet);
}

static void begin(struct sys *sys, struct sys_stream *stream)
{
    const struct shape shape = shape_of(stream);
    for (uint32_t i = 0; i < shape.parallel; i++) {
        insert(sys, stream, &shape);
    }
}

static void receive(struct sys *sys, struct sys_stream *stream)
{
    const struct shape shape = shape_of(stream);
    stream->received[0]++;
    insert(sys, stream, &shape);
}

static void arrived(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                    uint32_t recv)
{
    (void)phase;
    if (recv < stream->sent[0]) {
        receive(sys, stream);
    } else {
        orr_sys_unexpected_add(sys, stream, stream->phase, recv, false);
    }
}

/* A message that arrived before its receive was posted is received in a separate event. */
void orr_sys_on_unexpected(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    const struct sys_phase *phase = sys_phase_of(stream);
    if (phase->stepper == &orr_astra_tree_steps) {
        orr_astra_tree_steps.arrived(context, stream, phase, sys_label_step(context, event->label));
    } else {
        receive(context, stream);
    }
}

/* With rendezvous the data wait for the receiver's request. */
static void exchange(struct sys *sys, struct sys_stream *stream, const struct shape *shape,
                     uint32_t k)
{
    if (!sys->config->rendezvous) {
        send_data(sys, stream, shape, k);
        orr_sys_post_recv(sys, stream, k);
        return;
    }
    if (orr_sys_unexpected_take(sys, stream, stream->phase, k, true)) {
        orr_sys_post_now(sys, stream, EVENT_RENDEZVOUS, k);
    }
    orr_sys_send_request(sys, stream, source_of(stream, shape, k), k);
}

static void request(struct sys *sys, struct sys_stream *stream, uint32_t send)
{
    if (send >= stream->sent[0]) {
        orr_sys_unexpected_add(sys, stream, stream->phase, send, true);
        return;
    }
    const struct shape shape = shape_of(stream);
    send_data(sys, stream, &shape, send);
}

void orr_sys_on_rendezvous(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    const struct shape shape = shape_of(stream);
    send_data(context, stream, &shape, sys_label_step(context, event->label));
}

/* Sends the next packet if one is inserted and a general event is available. */
static void send_next(struct sys *sys, struct sys_stream *stream, const struct shape *shape)
{
    const uint32_t k = stream->sent[0];
    if (k < stream->sent[1] && k < shape->total && k < stream->received[1]) {
        stream->sent[0]++;
        exchange(sys, stream, shape, k);
    }
}

static void on_general_event(struct sys *sys, struct sys_stream *stream)
{
    const struct shape shape = shape_of(stream);
    const struct sys_phase *phase = sys_phase_of(stream);
    stream->received[1]++;
    uint32_t tries = 1;
    if (phase->algorithm->chain == COLL_CHAIN_TO_ALL && phase->kind == COLL_ALL_REDUCE &&
        shape.total - stream->sent[0] <= shape.n - 1) {
        /* The gather half begins when all parts to reduce have arrived. */
        if (stream->received[0] < shape.n - 1) {
            return;
        }
        tries = shape.parallel;
    }
    for (uint32_t i = 0; i < tries; i++) {
        send_next(sys, stream, &shape);
    }
    if (stream->sent[0] == shape.total && stream->received[1] - stream->sent[0] == shape.parallel) {
        sys->up.phase_finished(sys, stream);
    }
}

void orr_sys_on_step(void *context, const struct orr_event *event)
{
    struct sys *sys = context;
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    if (sys_phase_of(stream)->stepper == &orr_astra_tree_steps) {
        orr_astra_tree_step(sys, stream, event->aux != 0);
    } else if (event->aux != 0) {
        const struct shape shape = shape_of(stream);
        const uint32_t packet = sys_label_step(context, event->label);
        const uint64_t bytes = packet_bytes(stream, &shape, packet);
        orr_sys_post_step(sys, stream, orr_sys_reduction_time(sys, bytes), SYS_REDUCTION, packet);
    } else {
        on_general_event(sys, stream);
    }
}

const struct sys_stepper_ops orr_astra_steps = {
    .name = "astra-sim",
    .begin = begin,
    .arrived = arrived,
    .request = request,
};

static bool power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

const struct sys_stepper_ops *orr_astra_stepper(const struct sys_operation *operation,
                                                const struct sys_phase *phase)
{
    const struct sys_stepper_ops *other = &orr_sys_generic_steps;
    if (phase->kind >= SYS_LISTED_KINDS) {
        return other;
    }
    const uint32_t n = operation->dim[phase->dim].n;
    switch (phase->algorithm->chain) {
    case COLL_CHAIN_AROUND:
    case COLL_CHAIN_TO_ALL:
        return &orr_astra_steps;
    case COLL_CHAIN_EXCHANGE:
        return power_of_two(n) && phase->kind != COLL_ALL_TO_ALL ? &orr_astra_steps : other;
    case COLL_CHAIN_TREES:
        return power_of_two(n) ? &orr_astra_tree_steps : other;
    default:
        return other;
    }
}
