/* Pipeline schedules of jobs. GPipe (Huang et al. 2019), 1F1B (PipeDream-Flush, Narayanan et al.
 * 2021) and interleaved 1F1B (Megatron-LM, SC'21, section 2.2) by formula, whatever the number of
 * micro-batches; all others by the orders of their passes (workload/schedule/). */
#ifndef ORR_WORKLOAD_PARALLEL_PIPELINE_H
#define ORR_WORKLOAD_PARALLEL_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

struct orr_schedule;
struct orr_schedule_kind;

enum gen_schedule { GEN_GPIPE, GEN_1F1B, GEN_INTERLEAVED, GEN_ORDERED };

struct gen_pipeline {
    enum gen_schedule schedule;
    uint32_t stages, chunks, micros; /* chunks of a stage: 1 where it has one part of the model */
    uint32_t copies;                 /* of the model: 2 with DualPipe */
    /* GEN_ORDERED: of the list, NULL: of a table; and the orders once micros are known. */
    const struct orr_schedule_kind *kind;
    const struct orr_schedule *order;
};

/* A pipeline of one stage that holds the whole model. */
struct gen_pipeline orr_gen_pipeline_unsplit(uint32_t micros);

/* ---- parts ---- */

/* Parts are numbered in the order of the model, those of a second copy behind those of the first.
 * orr_gen_pipeline_cut: parts of one copy. */
uint32_t orr_gen_pipeline_cut(const struct gen_pipeline *pipeline);
uint32_t orr_gen_pipeline_part(const struct gen_pipeline *pipeline, uint32_t stage, uint32_t chunk);
uint32_t orr_gen_pipeline_stage(const struct gen_pipeline *pipeline, uint32_t part);

/* Whether a part is the first, the last of its copy. */
static inline bool gen_part_is_first(const struct gen_pipeline *pipeline, uint32_t part)
{
    return part % orr_gen_pipeline_cut(pipeline) == 0;
}
static inline bool gen_part_is_last(const struct gen_pipeline *pipeline, uint32_t part)
{
    return (part + 1) % orr_gen_pipeline_cut(pipeline) == 0;
}

/* Whether the first and the last part of the model are on different stages, and none has both: with
 * two copies of the model each end has that of the other. */
bool orr_gen_pipeline_ends_apart(const struct gen_pipeline *pipeline);

#endif
