/* The operators of transformer layers on one rank, from the model's graph of operators
 * (op_graph.h): parts of its operators (op_part.h), and the exchanges along its edges (exchange.h).
 * What is cut by whom follows Megatron-LM (Shoeybi et al. 2019, section 3), sequence parallelism
 * and what is kept for the backward pass Korthikanti et al. 2022, sections 4 and 5.
 * docs/how-to/generated-transformer.md has the formulas.
 *
 * b samples, s tokens of a sample, T = b s / context the tokens of a rank, U = T / tensor with
 * sequence parallelism (else T). */
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/transformer_cut.h"
#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"
#include "workload/parallel/rank_part.h"
#include "workload/parallel/token_dispatch.h"

/* ---- computations ---- */

static struct rank_op *add(struct tf_cut *cut, const char *name, enum orr_op_kind kind)
{
    ORR_ASSERT(cut->ops->count < TF_MAX_RANK_OPS);
    struct rank_op *op = &cut->ops->op[cut->ops->count++];
    *op =
        (struct rank_op){.name = name,
                         .kind = kind,
                         .unaligned = kind == ORR_OP_ATTENTION && cut->misalignment.head_size != 0};
    return op;
}

static void add_cast(struct tf_cut *cut, uint32_t index, bool forward)
{
    struct rank_op cast;
    if (orr_transformer_cast(cut, index, forward, &cast)) {
        *add(cut, cast.name, ORR_OP_CAST) = cast;
    }
}

/* Where loads change all wait for the busiest rank. */
static uint64_t busier(const struct tf_cut *cut, uint64_t amount)
{
    const double factor = cut->model->busiest.rank;
    return factor > 1 ? (uint64_t)((double)amount * factor) : amount;
}

/* Experts of the busiest rank, with replicas. */
static void work_as_busiest(const struct tf_cut *cut, struct rank_op *op)
{
    const struct tf_model *model = cut->model;
    struct gen_work *const work[] = {&op->forward, &op->input_gradient, &op->weight_gradient};
    for (unsigned i = 0; i < 3; i++) {
        work[i]->flops = busier(cut, work[i]->flops);
        work[i]->bytes = busier(cut, work[i]->bytes);
    }
    if (model->expert_places > 0) {
        op->parameters = sat_times(op->parameters, model->expert_places) / model->experts;
    }
}

/* Tokens of other documents are masked: blocks of pairs without any others are left out. */
static void skip_documents(const struct tf_cut *cut, struct rank_op *op)
{
    const double share = cut->model->attended;
    if (op->of_core && share < 1) {
        op->forward.flops = (uint64_t)((double)op->forward.flops * share + 0.5);
        op->input_gradient.flops = (uint64_t)((double)op->input_gradient.flops * share + 0.5);
    }
}

static struct rank_op *add_operator(struct tf_cut *cut, uint32_t index)
{
    const struct model_op *whole = &cut->graph->op[index];
    const bool experts = tf_place_of(cut, index)->of_experts;
    const enum gen_format format = orr_transformer_format(cut, index);
    const bool narrow = format != GEN_ELEMENT;
    const struct rank_amount amount = {.samples = experts ? 1 : cut->samples,
                                       .shares =
                                           orr_transformer_is_shared(cut, index) ? cut->shares : 1,
                                       .element_bytes = cut->element,
                                       .product = format};
    const struct model_op *part = orr_transformer_part(cut, index);
    struct rank_op *op = add(cut, whole->label, (enum orr_op_kind)whole->op_kind);
    op->unaligned = op->unaligned || (cut->unaligned && orr_transformer_is_product(cut, index));
    op->of_experts = experts;
    op->of_core = orr_transformer_is_core(whole);
    orr_rank_set_part(op, part, &amount);
    skip_documents(cut, op);
    if (experts) {
        work_as_busiest(cut, op);
    }
    if ((cut->again & tf_cut_bit(cut, index)) != 0) {
        op->kept_bytes = 0; /* what it keeps besides its inputs */
    }
    const enum gen_format kept = narrow ? cut->job->plan.precision.kept
                                 : whole->kind == &orr_model_kind_activation
                                     ? cut->job->plan.precision.activation
                                     : GEN_ELEMENT;
    op->kept_bytes = sat_plus(op->kept_bytes, orr_transformer_kept_inputs(cut, index, kept));
    cut->at[index + 1 - cut->first] = cut->ops->count - 1;
    return op;
}

