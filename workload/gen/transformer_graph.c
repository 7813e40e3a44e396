/* A transformer as a graph of operators, in the order of transformer_ops.c but without what a
 * layout adds: communication, and operators split for it. Encoder and decoder share the embedding.
 */
#include "core/saturate.h"
#include "workload/gen/transformer.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/model_builder.h"

struct graph {
    const struct tf_model *model;
    bool fused;
    struct model_builder *builder;
    struct orr_diag *diag;
    enum orr_status status;
    model_value tip, memory;      /* memory: the encoder's output */
    model_value words, positions; /* the first embeddings; others share their weights */
    bool embedded;                /* whether they exist */
};

/* Adds an operator with one or two inputs (MODEL_NO_VALUE: one) and makes it the tip. */
static model_value add_two(struct graph *graph, const struct model_kind_ops *kind,
                           const void *attributes, model_value first, model_value second)
{
    const model_value input[] = {first, second};
    const struct model_op_spec spec = {
        .kind = kind, .input = input, .inputs = second != MODEL_NO_VALUE ? 2 : 1};
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, attributes, &graph->tip, graph->diag);
    }
    return graph->tip;
}

static model_value add(struct graph *graph, const struct model_kind_ops *kind,
                       const void *attributes)
{
    return add_two(graph, kind, attributes, graph->tip, MODEL_NO_VALUE);
}

static model_value add_norm(struct graph *graph)
{
    const struct model_layer_norm norm = {.rms = graph->model->norm != TF_LAYER_NORM};
    return add(graph, &orr_model_kind_layer_norm, &norm);
}

static model_value add_dense(struct graph *graph, uint64_t out, bool bias)
{
    const struct model_dense dense = {.out = (int64_t)out, .bias = bias};
    return add(graph, &orr_model_kind_dense, &dense);
}

static void add_residual(struct graph *graph, model_value residual)
{
    const struct model_add sum = {.dropout = true};
    (void)add_two(graph, &orr_model_kind_add, &sum, graph->tip, residual);
}

/* ---- attention ---- */

static struct model_attention_core core_of(const struct graph *graph, bool causal)
{
    return (struct model_attention_core){.heads = (int64_t)graph->model->heads,
                                         .kv_heads = (int64_t)graph->model->kv_heads,
                                         .causal = causal,
                                         .fused = graph->fused};
}

static void add_attention(struct graph *graph, bool causal)
{
    const struct tf_model *model = graph->model;
    const struct model_attention_core core = core_of(graph, causal);
    const model_value residual = graph->tip;
    const uint64_t heads = sat_plus(model->heads, sat_times(2, model->kv_heads));
    (void)add_norm(graph);
    (void)add_dense(graph, sat_times(heads, model->head_size), model->bias);
    (void)add(graph, &orr_model_kind_attention_core, &core);
    (void)add_dense(graph, model->hidden, model->bias);
    add_residual(graph, residual);
}

static void add_cross_attention(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_attention_core core = core_of(graph, false);
    const model_value residual = graph->tip;
    (void)add_norm(graph);
    const model_value queries =
        add_dense(graph, sat_times(model->heads, model->head_size), model->bias);
    graph->tip = graph->memory;
    const model_value keys =
        add_dense(graph, sat_times(2 * model->kv_heads, model->head_size), model->bias);
    (void)add_two(graph, &orr_model_kind_attention_core, &core, queries, keys);
    (void)add_dense(graph, model->hidden, model->bias);
    add_residual(graph, residual);
}

/* ---- feed forward ---- */

static void add_activation(struct graph *graph)
{
    const struct model_activation activation = {.gated = graph->model->gated};
    (void)add(graph, &orr_model_kind_activation, &activation);
}

static void add_feed_forward(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    const model_value residual = graph->tip;
    (void)add_norm(graph);
    (void)add_dense(graph, sat_times(model->gated ? 2 : 1, model->ffn), model->bias);
    add_activation(graph);
    (void)add_dense(graph, model->hidden, model->bias);
    add_residual(graph, residual);
}

static void add_experts(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    struct model_expert_dense up = {.experts = (int64_t)model->experts,
                                    .out =
                                        (int64_t)sat_times(model->gated ? 2 : 1, model->expert_ffn),
                                    .per_token = (int64_t)model->experts_per_token,
                                    .capacity = model->capacity,
                                    .bias = model->bias};
    const model_value residual = graph->tip, normed = add_norm(graph);
    const model_value router = add_dense(graph, model->experts, false);
    (void)add_two(graph, &orr_model_kind_expert_dense, &up, normed, router);
    add_activation(graph);
    up.per_token = 0;
    up.out = (int64_t)model->hidden;
    up.tokens = graph->status == ORR_OK
                    ? (int64_t)orr_model_value_shape(graph->builder, residual)->size[0]
                    : 1;
    (void)add(graph, &orr_model_kind_expert_dense, &up);
    add_residual(graph, residual);
}

