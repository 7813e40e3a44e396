/* The operators of transformer layers as a list of formulas, each written out: what the operators
 * of the model's graph, their parts and their exchanges are held to. See
 * docs/how-to/generated-transformer.md.
 *
 * b samples, s tokens of a sample, T = b s / context the tokens of a rank, U = T / tensor with
 * sequence parallelism (else T), e bytes an element. A matrix product of m x k by k x n takes 2 m k
 * n operations and touches m k + k n + m n elements; its two gradients take as much each
 * (Narayanan et al., SC'21, appendix). Cutting by tensor follows Megatron-LM (Shoeybi et al. 2019,
 * section 3), sequence parallelism and what is kept for the backward pass Korthikanti et al. 2022,
 * sections 4 and 5. Operators without a matrix product count one operation an element. */
#ifndef ORR_TESTS_UNIT_TRANSFORMER_REFERENCE_H
#define ORR_TESTS_UNIT_TRANSFORMER_REFERENCE_H

#include "workload/gen/data_parallel.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/model/kinds/formulas.h"

struct context {
    const struct tf_job *job;
    const struct tf_model *model;
    struct tf_ops *ops;
    uint64_t tensor, cut; /* cut: tensor with sequence parallelism, else 1 */
    uint64_t element;
    uint64_t tokens, shared;    /* T and U above */
    uint64_t length, kv_length; /* sequence lengths of queries and keys */
    struct gen_misalignment misalignment;
    struct {
        bool unaligned, fp8;
    } products; /* those of layers, which are split */
};

static struct rank_op *add(struct context *context, const char *name, enum orr_op_kind kind)
{
    ORR_ASSERT(context->ops->count < TF_MAX_OPS);
    struct rank_op *op = &context->ops->op[context->ops->count++];
    *op = (struct rank_op){.name = name,
                           .kind = kind,
                           .unaligned =
                               kind == ORR_OP_ATTENTION && context->misalignment.head_size != 0};
    return op;
}

/* ---- computations ---- */

/* One of the matrices m x k, k x n and m x n is written, the others are read; fp8: one byte an
 * element. */
static struct gen_work product_work(const struct context *context, const uint64_t mkn[3],
                                    unsigned written, uint64_t count)
{
    const uint64_t matrix[3] = {sat_times(mkn[0], mkn[1]), sat_times(mkn[1], mkn[2]),
                                sat_times(mkn[0], mkn[2])};
    uint64_t bytes = 0;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t each = context->products.fp8 && i != written ? 1 : context->element;
        bytes = sat_plus(bytes, sat_times(matrix[i], each));
    }
    return (struct gen_work){sat_times(count, orr_model_product_flops(mkn[0], mkn[1], mkn[2])),
                             sat_times(count, bytes)};
}

/* `count` products of m x k by k x n. `kept`: elements of the input that are kept for the backward
 * pass. */
static struct rank_op *add_product(struct context *context, const char *name, const uint64_t mkn[3],
                                   uint64_t count, uint64_t kept)
{
    struct rank_op *op = add(context, name, ORR_OP_GEMM);
    op->unaligned = context->products.unaligned;
    op->product = context->products.fp8 ? ORR_PRODUCT_FP8 : ORR_PRODUCT_ELEMENT;
    op->forward = product_work(context, mkn, 2, count);
    op->input_gradient = product_work(context, mkn, 0, count);
    op->weight_gradient = product_work(context, mkn, 1, count);
    op->parameters = sat_times(count, sat_times(mkn[1], mkn[2]));
    if (context->model->bias) {
        op->parameters = sat_plus(op->parameters, sat_times(count, mkn[2]));
    }
    op->kept_bytes = sat_times(kept, context->element);
    return op;
}

/* A product that is not split, in the type of elements even with fp8 products. */
static struct rank_op *add_plain_product(struct context *context, const char *name,
                                         const uint64_t mkn[3], uint64_t kept)
{
    struct context plain = *context;
    plain.products.unaligned = plain.products.fp8 = false;
    return add_product(&plain, name, mkn, 1, kept);
}

