/* All-reduces by the per-rank programs of system/collectives/program.h, without barriers: one
 * engine for all of them. A message is a flow; a rank's progress is a counter of sends and one of
 * receives for each chunk and lane. A buffer in several chunks is as many programs side by side,
 * and what makes them a pipeline is that a connection, from one rank to another, carries one
 * message at a time: the next one starts when the sender of the one before is done (in the order in
 * which they became ready).
 *
 * A ring goes around every ring that the network has for so many servers, with its part of the
 * bytes. */
#include "system/system.h"
#include "workload/taskgraph/cluster_private.h"

/* `next`: in a bucket of busy connections, in the line behind such a message, or among the early
 * arrivals of a lane. */
struct message {
    uint32_t next;
    uint32_t from, to; /* ranks */
    uint32_t chunk, lane;
    uint32_t after;                       /* receives of the lane that are complete before it */
    uint32_t first_waiting, last_waiting; /* for the same connection */
    uint64_t bytes;
};

struct lane {
    uint32_t next_send; /* among all sends of the rank */
    uint32_t complete;  /* receives of the lane */
    uint32_t early;     /* messages that came before what they come behind */
};

struct program {
    struct program *next, *before; /* of those under way */
    struct cluster_job *job;
    const struct coll_algorithm *algorithm;
    uint32_t task, handle, ranks, step;
    uint32_t chunks;
    uint64_t bytes, chunk_bytes; /* the last chunk has what is left */
    uint64_t open;               /* receives that are to come */
    struct lane *lane;           /* [ranks * chunks * lanes] */
    uint32_t *bucket;            /* [buckets], a power of two: busy connections */
    uint32_t buckets;
};

static struct message *message_at(const struct program *program, uint32_t handle)
{
    return orr_slab_at(&program->job->cluster->messages, handle);
}

static struct program *program_of(const struct orr_cluster *cluster, uint32_t handle)
{
    return cluster_reduce(cluster, handle)->program;
}

static struct coll_args args_of(const struct program *program, uint32_t rank, uint32_t chunk)
{
    const uint64_t before = program->chunk_bytes * chunk;
    const bool last = chunk + 1 == program->chunks;
    return (struct coll_args){.kind = COLL_ALL_REDUCE,
                              .n = program->ranks,
                              .rank = rank,
                              .variant = chunk,
                              .bytes = last ? program->bytes - before : program->chunk_bytes};
}

static struct lane *lane_of(const struct program *program, uint32_t rank, uint32_t chunk,
                            uint32_t lane)
{
    const size_t place = (size_t)rank * program->chunks + chunk;
    return &program->lane[place * program->algorithm->lanes + lane];
}

/* ---- connections ---- */

static uint32_t *bucket_of(const struct program *program, const struct message *message)
{
    const uint64_t pair = (uint64_t)message->from * program->ranks + message->to;
    const uint64_t hash = pair * UINT64_C(0x9e3779b97f4a7c15);
    return &program->bucket[(hash >> 32) & (program->buckets - 1)];
}

/* The message that the connection carries, or CLUSTER_NONE. */
static uint32_t carried(const struct program *program, const struct message *like)
{
    uint32_t at = *bucket_of(program, like);
    while (at != CLUSTER_NONE) {
        const struct message *message = message_at(program, at);
        if (message->from == like->from && message->to == like->to) {
            return at;
        }
        at = message->next;
    }
    return CLUSTER_NONE;
}

static void occupy(struct program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    uint32_t *bucket = bucket_of(program, message);
    message->next = *bucket;
    *bucket = handle;
}

static void vacate(struct program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    uint32_t *at = bucket_of(program, message);
    while (*at != handle) {
        at = &message_at(program, *at)->next;
    }
    *at = message->next;
}

static uint64_t cookie_of_message(const struct program *program, uint32_t handle)
{
    return COOKIE_REDUCE | COOKIE_TELL | cookie_of(handle, program->handle);
}