/* ---- attention that writes its scores ---- */

/* One of the two products, half of the operations of all pairs, regardless of the mask. */
static void add_core_product(struct tf_cut *cut, const char *name, uint64_t flops,
                             uint64_t elements)
{
    struct rank_op *op = add(cut, name, ORR_OP_ATTENTION);
    const uint64_t bytes = sat_times(elements, cut->element);
    op->forward = (struct gen_work){flops, bytes};
    op->input_gradient = (struct gen_work){sat_times(2, flops), sat_times(2, bytes)};
    op->of_core = true;
}

/* Unfused attention as three operators: the scores are written, masked and normalized, dropped out,
 * and read. Softmax and dropout read and write each score, forward and backward. */
static void add_unfused(struct tf_cut *cut, uint32_t index)
{
    static const char *const names[][3] = {
        {"attention scores", "attention softmax", "attention values"},
        {"cross attention scores", "cross attention softmax", "cross attention values"}};
    const char *const *name = names[strcmp(cut->graph->op[index].label, "attention") != 0];
    const bool dropout = cut->model->dropout;
    const struct model_op *part = orr_transformer_part(cut, index);
    const uint64_t features = part->shape.size[1];
    const uint64_t tokens = sat_times(part->shape.size[0], cut->samples);
    const struct model_input *keys = &cut->graph->op[index].input[part->inputs - 1];
    const uint64_t length = keys->shape.size[0];
    const uint64_t queries = sat_times(tokens, features);
    const uint64_t moved =
        sat_times(part->forward.input_bytes - part->forward.output_bytes, cut->samples) /
        cut->element / 2; /* keys, or values */
    const uint64_t heads = sat_divide_up(cut->model->heads, cut->tensor);
    const uint64_t scores = sat_times(heads, sat_times(tokens, length));
    const uint64_t flops = orr_model_score_flops(tokens, length, features, false) / 2;
    const unsigned first = cut->ops->count;
    add_core_product(cut, name[0], flops, sat_plus(sat_plus(queries, moved), scores));
    struct rank_op *op = add(cut, name[1], ORR_OP_ELEMENTWISE);
    op->forward = op->input_gradient =
        (struct gen_work){scores, sat_times(dropout ? 4 : 2, sat_times(scores, cut->element))};
    op->scores_bytes = sat_times(scores, cut->element * (dropout ? 2 : 1) + (dropout ? 1 : 0));
    op->of_core = true;
    add_core_product(cut, name[2], flops, sat_plus(sat_plus(scores, moved), queries));
    cut->ops->op[first].kept_bytes = orr_transformer_kept_inputs(cut, index, GEN_ELEMENT);
}

/* ---- exchanges ---- */

static uint64_t features_of(const struct model_op *op)
{
    const struct model_shape *in = &op->input[0].shape;
    return in->size[in->axes - 1];
}

static struct rank_op *add_exchange(struct tf_cut *cut, const char *name)
{
    return add(cut, name, ORR_OP_DEFAULT);
}

static struct rank_comm collective(enum gen_family family, struct exchange exchange, uint64_t bytes)
{
    return (struct rank_comm){.family = family,
                              .comm = (enum orr_trace_comm)exchange.comm,
                              .bytes = bytes,
                              .is_set = exchange.is_needed};
}

/* The edge along which ranks of a family exchange something in front of an operator; else the
 * first. */
