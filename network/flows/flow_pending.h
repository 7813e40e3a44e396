/* Pending flows: flows that have started and wait for their handshake. Those that join at one
 * instant are a list behind a single event, in the order that single events would have. */
#ifndef ORR_NETWORK_FLOWS_FLOW_PENDING_H
#define ORR_NETWORK_FLOWS_FLOW_PENDING_H

#include "network/flows/flow_heap.h"

/* Flow records that join at `time`, linked by `sibling`. */
struct pending_list {
    sim_time time;
    uint64_t round; /* of its event, if posted at `time` itself; 0: posted earlier */
    uint32_t first, last;
    uint32_t next;  /* list with the same hash */
    bool scrambled; /* handles do not ascend */
};

struct flow_pending {
    struct orr_evq *queue;
    const struct orr_slab *records;
    uint32_t entity; /* entity of the events, whose kind follows */
    uint16_t kind;
    struct orr_slab lists;
    uint32_t *bucket; /* [buckets] lists by a hash of their time, newest first */
    uint32_t buckets, count;
};

/* Initializes an empty set. The caller sets queue, records, entity and kind. */
void orr_flow_pending_init(struct flow_pending *pending, struct orr_arena *arena);
void orr_flow_pending_fini(struct flow_pending *pending);

/* The label of a list's event, whose cookie is 1 + the list. */
static inline uint64_t flow_pending_label(const struct flow_pending *pending, uint32_t list)
{
    return (uint64_t)pending->kind << 32 | (list + 1);
}

/* Adds a flow that joins at `time` >= now. Posts an event for its list, unless it has one. false:
 * out of memory. O(1). */
bool orr_flow_pending_add(struct flow_pending *pending, uint32_t handle, sim_time time);

/* Whether flows are still to join at `time`. O(1). */
bool orr_flow_pending_at(const struct flow_pending *pending, sim_time time);

/* Removes the list of an event; returns its first record, linked by `sibling`. O(1); by labels
 * O(records log records), unless the flows started in the order of their handles. */
uint32_t orr_flow_pending_take(struct flow_pending *pending, uint64_t cookie);

#endif
