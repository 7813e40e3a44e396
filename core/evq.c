/* The pending-event set: posting and running; see evq.h. Invariant: an event is in exactly one
 * bucket's list or in the free list, and no event lies before `now`. */
#include "core/evq.h"

#include "core/arena.h"
#include "core/evq_private.h"

enum { AHEAD = 8 };

_Static_assert(sizeof(struct evq_slot) == 32, "an event is 32 bytes");

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
        /* Grows by half: the slab is the largest part of the queue, and doubling wastes more
         * memory. */
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

/* Allocates a slot for the event; ORR_EVQ_NONE (and a failed queue) if it cannot be scheduled. */
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
        queue->cause[slot] = event->part == ORR_PART_NONE
                                 ? ORR_CAUSE_ROOT
                                 : orr_cause_hold(queue->causes, event->part, time);
    }
    return slot;
}

/* Appends the event to the bucket of its time; returns the bucket. */
static uint32_t append(struct orr_evq *queue, sim_time time, uint32_t slot)
{
    const uint32_t index = orr_evq_times_bucket(&queue->times, time);
    if (index == ORR_EVQ_NONE) {
        orr_evq_stop(queue, ORR_ERR_MEMORY);
        return index;
    }
    struct evq_bucket *bucket = &queue->times.buckets[index];
    if (bucket->tail == ORR_EVQ_NONE) {
        bucket->head = slot;
    } else {
        queue->slots[bucket->tail].next = slot;
    }
    bucket->tail = slot;
    return index;
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

bool orr_evq_is_newest(const struct orr_evq *queue, sim_time time, uint32_t entity, uint64_t label)
{
    const uint32_t index = orr_evq_times_known(&queue->times, time);
    const uint32_t slot = index != ORR_EVQ_NONE ? queue->times.buckets[index].tail : ORR_EVQ_NONE;
    return slot != ORR_EVQ_NONE && queue->slots[slot].event.entity == entity &&
           queue->slots[slot].event.label == label;
}

/* Links the slot after the last event of an open batch. */
static void join_batch(struct orr_evq *queue, uint32_t batch_index, uint32_t slot)
{
    struct evq_batch *batch = &queue->batches[batch_index];
    struct evq_slot *tail = &queue->slots[batch->tail];
    queue->slots[slot].next = tail->next;
    tail->next = slot;
    if (queue->slots[slot].next == ORR_EVQ_NONE) {
        queue->times.buckets[batch->bucket].tail = slot;
    }
    batch->tail = slot;
    queue->slots[slot].batch = batch_index;
}

void orr_evq_post_batched(struct orr_evq *queue, sim_time time, const struct orr_event *event)
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
    queue->slots[slot].batch = batch;
    queue->batches[batch] = (struct evq_batch){
        .time = time, .tail = slot, .next = *head, .bucket = append(queue, time, slot)};
    *head = batch;
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
    const struct evq_handler *handler = &queue->handlers[event.kind];
    queue->handled++;
    if (ORR_KEEPS_CAUSES(queue->causes) && event.part != ORR_PART_NONE) {
        orr_cause_begin(queue->causes, queue->cause[slot]);
    }
    handler->call(handler->context, &event);
}

/* Handles events in order of insertion. The running event stays at the head of its list, so batched
 * events for now can be linked right after it. */
static void run_bucket_by_insertion(struct orr_evq *queue, uint32_t bucket)
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

static void run_events_of_now(struct orr_evq *queue)
{
    while (queue->status == ORR_OK && evq_times_more(&queue->times, queue->now)) {
        run_bucket_by_insertion(queue, evq_times_first(&queue->times));
        if (queue->status == ORR_OK) {
            orr_evq_times_drop(&queue->times);
        }
    }
}

static void run_instant_by_insertion(struct orr_evq *queue)
{
    do {
        run_events_of_now(queue);
    } while (queue->idle != NULL && queue->status == ORR_OK && queue->idle(queue->idle_context));
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

/* Appends a bucket's events to the round; UINT32_MAX if memory is out. */
static uint32_t take_bucket(struct orr_evq *queue, struct evq_bucket *list, uint32_t count)
{
    for (uint32_t slot = list->head; slot != ORR_EVQ_NONE; slot = queue->slots[slot].next) {
        if (count == queue->round_capacity && !reserve_round(queue, count + 1)) {
            return UINT32_MAX;
        }
        queue->round[count++] = evq_round_item(queue->slots[slot].event.entity, slot);
    }
    list->head = list->tail = ORR_EVQ_NONE;
    return count;
}

/* Detaches the events of now as one sorted round; 0 if there are none (or on failure). The newest
 * bucket stays, for the next round. */
static uint32_t take_round(struct orr_evq *queue)
{
    uint32_t count = 0;
    for (bool more = true; more;) {
        struct evq_bucket *list = &queue->times.buckets[evq_times_first(&queue->times)];
        count = take_bucket(queue, list, count);
        if (count == UINT32_MAX) {
            return 0;
        }
        more = list->next != ORR_EVQ_NONE;
        if (more) {
            orr_evq_times_drop(&queue->times);
        }
    }
    if (count > 1) {
        orr_evq_sort(queue->slots, queue->round, queue->scratch, count, queue->entities);
    }
    return count;
}

/* Slots of a round are scattered in memory, and so is what the cookie often points at; if it is no
 * address, the prefetch is harmless. */
static void prefetch(const struct orr_evq *queue, uint32_t at, uint32_t count)
{
    if (at + 2 * AHEAD < count) {
        __builtin_prefetch(&queue->slots[evq_round_slot(queue->round[at + 2 * AHEAD])]);
        const struct evq_slot *slot = &queue->slots[evq_round_slot(queue->round[at + AHEAD])];
        __builtin_prefetch((const void *)(uintptr_t)slot->event.cookie);
    }
}

static void run_instant_by_label(struct orr_evq *queue)
{
    for (uint32_t count = take_round(queue); count != 0; count = take_round(queue)) {
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
    if (queue->status == ORR_OK) {
        orr_evq_times_drop(&queue->times);
    }
}

static void run_instant(struct orr_evq *queue)
{
    queue->now = queue->times.buckets[evq_times_first(&queue->times)].time;
    queue->rounds = 0;
    if (queue->order == ORR_ORDER_INSERTION) {
        run_instant_by_insertion(queue);
    } else {
        run_instant_by_label(queue);
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
    if (queue->failure.status != ORR_OK) {
        return orr_diag_forward(diag, &queue->failure);
    }
    if (queue->status == ORR_ERR_MEMORY) {
        return orr_diag_no_memory(diag, "the simulation");
    }
    return queue->status;
}

enum orr_status orr_evq_run_some(struct orr_evq *queue, uint64_t instants, bool *empty,
                                 struct orr_diag *diag)
{
    for (; !evq_times_none(&queue->times) && instants != 0 && queue->status == ORR_OK; instants--) {
        run_instant(queue);
    }
    *empty = evq_times_none(&queue->times);
    return report(queue, diag);
}

enum orr_status orr_evq_run(struct orr_evq *queue, struct orr_diag *diag)
{
    bool empty;
    return orr_evq_run_some(queue, UINT64_MAX, &empty, diag);
}
