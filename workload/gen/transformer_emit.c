/* The nodes of one pipeline stage of a transformer; see transformer.h.
 *
 * A stage works through the blocks of its schedule one after the other; a block is a walk over the
 * operators of its layers, forwards or backwards. Backwards an operator's input gradient goes on to
 * the operator before; its weight gradient is worked out beside that, so that the exchange between
 * tensor-parallel ranks runs under it. Gradients are reduced layer by layer (Li et al. 2020), and
 * sharded as ZeRO says (Rajbhandari et al. 2020, sections 5 and 7). */
#include <inttypes.h>
#include <stdio.h>

#include "workload/gen/offload.h"
#include "workload/gen/transformer.h"

/* A layer, or the embedding or the head, on this stage. */
struct item {
    enum tf_layer kind;
    const struct tf_ops *ops;
    uint32_t layer;
    uint64_t parameters, expert_parameters; /* of this rank */
    struct gen_after gradients;             /* weight gradients of the last micro-batch */
    struct gen_after reduced;               /* their reductions */
    struct gen_after ready;                 /* when the weights may be used in the next step */
};

struct stage {
    const struct tf_job *job;
    struct gen_emitter *emitter;
    uint32_t number, step, micro;
    struct tf_ops ops[TF_HEAD + 1][2];
    struct item *item;
    uint32_t items;
    const uint32_t *chunk_end; /* [chunks]: items of chunk c end there */
    struct gen_after last;     /* of the block before */
    struct gen_after *history; /* ZeRO-3: [prefetch + 1] ends of the last layers, a ring */
    uint64_t worked;           /* layers passed so far */
};

/* ---- names ---- */

static const char *name_of(const struct stage *stage, const struct item *item, const char *what,
                           const char *how, char text[GEN_NAME_BYTES])
{
    int at = 0;
    text[0] = '\0';
    if (stage->job->plan.steps > 1) {
        at = snprintf(text, GEN_NAME_BYTES, "step %" PRIu32 " ", stage->step);
    }
    if (item != NULL && item->kind != TF_EMBEDDING && item->kind != TF_HEAD) {
        at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "layer %" PRIu32 " ", item->layer);
    }
    at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "%s", what);
    if (how != NULL) {
        (void)snprintf(text + at, GEN_NAME_BYTES - (size_t)at, " %s mb %" PRIu32, how,
                       stage->micro);
    }
    return text;
}

/* ---- operators ---- */

static struct gen_after emit_work(struct stage *stage, const struct item *item,
                                  const struct tf_op *op, const char *how,
                                  const struct gen_after *after)
{
    char name[GEN_NAME_BYTES];
    const struct tf_work *work = &op->forward;
    if (how[0] == 'b') {
        work = &op->input_gradient;
    } else if (how[0] == 'w') {
        work = &op->weight_gradient;
    }
    const struct orr_node_spec spec = {.name = name_of(stage, item, op->name, how, name),
                                       .op = op->kind,
                                       .unaligned = op->unaligned,
                                       .fp8 = op->fp8,
                                       .num_ops = work->flops,
                                       .tensor_bytes = work->bytes};
    return orr_gen_node(orr_gen_emit_comp(stage->emitter, spec, after));
}

/* A collective over bytes that every rank has in the end (gather), in the beginning (scatter) or
 * both. In a trace an all-gather's size is what a rank contributes. */
static struct gen_after emit_comm(struct stage *stage, const struct tf_collective *what,
                                  const char *name, const struct gen_after *after)
{
    if (!what->given || what->bytes == 0) {
        return *after;
    }
    const uint32_t ranks = orr_gen_family_size(stage->emitter->layout, what->family);
    const bool gather = what->comm == ORR_COMM_ALL_GATHER;
    const struct orr_node_spec spec = {.name = name,
                                       .comm = what->comm,
                                       .comm_bytes = gather ? (what->bytes + ranks - 1) / ranks
                                                            : what->bytes};
    return orr_gen_emit_coll(stage->emitter, spec, what->family, after);
}

