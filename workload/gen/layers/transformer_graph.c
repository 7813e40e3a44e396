/* A transformer as a graph of operators, in the order of transformer_ops.c but without what a
 * layout adds: communication, and operators split for it. Encoder and decoder share the embedding.
 */
#include <inttypes.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/transformer_cut.h"
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
    const char *layer;            /* that the next operator begins; NULL: none */
};

/* Adds an operator with one or two inputs (MODEL_NO_VALUE: one) and makes it the tip. */
static model_value add_spec(struct graph *graph, struct model_op_spec spec, const void *attributes)
{
    spec.layer = graph->layer;
    spec.joins_layer = graph->layer == NULL;
    graph->layer = spec.kind->source ? graph->layer : NULL;
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, attributes, &graph->tip, graph->diag);
    }
    return graph->tip;
}

static model_value add_two(struct graph *graph, const char *label,
                           const struct model_kind_ops *kind, const void *attributes,
                           model_value first, model_value second)
{
    const model_value input[] = {first, second};
    return add_spec(graph,
                    (struct model_op_spec){.kind = kind,
                                           .label = label,
                                           .input = input,
                                           .inputs = second != MODEL_NO_VALUE ? 2 : 1},
                    attributes);
}

static model_value add(struct graph *graph, const char *label, const struct model_kind_ops *kind,
                       const void *attributes)
{
    return add_two(graph, label, kind, attributes, graph->tip, MODEL_NO_VALUE);
}

static model_value add_norm(struct graph *graph, const char *label)
{
    const struct model_layer_norm norm = {.rms = graph->model->norm != TF_LAYER_NORM};
    return add(graph, label, &orr_model_kind_layer_norm, &norm);
}

static model_value add_dense(struct graph *graph, const char *label, uint64_t out, bool bias)
{
    const struct model_dense dense = {.out = (int64_t)out, .bias = bias};
    return add(graph, label, &orr_model_kind_dense, &dense);
}

/* The product that gives so many heads of queries, and twice as many of keys and values. */
static model_value add_heads(struct graph *graph, const char *label, uint64_t heads,
                             uint64_t kv_heads)
{
    const uint64_t all = sat_plus(heads, sat_times(2, kv_heads));
    const struct model_dense dense = {.out = (int64_t)sat_times(all, graph->model->head_size),
                                      .bias = graph->model->bias,
                                      .heads = (int64_t)heads,
                                      .kv_heads = (int64_t)kv_heads};
    return add(graph, label, &orr_model_kind_dense, &dense);
}

static void add_residual(struct graph *graph, const char *label, model_value residual)
{
    const struct model_add sum = {.dropout = true, .maskless = !graph->model->dropout};
    (void)add_two(graph, label, &orr_model_kind_add, &sum, graph->tip, residual);
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
    (void)add_norm(graph, "attention norm");
    (void)add_heads(graph, "qkv", model->heads, model->kv_heads);
    (void)add(graph, "attention", &orr_model_kind_attention_core, &core);
    (void)add_dense(graph, "attention projection", model->hidden, model->bias);
    add_residual(graph, "attention residual", residual);
}

static void add_cross_attention(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_attention_core core = core_of(graph, false);
    const model_value residual = graph->tip;
    (void)add_norm(graph, "cross norm");
    const model_value queries = add_heads(graph, "cross queries", model->heads, 0);
    graph->tip = graph->memory;
    const model_value keys = add_heads(graph, "cross keys and values", 0, model->kv_heads);
    (void)add_two(graph, "cross attention", &orr_model_kind_attention_core, &core, queries, keys);
    (void)add_dense(graph, "cross projection", model->hidden, model->bias);
    add_residual(graph, "cross residual", residual);
}

/* ---- feed forward ---- */

static void add_activation(struct graph *graph)
{
    const struct model_activation activation = {.gated = graph->model->gated};
    (void)add(graph, "activation", &orr_model_kind_activation, &activation);
}

static void add_feed_forward(struct graph *graph)
{
    const struct tf_model *model = graph->model;
    const model_value residual = graph->tip;
    (void)add_norm(graph, "ffn norm");
    (void)add_dense(graph, "ffn up", sat_times(model->gated ? 2 : 1, model->ffn), model->bias);
    add_activation(graph);
    (void)add_dense(graph, "ffn down", model->hidden, model->bias);
    add_residual(graph, "ffn residual", residual);
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
    const model_value residual = graph->tip, normed = add_norm(graph, "ffn norm");
    const model_value router = add_dense(graph, "router", model->experts, false);
    (void)add_two(graph, "ffn up", &orr_model_kind_expert_dense, &up, normed, router);
    add_activation(graph);
    up.per_token = 0;
    up.out = (int64_t)model->hidden;
    up.tokens = graph->status == ORR_OK
                    ? (int64_t)orr_model_value_shape(graph->builder, residual)->size[0]
                    : 1;
    (void)add(graph, "ffn down", &orr_model_kind_expert_dense, &up);
    add_residual(graph, "ffn residual", residual);
}

/* ---- the ends ---- */

static model_value add_data(struct graph *graph, const char *name, uint32_t axes,
                            const int64_t *size)
{
    const struct model_data data = {.shape = {axes, size}};
    return add_spec(graph, (struct model_op_spec){.kind = &orr_model_kind_data, .name = name},
                    &data);
}

