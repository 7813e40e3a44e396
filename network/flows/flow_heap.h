/* Heaps of the flow engines: a pairing heap of the flows of a class by their targets, and a 4-ary
 * heap of numbers by the time of their next event. */
#ifndef ORR_NETWORK_FLOWS_FLOW_HEAP_H
#define ORR_NETWORK_FLOWS_FLOW_HEAP_H

#include "core/slab.h"
#include "core/time.h"

/* The owner of a flow's cookie: the user, or a round (rounds.c); and whether the flow represents
 * its round. */
enum flow_in_round { FLOW_ALONE, FLOW_IN_ROUND, FLOW_IS_ROUND };

/* A flow: pending, or in the heap of its class (a pairing heap by `target`). */
struct flow_record {
    union {
        double bytes;  /* while pending */
        double target; /* once joined: it ends when its class has served this much, times weight */
    };
    uint64_t cookie;
    uint32_t path;
    uint32_t child, sibling;
    uint16_t weight;  /* it counts as so many flows, each with that part of its bytes */
    uint8_t in_round; /* enum flow_in_round */
    bool joined;      /* is on its path */
};
_Static_assert(sizeof(struct flow_record) == 32, "there are as many as flows under way");

/* A number with the time of its next event. A later time moves the entry only at the top of the
 * heap, because most times change often before. */
struct due {
    sim_time time;
    uint32_t number;
};
struct due_heap {
    struct due *heap;   /* earliest first; 4-ary */
    uint32_t *position; /* [alloc] position of each number in the heap; UINT32_MAX: not in it */
    sim_time *time;     /* [alloc] time of each number; its heap entry can have an earlier one */
    size_t count, alloc;
};

/* Grows the heap to numbers below `alloc`; new ones are not in it. */
bool orr_due_heap_grow(struct due_heap *due, size_t alloc);
void orr_due_heap_fini(struct due_heap *due);

/* Sets a number's time; ORR_TIME_MAX: none. O(log numbers). */
void orr_due_heap_move(struct due_heap *due, uint32_t number, sim_time time);
static inline void orr_due_heap_set(struct due_heap *due, uint32_t number, sim_time time)
{
    const uint32_t position = due->position[number];
    if (time != ORR_TIME_MAX && position != UINT32_MAX && time >= due->heap[position].time) {
        due->time[number] = time; /* moved when it is at the top */
    } else if (time != ORR_TIME_MAX || position != UINT32_MAX) {
        orr_due_heap_move(due, number, time);
    }
}

/* The earliest time, ORR_TIME_MAX: none; and then its number, the lowest among equals. */
sim_time orr_due_heap_next(struct due_heap *due);
uint32_t orr_due_heap_top(const struct due_heap *due);

static inline struct flow_record *flow_record_at(const struct orr_slab *records, uint32_t handle)
{
    return orr_slab_at(records, handle);
}

/* Melds two heaps of flows (UINT32_MAX: empty), O(1), where the first argument stays on top among
 * equal targets; removes the top of a heap, O(log flows) amortized. */
uint32_t orr_flow_heap_meld(const struct orr_slab *records, uint32_t first, uint32_t other);
uint32_t orr_flow_heap_pop(const struct orr_slab *records, uint32_t top);

#endif