static uint32_t server_of(const struct program *program, uint32_t rank)
{
    const struct orr_task *task = cluster_task(program->job, program->task);
    const uint64_t place = (uint64_t)rank * program->step % program->ranks;
    return program->job->config.graph->next[task->first_next + place];
}

static void start_message(struct program *program, uint32_t handle)
{
    const struct message *message = message_at(program, handle);
    orr_cluster_start_flow(program->job, server_of(program, message->from),
                           server_of(program, message->to), message->bytes,
                           cookie_of_message(program, handle));
}

/* Sends now, or behind what the connection carries. */
static void send_or_wait(struct program *program, uint32_t handle)
{
    struct message *message = message_at(program, handle);
    const uint32_t busy = carried(program, message);
    if (busy == CLUSTER_NONE) {
        occupy(program, handle);
        start_message(program, handle);
        return;
    }
    struct message *head = message_at(program, busy);
    if (head->first_waiting == CLUSTER_NONE) {
        head->first_waiting = handle;
    } else {
        message_at(program, head->last_waiting)->next = handle;
    }
    head->last_waiting = handle;
    message->next = CLUSTER_NONE;
}

/* In the middle of what the flows do, so that the next message starts in an event of its own. */
static void left(struct orr_cluster *cluster, uint32_t reduce, uint32_t handle)
{
    struct program *program = program_of(cluster, reduce);
    const struct message *message = message_at(program, handle);
    const uint32_t waiting = message->first_waiting;
    vacate(program, handle);
    if (waiting != CLUSTER_NONE) {
        struct message *head = message_at(program, waiting);
        head->first_waiting = head->next;
        head->last_waiting = message->last_waiting;
        occupy(program, waiting);
        orr_cluster_post(cluster, orr_evq_now(cluster->queue), EVENT_SEND,
                         cookie_of_message(program, waiting));
    }
}

static void send(struct orr_cluster *cluster, uint32_t reduce, uint32_t handle)
{
    start_message(program_of(cluster, reduce), handle);
}

/* ---- programs ---- */

static void post_message(struct program *program, const struct coll_args *args, uint32_t chunk,
                         const struct coll_send *out)
{
    struct orr_cluster *cluster = program->job->cluster;
    const uint32_t handle = orr_slab_new(&cluster->messages);
    if (handle >= UINT32_C(1) << COOKIE_PART_BITS) {
        orr_cluster_no_memory(cluster);
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
        .first_waiting = CLUSTER_NONE,
        .last_waiting = CLUSTER_NONE,
        .bytes = out->bytes};
    send_or_wait(program, handle);
}

/* Sends what may go. */
static void advance(struct program *program, uint32_t rank, uint32_t chunk, uint32_t index)
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

static void complete(struct program *program, struct lane *lane, uint32_t handle)
{
    lane->complete++;
    program->open--;
    orr_slab_free(&program->job->cluster->messages, handle);
}

/* Takes in those early arrivals whose turn has come. O(early), again after each. */
static void take_early(struct program *program, struct lane *lane)
{
    for (uint32_t *at = &lane->early; *at != CLUSTER_NONE;) {
        struct message *message = message_at(program, *at);
        if (message->after > lane->complete) {
            at = &message->next;
            continue;
        }
        const uint32_t handle = *at;
        *at = message->next;
        complete(program, lane, handle);
        at = &lane->early;
    }
}

static void free_program(struct orr_cluster *cluster, struct program *program)
{
    if (program->before != NULL) {
        program->before->next = program->next;
    } else {
        cluster->programs = program->next;
    }
    if (program->next != NULL) {
        program->next->before = program->before;
    }
    orr_heap_free(program->lane);
    orr_heap_free(program->bucket);
    orr_heap_free(program);
}

void orr_programs_free(struct orr_cluster *cluster)
{
    while (cluster->programs != NULL) {
        free_program(cluster, cluster->programs);
    }
}

