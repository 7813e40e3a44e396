/* The times of the pending-event set: a hierarchical timing wheel (Varghese and Lauck 1987), exact
 * to the picosecond. A time is read as 11 digits of 6 bits. Its level is that of its highest digit
 * that differs from the base; its slot in the level is that digit. Lower levels come earlier,
 * within a level lower digits, and a slot of level 0 is one time. If level 0 is empty, the earliest
 * slot of the lowest non-empty level is distributed again, with its earliest time as the new base.
 * So a time moves at most once per level, and a time alone in its slot moves once.
 *
 * Invariants: no time is before the base; the slot of a time depends only on the time and the base,
 * so buckets of one time share a slot, in order of creation. */
#include "core/arena.h"
#include "core/evq_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

bool orr_evq_times_init(struct evq_times *times)
{
    memset(times, 0, sizeof *times);
    times->pool = (struct evq_pool){.capacity = FIRST_CAPACITY, .free_head = ORR_EVQ_NONE};
    times->last = ORR_EVQ_NONE;
    for (unsigned i = 0; i < EVQ_RECENT; i++) {
        times->recent[i] = (struct evq_recent){.time = -1, .bucket = ORR_EVQ_NONE};
    }
    times->buckets = orr_heap_alloc(FIRST_CAPACITY * sizeof *times->buckets);
    return times->buckets != NULL;
}

void orr_evq_times_fini(struct evq_times *times)
{
    orr_heap_free(times->buckets);
}

size_t orr_evq_times_bytes(const struct evq_times *times)
{
    return times->pool.capacity * sizeof *times->buckets;
}

/* ---- the wheel ---- */

static void insert_bucket(struct evq_times *times, uint32_t index)
{
    struct evq_bucket *bucket = &times->buckets[index];
    const uint64_t time = (uint64_t)bucket->time;
    const uint64_t differs = (time ^ (uint64_t)times->base) | 1;
    const unsigned level = (63u - (unsigned)__builtin_clzll(differs)) / EVQ_DIGIT_BITS;
    const unsigned digit = time >> level * EVQ_DIGIT_BITS & (EVQ_DIGITS - 1);
    struct evq_wheel_slot *wheel_slot = &times->wheel_slot[level][digit];
    bucket->next = ORR_EVQ_NONE;
    if ((times->filled[level] >> digit & 1) != 0) {
        times->buckets[wheel_slot->last].next = index;
    } else {
        times->filled[level] |= UINT64_C(1) << digit;
        times->levels |= 1u << level;
        wheel_slot->first = index;
    }
    wheel_slot->last = index;
}

static uint32_t take_wheel_slot(struct evq_times *times, unsigned level, unsigned digit)
{
    times->filled[level] &= ~(UINT64_C(1) << digit);
    if (times->filled[level] == 0) {
        times->levels &= ~(1u << level);
    }
    return times->wheel_slot[level][digit].first;
}

void orr_evq_times_deal(struct evq_times *times)
{
    const unsigned level = (unsigned)__builtin_ctz(times->levels);
    const uint32_t first =
        take_wheel_slot(times, level, (unsigned)__builtin_ctzll(times->filled[level]));
    times->base = times->buckets[first].time;
    for (uint32_t at = times->buckets[first].next; at != ORR_EVQ_NONE;
         at = times->buckets[at].next) {
        times->base = times->buckets[at].time < times->base ? times->buckets[at].time : times->base;
    }
    for (uint32_t at = first; at != ORR_EVQ_NONE;) {
        const uint32_t next = times->buckets[at].next;
        insert_bucket(times, at);
        at = next;
    }
}

/* ---- buckets ---- */

static size_t recent_index(sim_time time)
{
    return (uint64_t)time * UINT64_C(0x9E3779B97F4A7C15) >> (64 - EVQ_RECENT_BITS);
}

static struct evq_recent *recent_of(struct evq_times *times, sim_time time)
{
    return &times->recent[recent_index(time)];
}

uint32_t orr_evq_times_known(const struct evq_times *times, sim_time time)
{
    const struct evq_recent *recent = &times->recent[recent_index(time)];
    return recent->time == time ? recent->bucket : ORR_EVQ_NONE;
}

static bool grow(struct evq_times *times)
{
    const uint32_t capacity = times->pool.capacity * 2;
    void *grown = orr_heap_realloc(times->buckets, (size_t)capacity * sizeof *times->buckets);
    if (grown == NULL) {
        return false;
    }
    times->buckets = grown;
    times->pool.capacity = capacity;
    return true;
}

static uint32_t new_bucket(struct evq_times *times, sim_time time)
{
    struct evq_pool *pool = &times->pool;
    if (pool->free_head == ORR_EVQ_NONE && pool->used == pool->capacity && !grow(times)) {
        return ORR_EVQ_NONE;
    }
    uint32_t bucket = pool->free_head;
    if (bucket != ORR_EVQ_NONE) {
        pool->free_head = times->buckets[bucket].next;
    } else {
        bucket = pool->used++;
    }
    times->buckets[bucket] =
        (struct evq_bucket){.time = time, .head = ORR_EVQ_NONE, .tail = ORR_EVQ_NONE};
    insert_bucket(times, bucket);
    return bucket;
}

uint32_t orr_evq_times_bucket(struct evq_times *times, sim_time time)
{
    if (times->last != ORR_EVQ_NONE && times->buckets[times->last].time == time) {
        return times->last;
    }
    struct evq_recent *recent = recent_of(times, time);
    if (recent->time != time) {
        const uint32_t bucket = new_bucket(times, time);
        if (bucket == ORR_EVQ_NONE) {
            return bucket;
        }
        *recent = (struct evq_recent){.time = time, .bucket = bucket};
    }
    times->last = recent->bucket;
    return times->last;
}

void orr_evq_times_drop(struct evq_times *times)
{
    const unsigned digit = (unsigned)__builtin_ctzll(times->filled[0]);
    struct evq_wheel_slot *wheel_slot = &times->wheel_slot[0][digit];
    const uint32_t index = wheel_slot->first;
    struct evq_bucket *bucket = &times->buckets[index];
    struct evq_recent *recent = recent_of(times, bucket->time);
    if (recent->bucket == index) {
        *recent = (struct evq_recent){.time = -1, .bucket = ORR_EVQ_NONE};
    }
    if (times->last == index) {
        times->last = ORR_EVQ_NONE;
    }
    wheel_slot->first = bucket->next;
    if (wheel_slot->first == ORR_EVQ_NONE) {
        (void)take_wheel_slot(times, 0, digit);
    }
    bucket->time = -1;
    bucket->next = times->pool.free_head;
    times->pool.free_head = index;
}
