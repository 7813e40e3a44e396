/* Flows that have started and are yet to join: those that join at one instant hang in a list behind
 * a single event, in the order in which each one's own event would have come. */
#ifndef ORR_NETWORK_FLOWS_FLOW_JOINS_H
#define ORR_NETWORK_FLOWS_FLOW_JOINS_H

#include "core/core.h"

struct net_flows;

/* Records that join at `time`, linked by `sibling`. */
struct join_list {
    sim_time time;
    uint64_t round; /* whose event it is, if it was posted at `time` itself; 0: earlier */
    uint32_t first, last;
    uint32_t next;  /* with the same hash */
    bool scrambled; /* not by ascending handles */
};

struct flow_joins {
    struct orr_slab lists;
    uint32_t
        *bucket; /* [buckets] lists by a hash of their time; of one time the newest comes first */
    uint32_t buckets, count;
};

void orr_flow_joins_init(struct flow_joins *joins, struct orr_arena *arena);
void orr_flow_joins_fini(struct flow_joins *joins);

/* The flow joins at that time >= now. Posts an event with 1 + the list that it is in, unless that
 * has one; memory that runs out ends the run. O(1). */
void orr_flow_joins_add(struct net_flows *flows, uint32_t handle, sim_time time);

/* Takes the list out, whose event has come: the first of its records, linked by `sibling`. O(1); by
 * labels O(records log records) unless they started in the order of their handles. */
uint32_t orr_flow_joins_take(struct net_flows *flows, uint32_t list);

#endif