void orr_programs_init(struct orr_cluster *cluster)
{
    orr_slab_init(&cluster->messages, cluster->arena, sizeof(struct message));
}

static void delivered(struct orr_cluster *cluster, uint32_t reduce, uint32_t handle)
{
    struct program *program = program_of(cluster, reduce);
    struct message *message = message_at(program, handle);
    const uint32_t rank = message->to, chunk = message->chunk, index = message->lane;
    struct lane *lane = lane_of(program, rank, chunk, index);
    if (message->after > lane->complete) {
        message->next = lane->early;
        lane->early = handle;
        return;
    }
    complete(program, lane, handle);
    take_early(program, lane);
    if (program->open == 0) {
        free_program(cluster, program);
        orr_cluster_end_reduce(cluster, reduce);
    } else {
        advance(program, rank, chunk, index);
    }
}

/* ---- starting ---- */

static bool allocate(struct program *program)
{
    const size_t places = (size_t)program->ranks * program->chunks;
    const size_t lanes = places * program->algorithm->lanes;
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
                                         .early = CLUSTER_NONE};
    }
    for (uint32_t i = 0; i < program->buckets; i++) {
        program->bucket[i] = CLUSTER_NONE;
    }
    return true;
}

static struct program *new_program(struct reduce_run *run, const struct orr_all_reduce *choice,
                                   uint32_t handle)
{
    struct orr_cluster *cluster = run->job->cluster;
    struct program *program = orr_heap_calloc(1, sizeof *program);
    if (program == NULL) {
        return NULL;
    }
    const uint64_t piece = run->bytes / choice->number + (run->bytes % choice->number != 0);
    program->job = run->job;
    program->algorithm = choice->program;
    program->task = run->task;
    program->handle = handle;
    program->ranks = cluster_task(run->job, run->task)->nexts;
    program->step = run->step;
    program->bytes = run->bytes;
    program->chunk_bytes = piece;
    program->chunks = piece == 0 ? 1 : (uint32_t)((run->bytes - 1) / piece + 1);
    program->next = cluster->programs;
    if (program->next != NULL) {
        program->next->before = program;
    }
    cluster->programs = program;
    return allocate(program) ? program : NULL;
}

static void begin(struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        for (uint32_t chunk = 0; chunk < program->chunks; chunk++) {
            const struct coll_args args = args_of(program, rank, chunk);
            program->open += program->algorithm->recvs(&args);
        }
    }
    for (uint32_t chunk = 0; chunk < program->chunks; chunk++) {
        for (uint32_t rank = 0; rank < program->ranks; rank++) {
            for (uint32_t lane = 0; lane < program->algorithm->lanes; lane++) {
                advance(program, rank, chunk, lane);
            }
        }
    }
}

static void start(struct cluster_job *job, const struct orr_all_reduce *choice, uint32_t index)
{
    const struct orr_task *task = cluster_task(job, index);
    const bool ring = choice->program->around && choice->program->lanes == 1;
    const uint32_t given = ring ? orr_rings_of(job, task->nexts) : 0,
                   rings = given == 0 ? 1 : given;
    for (uint32_t i = 0; i < rings; i++) {
        const uint32_t handle = orr_cluster_new_reduce(job, &orr_all_reduce_program, index);
        if (handle == CLUSTER_NONE) {
            return;
        }
        struct reduce_run *run = cluster_reduce(job->cluster, handle);
        run->step = ring ? orr_ring_step(job, task->nexts, i) : 1;
        run->bytes = task->bytes / rings + (i < task->bytes % rings);
        run->program = new_program(run, choice, handle);
        if (run->program == NULL) {
            orr_cluster_no_memory(job->cluster);
            return;
        }
        begin(run->program);
    }
}

const struct all_reduce_ops orr_all_reduce_program = {
    .start = start, .delivered = delivered, .left = left, .send = send};
