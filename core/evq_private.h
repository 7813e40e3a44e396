/* Storage of the pending-event set, shared by evq.c (run), evq_create.c, evq_times.c (times) and
 * evq_sort.c. */
#ifndef ORR_CORE_EVQ_PRIVATE_H
#define ORR_CORE_EVQ_PRIVATE_H

#include "core/evq.h"

#define ORR_EVQ_NONE UINT32_MAX

/* An event in the slab, 32 bytes. `next` links the bucket's list or the free list; `batch` is its
 * batch (insertion order only). */
struct evq_slot {
    struct orr_event event;
    uint32_t next;
    uint32_t batch;
};

/* Events of one time in order of insertion: nearly always all of them. A time whose bucket is not
 * in the cache gets another bucket after it, see evq_times. */
struct evq_bucket {
    sim_time time;
    uint32_t head, tail;
    uint32_t next; /* next bucket of the wheel slot, or of the free list */
};

/* A batch: an entity's batched events of one time (insertion order); later ones are linked after
 * `tail`. */
struct evq_batch {
    sim_time time;
    uint32_t tail;
    uint32_t next;   /* next open batch of the entity, or of the free list */
    uint32_t bucket; /* bucket that holds the batch */
};

/* A growing array of fixed-size records with a free list through a caller-chosen link. */
struct evq_pool {
    uint32_t used, capacity, free_head;
};

enum { EVQ_DIGIT_BITS = 6, EVQ_DIGITS = 1 << EVQ_DIGIT_BITS, EVQ_LEVELS = 11 };
enum { EVQ_RECENT_BITS = 8, EVQ_RECENT = 1 << EVQ_RECENT_BITS };

/* List of buckets, first to last; valid if its bit of `filled` is set. */
struct evq_wheel_slot {
    uint32_t first, last;
};

/* Cache entry: the newest bucket of a time; time -1: empty. */
struct evq_recent {
    sim_time time;
    uint32_t bucket;
};

/* The times with events, see evq_times.c. A direct-mapped cache (hash without chains) finds the
 * bucket of times posted for recently; other times get another bucket after their old one. */
struct evq_times {
    struct evq_bucket *buckets;
    struct evq_pool pool;
    sim_time base;               /* <= all times */
    uint32_t levels;             /* bit l: filled[l] != 0 */
    uint32_t last;               /* the last bucket found, or ORR_EVQ_NONE */
    uint64_t filled[EVQ_LEVELS]; /* bit d: line[l][d] holds buckets */
    struct evq_wheel_slot wheel_slot[EVQ_LEVELS][EVQ_DIGITS];
    struct evq_recent recent[EVQ_RECENT];
};

bool orr_evq_times_init(struct evq_times *times);
void orr_evq_times_fini(struct evq_times *times);
size_t orr_evq_times_bytes(const struct evq_times *times);

/* The bucket for an event of `time`: the newest known one, or a new one after those of the time;
 * ORR_EVQ_NONE when memory is out. */
uint32_t orr_evq_times_bucket(struct evq_times *times, sim_time time);

/* The newest bucket of a time if it is in the cache; ORR_EVQ_NONE: unknown. */
uint32_t orr_evq_times_known(const struct evq_times *times, sim_time time);

/* Distributes the earliest slot of the lowest non-empty level to lower levels; level 0 must be
 * empty. */
void orr_evq_times_deal(struct evq_times *times);

static inline bool evq_times_none(const struct evq_times *times)
{
    return times->levels == 0;
}

/* The oldest bucket of the earliest time; requires one. No earlier time may be posted
 * afterwards. */
static inline uint32_t evq_times_first(struct evq_times *times)
{
    if ((times->levels & 1) == 0) {
        orr_evq_times_deal(times);
    }
    return times->wheel_slot[0][__builtin_ctzll(times->filled[0])].first;
}

/* Whether the earliest time still has a bucket. */
static inline bool evq_times_more(const struct evq_times *times, sim_time time)
{
    return (times->filled[0] >> (time & (EVQ_DIGITS - 1)) & 1) != 0;
}

/* Removes the first bucket, which must be empty. */
void orr_evq_times_drop(struct evq_times *times);

struct evq_handler {
    orr_event_fn call;
    void *context;
};

struct orr_evq {
    struct evq_slot *slots;
    struct evq_pool slot_pool;
    struct evq_batch *batches;
    struct evq_pool batch_pool;
    struct orr_causes *causes; /* NULL: causes are not kept */
    orr_cause *cause;          /* [slot_pool.capacity], cause of each pending event */
    uint32_t *open_batches;    /* [entities], head of each entity's open batches */
    struct evq_times times;
    struct evq_handler handlers[ORR_EVENT_KINDS];
    orr_flush_fn flush;
    void *flush_context;
    orr_idle_fn idle; /* NULL: no callback */
    void *idle_context;
    uint64_t *round, *scratch; /* [round_capacity], items of the running round */
    uint32_t round_capacity;
    uint32_t rounds; /* finished rounds of the instant */
    sim_time now;
    uint64_t handled;
    uint32_t entities;
    enum orr_order order;
    enum orr_status status;
    bool time_overflow;
    struct orr_diag failure; /* error of orr_evq_fail */
};

/* Items of a round: (entity, slot) in 64 bits, so that sorting touches no slots. */
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

/* Sorts round[count] by (entity, label); `scratch` holds `count`. The order of equal keys is
 * unspecified: equal labels of an entity must commute. O(count) by entity, then insertion sort (or
 * heap sort of long runs) within an entity. */
void orr_evq_sort(const struct evq_slot *slots, uint64_t *round, uint64_t *scratch, uint32_t count,
                  uint32_t entities);

#endif