static struct gen_after emit_exchange(struct stage *stage, const struct item *item,
                                      const struct tf_op *op, const char *how,
                                      const struct gen_after *after)
{
    char name[GEN_NAME_BYTES];
    const struct tf_collective *what = how[0] == 'b' ? &op->backward_comm : &op->forward_comm;
    return emit_comm(stage, what, name_of(stage, item, op->name, how, name), after);
}

static bool is_exchange(const struct tf_op *op)
{
    return op->forward.bytes == 0;
}

static struct gen_after forward_ops(struct stage *stage, const struct item *item, const char *how,
                                    struct gen_after chain)
{
    for (unsigned i = 0; i < item->ops->count; i++) {
        const struct tf_op *op = &item->ops->op[i];
        chain = is_exchange(op) ? emit_exchange(stage, item, op, how, &chain)
                                : emit_work(stage, item, op, how, &chain);
    }
    return chain;
}

static struct gen_after backward_op(struct stage *stage, struct item *item, const struct tf_op *op,
                                    struct gen_after chain)
{
    if (is_exchange(op)) {
        return emit_exchange(stage, item, op, "bwd", &chain);
    }
    char name[GEN_NAME_BYTES];
    if (op->kind == ORR_OP_ATTENTION && stage->job->plan.recompute == GEN_RECOMPUTE_SELECTIVE) {
        chain = emit_work(stage, item, op, "again", &chain);
    }
    const struct gen_after passed = emit_work(stage, item, op, "bwd", &chain);
    if (op->weight_gradient.bytes > 0) {
        chain = emit_comm(stage, &op->regather, name_of(stage, item, op->name, "input again", name),
                          &chain);
        const struct gen_after weights = emit_work(stage, item, op, "wgrad", &chain);
        orr_gen_join(&item->gradients, &weights);
    }
    return passed;
}

static struct gen_after backward_ops(struct stage *stage, struct item *item, struct gen_after chain)
{
    item->gradients = orr_gen_nothing();
    const bool layer = item->kind != TF_EMBEDDING && item->kind != TF_HEAD;
    if (layer && stage->job->plan.recompute == GEN_RECOMPUTE_FULL) {
        chain = forward_ops(stage, item, "again", chain);
    }
    for (unsigned i = item->ops->count; i-- > 0;) {
        chain = backward_op(stage, item, &item->ops->op[i], chain);
    }
    orr_gen_join(&item->gradients, &chain);
    return chain;
}

/* ---- parameters ---- */

/* A collective over an item's parameters, of those in experts and of the others. */
static struct gen_after share_parameters(struct stage *stage, const struct item *item,
                                         enum orr_trace_comm comm, const char *name,
                                         const struct gen_after *after)
{
    const struct gen_plan *plan = &stage->job->plan;
    const uint64_t each = comm == ORR_COMM_ALL_GATHER ? plan->element_bytes : plan->gradient_bytes;
    const struct tf_collective dense = {GEN_DP, comm, item->parameters * each, true};
    const enum gen_family experts_in = plan->layout.size[GEN_EXPERT] > 1 ? GEN_EDP : GEN_DP;
    const struct tf_collective expert = {experts_in, comm, item->expert_parameters * each, true};
    const bool gather = comm == ORR_COMM_ALL_GATHER;
    const bool has_dense =
        gather ? orr_gen_offload_gathers_dense(plan) : orr_gen_offload_reduces_dense(plan);
    struct gen_after both = has_dense ? emit_comm(stage, &dense, name, after) : *after;
    if (item->expert_parameters > 0 &&
        (gather ? orr_gen_offload_gathers_experts(plan) : orr_gen_offload_reduces_experts(plan))) {
        const struct gen_after experts = emit_comm(stage, &expert, name, after);
        orr_gen_join(&both, &experts);
    }
    return both;
}

static struct gen_parameters parameters_of(const struct item *item)
{
    return (struct gen_parameters){item->parameters, item->expert_parameters};
}