/* `streams` arrays of `elements` are read or written; one more backward. */
static struct rank_op *add_elementwise(struct context *context, const char *name, uint64_t elements,
                                       unsigned streams)
{
    struct rank_op *op = add(context, name, ORR_OP_ELEMENTWISE);
    const uint64_t bytes = sat_times(elements, context->element);
    op->forward = (struct gen_work){elements, sat_times(streams, bytes)};
    op->input_gradient = (struct gen_work){elements, sat_times(streams + 1u, bytes)};
    return op;
}

static void add_norm(struct context *context, const char *name)
{
    const struct tf_model *model = context->model;
    const uint64_t elements = sat_times(context->shared, model->hidden);
    struct rank_op *op = add_elementwise(context, name, elements, 2);
    op->parameters = model->norm == TF_LAYER_NORM ? 2 * model->hidden : model->hidden;
    op->kept_bytes = sat_times(elements, context->element);
}

/* Dropout and the residual sum. */
static void add_residual(struct context *context, const char *name)
{
    const uint64_t elements = sat_times(context->shared, context->model->hidden);
    struct rank_op *op = add_elementwise(context, name, elements, 3);
    op->kept_bytes = context->model->dropout ? elements : 0; /* the mask, one byte an element */
}

/* ---- exchanges ---- */

static void add_exchange(struct context *context, const char *name, const struct rank_comm *forward,
                         const struct rank_comm *backward)
{
    struct rank_op *op = add(context, name, ORR_OP_DEFAULT);
    op->forward_comm = *forward;
    op->backward_comm = *backward;
}

static struct rank_comm collective(enum gen_family family, enum orr_trace_comm comm, uint64_t bytes)
{
    return (struct rank_comm){.family = family, .comm = comm, .bytes = bytes, .is_set = true};
}

static uint64_t hidden_bytes(const struct context *context)
{
    return sat_times(sat_times(context->tokens, context->model->hidden), context->element);
}

/* Before matrices split by columns: Megatron's f, or the gather of the tokens. */
static void enter_tensor(struct context *context, const char *name)
{
    const uint64_t bytes = hidden_bytes(context);
    const struct rank_comm none = {.is_set = false};
    const struct rank_comm gather = collective(GEN_TP, ORR_COMM_ALL_GATHER, bytes);
    const struct rank_comm scatter = collective(GEN_TP, ORR_COMM_REDUCE_SCATTER, bytes);
    const struct rank_comm reduce = collective(GEN_TP, ORR_COMM_ALL_REDUCE, bytes);
    const bool split = context->cut > 1;
    add_exchange(context, name, split ? &gather : &none, split ? &scatter : &reduce);
}

/* After matrices split by rows: Megatron's g, or the scatter to the tokens. */
static void leave_tensor(struct context *context, const char *name)
{
    const uint64_t bytes = hidden_bytes(context);
    const struct rank_comm none = {.is_set = false};
    const struct rank_comm gather = collective(GEN_TP, ORR_COMM_ALL_GATHER, bytes);
    const struct rank_comm scatter = collective(GEN_TP, ORR_COMM_REDUCE_SCATTER, bytes);
    const struct rank_comm reduce = collective(GEN_TP, ORR_COMM_ALL_REDUCE, bytes);
    const bool split = context->cut > 1;
    add_exchange(context, name, split ? &scatter : &reduce, split ? &gather : &none);
}

/* With sequence parallelism the gathered input is not kept but gathered again. */
static void regather(struct context *context, struct rank_op *op)
{
    if (context->cut > 1) {
        op->regather = collective(GEN_TP, ORR_COMM_ALL_GATHER, hidden_bytes(context));
    }
}

/* ---- attention ---- */

/* Sizes of attention: elements of all heads of the rank together. */
struct core {
    const char *fused_name, *name[3]; /* fused, or scores, softmax and values */
    uint64_t queries, keys;           /* keys: as many values */
    uint64_t scores;
    uint64_t features; /* of a token's queries */
    bool causal;
};

/* Scores and their product with the values: 4 T s heads head_size operations, half of it if causal
 * (of equal lengths). The scores stay on chip (Dao et al. 2022). */
