/* Weights, gradients and optimizer state of a stage's layers: sharded and gathered by ZeRO
 * (Rajbhandari et al. 2020, sections 5 and 7), offloaded, and updated. */
#include <inttypes.h>
#include <stdio.h>

#include "core/saturate.h"
#include "workload/parallel/offload.h"
#include "workload/parallel/stage.h"

/* Bytes of a layer's weights as they are gathered, or of their gradients. */
static uint64_t shared_bytes(const struct gen_plan *plan, const struct rank_block *block,
                             bool experts, bool gather)
{
    const struct gen_weight_count weights = orr_rank_weights(block, experts);
    return gather ? orr_gen_gathered_bytes(plan, weights)
                  : sat_times(weights.all, plan->gradient_bytes);
}

/* Collectives over a layer's parameters: one for experts, one for the others. */
static struct gen_deps share_parameters(struct stage *stage, const struct stage_item *item,
                                        enum orr_trace_comm comm, const char *name,
                                        const struct gen_deps *after)
{
    const struct gen_plan *plan = stage->program->plan;
    const struct rank_block *block = item->layer->block;
    const bool gather = comm == ORR_COMM_ALL_GATHER;
    const struct rank_comm dense = {.family = gen_shard_family(&plan->layout),
                                    .comm = comm,
                                    .bytes = shared_bytes(plan, block, false, gather),
                                    .is_set = true};
    const struct rank_comm expert = {.family = gen_expert_shard_family(&plan->layout),
                                     .comm = comm,
                                     .bytes = shared_bytes(plan, block, true, gather),
                                     .is_set = true};
    const bool has_dense =
        gather ? orr_gen_offload_gathers_dense(plan) : orr_gen_offload_reduces_dense(plan);
    struct gen_deps both = has_dense ? orr_stage_comm(stage, &dense, name, after) : *after;
    if (block->expert_parameters > 0 &&
        (gather ? orr_gen_offload_gathers_experts(plan) : orr_gen_offload_reduces_experts(plan))) {
        const struct gen_deps experts = orr_stage_comm(stage, &expert, name, after);
        orr_gen_deps_join(stage->run.emitter, &both, &experts);
    }
    return both;
}

static bool has_weights(const struct stage_item *item)
{
    return item->layer->block->parameters > 0 || item->layer->block->expert_parameters > 0;
}

static struct gen_parameters parameters_of(const struct stage_item *item)
{
    return (struct gen_parameters){item->layer->block->parameters,
                                   item->layer->block->expert_parameters};
}

/* ZeRO-3: the weights are gathered before a layer, at most `prefetch` layers ahead. */
void orr_stage_gather_weights(struct stage *stage, const struct stage_item *item,
                              struct gen_deps *chain)
{
    const struct gen_plan *plan = stage->program->plan;
    char name[GEN_NAME_BYTES];
    if (plan->zero < 3 || !has_weights(item)) {
        orr_gen_deps_join(stage->run.emitter, chain, &item->weights.ready);
        return;
    }
    struct gen_deps after = item->weights.ready;
    const struct gen_deps *before = &stage->history[stage->worked % (plan->prefetch + 1)];
    orr_gen_deps_join(stage->run.emitter, &after, before);
    after = orr_gen_offload_load(stage->run.emitter, plan,
                                 orr_stage_name(stage, item->layer, "weights", "loaded", name),
                                 parameters_of(item), &after);
    const struct gen_deps gathered =
        share_parameters(stage, item, ORR_COMM_ALL_GATHER,
                         orr_stage_name(stage, item->layer, "weights", "gathered", name), &after);
    orr_gen_deps_join(stage->run.emitter, chain, &gathered);
}

/* ---- gradients ---- */

/* Weights that both ends of the model have. */
static void reduce_tied(struct stage *stage, struct stage_item *item)
{
    char name[GEN_NAME_BYTES];
    const uint64_t bytes =
        sat_times(item->layer->tied_parameters, stage->program->plan->gradient_bytes);
    const struct rank_comm both = {
        .family = GEN_EMBEDDING, .comm = ORR_COMM_ALL_REDUCE, .bytes = bytes, .is_set = true};
    item->weights.reduced =
        orr_stage_comm(stage, &both, orr_stage_name(stage, NULL, "tied embedding", "reduced", name),
                       &item->weights.reduced);
}