/* ZeRO-3: the weights come together before a layer, at most `prefetch` layers ahead. */
static void gather_weights(struct stage *stage, const struct item *item, struct gen_after *chain)
{
    const struct gen_plan *plan = &stage->job->plan;
    char name[GEN_NAME_BYTES];
    if (plan->zero < 3) {
        orr_gen_join(chain, &item->ready);
        return;
    }
    struct gen_after after = item->ready;
    const struct gen_after *before = &stage->history[stage->worked % (plan->prefetch + 1)];
    orr_gen_join(&after, before);
    after =
        orr_gen_offload_load(stage->emitter, plan, name_of(stage, item, "weights", "loaded", name),
                             parameters_of(item), &after);
    const struct gen_after gathered =
        share_parameters(stage, item, ORR_COMM_ALL_GATHER,
                         name_of(stage, item, "weights", "gathered", name), &after);
    orr_gen_join(chain, &gathered);
}

static void layer_ends(struct stage *stage, const struct gen_after *chain)
{
    if (stage->job->plan.zero >= 3) {
        stage->history[stage->worked++ % (stage->job->plan.prefetch + 1)] = *chain;
    }
}

/* With ZeRO-2 and -3 a rank keeps its share of the gradients only, so that they are reduced after
 * every micro-batch. */
static bool reduces_now(const struct stage *stage, bool last_micro)
{
    return last_micro || stage->job->plan.zero >= 2;
}

static void reduce_gradients(struct stage *stage, struct item *item, const struct gen_after *after)
{
    char name[GEN_NAME_BYTES];
    const struct gen_plan *plan = &stage->job->plan;
    const enum orr_trace_comm comm = plan->zero > 0 ? ORR_COMM_REDUCE_SCATTER : ORR_COMM_ALL_REDUCE;
    item->reduced = share_parameters(stage, item, comm,
                                     name_of(stage, item, "gradients", "reduced", name), after);
    const bool tied = stage->job->model.tied && plan->pipeline.stages > 1 &&
                      (item->kind == TF_EMBEDDING || item->kind == TF_HEAD);
    if (tied) {
        const uint64_t table = item->kind == TF_EMBEDDING
                                   ? item->ops->op[0].parameters
                                   : stage->ops[TF_EMBEDDING][0].op[0].parameters;
        const struct tf_collective both = {GEN_EMBEDDING, ORR_COMM_ALL_REDUCE,
                                           table * plan->gradient_bytes, true};
        item->reduced = emit_comm(
            stage, &both, name_of(stage, NULL, "tied embedding", "reduced", name), &item->reduced);
    }
    item->reduced = orr_gen_offload_store(stage->emitter, plan,
                                          name_of(stage, item, "gradients", "stored", name),
                                          parameters_of(item), &item->reduced);
}

/* What an optimizer reads and writes: the gradient, its state twice, the weight. */
static uint64_t update_bytes(const struct gen_plan *plan, uint64_t parameters)
{
    return parameters * (plan->gradient_bytes + 2 * plan->optimizer_bytes + plan->element_bytes);
}

static struct gen_after access_state(struct stage *stage, const struct item *item,
                                     enum orr_node_kind kind, const struct gen_after *after)
{
    char name[GEN_NAME_BYTES];
    const char *what = kind == ORR_NODE_MEM_LOAD ? "state loaded" : "state stored";
    const struct orr_node_spec access = {.name = name_of(stage, item, what, NULL, name),
                                         .kind = kind};
    return orr_gen_offload_state(stage->emitter, &stage->job->plan, access, parameters_of(item),
                                 after);
}

