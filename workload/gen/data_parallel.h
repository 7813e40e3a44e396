/* Data-parallel training, shared by the models cnn and dlrm: every NPU holds all dense layers and
 * takes its part of the batch; gradients are all-reduced layer by layer, overlapped with the
 * backward pass (Li et al. 2020), and every NPU updates all weights. */
#ifndef ORR_WORKLOAD_GEN_DATA_PARALLEL_H
#define ORR_WORKLOAD_GEN_DATA_PARALLEL_H

#include "workload/parallel/gradients.h"
#include "workload/parallel/parallel_plan.h"

/* Checks the plan of such a model (named in messages: "cnn"). Errors: axes of parallelism other
 * than data, ZeRO, recomputation, keys of attention. Without training.micro_batch a rank processes
 * its whole part of the batch at once. */
enum orr_status orr_gen_data_parallel_check(struct gen_plan *plan, const char *model,
                                            struct orr_diag *diag);

#endif