/* Ranks of a family add up their gradients, each of its own share of the weights. */
static void add_up(struct stage *stage, struct stage_item *item, enum gen_family family,
                   const char *what, const char *how)
{
    char name[GEN_NAME_BYTES];
    const struct gen_plan *plan = stage->program->plan;
    if (orr_gen_family_size(&plan->layout, family) == 1) {
        return;
    }
    const struct rank_comm sum = {
        .family = family,
        .comm = ORR_COMM_ALL_REDUCE,
        .bytes = sat_times(orr_rank_updated(plan, item->layer->block), plan->gradient_bytes),
        .is_set = true};
    item->weights.reduced = orr_stage_comm(
        stage, &sum, orr_stage_name(stage, item->layer, what, how, name), &item->weights.reduced);
}

/* "layer 3 gradients" */
static const char *gradients_name(const struct rank_layer *layer, char name[GEN_NAME_BYTES])
{
    if (layer->name == NULL) {
        (void)snprintf(name, GEN_NAME_BYTES, "layer %" PRIu32 " gradients", layer->number);
    } else {
        (void)snprintf(name, GEN_NAME_BYTES, "%s%sgradients", layer->name,
                       layer->name[0] != '\0' ? " " : "");
    }
    return name;
}

/* No other rank has the rows, nor gradients of them. */
static void update_rows(struct stage *stage, struct stage_item *item)
{
    char name[GEN_NAME_BYTES];
    const struct gen_work *work = &item->layer->block->row_update;
    const struct orr_node_spec spec = {.name =
                                           orr_stage_name(stage, item->layer, "update", NULL, name),
                                       .op = ORR_OP_MEMORY,
                                       .num_ops = work->flops,
                                       .tensor_bytes = work->bytes};
    item->weights.ready = item->weights.gradient;
    if (stage->program->plan->has_optimizer) {
        item->weights.ready =
            orr_gen_dep(orr_gen_emit_comp(stage->run.emitter, spec, &item->weights.gradient));
    }
}

void orr_stage_reduce_gradients(struct stage *stage, struct stage_item *item,
                                const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct gen_plan *plan = stage->program->plan;
    const enum orr_trace_comm comm = plan->zero > 0 ? ORR_COMM_REDUCE_SCATTER : ORR_COMM_ALL_REDUCE;
    if (!has_weights(item)) {
        if (item->layer->block->row_bytes > 0) {
            update_rows(stage, item);
        }
        return;
    }
    if (plan->bucket_bytes != 0 || plan->slice_bytes != 0) {
        item->weights.gradient = *after;
        orr_gen_bucket_add(&stage->run, gradients_name(item->layer, name), &item->weights);
        return;
    }
    item->weights.reduced = share_parameters(
        stage, item, comm, orr_stage_name(stage, item->layer, "gradients", "reduced", name), after);
    /* Replicas (HSDP: Zhao et al. 2023, section 3.2.2), and two stages that have the weights. */
    add_up(stage, item, GEN_REPLICA, "gradients", "reduced over replicas");
    add_up(stage, item, GEN_MIRROR, "copied gradients", "reduced");
    if (item->layer->tied_parameters > 0) {
        reduce_tied(stage, item);
    }
    item->weights.reduced = orr_gen_offload_store(
        stage->run.emitter, plan, orr_stage_name(stage, item->layer, "gradients", "stored", name),
        parameters_of(item), &item->weights.reduced);
}

/* ---- updates ---- */

static struct gen_deps access_state(struct stage *stage, const struct stage_item *item,
                                    enum orr_node_kind kind, const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const char *what = kind == ORR_NODE_MEM_LOAD ? "state loaded" : "state stored";
    const struct orr_node_spec access = {
        .name = orr_stage_name(stage, item->layer, what, NULL, name), .kind = kind};
    return orr_gen_offload_state(stage->run.emitter, stage->program->plan, access,
                                 parameters_of(item), after);
}

