/* The pending-event set: posting and running; see evq.h. Invariant: an event is in exactly one
 * bucket's list or in the free list, and no event lies before `now`. */
#include "core/evq.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/evq_private.h"

struct handler {
    orr_event_fn call;
    void *context;
};

struct orr_evq {
    struct evq_slot *slots;
    struct evq_pool slot_pool;
    struct evq_batch *batches;
    struct evq_pool batch_pool;
    struct orr_causes *causes; /* NULL: not kept */
    orr_cause *cause;          /* [slot_pool.capacity], of each pending event */
    uint32_t *open_batches;    /* [entities], head of each entity's open batches */
    struct evq_times times;
    struct handler handlers[ORR_EVENT_KINDS];
    orr_flush_fn flush;
    void *flush_context;
    uint64_t *round, *scratch; /* [round_capacity], items of the running round */
    uint32_t round_capacity;
    uint32_t rounds; /* of the instant, that are over */
    sim_time now;
    uint64_t handled;
    uint32_t entities;
    enum orr_order order;
    enum orr_status status;
    bool time_overflow;
    struct orr_diag refused; /* why the run was refused, if it was */
};

enum { FIRST_SLOTS = 256, FIRST_BATCHES = 64, AHEAD = 8 };

_Static_assert(sizeof(struct evq_slot) == 32, "an event is 32 bytes");

struct orr_evq *orr_evq_create(enum orr_order order, uint32_t entities)
{
    struct orr_evq *queue = orr_heap_calloc(1, sizeof *queue);
    if (queue == NULL) {
        return NULL;
    }
    queue->order = order;
    queue->entities = entities;
    queue->slot_pool = (struct evq_pool){.capacity = FIRST_SLOTS, .free_head = ORR_EVQ_NONE};
    queue->batch_pool = (struct evq_pool){.capacity = FIRST_BATCHES, .free_head = ORR_EVQ_NONE};
    queue->slots = orr_heap_alloc(FIRST_SLOTS * sizeof *queue->slots);
    queue->batches = orr_heap_alloc(FIRST_BATCHES * sizeof *queue->batches);
    queue->open_batches = orr_heap_alloc(entities * sizeof *queue->open_batches);
    const bool times = orr_evq_times_init(&queue->times);
    if (!times || queue->slots == NULL || queue->batches == NULL || queue->open_batches == NULL) {
        orr_evq_destroy(queue);
        return NULL;
    }
    memset(queue->open_batches, 0xFF, entities * sizeof *queue->open_batches);
    return queue;
}

void orr_evq_destroy(struct orr_evq *queue)
{
    if (queue == NULL) {
        return;
    }
    orr_evq_times_fini(&queue->times);
    orr_heap_free(queue->slots);
    orr_heap_free(queue->cause);
    orr_heap_free(queue->batches);
    orr_heap_free(queue->open_batches);
    orr_heap_free(queue->round);
    orr_heap_free(queue->scratch);
    orr_heap_free(queue);
}

uint32_t orr_evq_add_entities(struct orr_evq *queue, uint32_t count)
{
    const uint32_t first = queue->entities;
    if (count > UINT32_MAX - 1 - first) {
        return UINT32_MAX;
    }
    uint32_t *grown =
        orr_heap_realloc(queue->open_batches, ((size_t)first + count) * sizeof *grown);
    if (grown == NULL) {
        return UINT32_MAX;
    }
    memset(grown + first, 0xFF, count * sizeof *grown);
    queue->open_batches = grown;
    queue->entities = first + count;
    return first;
}

struct orr_causes *orr_evq_keep_causes(struct orr_evq *queue, struct orr_arena *arena,
                                       unsigned parts)
{
    ORR_ASSERT(queue->slot_pool.used == 0);
    queue->cause = orr_heap_alloc(queue->slot_pool.capacity * sizeof *queue->cause);
    queue->causes = queue->cause != NULL ? orr_causes_create(arena, parts) : NULL;
    return queue->causes;
}

struct orr_causes *orr_evq_causes(const struct orr_evq *queue)
{
    return queue->causes;
}

void orr_evq_handle(struct orr_evq *queue, unsigned kind, orr_event_fn handler, void *context)
{
    ORR_ASSERT(kind < ORR_EVENT_KINDS);
    queue->handlers[kind] = (struct handler){.call = handler, .context = context};
}

void orr_evq_on_flush(struct orr_evq *queue, orr_flush_fn flush, void *context)
{
    queue->flush = flush;
    queue->flush_context = context;
}

