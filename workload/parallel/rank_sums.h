/* Sums over what a rank does (rank_ops.h): totals of the model, memory of a stage. */
#ifndef ORR_WORKLOAD_PARALLEL_RANK_SUMS_H
#define ORR_WORKLOAD_PARALLEL_RANK_SUMS_H

#include "workload/parallel/rank_ops.h"

/* Totals of a model that one rank runs as a whole, a sample at a time, of `samples` samples. `met`:
 * the share of a layer's experts that a token goes to. O(layers + operators of their blocks). */
void orr_rank_totals(const struct rank_program *program, double samples, double met,
                     struct gen_totals *totals);

/* Memory of an NPU of a stage. False when memory is out. O(layers of the stage + blocks of its
 * schedule). */
bool orr_rank_memory(const struct rank_program *program, uint32_t stage, struct gen_memory *memory);

#endif
