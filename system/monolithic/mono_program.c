/* Monolithic all-reduces by the per-rank programs of system/collectives/program.h, without
 * barriers. A rank's progress is a counter of sends and one of receives per chunk and lane. The
 * chunks of a buffer are concurrent programs. They form a pipeline because a connection, from one
 * rank to another, carries one message at a time: the next message, in the order of becoming ready,
 * starts when the sender of the previous one is done. If the network does not report that, messages
 * start as they become ready.
 *
 * A ring algorithm runs around each ring of the network for the group, with a part of the bytes
 * each. Ranks are positions around the ring, members are positions in the group. With a jump, ranks
 * are positions around the jump's ring for any program (TopoOpt, NSDI'23, appendix A): the same
 * time if all routes are equivalent, but other traffic. */
#include "system/monolithic/mono_private.h"

/* `next`: in a bucket of busy connections, or in the queue behind such a message. */
struct message {
    uint32_t next;
    uint32_t next_unexpected; /* in the list of unexpected messages of a lane */
    uint32_t from, to;        /* ranks */
    uint32_t chunk, lane;
    uint32_t after;                       /* receives of the lane that must be complete before it */
    uint32_t after_sends;                 /* sends of the lane that must have gone before it */
    uint32_t first_waiting, last_waiting; /* queue of the same connection */
    bool leaving;                         /* still leaving its sender */
    bool taken;                           /* its receive is complete */
    uint64_t bytes;
};

struct lane {
    uint32_t next_send;  /* index among all sends of the rank */
    uint32_t complete;   /* complete receives of the lane */
    uint32_t unexpected; /* list of unexpected messages */
};

struct mono_program {
    struct mono_program *next, *previous; /* list of running programs */
    struct sys *sys;
    const struct coll_algorithm *algorithm;
    uint32_t handle, ranks;
    const struct net_ring *ring; /* NULL: ranks are members */
    struct net_ring positions;   /* `ring` if ranks have a jump */
    uint32_t chunks;
    uint64_t bytes, chunk_bytes; /* the last chunk has the rest */
    uint64_t open;               /* receives not yet complete */
    uint64_t leaving;            /* messages still leaving their senders */
    struct lane *lane;           /* [ranks * chunks * lanes] */
    uint32_t *bucket;            /* [buckets], a power of two: busy connections */
    uint32_t buckets;
};

size_t orr_mono_message_bytes(void)
{
    return sizeof(struct message);
}

static struct message *message_at(const struct mono_program *program, uint32_t handle)
{
    return orr_slab_at(&program->sys->monos->messages, handle);
}

static struct coll_args args_of(const struct mono_program *program, uint32_t rank, uint32_t chunk)
{
    const uint64_t previous = program->chunk_bytes * chunk;
    const bool last = chunk + 1 == program->chunks;
    return (struct coll_args){.kind = COLL_ALL_REDUCE,
                              .n = program->ranks,
                              .rank = rank,
                              .variant = chunk,
                              .bytes = last ? program->bytes - previous : program->chunk_bytes};
}

static struct lane *lane_of(const struct mono_program *program, uint32_t rank, uint32_t chunk,
                            uint32_t lane)
{
    const size_t position = (size_t)rank * program->chunks + chunk;
    return &program->lane[position * program->algorithm->lanes + lane];
}

static uint32_t member_at(const struct mono_program *program, uint32_t rank)
{
    return orr_mono_member_at(program->ring, rank);
}

/* ---- connections ---- */

static uint32_t *bucket_of(const struct mono_program *program, const struct message *message)
{
    const uint64_t pair = (uint64_t)message->from * program->ranks + message->to;
    const uint64_t hash = pair * UINT64_C(0x9e3779b97f4a7c15);
    return &program->bucket[(hash >> 32) & (program->buckets - 1)];
}

/* The message that the connection carries, or SYS_NONE. */
static uint32_t busy_message(const struct mono_program *program, const struct message *like)
{
    uint32_t at = *bucket_of(program, like);
    while (at != SYS_NONE) {
        const struct message *message = message_at(program, at);
        if (message->from == like->from && message->to == like->to) {
            return at;
        }
        at = message->next;
    }
    return SYS_NONE;
}