static bool grow_slots(struct orr_evq *queue, uint32_t capacity)
{
    void *grown = orr_heap_realloc(queue->slots, (size_t)capacity * sizeof *queue->slots);
    if (grown == NULL) {
        return false;
    }
    queue->slots = grown;
    if (queue->causes != NULL) {
        void *causes = orr_heap_realloc(queue->cause, (size_t)capacity * sizeof *queue->cause);
        if (causes == NULL) {
            return false;
        }
        queue->cause = causes;
    }
    queue->slot_pool.capacity = capacity;
    return true;
}

static uint32_t new_slot(struct orr_evq *queue)
{
    struct evq_pool *pool = &queue->slot_pool;
    const uint32_t slot = pool->free_head;
    if (slot != ORR_EVQ_NONE) {
        pool->free_head = queue->slots[slot].next;
        return slot;
    }
    if (pool->used == pool->capacity) {
        /* Half again: the slab is the largest part of the queue, and doubling wastes most. */
        if (!grow_slots(queue, pool->capacity + pool->capacity / 2)) {
            return ORR_EVQ_NONE;
        }
    }
    return pool->used++;
}

static uint32_t new_batch(struct orr_evq *queue)
{
    struct evq_pool *pool = &queue->batch_pool;
    const uint32_t batch = pool->free_head;
    if (batch != ORR_EVQ_NONE) {
        pool->free_head = queue->batches[batch].next;
        return batch;
    }
    if (pool->used == pool->capacity) {
        const uint32_t capacity = pool->capacity * 2;
        void *grown = orr_heap_realloc(queue->batches, (size_t)capacity * sizeof *queue->batches);
        if (grown == NULL) {
            return ORR_EVQ_NONE;
        }
        queue->batches = grown;
        pool->capacity = capacity;
    }
    return pool->used++;
}

/* Takes a slot for the event; ORR_EVQ_NONE (and a failed queue) when it cannot be scheduled. */
static inline uint32_t admit(struct orr_evq *queue, sim_time time, const struct orr_event *event)
{
    ORR_DEBUG_ASSERT(event->entity < queue->entities && event->kind < ORR_EVENT_KINDS);
    ORR_DEBUG_ASSERT(time >= queue->now);
    if (time == ORR_TIME_MAX) {
        queue->time_overflow |= queue->status == ORR_OK;
        orr_evq_stop(queue, ORR_ERR_INPUT);
        return ORR_EVQ_NONE;
    }
    const uint32_t slot = new_slot(queue);
    if (slot == ORR_EVQ_NONE) {
        orr_evq_stop(queue, ORR_ERR_MEMORY);
        return slot;
    }
    queue->slots[slot] =
        (struct evq_slot){.event = *event, .next = ORR_EVQ_NONE, .batch = ORR_EVQ_NONE};
    if (ORR_KEEPS_CAUSES(queue->causes)) {
        queue->cause[slot] = orr_cause_hold(queue->causes, event->part, time);
    }
    return slot;
}

static void append(struct orr_evq *queue, sim_time time, uint32_t slot)
{
    const uint32_t index = orr_evq_times_bucket(&queue->times, time);
    if (index == ORR_EVQ_NONE) {
        orr_evq_stop(queue, ORR_ERR_MEMORY);
        return;
    }
    struct evq_bucket *bucket = &queue->times.buckets[index];
    if (bucket->tail == ORR_EVQ_NONE) {
        bucket->head = slot;
    } else {
        queue->slots[bucket->tail].next = slot;
    }
    bucket->tail = slot;
}

void orr_evq_post_parts(struct orr_evq *queue, sim_time time, uint64_t label, uint64_t cookie,
                        struct orr_event_tail tail)
{
    const struct orr_event event = {.label = label,
                                    .cookie = cookie,
                                    .entity = tail.entity,
                                    .kind = tail.kind,
                                    .aux = tail.aux,
                                    .part = tail.part};
    const uint32_t slot = admit(queue, time, &event);
    if (slot != ORR_EVQ_NONE) {
        append(queue, time, slot);
    }
}

/* Puts the slot behind the last event of an open batch. */
static void join_batch(struct orr_evq *queue, uint32_t batch_index, uint32_t slot)
{
    struct evq_batch *batch = &queue->batches[batch_index];
    struct evq_slot *tail = &queue->slots[batch->tail];
    queue->slots[slot].next = tail->next;
    tail->next = slot;
    if (queue->slots[slot].next == ORR_EVQ_NONE) {
        queue->times.buckets[orr_evq_times_bucket(&queue->times, batch->time)].tail = slot;
    }
    batch->tail = slot;
    queue->slots[slot].batch = batch_index;
}

