/* The nodes of one pipeline stage of a transformer; see transformer.h.
 *
 * A stage runs the blocks of its schedule in order; a block is a walk over the operators of its
 * layers, forward or backward. Backward, an operator passes its input gradient to the operator
 * before it and computes its weight gradient off this chain, so the communication of
 * tensor-parallel ranks overlaps with it. Gradients are reduced layer by layer (Li et al. 2020). */
#include "core/arena.h"
#include "core/diag.h"
#include "workload/gen/transformer_stage.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/parallel_plan.h"
#include "workload/parallel/pipeline.h"
#include "workload/trace/trace_builder.h"

/* ---- operators ---- */

static struct gen_deps emit_work(struct tf_stage *stage, const struct tf_item *item,
                                 const struct tf_op *op, const char *how,
                                 const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct tf_work *work = &op->forward;
    if (how[0] == 'b') {
        work = &op->input_gradient;
    } else if (how[0] == 'w') {
        work = &op->weight_gradient;
    }
    const struct orr_node_spec spec = {.name =
                                           orr_transformer_name(stage, item, op->name, how, name),
                                       .op = op->kind,
                                       .unaligned = op->unaligned,
                                       .fp8 = op->fp8,
                                       .num_ops = work->flops,
                                       .tensor_bytes = work->bytes};
    return orr_gen_dep(orr_gen_emit_comp(stage->emitter, spec, after));
}

static struct gen_deps emit_exchange(struct tf_stage *stage, const struct tf_item *item,
                                     const struct tf_op *op, const char *how,
                                     const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct tf_collective *what = how[0] == 'b' ? &op->backward_comm : &op->forward_comm;
    return orr_transformer_emit_comm(stage, what,
                                     orr_transformer_name(stage, item, op->name, how, name), after);
}

static bool is_exchange(const struct tf_op *op)
{
    return op->forward.bytes == 0;
}

static struct gen_deps forward_ops(struct tf_stage *stage, const struct tf_item *item,
                                   const char *how, struct gen_deps chain)
{
    for (unsigned i = 0; i < item->ops->count; i++) {
        const struct tf_op *op = &item->ops->op[i];
        chain = is_exchange(op) ? emit_exchange(stage, item, op, how, &chain)
                                : emit_work(stage, item, op, how, &chain);
    }
    return chain;
}

/* Selective recomputation: before the backward pass of attention all of its operators run again. */
static struct gen_deps recompute_core(struct tf_stage *stage, const struct tf_item *item,
                                      unsigned last, struct gen_deps chain)
{
    const struct tf_op *op = item->ops->op;
    unsigned first = last;
    const bool behind = last + 1 < item->ops->count && op[last + 1].of_core;
    if (!op[last].of_core || behind || stage->job->plan.recompute != GEN_RECOMPUTE_SELECTIVE) {
        return chain;
    }
    while (first > 0 && op[first - 1].of_core) {
        first--;
    }
    for (unsigned i = first; i <= last; i++) {
        chain = emit_work(stage, item, &op[i], "again", &chain);
    }
    return chain;
}

static struct gen_deps backward_op(struct tf_stage *stage, struct tf_item *item,
                                   const struct tf_op *op, struct gen_deps chain)
{
    if (is_exchange(op)) {
        return emit_exchange(stage, item, op, "bwd", &chain);
    }
    char name[GEN_NAME_BYTES];
    const struct gen_deps passed = emit_work(stage, item, op, "bwd", &chain);
    if (op->weight_gradient.bytes > 0) {
        chain = orr_transformer_emit_comm(
            stage, &op->regather, orr_transformer_name(stage, item, op->name, "input again", name),
            &chain);
        const struct gen_deps weights = emit_work(stage, item, op, "wgrad", &chain);
        orr_gen_deps_merge(&item->gradients, &weights);
    }
    return passed;
}

static struct gen_deps backward_ops(struct tf_stage *stage, struct tf_item *item,
                                    struct gen_deps chain)
{
    item->gradients = orr_gen_no_deps();
    const bool layer = item->kind >= TF_FIRST_KIND;
    if (layer && stage->job->plan.recompute == GEN_RECOMPUTE_FULL) {
        chain = forward_ops(stage, item, "again", chain);
    }
    for (unsigned i = item->ops->count; i-- > 0;) {
        chain = recompute_core(stage, item, i, chain);
        chain = backward_op(stage, item, &item->ops->op[i], chain);
    }
    orr_gen_deps_merge(&item->gradients, &chain);
    return chain;
}

/* ---- blocks and steps ---- */

static void layer_ends(struct tf_stage *stage, const struct gen_deps *chain)
{
    if (stage->job->plan.zero >= 3) {
        stage->history[stage->worked++ % (stage->job->plan.prefetch + 1)] = *chain;
    }
}

/* With ZeRO-2 and -3 a rank keeps only its share of the gradients, so they are reduced after every
 * micro-batch. */
