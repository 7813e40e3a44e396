/* The nodes of a block of a pipeline stage; see stage.h.
 *
 * A block is a walk over the operators of its layers, forward or backward. Forward, an operator
 * waits for its inputs. Backward, it waits for the gradients from all operators that use its
 * output, passes its input gradient to its inputs and computes its weight gradient off this chain,
 * so the communication of tensor-parallel ranks overlaps with it. Gradients are reduced layer by
 * layer (Li et al. 2020). */
#include "workload/parallel/layout.h"
#include "workload/parallel/pipeline.h"
#include "workload/parallel/recompute.h"
#include "workload/parallel/stage.h"
#include "workload/trace/trace_builder.h"

/* An operator of a layer. */
struct place {
    struct stage_item *item;
    const struct rank_op *op;
    struct stage_slot *slot;
};

static struct place place_of(struct stage *stage, struct stage_item *item, uint32_t index)
{
    return (struct place){item, &item->layer->block->op[index], &stage->slot[item->slot + index]};
}

/* ---- inputs ---- */

static uint32_t inputs_of(const struct place *at)
{
    return at->item->layer->block->edge != NULL ? at->op->edges : 1;
}

/* The operator that gives an input; NULL: none of this chunk. */
static struct stage_slot *input_of(const struct stage *stage, const struct place *at,
                                   uint32_t index)
{
    const struct rank_edge *edge = at->item->layer->block->edge;
    const struct stage_item *first = &stage->item[stage->first];
    if (edge == NULL) {
        return at->slot > &stage->slot[first->slot] ? at->slot - 1 : NULL;
    }
    edge += at->op->first_edge + index;
    return edge->back <= (size_t)(at->item - first)
               ? &stage->slot[(at->item - edge->back)->slot + edge->op]
               : NULL;
}

/* The ends of all inputs; an operator without any waits for the beginning of the block. */
static struct gen_deps inputs_end(const struct stage *stage, const struct place *at)
{
    struct gen_deps after = orr_gen_no_deps();
    const uint32_t inputs = inputs_of(at);
    for (uint32_t i = 0; i < inputs; i++) {
        const struct stage_slot *from = input_of(stage, at, i);
        orr_gen_deps_join(stage->run.emitter, &after, from != NULL ? &from->out : &stage->start);
    }
    return inputs != 0 ? after : stage->start;
}

/* Whether some input is an operator of the same layer. */
static bool is_inner(const struct place *at)
{
    const struct rank_block *block = at->item->layer->block;
    for (uint32_t e = 0; e < at->op->edges; e++) {
        if (block->edge[at->op->first_edge + e].back == 0) {
            return true;
        }
    }
    return block->edge == NULL && at->op != block->op;
}

/* ---- operators ---- */

static const struct rank_layer *named(const struct place *at)
{
    return at->item->layer->block->names_are_whole ? NULL : at->item->layer;
}

static struct gen_deps emit_work(struct stage *stage, const struct place *at, const char *how,
                                 const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct rank_op *op = at->op;
    if (op->ring > 1) {
        return orr_stage_ring(stage, named(at), op, how, after);
    }
    const struct gen_work *work = how[0] == 'b'   ? &op->input_gradient
                                  : how[0] == 'w' ? &op->weight_gradient
                                                  : &op->forward;
    const struct orr_node_spec spec = {.name =
                                           orr_stage_name(stage, named(at), op->name, how, name),
                                       .op = op->kind,
                                       .unaligned = op->unaligned,
                                       .product = op->product,
                                       .num_ops = work->flops,
                                       .tensor_bytes = work->bytes};
    return orr_gen_dep(orr_gen_emit_comp(stage->run.emitter, spec, after));
}

static struct gen_deps emit_exchange(struct stage *stage, const struct place *at, const char *how,
                                     const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct rank_comm *what = how[0] == 'b' ? &at->op->backward_comm : &at->op->forward_comm;
    return orr_stage_comm(stage, what, orr_stage_name(stage, named(at), at->op->name, how, name),
                          after);
}

static bool has_work(const struct gen_work *work)
{
    return work->flops != 0 || work->bytes != 0;
}

/* Casts of gradients compute in the backward pass alone. */
static bool is_exchange(const struct rank_op *op)
{
    return op->forward.bytes == 0 && op->kind != ORR_OP_CAST;
}

static struct gen_deps forward_op(struct stage *stage, const struct place *at, const char *how,
                                  const struct gen_deps *after)
{
    return is_exchange(at->op)          ? emit_exchange(stage, at, how, after)
           : has_work(&at->op->forward) ? emit_work(stage, at, how, after)
                                        : *after;
}

/* ---- the host ---- */

/* The host launches layers one after the other, as far ahead as it gets (a third of a layer's time
 * forwards); the layer's first operator waits for it. */
