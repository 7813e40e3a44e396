/* Flows that have started and are yet to join: those that join at one instant hang in a list behind
 * a single event, in the order in which each one's own event would have come. */
#ifndef ORR_NETWORK_FLOWS_FLOW_PENDING_H
#define ORR_NETWORK_FLOWS_FLOW_PENDING_H

#include "network/flows/flow_heap.h"

/* Records that join at `time`, linked by `sibling`. */
struct pending_list {
    sim_time time;
    uint64_t round; /* whose event it is, if it was posted at `time` itself; 0: earlier */
    uint32_t first, last;
    uint32_t next;  /* with the same hash */
    bool scrambled; /* not by ascending handles */
};

struct flow_pending {
    struct orr_evq *queue;
    const struct orr_slab *records;
    uint32_t entity; /* whose events they are, and of which kind */
    uint16_t kind;
    struct orr_slab lists;
    uint32_t
        *bucket; /* [buckets] lists by a hash of their time; of one time the newest comes first */
    uint32_t buckets, count;
};

/* None yet. The queue, the records and what events are like are the caller's to set. */
void orr_flow_pending_init(struct flow_pending *pending, struct orr_arena *arena);
void orr_flow_pending_fini(struct flow_pending *pending);

/* An event with 1 + a list as its cookie. */
static inline uint64_t flow_pending_label(const struct flow_pending *pending, uint32_t list)
{
    return (uint64_t)pending->kind << 32 | (list + 1);
}

/* The flow joins at that time >= now. Posts an event for the list that it is in, unless that has
 * one. false: memory is out. O(1). */
bool orr_flow_pending_add(struct flow_pending *pending, uint32_t handle, sim_time time);

/* Takes the list out that an event names: the first of its records, linked by `sibling`. O(1); by
 * labels O(records log records) unless they started in the order of their handles. */
uint32_t orr_flow_pending_take(struct flow_pending *pending, uint64_t cookie);

#endif
