/* What engines of flows have in common: flows that wait for their ends, and whatever has a next
 * event by its time. */
#ifndef ORR_NETWORK_FLOWS_FLOW_HEAP_H
#define ORR_NETWORK_FLOWS_FLOW_HEAP_H

#include "core/core.h"

/* Whether the cookie of a flow is that of rounds.c, and the flow stands for its whole round. */
enum flow_in_round { FLOW_ALONE, FLOW_IN_ROUND, FLOW_IS_ROUND };

/* A flow: waiting to join, or in the heap of its stream (a pairing heap by `target`). */
struct flow_record {
    union {
        double bytes;  /* until it joins */
        double target; /* from then on: it ends when the stream has served this much */
    };
    uint64_t cookie;
    uint32_t path;
    uint32_t child, sibling;
    uint32_t in_round; /* enum flow_in_round */
};
_Static_assert(sizeof(struct flow_record) == 32, "there are as many as flows under way");

/* Numbers by the time at which something happens to them. A time that moves on does so in the heap
 * only when it comes to the top: most move many times before. */
struct due {
    sim_time time;
    uint32_t number;
};
struct due_heap {
    struct due *heap;   /* the earliest first; four below each */
    uint32_t *position; /* of each number in the heap; UINT32_MAX: not there */
    sim_time *time;     /* of each; the heap may have an earlier one */
    size_t count, alloc;
};

/* Makes room for the numbers below `room`; none of the new ones is there yet. */
bool orr_due_heap_grow(struct due_heap *due, size_t alloc);
void orr_due_heap_fini(struct due_heap *due);

/* Sets a number's time; ORR_TIME_MAX: none. O(log numbers). */
void orr_due_heap_move(struct due_heap *due, uint32_t number, sim_time time);
static inline void orr_due_heap_set(struct due_heap *due, uint32_t number, sim_time time)
{
    const uint32_t position = due->position[number];
    if (time != ORR_TIME_MAX && position != UINT32_MAX && time >= due->heap[position].time) {
        due->time[number] = time; /* it moves when it is at the top */
    } else if (time != ORR_TIME_MAX || position != UINT32_MAX) {
        orr_due_heap_move(due, number, time);
    }
}

/* When the earliest is, ORR_TIME_MAX when there is none; and after that, which it is: of several at
 * a time the lowest. */
sim_time orr_due_heap_next(struct due_heap *due);
uint32_t orr_due_heap_top(const struct due_heap *due);

static inline struct flow_record *flow_record_at(const struct orr_slab *records, uint32_t handle)
{
    return orr_slab_at(records, handle);
}

/* Joins two heaps of flows (UINT32_MAX: empty); the heap without its top. O(1); O(log flows)
 * amortized. Equal targets: the one given first stays above. */
uint32_t orr_flow_heap_meld(const struct orr_slab *records, uint32_t first, uint32_t other);
uint32_t orr_flow_heap_pop(const struct orr_slab *records, uint32_t top);

#endif
