/* Parts of a layer that work on each token by itself: dense, experts and those that all tokens
 * share; see layer_graph.h. */
#include "core/saturate.h"
#include "workload/gen/layers/layer_graph.h"
#include "workload/model/kinds/kinds.h"

static void add_activation(struct layer_graph *graph, const char *label)
{
    const struct model_activation activation = {.gated = graph->model->gated};
    (void)orr_layer_add(graph, label, &orr_model_kind_activation, &activation);
}

static void add_feed_forward(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const model_value residual = graph->tip;
    (void)orr_layer_add_norm(graph, "ffn norm");
    (void)orr_layer_add_dense(graph, "ffn up", sat_times(model->gated ? 2 : 1, model->ffn),
                              model->feed_bias);
    add_activation(graph, "activation");
    (void)orr_layer_add_dense(graph, "ffn down", model->hidden, model->feed_bias);
    orr_layer_end_part(graph, "ffn output norm", "ffn residual", residual);
}

/* ---- experts ---- */

/* The experts of all tokens, and their gate; returns the sum of their output and the residual. */
static model_value add_shared(struct layer_graph *graph, model_value normed, model_value residual)
{
    const struct tf_model *model = graph->model;
    const struct model_add sum = {.dropout = false};
    graph->tip = normed;
    if (model->shared_gate) {
        const struct model_router gate = {.experts = 1};
        (void)orr_layer_add(graph, "shared gate", &orr_model_kind_router, &gate);
        graph->tip = normed;
    }
    (void)orr_layer_add_dense(graph, "shared up",
                              sat_times(model->gated ? 2 : 1, model->shared_ffn), model->feed_bias);
    add_activation(graph, "shared activation");
    (void)orr_layer_add_dense(graph, "shared down", model->hidden, model->feed_bias);
    return orr_layer_add_two(graph, "shared sum", &orr_model_kind_add, &sum,
                             (model_value[]){graph->tip, residual});
}

/* The products of experts: of `out` features up, and of their input's down again, added up. */
static void add_products(struct layer_graph *graph, model_value tokens, model_value router)
{
    const struct tf_model *model = graph->model;
    const uint64_t size = model->expert_latent > 0 ? model->expert_latent : model->hidden;
    struct model_expert_dense dense = {
        .experts = (int64_t)model->experts,
        .out = (int64_t)sat_times(model->gated ? 2 : 1, model->expert_ffn),
        .per_token = (int64_t)model->experts_per_token,
        .capacity = model->capacity,
        .bias = model->feed_bias};
    (void)orr_layer_add_two(graph, "ffn up", &orr_model_kind_expert_dense, &dense,
                            (model_value[]){tokens, router});
    add_activation(graph, "activation");
    dense.per_token = 0;
    dense.out = (int64_t)size;
    dense.tokens = graph->status == ORR_OK
                       ? (int64_t)orr_model_value_shape(graph->builder, tokens)->size[0]
                       : 1;
    (void)orr_layer_add(graph, "ffn down", &orr_model_kind_expert_dense, &dense);
}

/* Tokens are smaller inside the experts if these are latent (LatentMoE, Nemotron 3, 2025). */
static void add_experts(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_router scores = {.experts = (int64_t)model->experts,
                                        .bias = model->router_bias,
                                        .load_bias = model->load_bias};
    model_value residual = graph->tip;
    const model_value normed = orr_layer_add_norm(graph, "ffn norm");
    const model_value router = orr_layer_add(graph, "router", &orr_model_kind_router, &scores);
    if (model->shared_ffn > 0) {
        residual = add_shared(graph, normed, residual);
    }
    model_value tokens = normed;
    if (model->expert_latent > 0) {
        graph->tip = normed;
        tokens = orr_layer_add_dense(graph, "latent down", model->expert_latent, false);
    }
    add_products(graph, tokens, router);
    if (model->expert_latent > 0) {
        (void)orr_layer_add_dense(graph, "latent up", model->hidden, false);
    }
    orr_layer_end_part(graph, "ffn output norm", "ffn residual", residual);
}

void orr_layer_add_feed(struct layer_graph *graph, const struct tf_kind *kind)
{
    if (kind->feed == TF_EXPERTS) {
        add_experts(graph);
    } else if (kind->feed == TF_DENSE) {
        add_feed_forward(graph);
    }
}