static void add_fused(struct context *context, const struct core *core)
{
    struct rank_op *op = add(context, core->fused_name, ORR_OP_ATTENTION);
    const uint64_t flops =
        orr_model_score_flops(context->tokens, context->kv_length, core->features, core->causal);
    const uint64_t bytes = sat_times(2 * context->element, sat_plus(core->queries, core->keys));
    op->forward = (struct gen_work){flops, bytes};
    op->input_gradient = (struct gen_work){sat_times(2, flops), sat_times(2, bytes)};
    op->of_core = true;
}

/* One of the two products, half of the operations of all pairs, regardless of the mask. */
static void add_core_product(struct context *context, const struct core *core, const char *name,
                             uint64_t elements)
{
    struct rank_op *op = add(context, name, ORR_OP_ATTENTION);
    const uint64_t flops =
        orr_model_score_flops(context->tokens, context->kv_length, core->features, false) / 2;
    const uint64_t bytes = sat_times(elements, context->element);
    op->forward = (struct gen_work){flops, bytes};
    op->input_gradient = (struct gen_work){sat_times(2, flops), sat_times(2, bytes)};
    op->of_core = true;
}

/* Unfused attention as three operators: the scores are written, masked and normalized, dropped out,
 * and read. Softmax and dropout read and write each score, forward and backward. */
static void add_unfused(struct context *context, const struct core *core)
{
    const bool dropout = context->model->dropout;
    const uint64_t moved = sat_times(dropout ? 4 : 2, sat_times(core->scores, context->element));
    add_core_product(context, core, core->name[0],
                     sat_plus(sat_plus(core->queries, core->keys), core->scores));
    struct rank_op *op = add(context, core->name[1], ORR_OP_ELEMENTWISE);
    op->forward = op->input_gradient = (struct gen_work){core->scores, moved};
    op->scores_bytes =
        sat_times(core->scores, context->element * (dropout ? 2 : 1) + (dropout ? 1 : 0));
    op->of_core = true;
    add_core_product(context, core, core->name[2],
                     sat_plus(sat_plus(core->scores, core->keys), core->queries));
}

static void add_scores(struct context *context, struct core *core)
{
    const struct tf_model *model = context->model;
    const struct gen_plan *plan = &context->job->plan;
    const uint64_t heads = sat_divide_up(model->heads, context->tensor);
    const uint64_t kv = sat_divide_up(model->kv_heads, context->tensor);
    const unsigned first = context->ops->count;
    core->features = sat_times(heads, model->head_size);
    core->queries = sat_times(context->tokens, core->features);
    core->keys = sat_times(sat_times(plan->micro_batch, context->kv_length),
                           sat_times(kv, model->head_size));
    core->scores = sat_times(heads, sat_times(context->tokens, context->kv_length));
    (plan->fused_attention ? add_fused : add_unfused)(context, core);
    context->ops->op[first].kept_bytes = sat_times(
        sat_plus(core->queries, sat_times(2, sat_times(context->tokens, kv * model->head_size))),
        context->element);
}

/* Gathers keys and values of the whole sequence on every context-parallel rank (Llama 3, section
 * 3.3.2). */
static void gather_keys(struct context *context, const char *name)
{
    const struct tf_model *model = context->model;
    const uint64_t kv = sat_divide_up(model->kv_heads, context->tensor) * model->head_size;
    const uint64_t elements =
        sat_times(2 * context->job->plan.micro_batch, sat_times(context->kv_length, kv));
    const struct rank_comm gather =
        collective(GEN_CP, ORR_COMM_ALL_GATHER, sat_times(elements, context->element));
    const struct rank_comm scatter =
        collective(GEN_CP, ORR_COMM_REDUCE_SCATTER, sat_times(elements, context->element));
    add_exchange(context, name, &gather, &scatter);
}