static void update(struct stage *stage, struct item *item)
{
    const struct gen_plan *plan = &stage->job->plan;
    const struct gen_layout *layout = stage->emitter->layout;
    char name[GEN_NAME_BYTES];
    const uint64_t dense = plan->zero > 0 ? orr_gen_family_size(layout, GEN_DP) : 1;
    const uint64_t expert = plan->zero > 0 ? orr_gen_family_size(layout, GEN_EDP) : 1;
    const uint64_t parameters =
        (item->parameters + dense - 1) / dense + (item->expert_parameters + expert - 1) / expert;
    item->ready = item->reduced;
    if (!plan->has_optimizer || parameters == 0 ||
        plan->offload_optimizer == GEN_OPTIMIZER_MEMORY) {
        return;
    }
    item->ready = access_state(stage, item, ORR_NODE_MEM_LOAD, &item->reduced);
    const struct orr_node_spec spec = {.name = name_of(stage, item, "update", NULL, name),
                                       .op = ORR_OP_ELEMENTWISE,
                                       .num_ops = parameters,
                                       .tensor_bytes = update_bytes(plan, parameters)};
    item->ready = orr_gen_node(orr_gen_emit_comp(stage->emitter, spec, &item->ready));
    item->ready = access_state(stage, item, ORR_NODE_MEM_STORE, &item->ready);
    if (plan->zero == 1 || plan->zero == 2) {
        item->ready =
            share_parameters(stage, item, ORR_COMM_ALL_GATHER,
                             name_of(stage, item, "weights", "gathered", name), &item->ready);
    }
}

/* ---- messages between stages ---- */

static uint32_t part_of(const struct stage *stage, uint32_t chunk)
{
    return chunk * stage->job->plan.pipeline.stages + stage->number;
}

/* The tag of what a part of the model receives for a micro-batch. */
static uint32_t tag_of(const struct stage *stage, uint32_t part, bool backward)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t micro = stage->step * pipeline->micros + stage->micro;
    return 2 * (micro * parts + part) + (backward ? 1 : 0);
}

static uint32_t offset_to(const struct stage *stage, uint32_t part)
{
    const struct gen_layout *layout = stage->emitter->layout;
    return orr_gen_stage_offset(layout, stage->number, part % layout->size[GEN_PIPELINE]);
}

/* What a block needs from the neighbouring part of the model, if there is one. */
static void receive(struct stage *stage, const struct gen_block *block, struct gen_after *chain)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part + 1 == parts : part == 0) {
        return;
    }
    const struct gen_after nothing = orr_gen_nothing();
    const struct orr_node_spec spec = {
        .name =
            name_of(stage, NULL, block->backward ? "gradient" : "activations", "received", name),
        .comm_bytes = orr_transformer_boundary_bytes(stage->job),
        .tag = tag_of(stage, part, block->backward)};
    orr_gen_add(chain, orr_gen_emit_recv(stage->emitter, spec,
                                         offset_to(stage, block->backward ? part + 1 : part - 1),
                                         &nothing));
}

static void send(struct stage *stage, const struct gen_block *block, const struct gen_after *chain)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part == 0 : part + 1 == parts) {
        return;
    }
    const uint32_t next = block->backward ? part - 1 : part + 1;
    const struct orr_node_spec spec = {
        .name = name_of(stage, NULL, block->backward ? "gradient" : "activations", "sent", name),
        .comm_bytes = orr_transformer_boundary_bytes(stage->job),
        .tag = tag_of(stage, next, block->backward)};
    (void)orr_gen_emit_send(stage->emitter, spec, offset_to(stage, next), chain);
}

/* ---- blocks and steps ---- */

static struct gen_after run_forward(struct stage *stage, uint32_t chunk, struct gen_after chain)
{
    const uint32_t first = chunk > 0 ? stage->chunk_end[chunk - 1] : 0;
    for (uint32_t i = first; i < stage->chunk_end[chunk]; i++) {
        gather_weights(stage, &stage->item[i], &chain);
        chain = forward_ops(stage, &stage->item[i], "fwd", chain);
        layer_ends(stage, &chain);
    }
    return chain;
}

static struct gen_after run_backward(struct stage *stage, uint32_t chunk, struct gen_after chain)
{
    const struct gen_plan *plan = &stage->job->plan;
    const bool last = stage->micro + 1 == plan->pipeline.micros;
    const uint32_t first = chunk > 0 ? stage->chunk_end[chunk - 1] : 0;
    for (uint32_t i = stage->chunk_end[chunk]; i-- > first;) {
        struct item *item = &stage->item[i];
        if (plan->zero >= 3) {
            gather_weights(stage, item, &chain);
        }
        chain = backward_ops(stage, item, chain);
        layer_ends(stage, &chain);
        if (plan->overlap && reduces_now(stage, last)) {
            reduce_gradients(stage, item, &item->gradients);
        }
    }
    return chain;
}

