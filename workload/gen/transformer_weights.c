/* Weights, gradients and optimizer state of a stage's layers: sharded and gathered by ZeRO
 * (Rajbhandari et al. 2020, sections 5 and 7), offloaded, and updated. */
#include "workload/gen/transformer_stage.h"
#include "workload/parallel/offload.h"

/* Collectives over an item's parameters: one for experts, one for the others. */
static struct gen_deps share_parameters(struct tf_stage *stage, const struct tf_item *item,
                                        enum orr_trace_comm comm, const char *name,
                                        const struct gen_deps *after)
{
    const struct gen_plan *plan = &stage->job->plan;
    const uint64_t each = comm == ORR_COMM_ALL_GATHER ? plan->element_bytes : plan->gradient_bytes;
    const struct tf_collective dense = {
        .family = GEN_DP, .comm = comm, .bytes = item->parameters * each, .is_set = true};
    const enum gen_family experts_in = plan->layout.size[GEN_EXPERT] > 1 ? GEN_EDP : GEN_DP;
    const struct tf_collective expert = {.family = experts_in,
                                         .comm = comm,
                                         .bytes = item->expert_parameters * each,
                                         .is_set = true};
    const bool gather = comm == ORR_COMM_ALL_GATHER;
    const bool has_dense =
        gather ? orr_gen_offload_gathers_dense(plan) : orr_gen_offload_reduces_dense(plan);
    struct gen_deps both =
        has_dense ? orr_transformer_emit_comm(stage, &dense, name, after) : *after;
    if (item->expert_parameters > 0 &&
        (gather ? orr_gen_offload_gathers_experts(plan) : orr_gen_offload_reduces_experts(plan))) {
        const struct gen_deps experts = orr_transformer_emit_comm(stage, &expert, name, after);
        orr_gen_deps_merge(&both, &experts);
    }
    return both;
}

static struct gen_parameters parameters_of(const struct tf_item *item)
{
    return (struct gen_parameters){item->parameters, item->expert_parameters};
}

/* ZeRO-3: the weights are gathered before a layer, at most `prefetch` layers ahead. */
void orr_transformer_gather_weights(struct tf_stage *stage, const struct tf_item *item,
                                    struct gen_deps *chain)
{
    const struct gen_plan *plan = &stage->job->plan;
    char name[GEN_NAME_BYTES];
    if (plan->zero < 3) {
        orr_gen_deps_merge(chain, &item->ready);
        return;
    }
    struct gen_deps after = item->ready;
    const struct gen_deps *before = &stage->history[stage->worked % (plan->prefetch + 1)];
    orr_gen_deps_merge(&after, before);
    after = orr_gen_offload_load(stage->emitter, plan,
                                 orr_transformer_name(stage, item, "weights", "loaded", name),
                                 parameters_of(item), &after);
    const struct gen_deps gathered =
        share_parameters(stage, item, ORR_COMM_ALL_GATHER,
                         orr_transformer_name(stage, item, "weights", "gathered", name), &after);
    orr_gen_deps_merge(chain, &gathered);
}

void orr_transformer_reduce_gradients(struct tf_stage *stage, struct tf_item *item,
                                      const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct gen_plan *plan = &stage->job->plan;
    const enum orr_trace_comm comm = plan->zero > 0 ? ORR_COMM_REDUCE_SCATTER : ORR_COMM_ALL_REDUCE;
    item->reduced = share_parameters(
        stage, item, comm, orr_transformer_name(stage, item, "gradients", "reduced", name), after);
    const bool tied =
        stage->job->model.tied && plan->pipeline.stages > 1 && item->kind < TF_FIRST_KIND;
    if (tied) {
        const uint64_t table = item->kind == TF_KIND_EMBEDDING
                                   ? item->ops->op[0].parameters
                                   : stage->ops[TF_KIND_EMBEDDING].op[0].parameters;
        const struct tf_collective both = {.family = GEN_EMBEDDING,
                                           .comm = ORR_COMM_ALL_REDUCE,
                                           .bytes = table * plan->gradient_bytes,
                                           .is_set = true};
        item->reduced = orr_transformer_emit_comm(
            stage, &both, orr_transformer_name(stage, NULL, "tied embedding", "reduced", name),
            &item->reduced);
    }
    item->reduced = orr_gen_offload_store(
        stage->emitter, plan, orr_transformer_name(stage, item, "gradients", "stored", name),
        parameters_of(item), &item->reduced);
}