/* `causal`: whether a decoder's; an encoder's tokens see all others. */
static void add_attention(struct context *context, bool causal)
{
    const struct tf_model *model = context->model;
    const uint64_t heads = sat_divide_up(model->heads, context->tensor) * model->head_size;
    const uint64_t kv = sat_divide_up(model->kv_heads, context->tensor) * model->head_size;
    const uint64_t kept = sat_times(context->tokens / context->cut, model->hidden);
    add_norm(context, "attention norm");
    enter_tensor(context, "attention input");
    regather(context,
             add_product(context, "qkv",
                         (uint64_t[]){context->tokens, model->hidden, heads + 2 * kv}, 1, kept));
    gather_keys(context, "keys and values");
    add_scores(context,
               &(struct core){.fused_name = "attention",
                              .name = {"attention scores", "attention softmax", "attention values"},
                              .causal = causal});
    (void)add_product(context, "attention projection",
                      (uint64_t[]){context->tokens, heads, model->hidden}, 1,
                      sat_times(context->tokens, heads));
    leave_tensor(context, "attention output");
    add_residual(context, "attention residual");
}

/* Queries from the decoder, keys and values from the encoder's output. */
static void add_cross_attention(struct context *context)
{
    const struct tf_model *model = context->model;
    const struct gen_plan *plan = &context->job->plan;
    const uint64_t heads = sat_divide_up(model->heads, context->tensor) * model->head_size;
    const uint64_t kv = sat_divide_up(model->kv_heads, context->tensor) * model->head_size;
    const uint64_t source = sat_times(
        plan->micro_batch, sat_divide_up(model->encoder_sequence, plan->layout.size[GEN_CONTEXT]));
    add_norm(context, "cross norm");
    enter_tensor(context, "cross input");
    regather(context, add_product(context, "cross queries",
                                  (uint64_t[]){context->tokens, model->hidden, heads}, 1,
                                  sat_times(context->tokens / context->cut, model->hidden)));
    (void)add_product(context, "cross keys and values", (uint64_t[]){source, model->hidden, 2 * kv},
                      1, 0);
    const uint64_t length = context->kv_length;
    context->kv_length = model->encoder_sequence;
    gather_keys(context, "cross keys and values");
    add_scores(context, &(struct core){.fused_name = "cross attention",
                                       .name = {"cross attention scores", "cross attention softmax",
                                                "cross attention values"}});
    context->kv_length = length;
    (void)add_product(context, "cross projection",
                      (uint64_t[]){context->tokens, heads, model->hidden}, 1,
                      sat_times(context->tokens, heads));
    leave_tensor(context, "cross output");
    add_residual(context, "cross residual");
}

/* ---- feed forward ---- */

/* Both products and the activation between them, for `tokens` tokens of each of `count` experts. */
static void add_products(struct context *context, uint64_t tokens, uint64_t ffn, uint64_t count)
{
    const struct tf_model *model = context->model;
    const uint64_t width = sat_divide_up(ffn, context->tensor);
    const uint64_t up = model->gated ? 2 * width : width;
    const uint64_t all = sat_times(tokens, count);
    (void)add_product(context, "ffn up", (uint64_t[]){tokens, model->hidden, up}, count,
                      sat_times(all / context->cut, model->hidden));
    struct rank_op *op =
        add_elementwise(context, "activation", sat_times(all, width), model->gated ? 3 : 2);
    op->kept_bytes = sat_times(sat_times(all, up), context->element);
    (void)add_product(context, "ffn down", (uint64_t[]){tokens, width, model->hidden}, count,
                      sat_times(all, width));
}

static void add_feed_forward(struct context *context)
{
    add_norm(context, "ffn norm");
    enter_tensor(context, "ffn input");
    const unsigned up = context->ops->count;
    add_products(context, context->tokens, context->model->ffn, 1);
    if (context->model->gated) { /* the product with the gate is made again, in its gradient */
        context->ops->op[context->ops->count - 1].kept_bytes = 0;
    }
    regather(context, &context->ops->op[up]);
    leave_tensor(context, "ffn output");
    add_residual(context, "ffn residual");
}

