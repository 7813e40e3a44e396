/* A transformer as a graph of operators, in the order of transformer_ops.c but without what a
 * layout adds: communication, and operators split for it. Encoder and decoder share the embedding.
 */
#include <inttypes.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/layers/layer_graph.h"
#include "workload/gen/transformer_cut.h"
#include "workload/model/kinds/kinds.h"

/* ---- the ends ---- */

static model_value add_data(struct layer_graph *graph, const char *name, uint32_t axes,
                            const int64_t *size)
{
    const struct model_data data = {.shape = {axes, size}};
    return orr_layer_add_spec(
        graph, (struct model_op_spec){.kind = &orr_model_kind_data, .name = name}, &data);
}

static void add_shared(struct layer_graph *graph, const char *label,
                       const struct model_kind_ops *kind, const void *attributes,
                       model_value *first)
{
    const model_value tip = graph->tip;
    (void)orr_layer_add_spec(graph,
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
static void add_embedding(struct layer_graph *graph, const char *name, uint64_t sequence)
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
        if (model->embedding_norm) {
            (void)orr_layer_add_norm(graph, "embedding norm");
        }
    }
}

static void add_head(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_dense logits = {.out = (int64_t)model->vocabulary};
    const struct model_loss loss = {.probabilities = true};
    const struct model_take first = {.tokens = 1};
    const struct model_take masked = {.tokens = (int64_t)model->masked};
    const model_value normed = orr_layer_add_norm(graph, "final norm");
    const model_value scored =
        model->masked > 0 ? orr_layer_add(graph, "masked positions", &orr_model_kind_take, &masked)
                          : normed;
    graph->logits = orr_layer_add_spec(graph,
                                       (struct model_op_spec){.kind = &orr_model_kind_dense,
                                                              .name = "logits",
                                                              .input = &scored,
                                                              .inputs = 1,
                                                              .shared = model->tied,
                                                              .owner = graph->words},
                                       &logits);
    (void)orr_layer_add(graph, "loss", &orr_model_kind_loss, &loss);
    if (model->pooler) {
        graph->tip = normed;
        (void)orr_layer_add(graph, NULL, &orr_model_kind_take, &first);
        (void)orr_layer_add_dense(graph, "pooler", model->hidden, model->bias);
    }
}

/* ---- layers ---- */

static void add_parts(struct layer_graph *graph, const struct tf_kind *kind)
{
    orr_layer_add_mixer(graph, kind);
    orr_layer_add_feed(graph, kind);
}

/* A module of multi-token prediction behind the model (DeepSeek-V3, 2024, section 2.2): norms of
 * the tokens so far and of the embedding of the tokens ahead, a product that joins the two, a layer
 * and the head, whose weights are the model's. */
static void add_mtp(struct layer_graph *graph, model_value hidden, model_value ahead)
{
    const struct tf_model *model = graph->model;
    const struct model_dense logits = {.out = (int64_t)model->vocabulary};
    const struct model_loss loss = {.probabilities = true};
    graph->tip = hidden;
    const model_value one = orr_layer_add_norm(graph, "mtp norm");
    graph->tip = ahead;
    const model_value other = orr_layer_add_norm(graph, "mtp embedding norm");
    (void)orr_layer_add_two(graph, "mtp concatenation", &orr_model_kind_concat,
                            &(struct model_plain){.entry = {.name = NULL}},
                            (model_value[]){one, other});
    (void)orr_layer_add_dense(graph, "mtp projection", model->hidden, false);
    add_parts(graph, &model->kind[model->mtp_kind]);
    const model_value normed = orr_layer_add_norm(graph, "final norm");
    (void)orr_layer_add_spec(
        graph,
        (struct model_op_spec){.kind = &orr_model_kind_dense,
                               .label = "logits",
                               .input = &normed,
                               .inputs = 1,
                               .shared = graph->embedded,
                               .owner = model->tied ? graph->words : graph->logits},
        &logits);
    (void)orr_layer_add(graph, "loss", &orr_model_kind_loss, &loss);
}

/* The embedding of the tokens ahead. */
static void add_ahead(struct layer_graph *graph, uint64_t sequence)
{
    const int64_t size[] = {(int64_t)sequence};
    const struct model_embedding words = {.rows = (int64_t)graph->model->vocabulary,
                                          .columns = (int64_t)graph->model->hidden};
    const struct model_position positions = {.rows = 0};
    (void)add_data(graph, "tokens ahead", 1, size);
    add_shared(graph, "mtp embedding", &orr_model_kind_embedding, &words, &graph->words);
    (void)orr_layer_add(graph, "mtp positions", &orr_model_kind_position, &positions);
}

static void add_modules(struct layer_graph *graph, model_value hidden)
{
    graph->layer = "tokens ahead";
    add_ahead(graph, graph->model->sequence);
    const model_value ahead = graph->tip;
    for (uint32_t i = 0; i < graph->model->mtp_modules && graph->status == ORR_OK; i++) {
        graph->layer = "multi-token prediction";
        add_mtp(graph, hidden, ahead);
    }
}

static void add_layer(struct layer_graph *graph, uint32_t layer)
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
    struct layer_graph graph = {
        .model = model, .fused = job->plan.fused_attention, .builder = builder, .diag = diag};
    const bool encoder = model->encoder_layers > 0;
    add_embedding(&graph, "tokens", encoder ? model->encoder_sequence : model->sequence);
    for (uint32_t i = 0; i < orr_transformer_all_layers(model) && graph.status == ORR_OK; i++) {
        add_layer(&graph, i);
    }
    const model_value hidden = graph.tip;
    if (model->vocabulary > 0) {
        graph.layer = "head";
        add_head(&graph);
    }
    if (model->mtp_modules > 0) {
        add_modules(&graph, hidden);
    }
    return graph.status;
}

/* ---- one layer of each kind ---- */

/* What a block follows: an operator of the shape of its input. */
static void add_source(struct layer_graph *graph, uint64_t length)
{
    const int64_t size[] = {(int64_t)length, (int64_t)graph->model->hidden};
    const struct model_position nothing = {.rows = 0};
    graph->layer = "input";
    (void)add_data(graph, NULL, 2, size);
    (void)orr_layer_add(graph, NULL, &orr_model_kind_position, &nothing);
}

static void add_block(struct layer_graph *graph, struct tf_blocks *blocks, uint32_t number)
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
    } else if (kind->place == TF_MTP) {
        add_mtp(graph, graph->tip, graph->memory);
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
    struct layer_graph graph = {.model = &model, .fused = true, .diag = diag, .status = ORR_OK};
    graph.builder = orr_model_builder_create(arena, &info, diag);
    if (blocks == NULL || graph.builder == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    model.tied = false; /* a head has weights, its own or a copy */
    model.encoder_sequence = model.encoder_layers > 0 ? model.encoder_sequence : model.sequence;
    for (uint32_t k = TF_KIND_HEAD; k < model.kinds; k++) {
        if (tf_has_kind(&model, k) && k != TF_KIND_MTP_EMBEDDING) {
            add_block(&graph, blocks, k);
        }
    }
    if (model.mtp_modules > 0) {
        blocks->layer[TF_KIND_MTP_EMBEDDING] = orr_model_layers(graph.builder);
        graph.layer = "tokens ahead";
        add_ahead(&graph, model.sequence);
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
