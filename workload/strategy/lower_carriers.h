/* Which task is the transfer that carries a tensor, while the edges of an operator are gone
 * through. */
#ifndef ORR_WORKLOAD_STRATEGY_LOWER_CARRIERS_H
#define ORR_WORKLOAD_STRATEGY_LOWER_CARRIERS_H

#include "workload/strategy/demand.h"

/* Hashed, open addressing; all zero is an empty one. */
struct lower_carriers {
    struct lower_carrier {
        uint32_t edge, from_part, to_part, task; /* task: plus one; 0: free */
    } * slot;
    uint32_t mask, count;
};

/* Forgets all. */
void orr_lower_carriers_clear(struct lower_carriers *carriers);
void orr_lower_carriers_fini(struct lower_carriers *carriers);

/* Notes the task of a transfer; false when memory is out. Amortized O(1). */
bool orr_lower_carriers_add(struct lower_carriers *carriers, const struct demand_transfer *transfer,
                            uint32_t task);

/* The task of the transfer that carries another one, which was added. O(1). */
uint32_t orr_lower_carriers_find(const struct lower_carriers *carriers,
                                 const struct demand_transfer *carried);

#endif
