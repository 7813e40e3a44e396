/* The tasks of transfers that carry a tensor for others, while the edges of an operator are
 * visited. */
#ifndef ORR_WORKLOAD_STRATEGY_LOWER_CARRIERS_H
#define ORR_WORKLOAD_STRATEGY_LOWER_CARRIERS_H

#include "workload/strategy/demand.h"

/* A hash table with open addressing; all zero is the empty table. */
struct lower_carriers {
    struct lower_carrier {
        uint32_t edge, from_part, to_part, task; /* task: plus one; 0: free */
    } * slot;
    uint32_t mask, count;
};

/* Removes all entries. */
void orr_lower_carriers_clear(struct lower_carriers *carriers);
void orr_lower_carriers_fini(struct lower_carriers *carriers);

/* Adds the task of a transfer; false when memory is out. Amortized O(1). */
bool orr_lower_carriers_add(struct lower_carriers *carriers, const struct demand_transfer *transfer,
                            uint32_t task);

/* The task of the transfer that carries `carried`; it must have been added. O(1). */
uint32_t orr_lower_carriers_find(const struct lower_carriers *carriers,
                                 const struct demand_transfer *carried);

#endif
