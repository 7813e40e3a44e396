/* Admission of chunk-phases as in ASTRA-sim: each dimension of an NPU has several queues; each
 * queue runs a few chunk-phases at a time and takes the next by priority, the oldest first. */
#include "core/arena.h"
#include "core/evq.h"
#include "system/astra/astra_stepping.h"

struct sys_queue {
    struct sys_stream *head, *tail;
    uint32_t running;
};

struct sys_queues {
    struct sys_queue *queue; /* [slots * dims * queues_per_dim] */
    uint32_t *next;          /* [slots * dims * 3], next queue per class */
    uint32_t concurrency;    /* of one queue */
};

static bool create(struct sys *sys)
{
    const struct sys_config *config = sys->config;
    const size_t dims = (size_t)sys->slots * sys->net->config->dims;
    struct sys_queues *queues = orr_arena_alloc(sys->arena, sizeof *queues);
    if (queues == NULL) {
        return false;
    }
    *queues = (struct sys_queues){
        .queue = orr_arena_array(sys->arena, dims * config->queues_per_dim, sizeof *queues->queue),
        .next = orr_arena_array(sys->arena, dims * 3, sizeof *queues->next),
        .concurrency =
            (config->active_chunks + config->queues_per_dim - 1) / config->queues_per_dim};
    sys->queues = queues;
    orr_evq_handle(sys->queue, EVENT_STEP, orr_sys_on_step, sys);
    orr_evq_handle(sys->queue, EVENT_UNEXPECTED, orr_sys_on_unexpected, sys);
    orr_evq_handle(sys->queue, EVENT_RENDEZVOUS, orr_sys_on_rendezvous, sys);
    return queues->queue != NULL && queues->next != NULL;
}

/* ---- queue allocation: round robin per NPU, dimension and class ---- */

static uint8_t next_queue(struct sys *sys, struct orr_slot npu, const struct sys_dim *dim,
                          unsigned queue_class)
{
    const uint32_t queues = sys->config->queues_per_dim;
    const uint32_t half = queues / 2;
    const unsigned dims = sys->net->config->dims;
    uint32_t *next =
        &sys->queues->next[((size_t)npu.slot * dims + dim->queue_dim) * 3 + queue_class];
    uint32_t first = 0, count = queues;
    if (queue_class == QUEUE_FIRST_HALF) {
        count = half != 0 ? half : 1;
    } else if (queue_class == QUEUE_SECOND_HALF) {
        first = half;
        count = queues - half;
    }
    const uint32_t queue = first + *next;
    *next = (*next + 1) % count;
    return (uint8_t)queue;
}

/* Assigns the NPU's queue of each chunk and phase by round robin; none if all are 0. */
static enum orr_status plan(struct sys *sys, struct sys_operation *operation, struct orr_slot npu,
                            struct sys_member *member)
{
    if (sys->config->queues_per_dim == 1) {
        return ORR_OK;
    }
    uint8_t *queues = orr_arena_array(operation->arena, operation->chunks, 2 * SYS_MAX_DIMS);
    if (queues == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (uint32_t c = 0; c < operation->chunks; c++) {
        for (unsigned p = 0; p < operation->plan[c]->phases; p++) {
            const struct sys_phase *phase = &operation->plan[c]->phase[p];
            queues[(size_t)c * 2 * SYS_MAX_DIMS + p] =
                next_queue(sys, npu, &operation->dim[phase->dim], phase->queue_class);
        }
    }
    member->queues = queues;
    return ORR_OK;
}

/* ---- admission ---- */

static struct sys_queue *queue_of(struct sys *sys, const struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    const struct sys_member *member = sys_member_of(stream);
    const struct sys_dim *dim = &operation->dim[sys_phase_of(stream)->dim];
    const uint32_t per_dim = sys->config->queues_per_dim;
    const size_t first =
        ((size_t)sys_slot_of(stream).slot * sys->net->config->dims + dim->queue_dim) * per_dim;
    return &sys->queues->queue[first + sys_queue_number(member, stream)];
}

static int64_t priority_of(const struct sys_stream *stream)
{
    return sys_member_of(stream)->priority;
}

/* max(input, output) of the phase. */
static uint64_t size_of(const struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const uint64_t out = orr_sys_truncated_output(phase, stream->operation->dim[phase->dim].n);
    return out > phase->bytes ? out : phase->bytes;
}

static bool orders_by_size(const struct sys *sys, const struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    return sys->config->queue_order == SYS_QUEUE_SMALLEST_FIRST &&
           stream->operation->custom_program == NULL &&
           phase->algorithm->chain != COLL_CHAIN_TREES &&
           (phase->kind == COLL_REDUCE_SCATTER || phase->kind == COLL_ALL_GATHER);
}

/* Whether a waiting stream stays ahead of the new one. By size the newest of equals goes first, but
 * a chunk with exactly one more phase goes behind all. */
static bool stays_ahead(const struct sys_stream *waiting, const struct sys_stream *stream,
                        bool by_size)
{
    if (!by_size) {
        return priority_of(waiting) >= priority_of(stream);
    }
    const unsigned left = stream->operation->plan[stream->chunk]->phases - stream->phase - 1u;
    return left == 1 || size_of(waiting) < size_of(stream);
}

/* Inserts behind all of the same or a higher priority, usually at the end; or by size, before the
 * first that does not stay ahead. */
static void push(struct sys *sys, struct sys_stream *stream)
{
    struct sys_queue *queue = queue_of(sys, stream);
    const bool by_size = orders_by_size(sys, stream);
    struct sys_stream **link = &queue->head;
    if (sys->config->queue_order == SYS_QUEUE_BY_PRIORITY && queue->tail != NULL &&
        stays_ahead(queue->tail, stream, false)) {
        link = &queue->tail->next;
    }
    while (*link != NULL && stays_ahead(*link, stream, by_size)) {
        link = &(*link)->next;
    }
    stream->next = *link;
    *link = stream;
    if (stream->next == NULL) {
        queue->tail = stream;
    }
}

static void start_waiting(struct sys *sys, struct sys_queue *queue)
{
    while (queue->head != NULL && queue->running < sys->queues->concurrency) {
        struct sys_stream *stream = queue->head;
        queue->head = stream->next;
        if (queue->head == NULL) {
            queue->tail = NULL;
        }
        queue->running++;
        orr_sys_phase_begin(sys, stream);
    }
}

static void start(struct sys *sys, struct sys_stream *stream)
{
    push(sys, stream);
    start_waiting(sys, queue_of(sys, stream));
}

static void vacate(struct sys *sys, struct sys_queue *queue)
{
    queue->running--;
    start_waiting(sys, queue);
}

static void next(struct sys *sys, struct sys_stream *stream)
{
    struct sys_queue *old = queue_of(sys, stream);
    stream->phase++;
    push(sys, stream);
    vacate(sys, old);
    start_waiting(sys, queue_of(sys, stream));
}

static void leave(struct sys *sys, struct sys_stream *stream)
{
    vacate(sys, queue_of(sys, stream));
}

/* Ranks that admit chunks in different orders deadlock; ASTRA-sim hangs then. */
static const char admission_hint[] =
    " of chunks that other ranks have not admitted: the reference's queues let ranks that start at "
    "different times take chunks in different orders, and then block each other; raise "
    "active-chunks-per-dimension or use --compat off";

const struct sys_chunk_ops orr_astra_chunks = {.name = "queues",
                                               .create = create,
                                               .plan = plan,
                                               .stepper_of = orr_astra_stepper,
                                               .start = start,
                                               .next = next,
                                               .leave = leave,
                                               .stall_hint = admission_hint};