static void run_block(struct stage *stage, const struct gen_block *block)
{
    stage->micro = block->micro;
    struct gen_after chain = stage->last;
    receive(stage, block, &chain);
    chain = block->backward ? run_backward(stage, block->chunk, chain)
                            : run_forward(stage, block->chunk, chain);
    send(stage, block, &chain);
    stage->last = chain;
}

static void run_step(struct stage *stage)
{
    const struct gen_plan *plan = &stage->job->plan;
    const uint64_t blocks = orr_gen_pipeline_blocks(&plan->pipeline);
    for (uint64_t i = 0; i < blocks; i++) {
        const struct gen_block block = orr_gen_pipeline_block(&plan->pipeline, stage->number, i);
        run_block(stage, &block);
    }
    for (uint32_t i = stage->items; i-- > 0;) {
        if (!plan->overlap) {
            struct gen_after all = stage->item[i].gradients;
            orr_gen_join(&all, &stage->last);
            reduce_gradients(stage, &stage->item[i], &all);
        }
    }
    for (uint32_t i = stage->items; i-- > 0;) {
        update(stage, &stage->item[i]);
    }
}

/* ---- the stage ---- */

static void add_item(struct stage *stage, enum tf_layer kind, uint32_t layer, bool experts)
{
    struct item *item = &stage->item[stage->items++];
    *item = (struct item){.kind = kind, .ops = &stage->ops[kind][experts], .layer = layer};
    for (unsigned i = 0; i < item->ops->count; i++) {
        const struct tf_op *op = &item->ops->op[i];
        *(op->of_experts ? &item->expert_parameters : &item->parameters) += op->parameters;
    }
}

static void list_items(struct stage *stage, uint32_t *chunk_end)
{
    const struct tf_model *model = &stage->job->model;
    for (uint32_t c = 0; c < stage->job->plan.pipeline.chunks; c++) {
        const struct tf_range range = orr_transformer_chunk_range(stage->job, stage->number, c);
        if (range.embedding) {
            add_item(stage, TF_EMBEDDING, 0, false);
        }
        for (uint32_t layer = range.first; layer < range.end; layer++) {
            add_item(stage, orr_transformer_layer_kind(model, layer), layer,
                     orr_transformer_has_experts(model, layer));
        }
        if (range.head) {
            add_item(stage, TF_HEAD, 0, false);
        }
        chunk_end[c] = stage->items;
    }
    stage->chunk_end = chunk_end;
}

static void emit_stage(struct stage *stage, uint32_t *chunk_end)
{
    for (unsigned kind = 0; kind <= TF_HEAD; kind++) {
        for (unsigned experts = 0; experts < 2; experts++) {
            if (experts == 0 || stage->job->model.experts > 0) {
                orr_transformer_layer_ops(stage->job, (enum tf_layer)kind, experts != 0,
                                          &stage->ops[kind][experts]);
            }
        }
    }
    list_items(stage, chunk_end);
    for (stage->step = 0; stage->step < stage->job->plan.steps; stage->step++) {
        run_step(stage);
    }
}

void orr_transformer_emit(const struct tf_job *job, uint32_t number, struct gen_emitter *emitter)
{
    const struct gen_pipeline *pipeline = &job->plan.pipeline;
    const size_t items = orr_transformer_all_layers(&job->model) / pipeline->stages + 2;
    struct stage *stage = orr_heap_calloc(1, sizeof *stage);
    struct item *item = orr_heap_calloc(items, sizeof *item);
    uint32_t *chunk_end = orr_heap_calloc(pipeline->chunks, sizeof *chunk_end);
    struct gen_after *history = orr_heap_calloc((size_t)job->plan.prefetch + 1, sizeof *history);
    if (stage != NULL && item != NULL && chunk_end != NULL && history != NULL) {
        stage->job = job;
        stage->emitter = emitter;
        stage->number = number;
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
}
