/* Pending flows; see flow_pending.h.
 *
 * Events of one entity are ordered by their labels in a round, or by insertion. By labels, where a
 * join's label is its handle, all lists of a round are one, and a join posted at an instant for
 * itself is in the next round. By insertion, a list can be extended until another event is posted
 * for its time after its own. */
#include "network/flows/flow_pending.h"

#include "core/cause.h"
#include "core/evq.h"
#include "core/slab.h"

#include <string.h>

#define NONE UINT32_MAX

enum { FIRST_BUCKETS = 64, RUNS = 32 };

void orr_flow_pending_init(struct flow_pending *pending, struct orr_arena *arena)
{
    *pending = (struct flow_pending){.buckets = 0};
    orr_slab_init(&pending->lists, arena, sizeof(struct pending_list));
}

void orr_flow_pending_fini(struct flow_pending *pending)
{
    orr_heap_free(pending->bucket);
}

static struct pending_list *list_at(const struct flow_pending *pending, uint32_t list)
{
    return orr_slab_at(&pending->lists, list);
}

/* ---- lists by time ---- */

static uint32_t *bucket_of(const struct flow_pending *pending, sim_time time)
{
    const uint64_t mixed = (uint64_t)time * UINT64_C(0x9e3779b97f4a7c15);
    return &pending->bucket[(mixed >> 32) & (pending->buckets - 1)];
}

/* Rehashes: the lists of a bucket, oldest first, are put in front of those of their new bucket. */
static bool grow(struct flow_pending *pending)
{
    const uint32_t before = pending->buckets;
    uint32_t *const old = pending->bucket;
    const uint32_t buckets = before == 0 ? FIRST_BUCKETS : 2 * before;
    uint32_t *bucket = orr_heap_alloc(buckets * sizeof *bucket);
    if (bucket == NULL) {
        return false;
    }
    memset(bucket, 0xFF, buckets * sizeof *bucket);
    pending->bucket = bucket;
    pending->buckets = buckets;
    for (uint32_t i = 0; i < before; i++) {
        uint32_t turned = NONE;
        for (uint32_t at = old[i], next; at != NONE; at = next) {
            next = list_at(pending, at)->next;
            list_at(pending, at)->next = turned;
            turned = at;
        }
        for (uint32_t at = turned, next; at != NONE; at = next) {
            next = list_at(pending, at)->next;
            uint32_t *first = bucket_of(pending, list_at(pending, at)->time);
            list_at(pending, at)->next = *first;
            *first = at;
        }
    }
    orr_heap_free(old);
    return true;
}

/* The newest list of that time. */
static uint32_t find(const struct flow_pending *pending, sim_time time)
{
    uint32_t at = pending->buckets == 0 ? NONE : *bucket_of(pending, time);
    while (at != NONE && list_at(pending, at)->time != time) {
        at = list_at(pending, at)->next;
    }
    return at;
}

bool orr_flow_pending_at(const struct flow_pending *pending, sim_time time)
{
    return find(pending, time) != NONE;
}

/* An empty list; NONE: out of memory. */
static uint32_t begin(struct flow_pending *pending, sim_time time, uint64_t round)
{
    if (pending->count == pending->buckets && !grow(pending)) {
        return NONE;
    }
    const uint32_t list = orr_slab_new(&pending->lists);
    if (list != ORR_SLAB_NONE) {
        uint32_t *first = bucket_of(pending, time);
        *list_at(pending, list) = (struct pending_list){
            .time = time, .round = round, .first = NONE, .last = NONE, .next = *first};
        *first = list;
        pending->count++;
    }
    return list;
}

/* ---- joining ---- */

/* The round of an event posted now; 0: it is in another instant. */
static uint64_t round_of(const struct orr_evq *queue, sim_time time)
{
    const bool runs = orr_evq_handled(queue) != 0;
    return time > orr_evq_now(queue) ? 0 : 2 * ((uint64_t)orr_evq_round(queue) + 1) + runs;
}

/* Whether the flow's own event would directly follow those of the list, or be among them. */
static bool goes_on(const struct flow_pending *pending, uint32_t list)
{
    const struct pending_list *of = list_at(pending, list);
    return orr_evq_order(pending->queue) == ORR_ORDER_LABEL
               ? of->round == round_of(pending->queue, of->time)
               : orr_evq_is_newest(pending->queue, of->time, pending->entity,
                                   flow_pending_label(pending, list));
}

static void append(const struct flow_pending *pending, struct pending_list *list, uint32_t handle)
{
    flow_record_at(pending->records, handle)->sibling = NONE;
    if (list->first == NONE) {
        list->first = handle;
    } else {
        flow_record_at(pending->records, list->last)->sibling = handle;
        list->scrambled |= handle < list->last;
    }
    list->last = handle;
}

static void post(const struct flow_pending *pending, uint32_t list, sim_time time)
{
    const struct orr_event event = {.label = flow_pending_label(pending, list),
                                    .cookie = (uint64_t)list + 1,
                                    .entity = pending->entity,
                                    .kind = pending->kind,
                                    .part = ORR_PART_NONE};
    orr_evq_post(pending->queue, time, &event);
}

bool orr_flow_pending_add(struct flow_pending *pending, uint32_t handle, sim_time time)
{
    uint32_t list = find(pending, time);
    const bool posts = list == NONE || !goes_on(pending, list);
    if (posts) {
        list = begin(pending, time, round_of(pending->queue, time));
    }
    if (list == NONE) {
        return false;
    }
    append(pending, list_at(pending, list), handle);
    if (posts) {
        post(pending, list, time);
    }
    return true;
}

/* ---- by handles ---- */

static uint32_t merge(const struct orr_slab *records, uint32_t one, uint32_t other)
{
    uint32_t first = NONE, last = NONE;
    while (one != NONE && other != NONE) {
        uint32_t *min = one < other ? &one : &other;
        const uint32_t handle = *min;
        *min = flow_record_at(records, handle)->sibling;
        if (last == NONE) {
            first = handle;
        } else {
            flow_record_at(records, last)->sibling = handle;
        }
        last = handle;
    }
    const uint32_t rest = one != NONE ? one : other;
    if (last == NONE) {
        return rest;
    }
    flow_record_at(records, last)->sibling = rest;
    return first;
}

/* Merges runs of 2^i records each. */
static uint32_t sort(const struct orr_slab *records, uint32_t rest)
{
    uint32_t run[RUNS], all = NONE;
    memset(run, 0xFF, sizeof run);
    while (rest != NONE) {
        uint32_t more = rest, i = 0;
        rest = flow_record_at(records, more)->sibling;
        flow_record_at(records, more)->sibling = NONE;
        for (; run[i] != NONE; i++) {
            more = merge(records, run[i], more);
            run[i] = NONE;
        }
        run[i] = more;
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        all = merge(records, run[i], all);
    }
    return all;
}

uint32_t orr_flow_pending_take(struct flow_pending *pending, uint64_t cookie)
{
    const uint32_t list = (uint32_t)cookie - 1;
    const struct pending_list taken = *list_at(pending, list);
    uint32_t *link = bucket_of(pending, taken.time);
    while (*link != list) {
        link = &list_at(pending, *link)->next;
    }
    *link = taken.next;
    pending->count--;
    orr_slab_free(&pending->lists, list);
    return taken.scrambled && orr_evq_order(pending->queue) == ORR_ORDER_LABEL
               ? sort(pending->records, taken.first)
               : taken.first;
}