/* The tokens that the rank's experts get when each of its group sends so many; evenly, as many. */
static uint64_t received(const struct tf_job *job, uint64_t sent)
{
    const struct gen_layout *layout = &job->plan.layout;
    if (!layout->experts_differ) {
        return sent;
    }
    const uint64_t own = orr_transformer_tokens_before(job, job->expert_rank + 1, sent) -
                         orr_transformer_tokens_before(job, job->expert_rank, sent);
    return sat_times(layout->size[GEN_EXPERT], own);
}

/* Tokens go to the ranks of their experts and back (GShard, Lepikhin et al. 2021, section 3.2).
 * Within a group of tensor-parallel ranks experts are split like any layer. Every rank's tokens are
 * spread over the experts in the same way. */
static void add_experts(struct context *context)
{
    const struct tf_model *model = context->model;
    const struct gen_plan *plan = &context->job->plan;
    const uint64_t local = model->experts / plan->layout.size[GEN_EXPERT];
    const double slots_per_token = (double)model->experts_per_token * model->capacity;
    const uint64_t sent =
        (uint64_t)(slots_per_token * (double)context->shared + 0.5); /* sent by this rank */
    const uint64_t own = received(context->job, sent);
    const uint64_t met = sat_times(own, context->cut); /* by its tensor-parallel ranks together */
    const uint64_t token_bytes = sat_times(model->hidden, context->element);
    const uint64_t bytes = sat_times(own, token_bytes);
    const bool uneven = plan->layout.experts_differ;
    const struct rank_comm dispatch = {.family = GEN_EP,
                                       .comm = ORR_COMM_ALL_TO_ALL,
                                       .bytes = sat_times(sent, token_bytes),
                                       .is_set = true,
                                       .spread = uneven ? RANK_TO_EXPERTS : RANK_EVEN,
                                       .tokens = sent,
                                       .token_bytes = token_bytes};
    const struct rank_comm combine = {.family = GEN_EP,
                                      .comm = ORR_COMM_ALL_TO_ALL,
                                      .bytes = bytes,
                                      .is_set = true,
                                      .spread = uneven ? RANK_FROM_EXPERTS : RANK_EVEN,
                                      .tokens = sent,
                                      .token_bytes = token_bytes};
    const struct rank_comm gather =
        collective(GEN_TP, ORR_COMM_ALL_GATHER, sat_times(bytes, context->cut));
    const struct rank_comm scatter =
        collective(GEN_TP, ORR_COMM_REDUCE_SCATTER, sat_times(bytes, context->cut));
    add_norm(context, "ffn norm");
    struct rank_op *router = add_plain_product(
        context, "router", (uint64_t[]){context->shared, model->hidden, model->experts},
        sat_times(context->shared, model->hidden));
    router->parameters = sat_times(model->hidden, model->experts); /* no bias */
    add_exchange(context, "expert dispatch", &dispatch, &combine);
    add_exchange(context, "expert gather", &gather, &scatter);
    const unsigned first = context->ops->count;
    add_products(context, sat_divide_up(met, local), model->expert_ffn, local);
    for (unsigned i = first; i < context->ops->count; i++) {
        context->ops->op[i].of_experts = true;
    }
    add_exchange(context, "expert scatter", &scatter, &gather);
    add_exchange(context, "expert combine", &combine, &dispatch);
    add_residual(context, "ffn residual");
}

/* ---- the ends ---- */

/* The rows of the table are spread over the tensor-parallel ranks, whose partial sums are reduced.
 */
static void add_embedding(struct context *context)
{
    const struct tf_model *model = context->model;
    const uint64_t elements = sat_times(context->tokens, model->hidden);
    struct rank_op *op = add_elementwise(context, "embedding", elements, 2);
    op->kind = ORR_OP_MEMORY;
    op->parameters = sat_times(sat_divide_up(model->vocabulary, context->tensor), model->hidden);
    leave_tensor(context, "embedding output");
    op = add_elementwise(context, "position embedding", sat_times(context->shared, model->hidden),
                         2);
    op->parameters = sat_times(model->positions + model->token_types, model->hidden);
    op->kept_bytes = model->dropout ? sat_times(context->shared, model->hidden) : 0;
}