void orr_evq_post_own(struct orr_evq *queue, sim_time time, const struct orr_event *event)
{
    const uint32_t slot = admit(queue, time, event);
    if (slot == ORR_EVQ_NONE || queue->order == ORR_ORDER_LABEL) {
        if (slot != ORR_EVQ_NONE) {
            append(queue, time, slot);
        }
        return;
    }
    uint32_t *head = &queue->open_batches[event->entity];
    for (uint32_t at = *head; at != ORR_EVQ_NONE; at = queue->batches[at].next) {
        if (queue->batches[at].time == time) {
            join_batch(queue, at, slot);
            return;
        }
    }
    const uint32_t batch = new_batch(queue);
    if (batch == ORR_EVQ_NONE) {
        orr_evq_stop(queue, ORR_ERR_MEMORY);
        return;
    }
    queue->batches[batch] = (struct evq_batch){.time = time, .tail = slot, .next = *head};
    *head = batch;
    queue->slots[slot].batch = batch;
    append(queue, time, slot);
}

static void free_slot(struct orr_evq *queue, uint32_t slot)
{
    queue->slots[slot].next = queue->slot_pool.free_head;
    queue->slot_pool.free_head = slot;
}

/* Closes the batch whose last event has been handled. */
static void close_batch(struct orr_evq *queue, uint32_t batch, uint32_t entity)
{
    uint32_t *link = &queue->open_batches[entity];
    while (*link != batch) {
        link = &queue->batches[*link].next;
    }
    *link = queue->batches[batch].next;
    queue->batches[batch].next = queue->batch_pool.free_head;
    queue->batch_pool.free_head = batch;
}

static void call(struct orr_evq *queue, uint32_t slot)
{
    const struct orr_event event = queue->slots[slot].event;
    const struct handler *handler = &queue->handlers[event.kind];
    queue->handled++;
    if (ORR_KEEPS_CAUSES(queue->causes)) {
        orr_cause_begin(queue->causes, queue->cause[slot]);
    }
    handler->call(handler->context, &event);
}

/* First posted, first handled. The running event stays at the head of its list meanwhile, so that
 * own events for now can be put right behind it. */
static void run_instant_by_insertion(struct orr_evq *queue, uint32_t bucket)
{
    for (;;) {
        const uint32_t slot = queue->times.buckets[bucket].head;
        if (slot == ORR_EVQ_NONE || queue->status != ORR_OK) {
            return;
        }
        const uint32_t entity = queue->slots[slot].event.entity;
        call(queue, slot);
        const uint32_t batch = queue->slots[slot].batch;
        if (batch != ORR_EVQ_NONE && queue->batches[batch].tail == slot) {
            close_batch(queue, batch, entity);
        }
        struct evq_bucket *list = &queue->times.buckets[bucket];
        list->head = queue->slots[slot].next;
        if (list->head == ORR_EVQ_NONE) {
            list->tail = ORR_EVQ_NONE;
        }
        free_slot(queue, slot);
    }
}

static bool reserve_round(struct orr_evq *queue, uint32_t count)
{
    if (count <= queue->round_capacity) {
        return true;
    }
    const size_t capacity = (size_t)count + count / 2 + 64;
    uint64_t *round = orr_heap_realloc(queue->round, capacity * sizeof *round);
    if (round != NULL) {
        queue->round = round;
    }
    uint64_t *scratch = orr_heap_realloc(queue->scratch, capacity * sizeof *scratch);
    if (scratch != NULL) {
        queue->scratch = scratch;
    }
    if (round == NULL || scratch == NULL) {
        orr_evq_stop(queue, ORR_ERR_MEMORY);
        return false;
    }
    queue->round_capacity = (uint32_t)capacity;
    return true;
}

/* Detaches the bucket's events as one round, ordered; 0 when there are none (or on failure). */
static uint32_t take_round(struct orr_evq *queue, uint32_t bucket)
{
    struct evq_bucket *list = &queue->times.buckets[bucket];
    uint32_t count = 0;
    for (uint32_t slot = list->head; slot != ORR_EVQ_NONE; slot = queue->slots[slot].next) {
        if (count == queue->round_capacity && !reserve_round(queue, count + 1)) {
            return 0;
        }
        queue->round[count++] = evq_round_item(queue->slots[slot].event.entity, slot);
    }
    list->head = list->tail = ORR_EVQ_NONE;
    if (count > 1) {
        orr_evq_sort(queue->slots, queue->round, queue->scratch, count, queue->entities);
    }
    return count;
}

