/* A pipeline stage runs turns: a block, or a forward block beside a backward block. With one of the
 * formulas a backward block is whole, and its message leaves as soon as the gradient of its input
 * is there. With orders it has the passes of the order, and a message leaves when the whole turn is
 * over. */
#ifndef ORR_WORKLOAD_PARALLEL_PIPELINE_TURNS_H
#define ORR_WORKLOAD_PARALLEL_PIPELINE_TURNS_H

#include "workload/parallel/pipeline.h"
#include "workload/schedule/pipeline_schedule.h"

/* One pass of one micro-batch through one of the stage's chunks of layers. */
struct gen_block {
    uint32_t micro, chunk;
    enum orr_pass_kind pass;
};

struct gen_turn {
    struct gen_block block[2];
    unsigned blocks; /* 1, or 2: forward, then backward */
};

/* Whether the pass sends gradients of its inputs on, and whether gradients of weights are done
 * behind it. */
static inline bool gen_block_is_backward(const struct gen_block *block)
{
    return block->pass == ORR_PASS_BACKWARD || block->pass == ORR_PASS_BACKWARD_INPUTS;
}
static inline bool gen_block_ends_weights(const struct gen_block *block)
{
    return block->pass == ORR_PASS_BACKWARD || block->pass == ORR_PASS_BACKWARD_WEIGHTS;
}

/* Number of turns of a stage in a step. O(1). */
uint64_t orr_gen_pipeline_turns(const struct gen_pipeline *pipeline, uint32_t stage);

/* The index-th turn of a stage. Interleaved requires micros to be a multiple of stages. O(1). */
struct gen_turn orr_gen_pipeline_turn(const struct gen_pipeline *pipeline, uint32_t stage,
                                      uint64_t index);

/* ---- by formula only ---- */

/* Number of blocks of a stage in a step: 2 x micros x chunks. */
uint64_t orr_gen_pipeline_blocks(const struct gen_pipeline *pipeline);

/* Number of forward blocks before the first backward block. */
uint64_t orr_gen_pipeline_warm_up(const struct gen_pipeline *pipeline, uint32_t stage);

struct gen_block orr_gen_pipeline_block(const struct gen_pipeline *pipeline, uint32_t stage,
                                        uint64_t index);

#endif