static void set_busy(struct mono_program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    uint32_t *bucket = bucket_of(program, message);
    message->next = *bucket;
    message->leaving = true;
    program->leaving++;
    *bucket = handle;
}

static void clear_busy(struct mono_program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    uint32_t *at = bucket_of(program, message);
    while (*at != handle) {
        at = &message_at(program, *at)->next;
    }
    *at = message->next;
    message->leaving = false;
    program->leaving--;
}

static void start_message(struct mono_program *program, uint32_t handle)
{
    const struct message *message = message_at(program, handle);
    orr_mono_send(program->sys, program->handle,
                  &(struct mono_send){.from = member_at(program, message->from),
                                      .to = member_at(program, message->to),
                                      .part = handle,
                                      .channel = program->algorithm->around
                                                     ? mono_channel(program->ring, message->from)
                                                     : 0,
                                      .reports_sent = true,
                                      .bytes = message->bytes});
}

/* Sends now, or queues behind the message that the connection carries. */
static void send_or_wait(struct mono_program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    const bool reports_sent = program->sys->counts_departures;
    const uint32_t busy = reports_sent ? busy_message(program, message) : SYS_NONE;
    if (busy == SYS_NONE) {
        if (reports_sent) {
            set_busy(program, handle);
        }
        start_message(program, handle);
        return;
    }
    struct message *head = message_at(program, busy);
    if (head->first_waiting == SYS_NONE) {
        head->first_waiting = handle;
    } else {
        message_at(program, head->last_waiting)->next = handle;
    }
    head->last_waiting = handle;
    message->next = SYS_NONE;
}

/* With insertion order the caller may be inside the network's code, so the next message starts in a
 * separate event. By labels the caller is an event of the sender. */
static void start_next(struct mono_program *program, uint32_t waiting)
{
    if (mono_by_insertion(program->sys)) {
        const uint32_t from = member_at(program, message_at(program, waiting)->from);
        orr_mono_post_send(program->sys, program->handle, from, waiting);
    } else {
        start_message(program, waiting);
    }
}

static void send(struct sys *sys, uint32_t run, uint32_t handle)
{
    start_message(mono_run_at(sys, run)->program, handle);
}

/* ---- the end ---- */

static void free_program(struct sys *sys, struct mono_program *program)
{
    if (program->previous != NULL) {
        program->previous->next = program->next;
    } else {
        sys->monos->programs = program->next;
    }
    if (program->next != NULL) {
        program->next->previous = program->previous;
    }
    orr_heap_free(program->lane);
    orr_heap_free(program->bucket);
    orr_heap_free(program);
}

void orr_mono_programs_free(struct sys *sys)
{
    while (sys->monos->programs != NULL) {
        free_program(sys, sys->monos->programs);
    }
}

/* Ends the program if it is complete; whether it was freed. */
static bool end_if_done(struct mono_program *program)
{
    struct sys *sys = program->sys;
    const uint32_t handle = program->handle;
    if (program->open != 0 || program->leaving != 0) {
        return false;
    }
    free_program(sys, program);
    orr_mono_end_run(sys, handle);
    return true;
}

/* ---- programs ---- */

static void post_message(struct mono_program *program, const struct coll_args *args, uint32_t chunk,
                         const struct coll_send *out)
{
    const uint32_t handle = orr_slab_new(&program->sys->monos->messages);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(program->sys->queue, ORR_ERR_MEMORY);
        return;
    }
    struct coll_args peer = *args;
    struct coll_recv recv;
    peer.rank = out->peer;
    program->algorithm->recv(&peer, out->peer_recv, &recv);
    *message_at(program, handle) = (struct message){
        .from = args->rank,
        .to = out->peer,
        .chunk = chunk,
        .lane = recv.lane,
        .after =
            program->algorithm->in_order ? out->peer_recv / program->algorithm->lanes : recv.after,
        .after_sends = recv.after_sends,
        .first_waiting = SYS_NONE,
        .last_waiting = SYS_NONE,
        .bytes = out->bytes};
    send_or_wait(program, handle);
}

