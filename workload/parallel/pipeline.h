/* Pipeline schedules: GPipe (Huang et al. 2019), 1F1B (PipeDream-Flush, Narayanan et al. 2021) and
 * interleaved 1F1B (Megatron-LM, SC'21, section 2.2). */
#ifndef ORR_WORKLOAD_PARALLEL_PIPELINE_H
#define ORR_WORKLOAD_PARALLEL_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

enum gen_schedule { GEN_GPIPE, GEN_1F1B, GEN_INTERLEAVED };

/* One pass of one micro-batch through one of the stage's chunks of layers. */
struct gen_block {
    uint32_t micro, chunk;
    bool backward;
};

struct gen_pipeline {
    enum gen_schedule schedule;
    uint32_t stages, chunks, micros; /* chunks of a stage: 1 unless interleaved */
};

/* Number of blocks of a stage in a step: 2 x micros x chunks. */
uint64_t orr_gen_pipeline_blocks(const struct gen_pipeline *pipeline);

/* Number of forward blocks before the first backward block. */
uint64_t orr_gen_pipeline_warm_up(const struct gen_pipeline *pipeline, uint32_t stage);

/* The index-th block of a stage. Interleaved requires micros to be a multiple of stages. O(1). */
struct gen_block orr_gen_pipeline_block(const struct gen_pipeline *pipeline, uint32_t stage,
                                        uint64_t index);

#endif
