/* Memory of a stage; see rank_sums.h and docs/how-to/memory-capacity.md. */
#include "core/arena.h"
#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/pipeline_turns.h"
#include "workload/parallel/rank_sums.h"
#include "workload/parallel/recompute.h"
#include "workload/parallel/stage_split.h"

/* Memory of layers: weights, and activations for each micro-batch in flight. */
struct holding {
    struct gen_weight_count dense, experts; /* weights */
    uint64_t row_bytes, row_state_bytes;
    uint64_t kept_bytes;          /* between forward and backward pass */
    uint64_t working_bytes;       /* more, during recomputation */
    uint64_t largest;             /* parameters of the largest layer */
    uint64_t gathered_bytes;      /* gathered by ZeRO-3: the maximum of a layer ... */
    uint64_t next_gathered_bytes; /* ... and the maximum without embedding and head */
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Weights of a layer that are gathered, as they are held then. */
static uint64_t gathered_bytes(const struct gen_plan *plan, const struct rank_block *block)
{
    const bool dense = orr_gen_family_size(&plan->layout, gen_shard_family(&plan->layout)) > 1;
    const bool experts =
        orr_gen_family_size(&plan->layout, gen_expert_shard_family(&plan->layout)) > 1;
    return sat_plus(dense ? orr_gen_held_bytes(plan, orr_rank_weights(block, false)) : 0,
                    experts ? orr_gen_held_bytes(plan, orr_rank_weights(block, true)) : 0);
}

/* `again`: as a whole. */
static struct holding holding_of(const struct gen_plan *plan, const struct rank_block *block,
                                 bool again)
{
    struct holding holding = {.dense = orr_rank_weights(block, false),
                              .experts = orr_rank_weights(block, true),
                              .row_bytes = block->row_bytes,
                              .row_state_bytes = block->row_state_bytes,
                              .kept_bytes = block->kept_bytes};
    if (!again && !(block->recomputes && gen_recomputes_core(plan))) {
        holding.kept_bytes = sat_plus(block->kept_bytes, block->scores_bytes);
    } else if (!again) {
        holding.working_bytes = block->scores_bytes;
    } else { /* only the input of the layer is kept */
        holding.working_bytes =
            sat_plus(block->kept_bytes - block->outer_bytes, block->scores_bytes);
        holding.kept_bytes = block->input_bytes;
    }
    holding.working_bytes = sat_plus(holding.working_bytes, block->again_bytes);
    holding.largest = sat_plus(block->parameters, block->expert_parameters);
    holding.gathered_bytes = plan->zero < 3 ? 0 : gathered_bytes(plan, block);
    holding.next_gathered_bytes = block->is_end ? 0 : holding.gathered_bytes;
    return holding;
}

static void add_weights(struct gen_weight_count *all, struct gen_weight_count more)
{
    all->all = sat_plus(all->all, more.all);
    all->narrow = sat_plus(all->narrow, more.narrow);
}

static void add_holding(struct holding *all, const struct holding *more)
{
    add_weights(&all->dense, more->dense);
    add_weights(&all->experts, more->experts);
    all->row_bytes = sat_plus(all->row_bytes, more->row_bytes);
    all->row_state_bytes = sat_plus(all->row_state_bytes, more->row_state_bytes);
    all->kept_bytes = sat_plus(all->kept_bytes, more->kept_bytes);
    all->largest = larger(all->largest, more->largest);
    all->gathered_bytes = larger(all->gathered_bytes, more->gathered_bytes);
    all->next_gathered_bytes = larger(all->next_gathered_bytes, more->next_gathered_bytes);
    all->working_bytes = larger(all->working_bytes, more->working_bytes);
}

/* Of a group of layers the input of the first is kept; all that they hold is there at once when
 * they are computed again. */
static void group_layer(const struct rank_program *program, const struct gen_range *chunk,
                        uint32_t layer, uint64_t *group_bytes, struct holding *one)
{
    const uint32_t place = orr_rank_place(program, chunk, layer);
    const bool first = place % program->plan->recompute_layers == 0;
    *group_bytes = first ? 0 : sat_plus(*group_bytes, one->kept_bytes);
    *group_bytes = sat_plus(*group_bytes, one->working_bytes);
    one->kept_bytes = first ? one->kept_bytes : 0;
    one->working_bytes = *group_bytes;
}

static struct holding chunk_holding(const struct rank_program *program, uint32_t stage,
                                    uint32_t chunk)
{
    const struct gen_range range = orr_rank_layers(program, stage, chunk);
    struct holding all = {.kept_bytes = range.first == 0 ? program->data_bytes : 0};
    uint64_t group_bytes = 0;
    for (uint32_t l = range.first; l < range.end; l++) {
        const bool again = orr_rank_recomputes(program, &range, l);
        struct holding one = holding_of(program->plan, program->layer[l].block, again);
        if (again && !program->plan->recompute_blocks) {
            group_layer(program, &range, l, &group_bytes, &one);
        }
        add_holding(&all, &one);
    }
    return all;
}

/* A forward block takes what it keeps, until the gradients of the weights are there; a backward one
 * works with more. */
static void run_block(const struct gen_block *block, const struct holding *chunk, uint64_t *now,
                      uint64_t *peak)
{
    const bool forward = block->pass == ORR_PASS_FORWARD;
    *now = forward ? sat_plus(*now, chunk->kept_bytes) : *now;
    *peak = larger(*peak, forward ? *now : sat_plus(*now, chunk->working_bytes));
    *now -= gen_block_ends_weights(block) && *now != INT64_MAX ? chunk->kept_bytes : 0;
}

/* With an order of passes, block by block; two blocks at once hold both. */
static uint64_t peak_of_order(const struct gen_pipeline *pipeline, uint32_t stage,
                              const struct holding *chunks)
{
    const uint64_t turns = orr_gen_pipeline_turns(pipeline, stage);
    uint64_t now = 0, peak = 0;
    for (uint64_t i = 0; i < turns; i++) {
        const struct gen_turn turn = orr_gen_pipeline_turn(pipeline, stage, i);
        for (unsigned k = 0; k < turn.blocks; k++) {
            run_block(&turn.block[k], &chunks[turn.block[k].chunk], &now, &peak);
        }
    }
    return peak;
}

/* The maximum of kept activations over the stage's schedule. After its warm-up an interleaved
 * schedule repeats every stages x chunks pairs of blocks; with one chunk, every pair. */
static uint64_t peak_activations(const struct gen_pipeline *pipeline, uint32_t stage,
                                 const struct holding *chunks)
{
    if (pipeline->order != NULL) {
        return peak_of_order(pipeline, stage, chunks);
    }
    uint64_t now = 0, peak = 0;
    const uint64_t warm = orr_gen_pipeline_warm_up(pipeline, stage);
    const uint64_t all = orr_gen_pipeline_blocks(pipeline);
    if (pipeline->chunks == 1) {
        const uint64_t held = warm < all / 2 ? warm + 1 : warm;
        return sat_plus(sat_times(held, chunks->kept_bytes), chunks->working_bytes);
    }
    const uint64_t max = warm + 4 * (uint64_t)pipeline->stages * pipeline->chunks;
    for (uint64_t i = 0; i < all && i < max && peak != INT64_MAX; i++) { /* saturated */
        const struct gen_block block = orr_gen_pipeline_block(pipeline, stage, i);
        run_block(&block, &chunks[block.chunk], &now, &peak);
    }
    return peak;
}

static uint64_t both_held(const struct gen_plan *plan, const struct holding *all)
{
    return sat_plus(orr_gen_held_bytes(plan, all->dense), orr_gen_held_bytes(plan, all->experts));
}

/* Weights that ZeRO-3 holds gathered in addition to its shard: those of the current layer and of
 * `prefetch` more. Embedding and head are not adjacent, and no more than all can be gathered. */
static uint64_t gathered_ahead(const struct gen_plan *plan, const struct holding *all)
{
    const uint64_t max = sat_plus(all->gathered_bytes,
                                  sat_times(all->next_gathered_bytes, (uint64_t)plan->prefetch));
    const uint64_t unsplit = both_held(plan, all);
    return max < unsplit ? max : unsplit;
}

/* The share of a rank, of the ranks of a family. */
static struct gen_weight_count shard_of(const struct gen_plan *plan, struct gen_weight_count all,
                                        enum gen_family family)
{
    const uint64_t ranks = orr_gen_family_size(&plan->layout, family);
    return (struct gen_weight_count){sat_divide_up(all.all, ranks),
                                     sat_divide_up(all.narrow, ranks)};
}

static uint64_t weights_bytes(const struct gen_plan *plan, const struct holding *all)
{
    if (plan->zero < 3) {
        return both_held(plan, all);
    }
    const struct gen_weight_count dense =
                                      shard_of(plan, all->dense, gen_shard_family(&plan->layout)),
                                  experts = shard_of(plan, all->experts,
                                                     gen_expert_shard_family(&plan->layout));
    return sat_plus(sat_plus(orr_gen_shard_bytes(plan, dense), orr_gen_shard_bytes(plan, experts)),
                    gathered_ahead(plan, all));
}

/* Offloaded data is not on the NPU except for the layers in progress: the weights of the current
 * layer and of those prefetched, the gradients and the state of one. */
static void move_to_pool(const struct gen_plan *plan, const struct holding *all, uint64_t shard,
                         struct gen_memory *memory)
{
    const uint64_t unsplit = sat_plus(all->dense.all, all->experts.all);
    const uint64_t ahead = sat_times(all->largest, (uint64_t)plan->prefetch + 1);
    if (plan->offload_parameters != GEN_OFFLOAD_NONE) {
        memory->pool_bytes += sat_times(shard, plan->element_bytes);
        memory->weights_bytes = sat_times(ahead < unsplit ? ahead : unsplit, plan->element_bytes);
    }
    if (plan->offload_gradients != GEN_OFFLOAD_NONE) {
        memory->pool_bytes += sat_times(shard, plan->gradient_bytes);
        memory->gradients_bytes = sat_times(all->largest, plan->gradient_bytes);
    }
    if (plan->offload_optimizer != GEN_OPTIMIZER_LOCAL) {
        const uint64_t ranks = orr_gen_family_size(&plan->layout, GEN_EDP);
        const bool here = plan->offload_optimizer == GEN_OPTIMIZER_NPU;
        memory->pool_bytes += sat_times(shard, plan->optimizer_bytes);
        memory->optimizer_bytes =
            here ? sat_times(sat_divide_up(all->largest, ranks), plan->optimizer_bytes) : 0;
    }
}

bool orr_rank_memory(const struct rank_program *program, uint32_t stage, struct gen_memory *memory)
{
    const struct gen_plan *plan = program->plan;
    struct holding *chunks = orr_heap_calloc(plan->pipeline.chunks, sizeof *chunks);
    if (chunks == NULL) {
        return false;
    }
    struct holding all = {0};
    for (uint32_t c = 0; c < plan->pipeline.chunks; c++) {
        chunks[c] = chunk_holding(program, stage, c);
        add_holding(&all, &chunks[c]);
    }
    const uint64_t unsplit = sat_plus(all.dense.all, all.experts.all);
    const uint64_t shard =
        sat_plus(shard_of(plan, all.dense, gen_shard_family(&plan->layout)).all,
                 shard_of(plan, all.experts, gen_expert_shard_family(&plan->layout)).all);
    *memory = (struct gen_memory){
        .weights_bytes = weights_bytes(plan, &all),
        .gradients_bytes = sat_times(plan->zero >= 2 ? shard : unsplit, plan->gradient_bytes),
        .optimizer_bytes = sat_times(plan->zero >= 1 ? shard : unsplit, plan->optimizer_bytes),
        .activations_bytes = peak_activations(&plan->pipeline, stage, chunks)};
    move_to_pool(plan, &all, shard, memory);
    memory->weights_bytes = sat_plus(memory->weights_bytes, all.row_bytes);
    memory->optimizer_bytes = sat_plus(memory->optimizer_bytes, all.row_state_bytes);
    orr_heap_free(chunks);
    return true;
}
