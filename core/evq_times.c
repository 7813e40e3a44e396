/* The distinct times of the pending-event set: a 4-ary heap beside a hash table. Invariant: every
 * bucket in the heap is in the table and the other way round. */
#include "core/arena.h"
#include "core/evq_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 64, TABLE_PER_BUCKET = 4 };

bool orr_evq_times_init(struct evq_times *times)
{
    memset(times, 0, sizeof *times);
    times->pool.free_head = ORR_EVQ_NONE;
    times->last = ORR_EVQ_NONE;
    times->pool.capacity = FIRST_CAPACITY;
    times->heap_capacity = FIRST_CAPACITY;
    times->table_mask = FIRST_CAPACITY * TABLE_PER_BUCKET - 1;
    times->buckets = orr_heap_alloc(FIRST_CAPACITY * sizeof *times->buckets);
    times->heap = orr_heap_alloc(FIRST_CAPACITY * sizeof *times->heap);
    times->table = orr_heap_calloc(times->table_mask + 1u, sizeof *times->table);
    return times->buckets != NULL && times->heap != NULL && times->table != NULL;
}

void orr_evq_times_fini(struct evq_times *times)
{
    orr_heap_free(times->buckets);
    orr_heap_free(times->heap);
    orr_heap_free(times->table);
}

size_t orr_evq_times_bytes(const struct evq_times *times)
{
    return times->pool.capacity * sizeof *times->buckets +
           times->heap_capacity * sizeof *times->heap +
           (times->table_mask + 1u) * sizeof *times->table;
}

static uint32_t slot_of(const struct evq_times *times, sim_time time)
{
    uint64_t mixed = (uint64_t)time * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 32) & times->table_mask;
}

static void table_insert(struct evq_times *times, uint32_t bucket)
{
    uint32_t slot = slot_of(times, times->buckets[bucket].time);
    while (times->table[slot] != 0) {
        slot = (slot + 1) & times->table_mask;
    }
    times->table[slot] = bucket + 1;
}

/* Removal by shifting the cluster back, so that no tombstones are left. */
static void table_remove(struct evq_times *times, uint32_t bucket)
{
    const uint32_t mask = times->table_mask;
    uint32_t hole = slot_of(times, times->buckets[bucket].time);
    while (times->table[hole] != bucket + 1) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t probe = (hole + 1) & mask; times->table[probe] != 0; probe = (probe + 1) & mask) {
        const uint32_t home = slot_of(times, times->buckets[times->table[probe] - 1].time);
        if (((probe - home) & mask) >= ((probe - hole) & mask)) {
            times->table[hole] = times->table[probe];
            hole = probe;
        }
    }
    times->table[hole] = 0;
}

static bool grow(struct evq_times *times)
{
    const uint32_t capacity = times->pool.capacity * 2;
    struct evq_bucket *buckets =
        orr_heap_realloc(times->buckets, (size_t)capacity * sizeof *buckets);
    if (buckets == NULL) {
        return false;
    }
    times->buckets = buckets;
    struct evq_heap_item *heap = orr_heap_realloc(times->heap, (size_t)capacity * sizeof *heap);
    if (heap == NULL) {
        return false;
    }
    times->heap = heap;
    times->heap_capacity = capacity;
    uint32_t *table = orr_heap_calloc((size_t)capacity * TABLE_PER_BUCKET, sizeof *table);
    if (table == NULL) {
        return false;
    }
    orr_heap_free(times->table);
    times->table = table;
    times->table_mask = capacity * TABLE_PER_BUCKET - 1;
    times->pool.capacity = capacity;
    for (uint32_t i = 0; i < times->heap_count; i++) {
        table_insert(times, times->heap[i].bucket);
    }
    return true;
}

static void heap_push(struct evq_times *times, struct evq_heap_item item)
{
    uint32_t at = times->heap_count++;
    while (at > 0 && times->heap[(at - 1) / 4].time > item.time) {
        times->heap[at] = times->heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    times->heap[at] = item;
}

static uint32_t smallest_child(const struct evq_times *times, uint32_t at)
{
    const uint32_t first = at * 4 + 1;
    uint32_t best = first;
    for (uint32_t child = first + 1; child < first + 4 && child < times->heap_count; child++) {
        if (times->heap[child].time < times->heap[best].time) {
            best = child;
        }
    }
    return best;
}

static void heap_pop(struct evq_times *times)
{
    const struct evq_heap_item item = times->heap[--times->heap_count];
    uint32_t at = 0;
    while (at * 4 + 1 < times->heap_count) {
        const uint32_t child = smallest_child(times, at);
        if (times->heap[child].time >= item.time) {
            break;
        }
        times->heap[at] = times->heap[child];
        at = child;
    }
    times->heap[at] = item;
}

static uint32_t new_bucket(struct evq_times *times, sim_time time)
{
    struct evq_pool *pool = &times->pool;
    if (pool->free_head == ORR_EVQ_NONE && pool->used == pool->capacity && !grow(times)) {
        return ORR_EVQ_NONE;
    }
    uint32_t bucket = pool->free_head;
    if (bucket != ORR_EVQ_NONE) {
        pool->free_head = times->buckets[bucket].head;
    } else {
        bucket = pool->used++;
    }
    times->buckets[bucket] =
        (struct evq_bucket){.time = time, .head = ORR_EVQ_NONE, .tail = ORR_EVQ_NONE};
    table_insert(times, bucket);
    heap_push(times, (struct evq_heap_item){.time = time, .bucket = bucket});
    return bucket;
}

uint32_t orr_evq_times_bucket(struct evq_times *times, sim_time time)
{
    if (times->last != ORR_EVQ_NONE && times->buckets[times->last].time == time) {
        return times->last;
    }
    uint32_t slot = slot_of(times, time);
    for (; times->table[slot] != 0; slot = (slot + 1) & times->table_mask) {
        if (times->buckets[times->table[slot] - 1].time == time) {
            times->last = times->table[slot] - 1;
            return times->last;
        }
    }
    times->last = new_bucket(times, time);
    return times->last;
}

void orr_evq_times_drop(struct evq_times *times)
{
    const uint32_t bucket = times->heap[0].bucket;
    table_remove(times, bucket);
    heap_pop(times);
    if (times->last == bucket) {
        times->last = ORR_EVQ_NONE;
    }
    times->buckets[bucket].time = -1;
    times->buckets[bucket].head = times->pool.free_head;
    times->pool.free_head = bucket;
}