static void launch_layer(struct stage *stage, const struct stage_item *item, const char *how,
                         struct gen_deps *first)
{
    char name[GEN_NAME_BYTES];
    const struct gen_host *host = &stage->program->plan->host;
    const struct rank_block *block = item->layer->block;
    const sim_time all = block->expert_parameters > 0 ? host->experts_ps : host->layer_ps;
    const sim_time forward = all / 3;
    if (all == 0 || block->is_end) {
        return;
    }
    struct orr_node_spec spec = {.name = orr_stage_name(stage, item->layer, "launch", how, name),
                                 .kind = ORR_NODE_COMP,
                                 .flags = ORR_NODE_IS_CPU,
                                 .duration_ps =
                                     (uint64_t)(how[0] == 'f' ? forward : all - forward)};
    const struct orr_deps before = {stage->host.id, stage->host.count};
    stage->host = orr_gen_dep(orr_gen_emit(stage->run.emitter, &spec, before));
    orr_gen_deps_join(stage->run.emitter, first, &stage->host);
}

/* ---- forward ---- */

static void begin_forward(struct stage *stage, struct stage_item *item, struct stage_walk *walk)
{
    walk->weights = orr_gen_no_deps();
    orr_stage_update_chained(stage, item);
    orr_stage_gather_weights(stage, item, &walk->weights);
    launch_layer(stage, item, "fwd", &walk->weights);
}

static void run_forward_op(struct stage *stage, struct stage_item *item, struct stage_walk *walk)
{
    const struct place at = place_of(stage, item, walk->op);
    struct gen_deps after = inputs_end(stage, &at);
    if (at.op->waits) {
        orr_gen_deps_join(stage->run.emitter, &after, &walk->weights);
    }
    at.slot->out = forward_op(stage, &at, "fwd", &after);
}

static uint32_t slots_end(const struct stage_item *item)
{
    return item->slot + item->layer->block->ops;
}

static void layer_ends(struct stage *stage, const struct gen_deps *end)
{
    const struct gen_plan *plan = stage->program->plan;
    if (plan->zero >= 3) {
        stage->history[stage->worked++ % (plan->prefetch + 1)] = *end;
    }
}

/* Runs the next operator; false: there is none. */
static bool forward_on(struct stage *stage, struct stage_walk *walk, bool *exchanged)
{
    struct stage_item *item = &stage->item[walk->item];
    if (walk->item == walk->end) {
        return false;
    }
    if (walk->op == 0) {
        begin_forward(stage, item, walk);
    }
    if (walk->op < item->layer->block->ops) {
        run_forward_op(stage, item, walk);
        *exchanged = is_exchange(&item->layer->block->op[walk->op]);
        walk->op++;
    }
    if (walk->op == item->layer->block->ops) {
        layer_ends(stage, &stage->slot[slots_end(item) - 1].out);
        walk->item++;
        walk->op = 0;
    }
    return true;
}

/* Of the operators that end the chunk. */
static struct gen_deps forward_end(struct stage *stage, const struct stage_walk *walk)
{
    struct gen_deps all = orr_gen_no_deps();
    for (uint32_t s = stage->item[walk->first].slot; s < slots_end(&stage->item[walk->end - 1]);
         s++) {
        if (stage->slot[s].ends) {
            orr_gen_deps_join(stage->run.emitter, &all, &stage->slot[s].out);
        }
    }
    return all;
}

/* ---- recomputation ---- */

/* Full recomputation: before the backward pass of a layer all of its operators run again. */
static void recompute_layer(struct stage *stage, struct stage_item *item,
                            const struct gen_deps *weights)
{
    const struct rank_block *block = item->layer->block;
    struct gen_deps start = orr_gen_no_deps();
    for (uint32_t i = block->ops; i-- > 0;) {
        if (block->op[i].last) {
            orr_gen_deps_join(stage->run.emitter, &start, &stage->slot[item->slot + i].gradient);
        }
    }
    orr_gen_deps_join(stage->run.emitter, &start, weights);
    for (uint32_t i = 0; i < block->ops; i++) {
        const struct place at = place_of(stage, item, i);
        struct gen_deps after = is_inner(&at) ? orr_gen_no_deps() : start;
        for (uint32_t k = 0; k < inputs_of(&at); k++) {
            const struct stage_slot *from = input_of(stage, &at, k);
            if (from != NULL && from >= &stage->slot[item->slot]) {
                orr_gen_deps_join(stage->run.emitter, &after, &from->out);
            }
        }
        at.slot->out = forward_op(stage, &at, "again", &after);
    }
    for (uint32_t i = 0; i < block->ops; i++) {
        if (block->op[i].last) {
            stage->slot[item->slot + i].gradient = stage->slot[item->slot + i].out;
        }
    }
}