static bool reduces_now(const struct tf_stage *stage, bool last_micro)
{
    return last_micro || stage->job->plan.zero >= 2;
}

static struct gen_deps run_forward(struct tf_stage *stage, uint32_t chunk, struct gen_deps chain)
{
    const uint32_t first = chunk > 0 ? stage->chunk_end[chunk - 1] : 0;
    for (uint32_t i = first; i < stage->chunk_end[chunk]; i++) {
        orr_transformer_gather_weights(stage, &stage->item[i], &chain);
        chain = forward_ops(stage, &stage->item[i], "fwd", chain);
        layer_ends(stage, &chain);
    }
    return chain;
}

static struct gen_deps run_backward(struct tf_stage *stage, uint32_t chunk, struct gen_deps chain)
{
    const struct gen_plan *plan = &stage->job->plan;
    const bool last = stage->micro + 1 == plan->pipeline.micros;
    const uint32_t first = chunk > 0 ? stage->chunk_end[chunk - 1] : 0;
    for (uint32_t i = stage->chunk_end[chunk]; i-- > first;) {
        struct tf_item *item = &stage->item[i];
        if (plan->zero >= 3) {
            orr_transformer_gather_weights(stage, item, &chain);
        }
        chain = backward_ops(stage, item, chain);
        layer_ends(stage, &chain);
        if (plan->overlap && reduces_now(stage, last)) {
            orr_transformer_reduce_gradients(stage, item, &item->gradients);
        }
    }
    return chain;
}

static void run_block(struct tf_stage *stage, const struct gen_block *block)
{
    stage->micro = block->micro;
    struct gen_deps chain = stage->last;
    orr_transformer_receive(stage, block, &chain);
    chain = block->backward ? run_backward(stage, block->chunk, chain)
                            : run_forward(stage, block->chunk, chain);
    orr_transformer_send(stage, block, &chain);
    stage->last = chain;
}

static void run_step(struct tf_stage *stage)
{
    const struct gen_plan *plan = &stage->job->plan;
    const uint64_t blocks = orr_gen_pipeline_blocks(&plan->pipeline);
    orr_transformer_gather_updated(stage);
    for (uint64_t i = 0; i < blocks; i++) {
        const struct gen_block block = orr_gen_pipeline_block(&plan->pipeline, stage->number, i);
        run_block(stage, &block);
    }
    for (uint32_t i = stage->items; i-- > 0;) {
        if (!plan->overlap) {
            struct gen_deps all = stage->item[i].gradients;
            orr_gen_deps_merge(&all, &stage->last);
            orr_transformer_reduce_gradients(stage, &stage->item[i], &all);
        }
    }
    for (uint32_t i = stage->items; i-- > 0;) {
        orr_transformer_update(stage, &stage->item[i]);
    }
}

/* ---- the stage ---- */

static void emit_stage(struct tf_stage *stage, uint32_t *chunk_end)
{
    for (uint32_t kind = 0; kind < stage->job->model.kinds; kind++) {
        if (tf_has_kind(&stage->job->model, kind)) {
            orr_transformer_layer_ops(stage->job, kind, &stage->ops[kind]);
        }
    }
    orr_transformer_list_items(stage, chunk_end);
    for (stage->step = 0; stage->step < stage->job->plan.steps; stage->step++) {
        run_step(stage);
    }
}

void orr_transformer_emit(const struct tf_job *model, uint32_t number, struct gen_emitter *emitter)
{
    struct tf_job own = *model;
    const struct tf_job *job = &own;
    const struct gen_pipeline *pipeline = &job->plan.pipeline;
    const uint32_t number_of_stage = number % pipeline->stages;
    own.expert_rank = number / pipeline->stages;
    const size_t items = (size_t)orr_transformer_stage_layers(job, number_of_stage) + 2;
    struct tf_stage *stage = orr_heap_calloc(1, sizeof *stage);
    struct tf_item *item = orr_heap_calloc(items, sizeof *item);
    uint32_t *chunk_end = orr_heap_calloc(pipeline->chunks, sizeof *chunk_end);
    struct gen_deps *history = orr_heap_calloc((size_t)job->plan.prefetch + 1, sizeof *history);
    uint64_t *sizes = orr_heap_calloc(2 * (size_t)job->plan.layout.size[GEN_EXPERT], sizeof *sizes);
    if (stage != NULL && item != NULL && chunk_end != NULL && history != NULL && sizes != NULL) {
        stage->job = job;
        stage->emitter = emitter;
        stage->number = number_of_stage;
        stage->sizes = sizes;
        stage->item = item;
        stage->history = history;
        emit_stage(stage, chunk_end);
    } else if (emitter->status == ORR_OK) {
        emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
    }
    orr_heap_free(stage);
    orr_heap_free(item);
    orr_heap_free(chunk_end);
    orr_heap_free(history);
    orr_heap_free(sizes);
}