static const struct model_edge *exchanged_edge(struct tf_cut *cut, uint32_t index,
                                               enum gen_family family)
{
    const struct model_op *op = &cut->graph->op[index];
    const struct model_edge *found = &cut->graph->edge[op->first_edge];
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        const struct model_edge *edge = &cut->graph->edge[e];
        const struct exchange_pair along = orr_transformer_exchange(cut, index, edge, family);
        found = along.forward.is_needed || along.backward.is_needed ? edge : found;
    }
    return found;
}

/* What ranks of a family exchange in front of an operator, `bytes` in all, along one of its edges.
 * Gathered inputs of products are not kept but gathered again for the gradient of the weights. */
static struct exchange_pair exchange(struct tf_cut *cut, uint32_t index, enum gen_family family,
                                     const char *name, uint64_t bytes)
{
    const struct exchange_pair pair =
        orr_transformer_exchange(cut, index, exchanged_edge(cut, index, family), family);
    struct rank_op *out = add_exchange(cut, name);
    out->forward_comm = collective(family, pair.forward, bytes);
    out->backward_comm = collective(family, pair.backward, bytes);
    return pair;
}

/* Bytes of an operator's input of the tokens of a rank, before sequence parallelism cuts them; of a
 * second input those that it reads. */
static uint64_t token_bytes(struct tf_cut *cut, uint32_t index)
{
    const struct model_op *op = &cut->graph->op[index];
    const uint64_t tokens = tf_cut_tokens(cut, op->shape.size[0]);
    if (exchanged_edge(cut, index, GEN_TP)->input != 0) {
        return sat_times(orr_transformer_part(cut, index)->forward.other_input_bytes, cut->samples);
    }
    return sat_times(sat_times(tokens, features_of(op)), cut->element);
}

/* Bytes that a rank has of what context-parallel ranks exchange: of attention the keys and values
 * of all; else its share of the first input. */
static uint64_t context_bytes(struct tf_cut *cut, uint32_t index)
{
    const struct model_op *op = &cut->graph->op[index];
    if (orr_transformer_is_core(op)) {
        const struct model_work *read = &orr_transformer_part(cut, index)->forward;
        return sat_times(op->inputs == 2 ? read->other_input_bytes
                                         : read->input_bytes - read->output_bytes,
                         cut->samples);
    }
    const uint64_t tokens = tf_cut_tokens(cut, op->shape.size[0]);
    return sat_times(sat_times(tokens, sat_divide_up(features_of(op), cut->tensor)), cut->element);
}

/* Context-parallel ranks that exchange tokens for heads, and back (DeepSpeed-Ulysses, Jacobs et al.
 * 2023): all-to-alls of what a rank has of its own tokens. */
static void exchange_heads(struct tf_cut *cut, const char *name, uint64_t bytes)
{
    const struct exchange all = {.is_needed = cut->ulysses > 1, .comm = ORR_COMM_ALL_TO_ALL};
    const enum gen_family family = gen_ulysses_family(&cut->job->plan.layout);
    struct rank_op *op = add_exchange(cut, name);
    op->forward_comm = op->backward_comm = collective(family, all, bytes);
}

/* Queries, keys and values of a rank's tokens; keys and values again for each rank that has some of
 * their queries. */
static uint64_t head_bytes(struct tf_cut *cut, uint32_t index)
{
    const struct model_op *op = &cut->graph->op[index];
    uint64_t held = 0;
    if (op->inputs == 1) {
        return sat_plus(orr_transformer_held_bytes(cut, index),
                        context_bytes(cut, index) / (cut->contexts / cut->ulysses));
    }
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        held = sat_plus(held, orr_transformer_held_bytes(cut, cut->graph->edge[e].from));
    }
    return held;
}

/* Once to each node that has experts of the token, then within the node: on average as many of both
 * as a token reaches. */