/* ---- the ends ---- */

static model_value add_data(struct graph *graph, const char *name, uint32_t axes,
                            const int64_t *size)
{
    const struct model_data data = {.shape = {axes, size}};
    const struct model_op_spec spec = {.kind = &orr_model_kind_data, .name = name};
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, &data, &graph->tip, graph->diag);
    }
    return graph->tip;
}

static void add_shared(struct graph *graph, const struct model_kind_ops *kind,
                       const void *attributes, model_value *first)
{
    const model_value tip = graph->tip;
    const struct model_op_spec spec = {.kind = kind,
                                       .input = &tip,
                                       .inputs = 1,
                                       .shared = graph->embedded,
                                       .owner = *first,
                                       .of_block = true};
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, attributes, &graph->tip, graph->diag);
    }
    *first = graph->embedded ? *first : graph->tip;
}

/* The embedding of a sequence; without a vocabulary the vectors are data. */
static void add_embedding(struct graph *graph, const char *name, uint64_t sequence)
{
    const struct tf_model *model = graph->model;
    const int64_t size[] = {(int64_t)sequence, (int64_t)model->hidden};
    const struct model_embedding words = {.rows = (int64_t)model->vocabulary,
                                          .columns = (int64_t)model->hidden};
    const struct model_position positions = {
        .rows = (int64_t)sat_plus(model->positions, model->token_types)};
    (void)add_data(graph, name, model->vocabulary > 0 ? 1 : 2, size);
    if (model->vocabulary > 0) {
        add_shared(graph, &orr_model_kind_embedding, &words, &graph->words);
        add_shared(graph, &orr_model_kind_position, &positions, &graph->positions);
        graph->embedded = true;
    }
}

static void add_head(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_dense logits = {.out = (int64_t)model->vocabulary};
    const struct model_loss loss = {.probabilities = true};
    const struct model_take first = {.tokens = 1};
    const struct model_take masked = {.tokens = (int64_t)model->masked};
    const model_value normed = add_norm(graph);
    const model_value scored =
        model->masked > 0 ? add(graph, &orr_model_kind_take, &masked) : normed;
    const struct model_op_spec spec = {.kind = &orr_model_kind_dense,
                                       .name = "logits",
                                       .input = &scored,
                                       .inputs = 1,
                                       .shared = model->tied,
                                       .owner = graph->words};
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, &logits, &graph->tip, graph->diag);
    }
    (void)add(graph, &orr_model_kind_loss, &loss);
    if (model->pooler) {
        graph->tip = normed;
        (void)add(graph, &orr_model_kind_take, &first);
        (void)add_dense(graph, model->hidden, model->bias);
    }
}

/* ---- layers ---- */

static void add_layer(struct graph *graph, uint32_t layer)
{
    const enum tf_layer kind = orr_transformer_layer_kind(graph->model, layer);
    if (layer == graph->model->encoder_layers && layer > 0) {
        graph->memory = graph->tip;
        add_embedding(graph, "decoder's tokens", graph->model->sequence);
    }
    add_attention(graph, graph->model->causal && kind != TF_ENCODER); /* encoders see all tokens */
    if (kind == TF_CROSS) {
        add_cross_attention(graph);
    }
    (orr_transformer_has_experts(graph->model, layer) ? add_experts : add_feed_forward)(graph);
}

enum orr_status orr_transformer_graph(const struct tf_job *job, struct model_builder *builder,
                                      struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    if (model->load.before != NULL) {
        return orr_gen_fail(job->section, "expert_load", diag,
                            "a graph of operators sends as many tokens to every expert; expected "
                            "even");
    }
    struct graph graph = {
        .model = model, .fused = job->plan.fused_attention, .builder = builder, .diag = diag};
    const bool encoder = model->encoder_layers > 0;
    add_embedding(&graph, "tokens", encoder ? model->encoder_sequence : model->sequence);
    for (uint32_t i = 0; i < orr_transformer_all_layers(model) && graph.status == ORR_OK; i++) {
        add_layer(&graph, i);
    }
    if (model->vocabulary > 0) {
        add_head(&graph);
    }
    return graph.status;
}
