/* A tensor goes once to a device (demand.h): who brought it there already. */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_DEDUP_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_DEDUP_H

#include "workload/strategy/demand.h"

/* The two operators of an edge, and how their parts lie over what goes along it. */
struct demand_pair {
    uint32_t edge, producer, consumer;
    struct demand_grid gives, needs;
    double share;       /* of the output that a part of the producer gives, beside its slices: 1, */
    double needs_share; /* and of the input that one of the consumer needs: or tokens are sent */
};

/* A part of the producer, its slices, and the slices that a part of the consumer needs. */
struct demand_range {
    uint32_t from;
    uint32_t gives[DEMAND_AXES], needs[DEMAND_AXES];
};

/* O(dimensions) */
void orr_demand_pair(const struct demand *demand, uint32_t edge, struct demand_pair *out);

/* Forgets what was marked: the parts that come next need something else. */
void orr_demand_dedup_reset(struct demand *demand);

/* Whether what the transfer brings is there already: for an earlier consumer of the output that
 * needs at least as much of it on this device, or for a part marked since orr_demand_dedup_reset.
 * Sets by_edge and by_part, and marks the part. O(earlier consumers and their copies). */
bool orr_demand_is_duplicate(struct demand *demand, const struct demand_pair *pair,
                             const struct demand_range *range, struct demand_transfer *transfer);

#endif