/* Bytes that an optimizer reads and writes: the gradient, its state twice, the weight. */
static uint64_t update_bytes(const struct gen_plan *plan, uint64_t parameters)
{
    return parameters * (plan->gradient_bytes + 2 * plan->optimizer_bytes + plan->element_bytes);
}

static struct gen_deps access_state(struct tf_stage *stage, const struct tf_item *item,
                                    enum orr_node_kind kind, const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const char *what = kind == ORR_NODE_MEM_LOAD ? "state loaded" : "state stored";
    const struct orr_node_spec access = {
        .name = orr_transformer_name(stage, item, what, NULL, name), .kind = kind};
    return orr_gen_offload_state(stage->emitter, &stage->job->plan, access, parameters_of(item),
                                 after);
}

/* Whether NPUs update the weights. */
static bool updates(const struct gen_plan *plan)
{
    return plan->has_optimizer && plan->offload_optimizer != GEN_OPTIMIZER_MEMORY;
}

void orr_transformer_gather_updated(struct tf_stage *stage)
{
    const struct gen_plan *plan = &stage->job->plan;
    struct gen_deps before = orr_gen_no_deps();
    if ((plan->zero != 1 && plan->zero != 2) || !plan->overlap_gather || !updates(plan)) {
        return;
    }
    for (uint32_t i = 0; i < stage->items; i++) {
        struct tf_item *item = &stage->item[i];
        const uint64_t first = stage->emitter->next_id;
        char name[GEN_NAME_BYTES];
        struct gen_deps after = item->ready;
        orr_gen_deps_merge(&after, &before);
        const struct gen_deps gathered = share_parameters(
            stage, item, ORR_COMM_ALL_GATHER,
            orr_transformer_name(stage, item, "weights gathered", NULL, name), &after);
        if (stage->emitter->next_id == first) { /* nothing was emitted: one rank has all weights */
            continue;
        }
        item->ready = gathered;
        before = orr_gen_no_deps();
        for (uint64_t id = first; id < stage->emitter->next_id; id++) {
            orr_gen_deps_add(&before, id);
        }
    }
}

void orr_transformer_update(struct tf_stage *stage, struct tf_item *item)
{
    const struct gen_plan *plan = &stage->job->plan;
    const struct gen_layout *layout = stage->emitter->layout;
    char name[GEN_NAME_BYTES];
    const uint64_t dense = plan->zero > 0 ? orr_gen_family_size(layout, GEN_DP) : 1;
    const uint64_t expert = plan->zero > 0 ? orr_gen_family_size(layout, GEN_EDP) : 1;
    const uint64_t parameters =
        (item->parameters + dense - 1) / dense + (item->expert_parameters + expert - 1) / expert;
    item->ready = item->reduced;
    if (parameters == 0 || !updates(plan)) {
        return;
    }
    item->ready = access_state(stage, item, ORR_NODE_MEM_LOAD, &item->reduced);
    const struct orr_node_spec spec = {.name =
                                           orr_transformer_name(stage, item, "update", NULL, name),
                                       .op = ORR_OP_ELEMENTWISE,
                                       .num_ops = parameters,
                                       .tensor_bytes = update_bytes(plan, parameters)};
    item->ready = orr_gen_dep(orr_gen_emit_comp(stage->emitter, spec, &item->ready));
    item->ready = access_state(stage, item, ORR_NODE_MEM_STORE, &item->ready);
    if ((plan->zero == 1 || plan->zero == 2) && !plan->overlap_gather) {
        item->ready = share_parameters(
            stage, item, ORR_COMM_ALL_GATHER,
            orr_transformer_name(stage, item, "weights", "gathered", name), &item->ready);
    }
}
