/* What models share that are trained by data parallelism: every NPU holds all of their dense layers
 * and takes its part of the batch; gradients are reduced layer by layer over all NPUs beside the
 * backward pass (Li et al. 2020), and every NPU updates all weights. */
#ifndef ORR_WORKLOAD_GEN_DATA_PARALLEL_H
#define ORR_WORKLOAD_GEN_DATA_PARALLEL_H

#include "workload/gen/emitter.h"
#include "workload/gen/parallel_plan.h"

/* Refuses what such a model (named for messages: "cnn") cannot do: axes of parallelism but data,
 * ZeRO, recomputation and what is of attention only. Without training.micro_batch a rank takes its
 * part of the batch at once. */
enum orr_status orr_gen_data_parallel_check(struct gen_plan *plan, const char *model,
                                            struct orr_diag *diag);

/* ---- computations ---- */

struct gen_work {
    uint64_t flops, bytes;
};

/* m x k by k x n: 2 m k n operations; each matrix is read or written once. Both gradients take as
 * much each. */
struct gen_work orr_gen_product(uint64_t m, uint64_t k, uint64_t n, uint64_t element_bytes);

/* ---- emitting ---- */

/* The weights of a layer. */
struct gen_weights {
    uint64_t parameters;
    struct gen_deps gradient; /* of the last micro-batch */
    struct gen_deps reduced;
    struct gen_deps ready; /* when they may be used in the next step */
    struct gen_weights *next_in_bucket;
};

/* Layers whose gradients wait to be reduced together. */
struct gen_bucket {
    struct gen_weights *first; /* the last one added */
    uint64_t parameters;
    uint32_t layers;
    uint32_t number; /* buckets before this one */
};

/* Where a walk through steps and micro-batches is. */
struct gen_run {
    const struct gen_plan *plan;
    struct gen_emitter *emitter;
    uint32_t step, micro;
    struct gen_bucket bucket;
};

/* "[step S ]WHAT[ HOW mb M]" */
const char *orr_gen_run_name(const struct gen_run *run, const char *what, const char *how,
                             char text[GEN_NAME_BYTES]);

/* A computation "WHAT HOW" of this micro-batch. */
struct gen_deps orr_gen_run_comp(const struct gen_run *run, const char *what, const char *how,
                                 enum orr_op_kind kind, struct gen_work work,
                                 const struct gen_deps *after);

/* The gradient is known: it is reduced, unless that waits for more of a bucket (training.bucket) or
 * for the end of the step. */
void orr_gen_weights_gradient(struct gen_run *run, const char *layer, struct gen_weights *weights,
                              const struct gen_deps *gradient);

/* Behind the last micro-batch, whose backward pass ends at `end`: the reduction, when it has waited
 * (training.overlap: false), ... */
void orr_gen_weights_reduce(struct gen_run *run, const char *layer, struct gen_weights *weights,
                            const struct gen_deps *end);

/* ... what is left in the bucket (with training.chain all gradients, those of the first layer
 * first, of which each layer then waits for its own), ... */
void orr_gen_weights_flush(struct gen_run *run);

/* ... and the update. */
void orr_gen_weights_update(const struct gen_run *run, const char *layer,
                            struct gen_weights *weights);

/* What an optimizer reads and writes: the gradient, its state twice, the weight. */
uint64_t orr_gen_update_bytes(const struct gen_plan *plan, uint64_t parameters);

#endif