static void go_by_nodes(const struct tf_cut *cut, struct rank_comm *what)
{
    const struct tf_model *model = cut->model;
    const struct gen_layout *layout = &cut->job->plan.layout;
    const struct gen_routing routing = {model->experts, model->experts_per_token,
                                        model->expert_groups, model->groups_per_token};
    const uint32_t ranks = gen_expert_ranks(layout);
    const double tokens = (double)cut->sent / (double)model->experts_per_token;
    const double bytes = tokens * (double)what->token_bytes;
    what->family = GEN_EP_RAIL;
    what->bytes =
        (uint64_t)(bytes * model->busiest.node *
                   orr_gen_token_reach(&routing, ranks / orr_gen_expert_ranks_of_node(layout)));
    what->node_bytes =
        (uint64_t)(bytes * model->busiest.rank * orr_gen_token_reach(&routing, ranks));
}

/* Tokens that go by nodes come to a rank once, where they are copied to each of their experts; on
 * the way back the copies are added up. */
static void copy_tokens(struct tf_cut *cut, uint32_t index, bool there)
{
    const struct tf_model *model = cut->model;
    const struct gen_layout *layout = &cut->job->plan.layout;
    const struct gen_precision *precision = &cut->job->plan.precision;
    const struct gen_routing routing = {model->experts, model->experts_per_token,
                                        model->expert_groups, model->groups_per_token};
    if (layout->node == 0 || gen_expert_ranks(layout) == 1) {
        return;
    }
    const double once = (double)cut->sent / (double)model->experts_per_token *
                        orr_gen_token_reach(&routing, gen_expert_ranks(layout));
    const uint64_t numbers =
        sat_times(busier(cut, (uint64_t)once + cut->sent), features_of(&cut->graph->op[index]));
    const uint64_t out = orr_gen_format_bytes(precision->dispatch, cut->element, numbers);
    const uint64_t back = orr_gen_format_bytes(precision->combine, cut->element, numbers);
    struct rank_op *op = add(cut, there ? "expert permute" : "expert unpermute", ORR_OP_MEMORY);
    op->forward = (struct gen_work){numbers, there ? out : back};
    op->input_gradient = (struct gen_work){numbers, there ? back : out};
}

/* Tokens go to the ranks of their experts and back (GShard, Lepikhin et al. 2021, section 3.2).
 * Within a group of the ranks that share an expert it is split like any layer. Every rank's tokens
 * are spread over the experts in the same way. */
static void exchange_tokens(struct tf_cut *cut, uint32_t index, bool there)
{
    const bool uneven = cut->job->plan.layout.experts_differ;
    const uint64_t features = features_of(&cut->graph->op[index]);
    const uint64_t own = sat_times(cut->own, sat_times(features, cut->element));
    for (unsigned i = 0; i < 2; i++) {
        if ((i == 0) == there) {
            if (!there) {
                copy_tokens(cut, index, there);
            }
            (void)exchange(cut, index, GEN_EP, there ? "expert dispatch" : "expert combine", own);
            struct rank_op *op = &cut->ops->op[cut->ops->count - 1];
            for (unsigned k = 0; k < 2; k++) {
                struct rank_comm *what = k == 0 ? &op->forward_comm : &op->backward_comm;
                const bool out = (k == 0) == there;
                const enum gen_format format =
                    out ? cut->job->plan.precision.dispatch : cut->job->plan.precision.combine;
                what->token_bytes = orr_gen_format_bytes(format, cut->element, features);
                what->bytes = busier(cut, sat_times(out ? cut->sent : cut->own, what->token_bytes));
                what->spread = !uneven ? RANK_EVEN : out ? RANK_TO_EXPERTS : RANK_FROM_EXPERTS;
                what->tokens = cut->sent;
                if (what->is_set && cut->job->plan.layout.node > 0) {
                    go_by_nodes(cut, what);
                }
            }
            if (there) {
                copy_tokens(cut, index, there);
            }
        } else {
            (void)exchange(cut, index, gen_expert_tensor_family(&cut->job->plan.layout),
                           there ? "expert gather" : "expert scatter",
                           sat_times(own, cut->expert_tensor));
        }
    }
}