/* Later operators process only the masked positions (BERT, Devlin et al. 2019, section 3.1). Their
 * gradients are written into an array of all positions. */
static void add_masked_positions(struct context *context)
{
    const struct tf_model *model = context->model;
    const struct gen_plan *plan = &context->job->plan;
    const uint64_t all = sat_times(context->shared, model->hidden);
    context->tokens =
        sat_times(plan->micro_batch, sat_divide_up(model->masked, plan->layout.size[GEN_CONTEXT]));
    context->shared = sat_divide_up(context->tokens, context->cut);
    const uint64_t taken = sat_times(context->shared, model->hidden);
    struct rank_op *op = add_elementwise(context, "masked positions", taken, 2);
    op->kind = ORR_OP_MEMORY;
    op->input_gradient.bytes = sat_times(sat_plus(taken, all), context->element);
}

/* Logits of the vocabulary, which is split, and their cross entropy, for which the ranks exchange 3
 * numbers of 4 bytes per token: the largest logit, the sum and the target's logit. */
static void add_head(struct context *context)
{
    const struct tf_model *model = context->model;
    const uint64_t width = sat_divide_up(model->vocabulary, context->tensor);
    add_norm(context, "final norm");
    if (model->masked > 0) {
        add_masked_positions(context);
    }
    enter_tensor(context, "logits input");
    struct rank_op *op =
        add_product(context, "logits", (uint64_t[]){context->tokens, model->hidden, width}, 1,
                    sat_times(context->shared, model->hidden));
    /* tied weights belong to the embedding, or are a copy of it on another stage */
    const bool has_own_weights = !model->tied || context->job->plan.pipeline.stages > 1;
    op->parameters = has_own_weights ? sat_times(width, model->hidden) : 0;
    regather(context, op);
    const struct rank_comm none = {.is_set = false};
    const struct rank_comm sums =
        collective(GEN_TP, ORR_COMM_ALL_REDUCE, sat_times(12, context->tokens));
    add_exchange(context, "loss sums", &sums, &none);
    op = add_elementwise(context, "loss", sat_times(context->tokens, width), 2);
    op->kept_bytes = sat_times(sat_times(4, context->tokens), width); /* probabilities of 4 bytes */
    if (model->pooler) {
        (void)add_product(context, "pooler",
                          (uint64_t[]){context->job->plan.micro_batch, model->hidden,
                                       sat_divide_up(model->hidden, context->tensor)},
                          1, sat_times(context->job->plan.micro_batch, model->hidden));
    }
}

static void reference_layer_ops(const struct tf_job *job, const struct tf_kind *kind,
                                struct tf_ops *ops)
{
    const enum tf_layer layer = kind->place;
    const struct gen_plan *plan = &job->plan;
    const bool encoder = layer == TF_ENCODER;
    struct context context = {.job = job,
                              .model = &job->model,
                              .ops = ops,
                              .tensor = plan->layout.size[GEN_TENSOR],
                              .element = plan->element_bytes};
    context.cut = plan->sequence_parallel ? context.tensor : 1;
    context.length = encoder ? job->model.encoder_sequence : job->model.sequence;
    context.length += layer == TF_EMBEDDING ? job->model.encoder_sequence : 0;
    context.kv_length = context.length;
    context.tokens =
        sat_times(plan->micro_batch, sat_divide_up(context.length, plan->layout.size[GEN_CONTEXT]));
    context.shared = sat_divide_up(context.tokens, context.cut);
    ops->count = 0;
    if (layer == TF_EMBEDDING || layer == TF_HEAD) {
        (layer == TF_EMBEDDING ? add_embedding : add_head)(&context);
        return;
    }
    orr_transformer_misalignment(job, &context.misalignment);
    context.products.unaligned = context.misalignment.width > 0;
    context.products.fp8 = plan->precision.product == GEN_FP8;
    add_attention(&context, job->model.causal && !encoder);
    if (layer == TF_CROSS) {
        add_cross_attention(&context);
    }
    (kind->feed == TF_EXPERTS ? add_experts : add_feed_forward)(&context);
}

#endif