/* Slots of a round lie scattered, and so does what events are about, which their cookie often
 * points at; where it does not, nothing is lost. */
static void prefetch(const struct orr_evq *queue, uint32_t at, uint32_t count)
{
    if (at + 2 * AHEAD < count) {
        __builtin_prefetch(&queue->slots[evq_round_slot(queue->round[at + 2 * AHEAD])]);
        const struct evq_slot *slot = &queue->slots[evq_round_slot(queue->round[at + AHEAD])];
        __builtin_prefetch((const void *)(uintptr_t)slot->event.cookie);
    }
}

static void run_instant_by_label(struct orr_evq *queue, uint32_t bucket)
{
    for (uint32_t count = take_round(queue, bucket); count != 0;
         count = take_round(queue, bucket)) {
        for (uint32_t i = 0; i < count && queue->status == ORR_OK; i++) {
            prefetch(queue, i, count);
            const uint32_t slot = evq_round_slot(queue->round[i]);
            const uint32_t entity = evq_round_entity(queue->round[i]);
            call(queue, slot);
            const bool last = i + 1 == count || evq_round_entity(queue->round[i + 1]) != entity;
            free_slot(queue, slot);
            if (last && queue->flush != NULL) {
                queue->flush(queue->flush_context, entity);
            }
        }
        if (queue->status != ORR_OK) {
            return;
        }
        queue->rounds++;
    }
}

static void run_instant(struct orr_evq *queue, uint32_t bucket)
{
    queue->now = queue->times.buckets[bucket].time;
    queue->rounds = 0;
    if (queue->order == ORR_ORDER_INSERTION) {
        run_instant_by_insertion(queue, bucket);
    } else {
        run_instant_by_label(queue, bucket);
    }
    if (queue->status == ORR_OK) {
        orr_evq_times_drop(&queue->times);
    }
}

enum orr_status orr_time_overflow(struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "simulated time overflow: an event lies more than 106 days (2^63 ps) "
                         "after the start; check for a tiny bandwidth or a huge size");
}

static enum orr_status report(const struct orr_evq *queue, struct orr_diag *diag)
{
    if (queue->time_overflow) {
        return orr_time_overflow(diag);
    }
    if (queue->refused.status != ORR_OK) {
        return orr_diag_hand_on(diag, &queue->refused);
    }
    if (queue->status == ORR_ERR_MEMORY) {
        return orr_diag_no_memory(diag, "the simulation");
    }
    return queue->status;
}

enum orr_status orr_evq_run_some(struct orr_evq *queue, uint64_t instants, bool *empty,
                                 struct orr_diag *diag)
{
    uint32_t bucket = evq_times_first(&queue->times);
    for (; bucket != ORR_EVQ_NONE && instants != 0 && queue->status == ORR_OK; instants--) {
        run_instant(queue, bucket);
        bucket = evq_times_first(&queue->times);
    }
    *empty = bucket == ORR_EVQ_NONE;
    return report(queue, diag);
}

enum orr_status orr_evq_run(struct orr_evq *queue, struct orr_diag *diag)
{
    bool empty;
    return orr_evq_run_some(queue, UINT64_MAX, &empty, diag);
}

void orr_evq_stop(struct orr_evq *queue, enum orr_status status)
{
    if (queue->status == ORR_OK) {
        queue->status = status;
    }
}

void orr_evq_refuse(struct orr_evq *queue, const char *format, ...)
{
    char text[sizeof queue->refused.message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (queue->status == ORR_OK) {
        queue->status = orr_diag_fail(&queue->refused, ORR_ERR_INPUT, NULL, "%s", text);
    }
}

sim_time orr_evq_now(const struct orr_evq *queue)
{
    return queue->now;
}

uint32_t orr_evq_round(const struct orr_evq *queue)
{
    return queue->rounds;
}

uint64_t orr_evq_handled(const struct orr_evq *queue)
{
    return queue->handled;
}

enum orr_order orr_evq_order(const struct orr_evq *queue)
{
    return queue->order;
}

size_t orr_evq_bytes(const struct orr_evq *queue)
{
    return sizeof *queue + queue->slot_pool.capacity * sizeof *queue->slots +
           queue->batch_pool.capacity * sizeof *queue->batches +
           queue->entities * sizeof *queue->open_batches + orr_evq_times_bytes(&queue->times) +
           2 * (size_t)queue->round_capacity * sizeof *queue->round;
}
