/* Algorithms used as parts of others, without a registered name. */
#ifndef ORR_SYSTEM_COLLECTIVES_PART_ALGORITHMS_H
#define ORR_SYSTEM_COLLECTIVES_PART_ALGORITHMS_H

#include "system/collectives/program.h"

/* All-to-all in ceil(log2 n) store-and-forward steps, and the dissemination barrier. */
extern const struct coll_algorithm orr_coll_bruck;

/* Broadcast, reduce, gather and scatter on a binomial tree. */
extern const struct coll_algorithm orr_coll_binomial;

#endif
