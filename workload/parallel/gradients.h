/* Names and computations of a training job's nodes, and gradients that are reduced together: layer
 * by layer, in buckets, or cut into slices. */
#ifndef ORR_WORKLOAD_PARALLEL_GRADIENTS_H
#define ORR_WORKLOAD_PARALLEL_GRADIENTS_H

#include "workload/parallel/emitter.h"
#include "workload/parallel/parallel_plan.h"

/* The product m x k by k x n: 2 m k n operations; each matrix is read or written once. Each of the
 * two gradients takes the same. */
struct gen_work orr_gen_product(uint64_t m, uint64_t k, uint64_t n, uint64_t element_bytes);

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

/* Adds the layer's gradient to the bucket, and reduces this if it is full. `layer` NULL: layers are
 * named by their buckets alone. */
void orr_gen_bucket_add(struct gen_run *run, const char *layer, struct gen_weights *weights);

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
