/* The controllers of circuits, one line each: ORR_CIRCUITS(orr_circuits_NAME). The first one is the
 * default. (circuits.c, which includes this file twice) */
ORR_CIRCUITS(orr_circuits_longest_queue)
ORR_CIRCUITS(orr_circuits_utility)
#include "wings/circuits.def"
