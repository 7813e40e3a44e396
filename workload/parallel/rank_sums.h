/* Sums over what a rank does (rank_ops.h): totals of the model, memory of a stage. */
#ifndef ORR_WORKLOAD_PARALLEL_RANK_SUMS_H
#define ORR_WORKLOAD_PARALLEL_RANK_SUMS_H

#include "workload/parallel/rank_ops.h"

/* Of a layer's experts: the share that a token goes to; the share of their slots that tokens fill,
 * where all have as many as the fullest one. */
struct rank_experts {
    double met, filled;
};

/* Totals of a model that one rank runs as a whole, a sample at a time, of `samples` samples.
 * O(layers + operators of their blocks). */
void orr_rank_totals(const struct rank_program *program, double samples,
                     const struct rank_experts *experts, struct gen_totals *totals);

/* Memory of an NPU of a stage. False when memory is out. O(layers of the stage + blocks of its
 * schedule). */
bool orr_rank_memory(const struct rank_program *program, uint32_t stage, struct gen_memory *memory);

#endif
