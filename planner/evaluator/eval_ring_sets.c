/* Cache of ring sets: a hash table by members. A search produces more sets than fit in memory, so
 * unused sets are evicted, the least recently used first, when they exceed MAX_UNUSED_BYTES. */
#include "planner/evaluator/eval_private.h"

enum { FIRST_BUCKETS = 64, MAX_UNUSED_BYTES = 1 << 22 };

static uint64_t hash_of(const uint32_t *member, uint32_t members, struct eval_holders holders)
{
    uint64_t hash = ((uint64_t)members << 32) + 2 * (uint64_t)holders.count + holders.exchange;
    for (uint32_t i = 0; i < members; i++) {
        hash = (hash ^ member[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static struct eval_ring_set **bucket_of(const struct eval_ring_sets *sets, uint64_t hash)
{
    return &sets->bucket[hash & (sets->buckets - 1)];
}

/* ---- the table ---- */

/* Doubles the number of buckets; false: memory is out. */
static bool widen(struct eval_ring_sets *sets)
{
    struct eval_ring_sets wide = *sets;
    wide.buckets = sets->buckets == 0 ? FIRST_BUCKETS : 2 * sets->buckets;
    wide.bucket = orr_heap_calloc(wide.buckets, sizeof(struct eval_ring_set *));
    if (wide.bucket == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < sets->buckets; b++) {
        for (struct eval_ring_set *set = sets->bucket[b], *next; set != NULL; set = next) {
            struct eval_ring_set **bucket = bucket_of(&wide, set->hash);
            next = set->next_in_bucket;
            set->next_in_bucket = *bucket;
            *bucket = set;
        }
    }
    orr_heap_free(sets->bucket);
    *sets = wide;
    return true;
}

static struct eval_ring_set *lookup(const struct eval_ring_sets *sets,
                                    const struct eval_ring_set *like)
{
    struct eval_ring_set *set = sets->buckets == 0 ? NULL : *bucket_of(sets, like->hash);
    while (set != NULL &&
           (set->hash != like->hash || set->members != like->members ||
            set->holders.count != like->holders.count ||
            set->holders.exchange != like->holders.exchange ||
            memcmp(set->member, like->member, set->members * sizeof *set->member) != 0)) {
        set = set->next_in_bucket;
    }
    return set;
}

static void remove_set(struct eval_ring_sets *sets, const struct eval_ring_set *set)
{
    struct eval_ring_set **at = bucket_of(sets, set->hash);
    while (*at != set) {
        at = &(*at)->next_in_bucket;
    }
    *at = set->next_in_bucket;
    sets->count--;
    sets->bytes -= set->bytes;
}

/* ---- unused sets ---- */

static void add_unused(struct eval_ring_sets *sets, struct eval_ring_set *set)
{
    set->older = sets->newest;
    set->newer = NULL;
    *(sets->newest != NULL ? &sets->newest->newer : &sets->oldest) = set;
    sets->newest = set;
    sets->unused_bytes += set->bytes;
}

static void remove_unused(struct eval_ring_sets *sets, struct eval_ring_set *set)
{
    *(set->older != NULL ? &set->older->newer : &sets->oldest) = set->newer;
    *(set->newer != NULL ? &set->newer->older : &sets->newest) = set->older;
    sets->unused_bytes -= set->bytes;
}

void orr_eval_release_rings(struct evaluator *evaluator, struct eval_ring_set *set)
{
    struct eval_ring_sets *sets = &evaluator->sets;
    if (--set->users != 0) {
        return;
    }
    add_unused(sets, set);
    while (sets->unused_bytes > MAX_UNUSED_BYTES) {
        struct eval_ring_set *oldest = sets->oldest;
        remove_unused(sets, oldest);
        remove_set(sets, oldest);
        orr_eval_free_rings(oldest);
    }
}

/* ---- finding ---- */

static struct eval_ring_set *add_set(struct evaluator *evaluator, const struct eval_ring_set *like)
{
    struct eval_ring_sets *sets = &evaluator->sets;
    if (sets->count >= sets->buckets && !widen(sets)) {
        return NULL;
    }
    struct eval_ring_set *set =
        orr_eval_measure_rings(evaluator, like->member, like->members, like->holders);
    if (set != NULL) {
        struct eval_ring_set **bucket = bucket_of(sets, like->hash);
        set->hash = like->hash;
        set->next_in_bucket = *bucket;
        *bucket = set;
        sets->count++;
        sets->bytes += set->bytes;
    }
    return set;
}

struct eval_ring_set *orr_eval_rings_of(struct evaluator *evaluator, const uint32_t *member,
                                        uint32_t members, struct eval_holders holders)
{
    const struct eval_ring_set like = {.hash = hash_of(member, members, holders),
                                       .members = members,
                                       .member = member,
                                       .holders = holders};
    struct eval_ring_set *set = lookup(&evaluator->sets, &like);
    if (set == NULL) {
        set = add_set(evaluator, &like);
    } else if (set->users == 0) {
        remove_unused(&evaluator->sets, set);
    }
    if (set != NULL) {
        set->users++;
    }
    return set;
}

void orr_eval_free_sets(struct evaluator *evaluator)
{
    struct eval_ring_sets *sets = &evaluator->sets;
    for (uint32_t b = 0; b < sets->buckets; b++) {
        for (struct eval_ring_set *set = sets->bucket[b], *next; set != NULL; set = next) {
            next = set->next_in_bucket;
            orr_eval_free_rings(set);
        }
    }
    orr_heap_free(sets->bucket);
}
