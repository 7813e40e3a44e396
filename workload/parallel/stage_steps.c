/* The turns of a pipeline stage, step after step; see stage.h. */
#include "core/arena.h"
#include "core/diag.h"
#include "workload/parallel/pipeline.h"
#include "workload/parallel/stage.h"

/* ---- turns ---- */

static void set_block(struct stage *stage, const struct gen_block *block)
{
    stage->run.micro = block->micro;
    stage->first = stage_chunk_first(stage, block->chunk);
}

/* With ZeRO-2 and -3 a rank keeps only its share of the gradients, so they are reduced after every
 * micro-batch. */
static struct stage_walk begin_walk(struct stage *stage, const struct gen_block *block)
{
    const struct gen_plan *plan = stage->program->plan;
    const bool ends = gen_block_ends_weights(block);
    const bool last = ends && --stage->left[block->chunk] == 0;
    struct stage_walk walk = {.block = *block,
                              .reduces = plan->overlap && ends && (last || plan->zero >= 2)};
    orr_stage_walk_begin(stage, &walk);
    return walk;
}

/* Of two blocks side by side the exchanges are issued in turn: those of a group start in this
 * order, and each goes beside computation of the other block. */
static struct gen_deps run_blocks(struct stage *stage, const struct gen_turn *turn)
{
    struct stage_walk walk[2];
    struct gen_deps end = orr_gen_no_deps();
    bool more = true;
    for (unsigned i = 0; i < turn->blocks; i++) {
        walk[i] = begin_walk(stage, &turn->block[i]);
    }
    while (more) {
        more = false;
        for (unsigned i = 0; i < turn->blocks; i++) {
            more = orr_stage_walk_on(stage, &walk[i]) || more;
        }
    }
    for (unsigned i = 0; i < turn->blocks; i++) {
        const struct gen_deps one = orr_stage_walk_end(stage, &walk[i]);
        orr_gen_deps_join(stage->run.emitter, &end, &one);
    }
    return end;
}

/* Blocks side by side begin when all has arrived and end together. */
static void run_turn(struct stage *stage, const struct gen_turn *turn)
{
    stage->start = stage->last;
    for (unsigned i = 0; i < turn->blocks; i++) {
        set_block(stage, &turn->block[i]);
        orr_stage_receive(stage, &turn->block[i], &stage->start);
    }
    stage->last = run_blocks(stage, turn);
    for (unsigned i = 0; i < turn->blocks; i++) {
        set_block(stage, &turn->block[i]);
        orr_stage_send(stage, &turn->block[i], &stage->last);
    }
}

/* ---- steps ---- */

static void count_passes(struct stage *stage)
{
    const struct gen_pipeline *pipeline = &stage->program->plan->pipeline;
    const uint64_t turns =
        pipeline->order != NULL ? orr_gen_pipeline_turns(pipeline, stage->number) : 0;
    for (uint32_t c = 0; c < pipeline->chunks; c++) {
        stage->left[c] = pipeline->order != NULL ? 0 : pipeline->micros;
    }
    for (uint64_t i = 0; i < turns; i++) {
        const struct gen_turn turn = orr_gen_pipeline_turn(pipeline, stage->number, i);
        for (unsigned k = 0; k < turn.blocks; k++) {
            stage->left[turn.block[k].chunk] += gen_block_ends_weights(&turn.block[k]) ? 1 : 0;
        }
    }
}

/* The items of a chunk, the last layer's gradients first. */
static void reduce_chunk(struct stage *stage, uint32_t chunk)
{
    for (uint32_t i = stage->chunk_end[chunk]; i-- > stage_chunk_first(stage, chunk);) {
        struct gen_deps all = stage->item[i].weights.gradient;
        orr_gen_deps_join(stage->run.emitter, &all, &stage->last);
        orr_stage_reduce_gradients(stage, &stage->item[i], &all);
    }
}

/* Without overlap: two stages with copies of each other's parts take these in the same order. */
static void reduce_all(struct stage *stage)
{
    const struct gen_pipeline *pipeline = &stage->program->plan->pipeline;
    const bool turned = pipeline->copies == 2 && 2 * stage->number >= pipeline->stages;
    for (uint32_t c = pipeline->chunks; c-- > 0;) {
        reduce_chunk(stage, turned ? pipeline->chunks - 1 - c : c);
    }
}

static void run_step(struct stage *stage)
{
    const struct gen_plan *plan = stage->program->plan;
    const uint64_t turns = orr_gen_pipeline_turns(&plan->pipeline, stage->number);
    orr_stage_gather_updated(stage);
    count_passes(stage);
    for (uint64_t i = 0; i < turns; i++) {
        const struct gen_turn turn = orr_gen_pipeline_turn(&plan->pipeline, stage->number, i);
        run_turn(stage, &turn);
    }
    if (!plan->overlap) {
        reduce_all(stage);
    }
    orr_stage_update_all(stage);
}

void orr_stage_emit(const struct rank_program *program, uint32_t number,
                    struct gen_emitter *emitter)
{
    struct stage *stage = orr_heap_calloc(1, sizeof *stage);
    if (stage != NULL) {
        *stage = (struct stage){.program = program,
                                .number = number,
                                .run = {.plan = program->plan, .emitter = emitter}};
    }
    if (stage != NULL && orr_stage_prepare(stage)) {
        for (; stage->run.step < program->plan->steps; stage->run.step++) {
            run_step(stage);
        }
    } else if (emitter->status == ORR_OK) {
        emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
    }
    if (stage != NULL) {
        orr_stage_release(stage);
    }
    orr_heap_free(stage);
}
