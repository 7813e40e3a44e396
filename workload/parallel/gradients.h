/* Names and computations of a training job's nodes, and gradients that are reduced together: layer
 * by layer, in buckets, or cut into slices. */
#ifndef ORR_WORKLOAD_PARALLEL_GRADIENTS_H
#define ORR_WORKLOAD_PARALLEL_GRADIENTS_H

#include "workload/parallel/emitter.h"
#include "workload/parallel/parallel_plan.h"

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

/* Adds a layer's gradient to the bucket, and reduces this if it is full; without buckets, at once,
 * as "WHAT reduced". */
void orr_gen_bucket_add(struct gen_run *run, const char *what, struct gen_weights *weights);

/* Reduces what is left in the bucket. */
void orr_gen_bucket_flush(struct gen_run *run);

/* Bytes that an optimizer reads and writes: the gradient, its state twice, the weight. */
uint64_t orr_gen_update_bytes(const struct gen_plan *plan, uint64_t parameters);

#endif
