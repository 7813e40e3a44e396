/* Pipeline schedules; see pipeline.h.
 *
 * Every schedule by formula has a warm-up of forward blocks, then one forward and one backward
 * block in turn, then the remaining backward blocks. The k-th forward block and the k-th backward
 * block are fixed sequences. Warm-up: GPipe all blocks; 1F1B the number of stages behind.
 * Interleaved: micro-batches go in rounds of as many as there are stages; each round runs all
 * chunks. */
#include "workload/parallel/pipeline_turns.h"

struct gen_pipeline orr_gen_pipeline_unsplit(uint32_t micros)
{
    return (struct gen_pipeline){
        .schedule = GEN_1F1B, .stages = 1, .chunks = 1, .micros = micros, .copies = 1};
}

/* ---- by formula ---- */

static uint64_t blocks_of_pass(const struct gen_pipeline *pipeline)
{
    return (uint64_t)pipeline->micros * pipeline->chunks;
}

uint64_t orr_gen_pipeline_blocks(const struct gen_pipeline *pipeline)
{
    return 2 * blocks_of_pass(pipeline);
}

uint64_t orr_gen_pipeline_warm_up(const struct gen_pipeline *pipeline, uint32_t stage)
{
    const uint64_t all = blocks_of_pass(pipeline);
    const uint64_t behind = pipeline->stages - 1 - stage;
    uint64_t count = all;
    if (pipeline->schedule == GEN_1F1B) {
        count = behind;
    } else if (pipeline->schedule == GEN_INTERLEAVED) {
        count = 2 * behind + (uint64_t)(pipeline->chunks - 1) * pipeline->stages;
    }
    return count < all ? count : all;
}

static struct gen_block block_at(const struct gen_pipeline *pipeline, uint64_t k, bool backward)
{
    const uint64_t p = pipeline->schedule == GEN_INTERLEAVED ? pipeline->stages : pipeline->micros;
    const uint64_t round = p * pipeline->chunks;
    const uint32_t chunk = (uint32_t)(k % round / p);
    return (struct gen_block){.micro = (uint32_t)(k / round * p + k % p),
                              .chunk = backward ? pipeline->chunks - 1 - chunk : chunk,
                              .pass = backward ? ORR_PASS_BACKWARD : ORR_PASS_FORWARD};
}

struct gen_block orr_gen_pipeline_block(const struct gen_pipeline *pipeline, uint32_t stage,
                                        uint64_t index)
{
    const uint64_t warm = orr_gen_pipeline_warm_up(pipeline, stage), all = blocks_of_pass(pipeline);
    if (index < warm) {
        return block_at(pipeline, index, false);
    }
    const uint64_t pairs = all - warm, behind = index - warm;
    if (behind >= 2 * pairs) {
        return block_at(pipeline, behind - pairs, true);
    }
    return behind % 2 == 0 ? block_at(pipeline, warm + behind / 2, false)
                           : block_at(pipeline, behind / 2, true);
}

/* ---- turns ---- */

uint64_t orr_gen_pipeline_turns(const struct gen_pipeline *pipeline, uint32_t stage)
{
    const struct orr_schedule *order = pipeline->order;
    return order != NULL ? order->begin[stage + 1] - order->begin[stage]
                         : orr_gen_pipeline_blocks(pipeline);
}

struct gen_turn orr_gen_pipeline_turn(const struct gen_pipeline *pipeline, uint32_t stage,
                                      uint64_t index)
{
    const struct orr_schedule *order = pipeline->order;
    if (order == NULL) {
        return (struct gen_turn){{orr_gen_pipeline_block(pipeline, stage, index)}, 1};
    }
    const struct orr_schedule_slot *slot = &order->slot[order->begin[stage] + index];
    struct gen_turn turn = {.blocks = slot->passes};
    for (unsigned i = 0; i < slot->passes; i++) {
        const struct orr_pass *pass = &slot->pass[i];
        turn.block[i] = (struct gen_block){pass->micro, order->chunk[pass->part], pass->kind};
    }
    return turn;
}

/* ---- parts ---- */

uint32_t orr_gen_pipeline_cut(const struct gen_pipeline *pipeline)
{
    return pipeline->stages * pipeline->chunks / pipeline->copies;
}

uint32_t orr_gen_pipeline_part(const struct gen_pipeline *pipeline, uint32_t stage, uint32_t chunk)
{
    return pipeline->order != NULL ? pipeline->order->part[stage * pipeline->chunks + chunk]
                                   : chunk * pipeline->stages + stage;
}

uint32_t orr_gen_pipeline_stage(const struct gen_pipeline *pipeline, uint32_t part)
{
    return pipeline->order != NULL ? pipeline->order->device[part] : part % pipeline->stages;
}

bool orr_gen_pipeline_ends_apart(const struct gen_pipeline *pipeline)
{
    return pipeline->copies == 1 &&
           orr_gen_pipeline_stage(pipeline, 0) !=
               orr_gen_pipeline_stage(pipeline, orr_gen_pipeline_cut(pipeline) - 1);
}