/* Sends what may go. */
static void advance(struct mono_program *program, uint32_t rank, uint32_t chunk, uint32_t index)
{
    const struct coll_algorithm *algorithm = program->algorithm;
    const struct coll_args args = args_of(program, rank, chunk);
    const uint32_t sends = algorithm->sends(&args);
    struct lane *lane = lane_of(program, rank, chunk, index);
    while (lane->next_send < sends) {
        struct coll_send out;
        algorithm->send(&args, lane->next_send, &out);
        if (out.need > lane->complete) {
            return;
        }
        lane->next_send += algorithm->lanes;
        post_message(program, &args, chunk, &out);
    }
}

static void complete(struct mono_program *program, struct lane *lane, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    lane->complete++;
    program->open--;
    message->taken = true;
    if (!message->leaving) {
        orr_slab_free(&program->sys->monos->messages, handle);
    }
}

static bool is_due(const struct mono_program *program, const struct lane *lane,
                   const struct message *message)
{
    return message->after <= lane->complete &&
           message->after_sends <= lane->next_send / program->algorithm->lanes;
}

/* Accepts unexpected messages that are due, restarting after each; whether there were any.
 * O(unexpected^2). */
static bool accept_unexpected(struct mono_program *program, struct lane *lane)
{
    bool any = false;
    for (uint32_t *at = &lane->unexpected; *at != SYS_NONE;) {
        struct message *message = message_at(program, *at);
        if (!is_due(program, lane, message)) {
            at = &message->next_unexpected;
            continue;
        }
        const uint32_t handle = *at;
        *at = message->next_unexpected;
        complete(program, lane, handle);
        at = &lane->unexpected;
        any = true;
    }
    return any;
}

/* Sends what may go, and accepts what is due then. Whether the program continues. */
static bool proceed(struct mono_program *program, uint32_t rank, uint32_t chunk, uint32_t index)
{
    struct lane *lane = lane_of(program, rank, chunk, index);
    do {
        advance(program, rank, chunk, index);
        if (!program->algorithm->sends_first || !accept_unexpected(program, lane)) {
            return true;
        }
    } while (!end_if_done(program));
    return false;
}

static void delivered(struct sys *sys, uint32_t run, uint32_t handle)
{
    struct mono_program *program = mono_run_at(sys, run)->program;
    struct message *message = message_at(program, handle);
    const uint32_t rank = message->to, chunk = message->chunk, index = message->lane;
    struct lane *lane = lane_of(program, rank, chunk, index);
    if (!is_due(program, lane, message)) {
        message->next_unexpected = lane->unexpected;
        lane->unexpected = handle;
        return;
    }
    complete(program, lane, handle);
    (void)accept_unexpected(program, lane);
    if (!end_if_done(program)) {
        (void)proceed(program, rank, chunk, index);
    }
}

static void left(struct sys *sys, uint32_t run, uint32_t handle)
{
    struct mono_program *program = mono_run_at(sys, run)->program;
    const struct message message = *message_at(program, handle);
    clear_busy(program, handle);
    if (message.taken) {
        orr_slab_free(&sys->monos->messages, handle);
    }
    if (message.first_waiting == SYS_NONE) {
        (void)end_if_done(program);
        return;
    }
    struct message *head = message_at(program, message.first_waiting);
    head->first_waiting = head->next;
    head->last_waiting = message.last_waiting;
    set_busy(program, message.first_waiting);
    start_next(program, message.first_waiting);
}

/* ---- starting ---- */

static bool allocate(struct mono_program *program)
{
    const size_t positions = (size_t)program->ranks * program->chunks;
    const size_t lanes = positions * program->algorithm->lanes;
    for (program->buckets = 16; program->buckets < 2 * program->ranks;) {
        program->buckets *= 2;
    }
    program->lane = orr_heap_calloc(lanes, sizeof *program->lane);
    program->bucket = orr_heap_calloc(program->buckets, sizeof *program->bucket);
    if (program->lane == NULL || program->bucket == NULL) {
        return false;
    }
    for (size_t i = 0; i < lanes; i++) {
        program->lane[i] = (struct lane){.next_send = (uint32_t)(i % program->algorithm->lanes),
                                         .unexpected = SYS_NONE};
    }
    for (uint32_t i = 0; i < program->buckets; i++) {
        program->bucket[i] = SYS_NONE;
    }
    return true;
}