static void exchange_in_front(struct tf_cut *cut, uint32_t index, struct rank_comm *again)
{
    const struct tf_rule *rule = tf_place_of(cut, index)->rule;
    const bool experts = tf_place_of(cut, index)->of_experts;
    if (index > cut->first && experts != tf_place_of(cut, index - 1)->of_experts) {
        exchange_tokens(cut, index, experts);
        return;
    }
    if (rule != NULL && rule->tensor != NULL) {
        const uint64_t bytes = token_bytes(cut, index);
        const struct exchange_pair pair = exchange(cut, index, GEN_TP, rule->tensor, bytes);
        const bool gathered = pair.forward.is_needed && pair.forward.comm == ORR_COMM_ALL_GATHER;
        *again = gathered ? collective(GEN_TP, pair.forward, bytes) : *again;
    }
    if (orr_transformer_is_core(&cut->graph->op[index]) &&
        cut->job->plan.context_exchange != GEN_GATHER) {
        exchange_heads(cut, "tokens to heads", head_bytes(cut, index));
    } else if (rule != NULL && rule->context != NULL) {
        (void)exchange(cut, index, GEN_CP, rule->context, context_bytes(cut, index));
    }
}

/* ---- the head ---- */

/* Later operators process only the masked positions (BERT, Devlin et al. 2019, section 3.1). Their
 * gradients are written into an array of all positions. */
static void add_masked_positions(struct tf_cut *cut, uint32_t index)
{
    const uint64_t length = cut->graph->op[index].input[0].shape.size[0];
    const uint64_t tokens = sat_times(cut->samples, sat_divide_up(length, cut->contexts));
    const uint64_t all = sat_times(sat_divide_up(tokens, cut->shares), cut->model->hidden);
    const uint64_t taken = sat_times(sat_divide_up(cut->scored, cut->shares), cut->model->hidden);
    struct rank_op *op = add(cut, "masked positions", ORR_OP_MEMORY);
    op->forward = (struct gen_work){taken, sat_times(2, sat_times(taken, cut->element))};
    op->input_gradient = (struct gen_work){taken, sat_times(sat_plus(taken, all), cut->element)};
}

/* Of the cross entropy of a vocabulary that is split the ranks exchange 3 numbers of 4 bytes per
 * token: the largest logit, the sum and the target's logit. */
static void exchange_sums(struct tf_cut *cut, uint32_t index)
{
    const uint64_t tokens = tf_cut_tokens(cut, cut->graph->op[index].shape.size[0]);
    const struct exchange sums = {.is_needed = true, .comm = ORR_COMM_ALL_REDUCE};
    add_exchange(cut, "loss sums")->forward_comm = collective(GEN_TP, sums, sat_times(12, tokens));
}

/* Bytes of inputs as the product keeps them. */
static uint64_t kept_format_bytes(const struct tf_cut *cut, uint32_t index, uint64_t numbers)
{
    const bool narrow = orr_transformer_format(cut, index) != GEN_ELEMENT;
    const enum gen_format kept = narrow ? cut->job->plan.precision.kept : GEN_ELEMENT;
    return orr_gen_format_bytes(kept, cut->element, numbers);
}

/* Tied weights belong to the embedding, or are a copy of it on another stage; modules of
 * multi-token prediction use those of the head. */
static void finish_logits(const struct tf_cut *cut, struct rank_op *op)
{
    const bool copied = orr_gen_pipeline_ends_apart(&cut->job->plan.pipeline);
    const bool own = !cut->of_module && (!cut->model->tied || copied);
    op->parameters = own ? op->parameters : 0;
    if (cut->scored > 0) {
        op->kept_bytes = sat_times(sat_divide_up(cut->scored, cut->shares),
                                   sat_times(cut->model->hidden, cut->element));
    }
}

/* ---- layers ---- */