static void add_shared(struct graph *graph, const char *label, const struct model_kind_ops *kind,
                       const void *attributes, model_value *first)
{
    const model_value tip = graph->tip;
    (void)add_spec(graph,
                   (struct model_op_spec){.kind = kind,
                                          .label = label,
                                          .input = &tip,
                                          .inputs = 1,
                                          .shared = graph->embedded,
                                          .owner = *first,
                                          .of_block = true},
                   attributes);
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
        .rows = (int64_t)sat_plus(model->positions, model->token_types), .dropout = model->dropout};
    graph->layer = "embedding";
    (void)add_data(graph, name, model->vocabulary > 0 ? 1 : 2, size);
    if (model->vocabulary > 0) {
        add_shared(graph, "embedding", &orr_model_kind_embedding, &words, &graph->words);
        add_shared(graph, "position embedding", &orr_model_kind_position, &positions,
                   &graph->positions);
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
    graph->layer = "head";
    const model_value normed = add_norm(graph, "final norm");
    const model_value scored =
        model->masked > 0 ? add(graph, "masked positions", &orr_model_kind_take, &masked) : normed;
    (void)add_spec(graph,
                   (struct model_op_spec){.kind = &orr_model_kind_dense,
                                          .name = "logits",
                                          .input = &scored,
                                          .inputs = 1,
                                          .shared = model->tied,
                                          .owner = graph->words},
                   &logits);
    (void)add(graph, "loss", &orr_model_kind_loss, &loss);
    if (model->pooler) {
        graph->tip = normed;
        (void)add(graph, NULL, &orr_model_kind_take, &first);
        (void)add_dense(graph, "pooler", model->hidden, model->bias);
    }
}

/* ---- layers ---- */

static void add_parts(struct graph *graph, const struct tf_kind *kind)
{
    const bool encoder = kind->place == TF_ENCODER;
    add_attention(graph, graph->model->causal && !encoder); /* encoders see all tokens */
    if (kind->place == TF_CROSS) {
        add_cross_attention(graph);
    }
    (kind->experts ? add_experts : add_feed_forward)(graph);
}

static void add_layer(struct graph *graph, uint32_t layer)
{
    const struct tf_kind *kind = &graph->model->kind[orr_transformer_kind_of(graph->model, layer)];
    if (layer == graph->model->encoder_layers && layer > 0) {
        graph->memory = graph->tip;
        add_embedding(graph, "decoder's tokens", graph->model->sequence);
    }
    graph->layer =
        orr_arena_printf(orr_model_builder_arena(graph->builder), "layer %" PRIu32, layer);
    if (graph->layer == NULL && graph->status == ORR_OK) {
        graph->status = orr_diag_no_memory(graph->diag, "a model");
    }
    add_parts(graph, kind);
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

/* ---- one layer of each kind ---- */

/* What a block follows: an operator of the shape of its input. */
static void add_source(struct graph *graph, uint64_t length)
{
    const int64_t size[] = {(int64_t)length, (int64_t)graph->model->hidden};
    const struct model_position nothing = {.rows = 0};
    graph->layer = "input";
    (void)add_data(graph, NULL, 2, size);
    (void)add(graph, NULL, &orr_model_kind_position, &nothing);
}

static void add_block(struct graph *graph, struct tf_blocks *blocks, uint32_t number)
{
    const struct tf_model *model = graph->model;
    const struct tf_kind *kind = &model->kind[number];
    add_source(graph, model->encoder_sequence);
    graph->memory = graph->tip;
    add_source(graph, kind->place == TF_ENCODER ? model->encoder_sequence : model->sequence);
    blocks->layer[number] = orr_model_layers(graph->builder);
    graph->layer = "layer";
    if (kind->place == TF_HEAD) {
        add_head(graph);
    } else {
        add_parts(graph, kind);
    }
}

enum orr_status orr_transformer_blocks(struct orr_arena *arena, struct tf_job *job,
                                       struct orr_diag *diag)
{
    struct tf_model model = job->model;
    const struct model_info info = {
        .name = "layers", .element_bytes = job->plan.element_bytes, .saturates = true};
    struct tf_blocks *blocks = orr_arena_alloc(arena, sizeof *blocks);
    struct graph graph = {.model = &model, .fused = true, .diag = diag, .status = ORR_OK};
    graph.builder = orr_model_builder_create(arena, &info, diag);
    if (blocks == NULL || graph.builder == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    model.tied = false; /* a head has weights, its own or a copy */
    model.encoder_sequence = model.encoder_layers > 0 ? model.encoder_sequence : model.sequence;
    for (uint32_t k = TF_KIND_HEAD; k < model.kinds; k++) {
        if (tf_has_kind(&model, k)) {
            add_block(&graph, blocks, k);
        }
    }
    if (model.vocabulary > 0) {
        blocks->layer[TF_KIND_EMBEDDING] = orr_model_layers(graph.builder);
        add_embedding(&graph, NULL, job->model.sequence + job->model.encoder_sequence);
    }
    job->blocks = blocks;
    if (graph.status == ORR_OK) {
        graph.status = orr_model_finish(graph.builder, &blocks->graph, diag);
    }
    return graph.status == ORR_OK ? orr_transformer_places(arena, blocks, diag) : graph.status;
}