/* Whether NPUs update the weights. */
static bool updates(const struct gen_plan *plan)
{
    return plan->has_optimizer && plan->offload_optimizer != GEN_OPTIMIZER_MEMORY;
}

void orr_stage_gather_updated(struct stage *stage)
{
    const struct gen_plan *plan = stage->program->plan;
    struct gen_deps before = orr_gen_no_deps();
    if ((plan->zero != 1 && plan->zero != 2) || !plan->overlap_gather || !updates(plan)) {
        return;
    }
    for (uint32_t i = 0; i < stage->items; i++) {
        struct stage_item *item = &stage->item[i];
        const uint64_t first = stage->run.emitter->next_id;
        char name[GEN_NAME_BYTES];
        struct gen_deps after = item->weights.ready;
        orr_gen_deps_join(stage->run.emitter, &after, &before);
        const struct gen_deps gathered = share_parameters(
            stage, item, ORR_COMM_ALL_GATHER,
            orr_stage_name(stage, item->layer, "weights gathered", NULL, name), &after);
        if (stage->run.emitter->next_id == first) { /* nothing: one rank has all weights */
            continue;
        }
        item->weights.ready = gathered;
        before = orr_gen_no_deps();
        for (uint64_t id = first; id < stage->run.emitter->next_id; id++) {
            orr_gen_deps_add(&before, id);
        }
    }
}

/* An optimizer's step comes behind all passes of the stage: an update between them would hold up
 * the stages before. With training.chain a layer of the next step waits for its own update alone.
 */
static void update(struct stage *stage, struct stage_item *item)
{
    const struct gen_plan *plan = stage->program->plan;
    struct gen_weights *weights = &item->weights;
    char name[GEN_NAME_BYTES];
    const uint64_t parameters = orr_rank_updated(stage->program->plan, item->layer->block);
    weights->ready = has_weights(item) ? weights->reduced : weights->ready;
    if (!plan->chain && has_weights(item)) {
        orr_gen_deps_join(stage->run.emitter, &weights->ready, &stage->last);
    }
    if (parameters == 0 || !updates(plan)) {
        return;
    }
    weights->ready = access_state(stage, item, ORR_NODE_MEM_LOAD, &weights->ready);
    const struct orr_node_spec spec = {.name =
                                           orr_stage_name(stage, item->layer, "update", NULL, name),
                                       .op = ORR_OP_ELEMENTWISE,
                                       .num_ops = parameters,
                                       .tensor_bytes = orr_gen_update_bytes(plan, parameters)};
    weights->ready = orr_gen_dep(orr_gen_emit_comp(stage->run.emitter, spec, &weights->ready));
    weights->ready = access_state(stage, item, ORR_NODE_MEM_STORE, &weights->ready);
    if ((plan->zero == 1 || plan->zero == 2) && !plan->overlap_gather) {
        weights->ready = share_parameters(
            stage, item, ORR_COMM_ALL_GATHER,
            orr_stage_name(stage, item->layer, "weights", "gathered", name), &weights->ready);
    }
}

/* After the layer before it. */
void orr_stage_update_chained(struct stage *stage, struct stage_item *item)
{
    const bool first = stage->run.step == 0 || stage->run.micro != 0;
    if (!stage->program->plan->chain || first || item->weights.parameters == 0) {
        return;
    }
    if (item > &stage->item[stage->first]) {
        orr_gen_deps_merge(&item->weights.reduced, &stage->slot[item->slot - 1].out);
    }
    update(stage, item);
}

/* With training.chain layers of the next step do so; behind the last step no layer begins early:
 * updates wait for all gradients, in the order of the model. */
void orr_stage_update_all(struct stage *stage)
{
    const struct gen_plan *plan = stage->program->plan;
    orr_gen_bucket_flush(&stage->run);
    for (uint32_t i = stage->items; i-- > 0 && !plan->chain;) {
        update(stage, &stage->item[i]);
    }
    for (uint32_t i = 0; i < stage->items && plan->chain && stage->run.step + 1 == plan->steps;
         i++) {
        stage->item[i].weights.reduced.part_bytes = 0;
        update(stage, &stage->item[i]);
    }
}