/* Attention of a ring; behind it, heads to tokens. */
static void share_attention(struct tf_cut *cut, uint32_t index, struct rank_op *op)
{
    op->ring = gen_ring_ranks(&cut->job->plan.layout);
    op->ring_bytes = op->ring > 1 ? context_bytes(cut, index) / op->ring : 0;
    exchange_heads(cut, "heads to tokens", orr_transformer_held_bytes(cut, index));
}

static void add_layer_operator(struct tf_cut *cut, uint32_t index)
{
    const struct model_op *whole = &cut->graph->op[index];
    struct rank_comm again = {.is_set = false};
    if (whole->label == whole->name && tf_place_of(cut, index)->rule == NULL) {
        return; /* it has no nodes */
    }
    if (whole->kind == &orr_model_kind_take) {
        add_masked_positions(cut, index);
        return;
    }
    if (whole->kind == &orr_model_kind_loss) {
        exchange_sums(cut, index);
    } else {
        exchange_in_front(cut, index, &again);
    }
    if (whole->kind == &orr_model_kind_attention_core && !cut->job->plan.fused_attention) {
        add_unfused(cut, index);
        return;
    }
    add_cast(cut, index, true);
    struct rank_op *op = add_operator(cut, index);
    if (op->of_core && cut->job->plan.context_exchange != GEN_GATHER) {
        share_attention(cut, index, op);
    }
    op->regather = op->weight_gradient.bytes > 0 ? again : op->regather;
    if (strcmp(op->name, "logits") == 0) {
        finish_logits(cut, op);
    }
    if (strcmp(op->name, "mtp embedding") == 0 &&
        (cut->model->tied || !orr_gen_pipeline_ends_apart(&cut->job->plan.pipeline))) {
        op->parameters = 0; /* those of the embedding, or of the head */
    }
    if (whole->kind == &orr_model_kind_expert_dense && strcmp(op->name, "ffn up") == 0 &&
        (cut->again & tf_cut_bit(cut, index)) == 0) { /* the rank's share of the tokens */
        const uint64_t all = sat_times(cut->local, cut->each);
        op->kept_bytes =
            kept_format_bytes(cut, index, sat_times(all / cut->expert_tensor, features_of(whole)));
    }
    add_cast(cut, index, false);
}

void orr_transformer_layer_ops(const struct tf_job *job, uint32_t kind, struct tf_ops *ops)
{
    const struct gen_plan *plan = &job->plan;
    const bool end = kind < TF_FIRST_KIND;
    const struct model_layer *block = &job->blocks->graph.layer[job->blocks->layer[kind]];
    struct tf_parts parts;
    struct tf_cut cut = {.job = job,
                         .parts = &parts,
                         .model = &job->model,
                         .graph = &job->blocks->graph,
                         .ops = ops,
                         .first = block->first,
                         .end = block->end,
                         .tensor = plan->layout.size[GEN_TENSOR],
                         .ulysses = gen_ulysses_ranks(&plan->layout),
                         .expert_tensor = gen_expert_tensor(&plan->layout),
                         .contexts = plan->layout.size[GEN_CONTEXT],
                         .samples = plan->micro_batch,
                         .element = plan->element_bytes};
    cut.shares = plan->sequence_parallel ? cut.tensor : 1;
    parts.known = parts.kept = parts.kept_narrow = 0;
    cut.is_end = end;
    cut.of_module = job->model.kind[kind].place == TF_MTP;
    ops->count = 0;
    if (!end) {
        orr_transformer_misalignment(job, &cut.misalignment);
        cut.unaligned = cut.misalignment.width > 0;
    }
    if (kind == TF_KIND_HEAD && job->model.masked > 0) {
        cut.scored = sat_times(cut.samples, sat_divide_up(job->model.masked, cut.contexts));
    }
    if (job->model.kind[kind].feed == TF_EXPERTS) {
        orr_transformer_cut_experts(&cut);
    }
    orr_transformer_mark_again(&cut);
    for (uint32_t i = cut.first; i < cut.end; i++) {
        add_layer_operator(&cut, i);
    }
    orr_transformer_finish_again(&cut);
}