static struct mono_program *new_program(struct sys *sys, uint32_t handle)
{
    const struct mono_run *run = mono_run_at(sys, handle);
    const struct sys_mono *choice = run->operation->whole;
    struct mono_program *program = orr_heap_calloc(1, sizeof *program);
    if (program == NULL) {
        return NULL;
    }
    const uint64_t chunk_bytes_max =
        run->bytes / choice->number + (run->bytes % choice->number != 0);
    program->sys = sys;
    program->algorithm = choice->program;
    program->handle = handle;
    program->ranks = mono_size(run->operation);
    program->ring = run->ring;
    if (choice->jump > 1) {
        program->positions =
            (struct net_ring){.npus = program->ranks, .jump = (int32_t)choice->jump};
        program->ring = &program->positions;
    }
    program->bytes = run->bytes;
    program->chunk_bytes = chunk_bytes_max;
    program->chunks = chunk_bytes_max == 0 ? 1 : (uint32_t)((run->bytes - 1) / chunk_bytes_max + 1);
    program->next = sys->monos->programs;
    if (program->next != NULL) {
        program->next->previous = program;
    }
    sys->monos->programs = program;
    return allocate(program) ? program : NULL;
}

/* Starts all lanes of a rank's chunk. Whether the program continues. */
static bool proceed_lanes(struct mono_program *program, uint32_t rank, uint32_t chunk)
{
    const uint32_t lanes = program->algorithm->lanes;
    bool is_running = true;
    for (uint32_t lane = 0; lane < lanes && is_running; lane++) {
        is_running = proceed(program, rank, chunk, lane);
    }
    return is_running;
}

static void begin(struct mono_program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        for (uint32_t chunk = 0; chunk < program->chunks; chunk++) {
            const struct coll_args args = args_of(program, rank, chunk);
            program->open += program->algorithm->recvs(&args);
        }
    }
    if (!mono_by_insertion(program->sys)) {
        orr_mono_post_acts(program->sys, program->handle);
        return;
    }
    for (uint32_t chunk = 0; chunk < program->chunks; chunk++) {
        for (uint32_t rank = 0; rank < program->ranks; rank++) {
            (void)proceed_lanes(program, rank, chunk);
        }
    }
}

/* The first sends of a member. */
static void act(struct sys *sys, uint32_t run, uint32_t member)
{
    struct mono_program *program = mono_run_at(sys, run)->program;
    const uint32_t rank = orr_mono_position(program->ring, member);
    const uint32_t chunks = program->chunks;
    bool is_running = true;
    for (uint32_t chunk = 0; chunk < chunks && is_running; chunk++) {
        is_running = proceed_lanes(program, rank, chunk);
    }
}

static void start_run(struct sys *sys, struct sys_operation *operation, const struct net_ring *ring,
                      uint64_t bytes)
{
    const uint32_t handle = orr_mono_new_run(sys, &orr_mono_program, operation);
    if (handle == SYS_NONE) {
        return;
    }
    struct mono_run *run = mono_run_at(sys, handle);
    run->ring = ring;
    run->bytes = bytes;
    run->program = new_program(sys, handle);
    if (run->program == NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    begin(run->program);
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    const struct coll_algorithm *algorithm = operation->whole->program;
    if (!algorithm->around || algorithm->lanes != 1) {
        start_run(sys, operation, NULL, operation->bytes);
        return;
    }
    const struct mono_rings *rings = orr_mono_rings_of(sys, operation);
    for (uint32_t i = 0; rings != NULL && i < rings->count; i++) {
        start_run(sys, operation, rings->ring[i],
                  operation->bytes / rings->count + (i < operation->bytes % rings->count));
    }
}

const struct mono_ops orr_mono_program = {
    .start = start, .delivered = delivered, .left = left, .send = send, .act = act};
