/* Deduplication of transfers: a tensor goes to a device once (demand.h). */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_DEDUP_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_DEDUP_H

#include "workload/strategy/demand.h"

/* The two operators of an edge, and the grids of their parts over its tensor. */
struct demand_pair {
    uint32_t edge, producer, consumer;
    struct demand_grid gives, needs;
    double share; /* share of the output that a part of the producer gives within its slices, and
                     ... */
    double needs_share; /* ... of the input that a part of the consumer needs: below 1 if tokens are
                           sent to experts */
};

/* A part of the producer, its slices, and the slices that a part of the consumer needs. */
struct demand_range {
    uint32_t from;
    uint32_t gives[DEMAND_AXES], needs[DEMAND_AXES];
};

/* O(dimensions) */
void orr_demand_pair(const struct demand *demand, uint32_t edge, struct demand_pair *out);

/* Clears the marks: the next parts need other data. */
void orr_demand_dedup_reset(struct demand *demand);

/* Whether the transfer's data is already on the device: for an earlier consumer of the output that
 * needs at least as much of it there, or for a part marked since orr_demand_dedup_reset. Sets
 * by_edge and by_part, and marks the part. O(earlier consumers and their copies). */
bool orr_demand_is_duplicate(struct demand *demand, const struct demand_pair *pair,
                             const struct demand_range *range, struct demand_transfer *transfer);

#endif
