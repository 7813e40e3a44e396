/* A part of an operator of a graph (op_part.h) as what a rank does for a micro-batch. */
#ifndef ORR_WORKLOAD_PARALLEL_RANK_PART_H
#define ORR_WORKLOAD_PARALLEL_RANK_PART_H

#include "workload/model/op_graph.h"
#include "workload/parallel/rank_ops.h"

struct rank_amount {
    uint64_t samples;
    uint64_t shares; /* ranks that share the part by its tokens, as of sequence parallelism */
    uint64_t element_bytes;
    enum gen_format product; /* of products: what they read */
};

/* Sets the work of all passes, the parameters, and what the operator keeps besides its inputs and
 * output; of a narrow product arrays that are read are of its format.
 * O(1).
 */
void orr_rank_set_part(struct rank_op *op, const struct model_op *part,
                       const struct rank_amount *amount);

#endif
