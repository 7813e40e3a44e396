/* Data-parallel training, shared by the models cnn and dlrm: every NPU holds all dense layers and
 * takes its part of the batch; gradients are all-reduced layer by layer, overlapped with the
 * backward pass (Li et al. 2020), and every NPU updates all weights. */
#ifndef ORR_WORKLOAD_GEN_DATA_PARALLEL_H
#define ORR_WORKLOAD_GEN_DATA_PARALLEL_H

#include "workload/parallel/emitter.h"
#include "workload/parallel/parallel_plan.h"

/* Checks the plan of such a model (named in messages: "cnn"). Errors: axes of parallelism other
 * than data, ZeRO, recomputation, keys of attention. Without training.micro_batch a rank processes
 * its whole part of the batch at once. */
enum orr_status orr_gen_data_parallel_check(struct gen_plan *plan, const char *model,
                                            struct orr_diag *diag);

/* ---- computations ---- */

struct gen_work {
    uint64_t flops, bytes;
};

/* The product m x k by k x n: 2 m k n operations; each matrix is read or written once. Each of the
 * two gradients takes the same. */
struct gen_work orr_gen_product(uint64_t m, uint64_t k, uint64_t n, uint64_t element_bytes);

/* ---- emitting ---- */

/* The weights of a layer. */
struct gen_weights {
    uint64_t parameters;
    struct gen_deps gradient; /* the gradient of the last micro-batch */
    struct gen_deps reduced;
    struct gen_deps ready; /* before their use in the next step */
    struct gen_weights *next_in_bucket;
};

/* Layers whose gradients will be reduced together. */
struct gen_bucket {
    struct gen_weights *first; /* the last layer added */
    uint64_t parameters;
    uint32_t layers;
    uint32_t number; /* buckets before this one */
};

/* The current step, micro-batch and bucket. */
struct gen_run {
    const struct gen_plan *plan;
    struct gen_emitter *emitter;
    uint32_t step, micro;
    struct gen_bucket bucket;
};

/* "[step S ]WHAT[ HOW mb M]" */
const char *orr_gen_run_name(const struct gen_run *run, const char *what, const char *how,
                             char text[GEN_NAME_BYTES]);

/* Emits a computation "WHAT HOW" of this micro-batch. */
struct gen_deps orr_gen_run_comp(const struct gen_run *run, const char *what, const char *how,
                                 enum orr_op_kind kind, struct gen_work work,
                                 const struct gen_deps *after);

/* Reduces a gradient, unless it waits for more of a bucket (training.bucket) or for the end of the
 * step. */
void orr_gen_weights_gradient(struct gen_run *run, const char *layer, struct gen_weights *weights,
                              const struct gen_deps *gradient);

/* After the last micro-batch, whose backward pass ends at `end`: reduces the gradient if it has
 * waited (training.overlap: false), ... */
void orr_gen_weights_reduce(struct gen_run *run, const char *layer, struct gen_weights *weights,
                            const struct gen_deps *end);

/* ... flushes the bucket (with training.chain: all gradients, the first layer's first; each layer
 * then waits for its own part), ... */
void orr_gen_weights_flush(struct gen_run *run);

/* ... and updates the weights. */
void orr_gen_weights_update(const struct gen_run *run, const char *layer,
                            struct gen_weights *weights);

/* Bytes that an optimizer reads and writes: the gradient, its state twice, the weight. */
uint64_t orr_gen_update_bytes(const struct gen_plan *plan, uint64_t parameters);

#endif
