/* Storage of the pending-event set, shared by evq.c (run), evq_times.c (times) and evq_sort.c. */
#ifndef ORR_CORE_EVQ_PRIVATE_H
#define ORR_CORE_EVQ_PRIVATE_H

#include "core/evq.h"

#define ORR_EVQ_NONE UINT32_MAX

/* An event in the slab. `next` links the bucket's list or the free list; `batch` is the own batch
 * it belongs to (insertion order only). 32 bytes. */
struct evq_slot {
    struct orr_event event;
    uint32_t next;
    uint32_t batch;
};

/* One distinct time with its events in order of insertion. */
struct evq_bucket {
    sim_time time;
    uint32_t head, tail;
};

/* An entity's own events of one time, under insertion order: later ones go behind `tail`. */
struct evq_batch {
    sim_time time;
    uint32_t tail;
    uint32_t next; /* of the entity's open batches, or of the free list */
};

/* A growing array of fixed-size records with a free list through a caller-chosen link. */
struct evq_pool {
    uint32_t used, capacity, free_head;
};

struct evq_heap_item {
    sim_time time;
    uint32_t bucket;
};

/* The distinct times: a 4-ary heap of (time, bucket) and a hash table from time to bucket. */
struct evq_times {
    struct evq_bucket *buckets;
    struct evq_pool pool;
    struct evq_heap_item *heap;
    uint32_t heap_count, heap_capacity;
    uint32_t *table; /* bucket + 1, or 0; open addressing, linear probing */
    uint32_t table_mask;
    uint32_t last; /* the bucket found last, or ORR_EVQ_NONE */
};

bool orr_evq_times_init(struct evq_times *times);
void orr_evq_times_fini(struct evq_times *times);
size_t orr_evq_times_bytes(const struct evq_times *times);

/* The bucket of `time`, created empty when there is none; ORR_EVQ_NONE when memory is out. */
uint32_t orr_evq_times_bucket(struct evq_times *times, sim_time time);

/* The bucket of the earliest time, or ORR_EVQ_NONE. It stays until orr_evq_times_drop. */
static inline uint32_t evq_times_first(const struct evq_times *times)
{
    return times->heap_count != 0 ? times->heap[0].bucket : ORR_EVQ_NONE;
}

/* Removes the earliest time; its bucket must be empty. */
void orr_evq_times_drop(struct evq_times *times);

/* A round: its events as words of (entity, slot), so that ordering them touches no slots. */
static inline uint64_t evq_round_item(uint32_t entity, uint32_t slot)
{
    return (uint64_t)entity << 32 | slot;
}

static inline uint32_t evq_round_entity(uint64_t item)
{
    return (uint32_t)(item >> 32);
}

static inline uint32_t evq_round_slot(uint64_t item)
{
    return (uint32_t)item;
}

/* Orders `round[count]` by (entity, label); `scratch` has room for `count`. The order of equal keys
 * is unspecified: equal labels of an entity must commute. O(count) for the entity part, insertion
 * sort within an entity. */
void orr_evq_sort(const struct evq_slot *slots, uint64_t *round, uint64_t *scratch, uint32_t count,
                  uint32_t entities);

#endif
