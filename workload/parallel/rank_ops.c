/* Blocks of operators; see rank_ops.h. */
#include "workload/parallel/rank_ops.h"

#include "core/saturate.h"

static void sum(struct rank_block *block)
{
    for (uint32_t i = 0; i < block->ops; i++) {
        const struct rank_op *op = &block->op[i];
        uint64_t *held = op->of_experts ? &block->expert_parameters : &block->parameters;
        uint64_t *narrow =
            op->of_experts ? &block->narrow_expert_parameters : &block->narrow_parameters;
        *held = sat_plus(*held, op->parameters);
        *narrow = sat_plus(*narrow, op->product != ORR_PRODUCT_ELEMENT ? op->parameters : 0);
        block->kept_bytes = sat_plus(block->kept_bytes, op->kept_bytes);
        block->scores_bytes = sat_plus(block->scores_bytes, op->scores_bytes);
        block->again_bytes = sat_plus(block->again_bytes, op->again_bytes);
    }
}

/* Whether an operator of the layer that waits for its weights comes before the operator. */
static bool is_behind(const struct rank_block *block, const struct rank_op *op)
{
    bool behind = false;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        const struct rank_op *from = &block->op[block->edge[e].op];
        behind = behind || (block->edge[e].back == 0 && (from->waits || from->behind));
    }
    return behind;
}

static void mark(struct rank_block *block, struct rank_op *op)
{
    for (uint32_t i = 0; i < block->ops; i++) {
        op[i].behind = block->edge == NULL ? i > 0 : is_behind(block, &op[i]);
        op[i].waits = i == 0 || (op[i].parameters > 0 && !op[i].behind);
        op[i].last = block->edge != NULL || i + 1 == block->ops;
        for (uint32_t e = op[i].first_edge; e < op[i].first_edge + op[i].edges; e++) {
            if (block->edge[e].back == 0) {
                op[block->edge[e].op].last = false;
            }
        }
    }
}

void orr_rank_block_finish(struct rank_block *block, struct rank_op *op)
{
    sum(block);
    mark(block, op);
}

struct gen_row orr_rank_row(const struct rank_program *program)
{
    const bool embedding = program->layer[0].block != NULL && program->layer[0].block->is_end;
    return (struct gen_row){.layers = program->layers - (embedding ? 1 : 0) - program->behind,
                            .embedding = embedding,
                            .head = program->behind > 0};
}

uint64_t orr_rank_updated(const struct gen_plan *plan, const struct rank_block *block)
{
    const struct gen_layout *layout = &plan->layout;
    const bool shared = plan->zero > 0;
    return sat_divide_up(block->parameters,
                         shared ? orr_gen_family_size(layout, gen_shard_family(layout)) : 1) +
           sat_divide_up(block->expert_parameters,
                         shared ? orr_gen_family_size(layout, gen_expert_shard_family(layout)) : 1);
}

struct gen_range orr_rank_layers(const struct rank_program *program, uint32_t stage, uint32_t chunk)
{
    const struct gen_row row = orr_rank_row(program);
    const struct gen_range range = orr_gen_chunk_range(program->plan, &row, stage, chunk);
    const uint32_t ahead = row.embedding ? 1 : 0;
    return (struct gen_range){.first = range.embedding ? 0 : range.first + ahead,
                              .end = range.end + ahead + (range.head ? program->behind : 0)};
}

uint32_t orr_rank_place(const struct rank_program *program, const struct gen_range *chunk,
                        uint32_t layer)
{
    const bool end = chunk->first < chunk->end && program->layer[chunk->first].block->is_end;
    return layer - chunk->first - (end && layer > chunk->first ? 1 : 0);
}

bool orr_rank_recomputes(const struct rank_program *program, const struct gen_range *chunk,
                         uint32_t layer)
{
    const struct gen_plan *plan = program->plan;
    return plan->recompute == GEN_RECOMPUTE_FULL && program->layer[layer].block->recomputes &&
           (!plan->recompute_blocks ||
            orr_rank_place(program, chunk, layer) < plan->recompute_layers);
}
