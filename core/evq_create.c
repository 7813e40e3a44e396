/* The pending-event set: creation, registration, queries; see evq.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/evq_private.h"

enum { FIRST_SLOTS = 256, FIRST_BATCHES = 64 };

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
    queue->handlers[kind] = (struct evq_handler){.call = handler, .context = context};
}

void orr_evq_on_flush(struct orr_evq *queue, orr_flush_fn flush, void *context)
{
    queue->flush = flush;
    queue->flush_context = context;
}

void orr_evq_on_idle(struct orr_evq *queue, orr_idle_fn idle, void *context)
{
    queue->idle = idle;
    queue->idle_context = context;
}

void orr_evq_flush(struct orr_evq *queue, uint32_t entity)
{
    if (queue->order == ORR_ORDER_LABEL && queue->flush != NULL) {
        queue->flush(queue->flush_context, entity);
    }
}

void orr_evq_stop(struct orr_evq *queue, enum orr_status status)
{
    if (queue->status == ORR_OK) {
        queue->status = status;
    }
}

void orr_evq_fail(struct orr_evq *queue, const char *format, ...)
{
    char text[sizeof queue->failure.message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (queue->status == ORR_OK) {
        queue->status = orr_diag_fail(&queue->failure, ORR_ERR_INPUT, NULL, "%s", text);
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

/* A wheel slot of level 0 is one time, and the running instant keeps its slot until it ends. */
bool orr_evq_is_last_instant(const struct orr_evq *queue)
{
    return queue->times.levels == 1 && (queue->times.filled[0] & (queue->times.filled[0] - 1)) == 0;
}

static void count_ahead(const struct orr_evq *queue, const struct evq_bucket *bucket,
                        uint64_t kinds, struct orr_evq_ahead *ahead)
{
    if (bucket->time <= queue->now || bucket->head == ORR_EVQ_NONE) {
        return;
    }
    ahead->next = bucket->time < ahead->next ? bucket->time : ahead->next;
    ahead->last = bucket->time > ahead->last ? bucket->time : ahead->last;
    for (uint32_t slot = bucket->head; slot != ORR_EVQ_NONE; slot = queue->slots[slot].next) {
        ahead->of_kinds += kinds >> queue->slots[slot].event.kind & 1;
    }
}

struct orr_evq_ahead orr_evq_ahead(const struct orr_evq *queue, uint64_t kinds)
{
    const struct evq_times *times = &queue->times;
    struct orr_evq_ahead ahead = {.next = ORR_TIME_MAX};
    for (unsigned level = 0; level < EVQ_LEVELS; level++) {
        for (uint64_t left = times->filled[level]; left != 0; left &= left - 1) {
            uint32_t at = times->wheel_slot[level][__builtin_ctzll(left)].first;
            for (; at != ORR_EVQ_NONE; at = times->buckets[at].next) {
                count_ahead(queue, &times->buckets[at], kinds, &ahead);
            }
        }
    }
    return ahead;
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