/* Selective recomputation: before the backward pass of attention all of its operators run again. */
static void recompute_core(struct stage *stage, struct stage_item *item, uint32_t last,
                           struct gen_deps *chain)
{
    const struct rank_block *block = item->layer->block;
    uint32_t first = last;
    const bool behind = last + 1 < block->ops && block->op[last + 1].of_core;
    if (!block->op[last].of_core || behind || !gen_recomputes_core(stage->program->plan)) {
        return;
    }
    while (first > 0 && block->op[first - 1].of_core) {
        first--;
    }
    for (uint32_t i = first; i <= last; i++) {
        const struct place at = place_of(stage, item, i);
        *chain = emit_work(stage, &at, "again", chain);
    }
}

/* Modules that are computed again: what the backward pass of an operator is the first to need. */
static void recompute_modules(struct stage *stage, struct stage_item *item, uint32_t index,
                              struct gen_deps *chain)
{
    const struct rank_block *block = item->layer->block;
    for (uint32_t i = 0; i < index && block->again_bytes > 0; i++) {
        if (block->op[i].again_for == index) {
            const struct place at = place_of(stage, item, i);
            *chain = forward_op(stage, &at, "again", chain);
        }
    }
}

/* ---- backward ---- */

static struct gen_deps gather_again(struct stage *stage, const struct place *at,
                                    const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    return orr_stage_comm(stage, &at->op->regather,
                          orr_stage_name(stage, named(at), at->op->name, "input again", name),
                          after);
}

/* Computes the gradient of the weights off the chain. */
static struct gen_deps weight_gradient(struct stage *stage, const struct place *at,
                                       struct gen_deps chain)
{
    chain = gather_again(stage, at, &chain);
    const struct gen_deps end = emit_work(stage, at, "wgrad", &chain);
    orr_gen_deps_join(stage->run.emitter, &at->item->weights.gradient, &end);
    return end;
}

/* What is left of an operator's backward pass for its inputs; those outside of the chunk end the
 * block. */
static void pass_gradient(struct stage *stage, const struct place *at, const struct gen_deps *end)
{
    const uint32_t inputs = inputs_of(at);
    bool outside = inputs == 0 && at->item->layer->block->row_bytes == 0;
    for (uint32_t i = 0; i < inputs; i++) {
        struct stage_slot *from = input_of(stage, at, i);
        if (from != NULL) {
            orr_gen_deps_join(stage->run.emitter, &from->gradient, end);
        }
        outside = outside || from == NULL;
    }
    if (outside) {
        orr_gen_deps_join(stage->run.emitter, &stage->last, end);
    }
}

/* Gradients of weights without a product come with those of the inputs. The first operators of a
 * layer end those of all behind them. */
static bool ends_gradients(const struct place *at)
{
    return at->op->waits &&
           (at->item->layer->block->edge == NULL || !has_work(&at->op->weight_gradient));
}

static void backward_op(struct stage *stage, const struct place *at, const struct gen_deps *after)
{
    const bool passes = has_work(&at->op->input_gradient);
    struct gen_deps end = is_exchange(at->op) ? emit_exchange(stage, at, "bwd", after)
                          : passes            ? emit_work(stage, at, "bwd", after)
                                              : *after;
    if (has_work(&at->op->weight_gradient) && stage->pass != ORR_PASS_BACKWARD_INPUTS) {
        const struct gen_deps weights = weight_gradient(stage, at, *after);
        end = passes ? end : weights;
    }
    if (ends_gradients(at)) {
        orr_gen_deps_join(stage->run.emitter, &at->item->weights.gradient, &end);
    }
    pass_gradient(stage, at, &end);
    stage->passed = end;
}

/* A layer's operators wait for the weights where its backward pass begins. */
static void begin_backward(struct stage *stage, struct stage_item *item)
{
    const struct gen_plan *plan = stage->program->plan;
    const struct rank_block *block = item->layer->block;
    struct gen_deps weights = orr_gen_no_deps();
    item->weights.gradient = orr_gen_no_deps();
    if (plan->zero >= 3) {
        orr_stage_gather_weights(stage, item, &weights);
    }
    if (item->computed_again) {
        recompute_layer(stage, item, &weights);
        return;
    }
    for (uint32_t i = 0; i < block->ops && weights.count > 0; i++) {
        if (block->op[i].last) {
            orr_gen_deps_join(stage->run.emitter, &stage->slot[item->slot + i].gradient, &weights);
        }
    }
}

static void run_backward_op(struct stage *stage, struct stage_item *item, uint32_t index)
{
    const struct place at = place_of(stage, item, index);
    struct gen_deps chain = at.slot->gradient;
    recompute_modules(stage, item, index, &chain);
    recompute_core(stage, item, index, &chain);
    backward_op(stage, &at, &chain);
}

static void begin_chunk_backward(struct stage *stage, const struct stage_walk *walk)
{
    for (uint32_t s = stage->item[walk->first].slot; s < slots_end(&stage->item[walk->end - 1]);
         s++) {
        struct stage_slot *slot = &stage->slot[s];
        slot->gradient = slot->ends ? stage->start : orr_gen_no_deps();
    }
    stage->last = orr_gen_no_deps();
}

static void end_backward(struct stage *stage, struct stage_item *item, struct stage_walk *walk)
{
    const bool whole = walk->block.pass == ORR_PASS_BACKWARD;
    layer_ends(stage, &stage->passed);
    if (walk->reduces && whole) {
        orr_stage_reduce_gradients(stage, item, &item->weights.gradient);
    }
    /* In an order of passes the block is over when the gradients of its weights are there. */
    if (whole && stage->program->plan->pipeline.order != NULL) {
        orr_gen_deps_join(stage->run.emitter, &walk->weights, &item->weights.gradient);
    }
}

/* The same, from the last operator on. */
static bool backward_on(struct stage *stage, struct stage_walk *walk, bool *exchanged)
{
    if (walk->item == walk->end && walk->op == 0) {
        begin_chunk_backward(stage, walk);
    }
    if (walk->op == 0) {
        if (walk->item == walk->first) {
            return false;
        }
        walk->item--;
        walk->op = stage->item[walk->item].layer->block->ops;
        begin_backward(stage, &stage->item[walk->item]);
        launch_layer(stage, &stage->item[walk->item], "bwd",
                     &stage->slot[slots_end(&stage->item[walk->item]) - 1].gradient);
    }
    struct stage_item *item = &stage->item[walk->item];
    if (walk->op > 0) {
        run_backward_op(stage, item, --walk->op);
        *exchanged = is_exchange(&item->layer->block->op[walk->op]);
    }
    if (walk->op == 0) {
        end_backward(stage, item, walk);
    }
    return true;
}

/* The gradients of the weights alone, one after the other; gathered inputs come beside them. */
static struct gen_deps backward_weights(struct stage *stage, const struct stage_walk *walk)
{
    struct gen_deps chain = stage->start;
    for (uint32_t i = walk->end; i-- > walk->first;) {
        struct stage_item *item = &stage->item[i];
        for (uint32_t k = item->layer->block->ops; k-- > 0;) {
            const struct place at = place_of(stage, item, k);
            if (has_work(&at.op->weight_gradient)) {
                const struct gen_deps input = gather_again(stage, &at, &stage->start);
                orr_gen_deps_join(stage->run.emitter, &chain, &input);
                chain = emit_work(stage, &at, "wgrad", &chain);
            }
        }
        item->weights.gradient = chain;
        if (walk->reduces) {
            orr_stage_reduce_gradients(stage, item, &item->weights.gradient);
        }
    }
    return chain;
}

/* ---- walks ---- */

void orr_stage_walk_begin(struct stage *stage, struct stage_walk *walk)
{
    const uint32_t chunk = walk->block.chunk;
    walk->first = stage_chunk_first(stage, chunk);
    walk->end = stage->chunk_end[chunk];
    walk->item = walk->block.pass == ORR_PASS_FORWARD ? walk->first : walk->end;
    walk->op = 0;
    walk->weights = walk->last = walk->passed = orr_gen_no_deps();
}

static void enter(struct stage *stage, const struct stage_walk *walk)
{
    stage->run.micro = walk->block.micro;
    stage->pass = walk->block.pass;
    stage->first = walk->first;
    stage->last = walk->last;
    stage->passed = walk->passed;
}

bool orr_stage_walk_on(struct stage *stage, struct stage_walk *walk)
{
    const bool forward = walk->block.pass == ORR_PASS_FORWARD;
    bool exchanged = false, more = walk->block.pass != ORR_PASS_BACKWARD_WEIGHTS;
    enter(stage, walk);
    while (more && !exchanged) {
        more = forward ? forward_on(stage, walk, &exchanged) : backward_on(stage, walk, &exchanged);
    }
    walk->last = stage->last;
    walk->passed = stage->passed;
    return more;
}

struct gen_deps orr_stage_walk_end(struct stage *stage, struct stage_walk *walk)
{
    enter(stage, walk);
    if (walk->block.pass == ORR_PASS_FORWARD) {
        return forward_end(stage, walk);
    }
    if (walk->block.pass == ORR_PASS_BACKWARD_WEIGHTS) {
        return backward_weights(stage, walk);
    }
    orr_gen_deps_join(stage->run.emitter, &walk->last, &walk->weights);
    return walk->last;
}
