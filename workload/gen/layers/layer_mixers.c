/* Parts of a layer that mix the tokens: attention, latent attention, Mamba-2; see layer_graph.h. */
#include "core/saturate.h"
#include "workload/gen/layers/layer_graph.h"
#include "workload/model/kinds/kinds.h"

/* ---- attention ---- */

/* The product that gives so many heads of queries, and twice as many of keys and values. */
static model_value add_heads(struct layer_graph *graph, const char *label, uint64_t heads,
                             uint64_t kv_heads)
{
    const uint64_t all = sat_plus(heads, sat_times(2, kv_heads));
    const struct model_dense dense = {.out = (int64_t)sat_times(all, graph->model->head_size),
                                      .bias = graph->model->qkv_bias,
                                      .heads = (int64_t)heads,
                                      .kv_heads = (int64_t)kv_heads};
    return orr_layer_add(graph, label, &orr_model_kind_dense, &dense);
}

static struct model_attention_core core_of(const struct layer_graph *graph,
                                           const struct tf_kind *kind, bool causal)
{
    const struct tf_model *model = graph->model;
    const bool chunked = kind->mixer == TF_CHUNK;
    const uint64_t window = chunked ? model->chunk : kind->mixer == TF_WINDOW ? model->window : 0;
    return (struct model_attention_core){.heads = (int64_t)model->heads,
                                         .kv_heads = (int64_t)model->kv_heads,
                                         .causal = causal,
                                         .fused = graph->fused,
                                         .window = (int64_t)window,
                                         .chunked = chunked,
                                         .sinks = model->sinks};
}

/* Norms and positions of queries and keys. */
static void add_to_heads(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_heads heads = {.heads = (int64_t)model->heads,
                                      .kv_heads = (int64_t)model->kv_heads,
                                      .together = model->qk_norm == TF_QK_NORM_ALL,
                                      .rms = model->norm != TF_LAYER_NORM};
    if (model->qk_norm != TF_QK_PLAIN) {
        (void)orr_layer_add(graph, "qk norm", &orr_model_kind_head_norm, &heads);
    }
    if (model->rotary) {
        (void)orr_layer_add(graph, "rotary", &orr_model_kind_rotary, &heads);
    }
}

/* With gated queries the result is multiplied by a gate of as many features, from a product beside
 * that of the queries. */
static void add_gate(struct layer_graph *graph, model_value normed)
{
    const struct tf_model *model = graph->model;
    const model_value mixed = graph->tip;
    graph->tip = normed;
    const model_value gate = add_heads(graph, "attention gate", model->heads, 0);
    (void)orr_layer_add_two(graph, "gated attention", &orr_model_kind_multiply,
                            &(struct model_plain){.entry = {.name = NULL}},
                            (model_value[]){mixed, gate});
}

static void add_attention(struct layer_graph *graph, const struct tf_kind *kind)
{
    const struct tf_model *model = graph->model;
    const bool causal = model->causal && kind->place != TF_ENCODER; /* encoders see all tokens */
    const struct model_attention_core core = core_of(graph, kind, causal);
    const model_value residual = graph->tip, normed = orr_layer_add_norm(graph, "attention norm");
    (void)add_heads(graph, "qkv", model->heads, model->kv_heads);
    add_to_heads(graph);
    (void)orr_layer_add(graph, "attention", &orr_model_kind_attention_core, &core);
    if (model->gated_queries) {
        add_gate(graph, normed);
    }
    (void)orr_layer_add_dense(graph, "attention projection", model->hidden, model->out_bias);
    orr_layer_end_part(graph, "attention output norm", "attention residual", residual);
}

static void add_cross_attention(struct layer_graph *graph, const struct tf_kind *kind)
{
    const struct tf_model *model = graph->model;
    const struct model_attention_core core = core_of(graph, kind, false);
    const model_value residual = graph->tip;
    (void)orr_layer_add_norm(graph, "cross norm");
    const model_value queries = add_heads(graph, "cross queries", model->heads, 0);
    graph->tip = graph->memory;
    const model_value keys = add_heads(graph, "cross keys and values", 0, model->kv_heads);
    (void)orr_layer_add_two(graph, "cross attention", &orr_model_kind_attention_core, &core,
                            (model_value[]){queries, keys});
    (void)orr_layer_add_dense(graph, "cross projection", model->hidden, model->out_bias);
    orr_layer_add_residual(graph, "cross residual", residual);
}

/* ---- latent attention ---- */

/* Queries: at once, or from a vector of query_rank numbers with a norm. */
static model_value add_latent_queries(struct layer_graph *graph, uint64_t size)
{
    const struct tf_model *model = graph->model;
    const struct model_heads heads = {.heads = (int64_t)model->heads, .kv_heads = 0};
    const bool low = model->query_rank > 0;
    if (low) {
        (void)orr_layer_add_dense(graph, "query down", model->query_rank, model->qkv_bias);
        (void)orr_layer_add_norm(graph, "query norm");
    }
    const struct model_dense up = {.out = (int64_t)sat_times(model->heads, size),
                                   .bias = model->qkv_bias && !low,
                                   .heads = heads.heads};
    return orr_layer_add(graph, low ? "query up" : "queries", &orr_model_kind_dense, &up);
}

static model_value add_latent_keys(struct layer_graph *graph, const struct model_latent *latent)
{
    const struct tf_model *model = graph->model;
    const struct model_layer_norm norm = {.rms = model->norm != TF_LAYER_NORM,
                                          .features = (int64_t)model->kv_rank};
    const uint64_t size = model->no_position_size + model->value_size;
    const struct model_dense up = {.out = (int64_t)sat_times(model->heads, size),
                                   .heads = (int64_t)model->heads};
    const model_value down = orr_layer_add_dense(
        graph, "kv down", sat_plus(model->kv_rank, model->rotary_size), model->qkv_bias);
    (void)orr_layer_add(graph, "kv norm", &orr_model_kind_layer_norm, &norm);
    const model_value each = orr_layer_add(graph, "kv up", &orr_model_kind_dense, &up);
    return orr_layer_add_two(graph, "rotary keys", &orr_model_kind_latent_keys, latent,
                             (model_value[]){each, down});
}

static void add_latent_attention(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const struct model_latent latent = {.heads = (int64_t)model->heads,
                                        .no_position_size = (int64_t)model->no_position_size,
                                        .rotary_size = (int64_t)model->rotary_size,
                                        .value_size = (int64_t)model->value_size,
                                        .causal = model->causal};
    const model_value residual = graph->tip, normed = orr_layer_add_norm(graph, "attention norm");
    const model_value queries =
        add_latent_queries(graph, model->no_position_size + model->rotary_size);
    graph->tip = normed;
    const model_value keys = add_latent_keys(graph, &latent);
    (void)orr_layer_add_two(graph, "attention", &orr_model_kind_latent_attention, &latent,
                            (model_value[]){queries, keys});
    (void)orr_layer_add_dense(graph, "attention projection", model->hidden, model->out_bias);
    orr_layer_end_part(graph, "attention output norm", "attention residual", residual);
}

/* ---- Mamba-2 ---- */

static void add_mamba(struct layer_graph *graph)
{
    const struct tf_model *model = graph->model;
    const uint64_t inner = sat_times(model->mamba.heads, model->mamba.head_size);
    const uint64_t channels =
        sat_plus(inner, sat_times(2, sat_times(model->mamba.groups, model->mamba.state)));
    const struct model_causal_conv conv = {.channels = (int64_t)channels,
                                           .taps = (int64_t)model->mamba.taps,
                                           .bias = model->mamba.convolution_bias};
    const struct model_state_scan scan = {.heads = (int64_t)model->mamba.heads,
                                          .head_size = (int64_t)model->mamba.head_size,
                                          .state = (int64_t)model->mamba.state,
                                          .groups = (int64_t)model->mamba.groups};
    const model_value residual = graph->tip;
    (void)orr_layer_add_norm(graph, "mamba norm");
    const model_value in = orr_layer_add_dense(
        graph, "mamba input", sat_plus(inner, channels + model->mamba.heads), model->mamba.bias);
    const model_value mixed =
        orr_layer_add(graph, "mamba convolution", &orr_model_kind_causal_conv, &conv);
    const model_value out = orr_layer_add_two(graph, "mamba scan", &orr_model_kind_state_scan,
                                              &scan, (model_value[]){mixed, in});
    (void)orr_layer_add_two(graph, "mamba gate", &orr_model_kind_gated_norm,
                            &(struct model_plain){.entry = {.name = NULL}},
                            (model_value[]){out, in});
    (void)orr_layer_add_dense(graph, "mamba projection", model->hidden, model->mamba.bias);
    orr_layer_end_part(graph, "mamba output norm", "mamba residual", residual);
}

void orr_layer_add_mixer(struct layer_graph *graph, const struct tf_kind *kind)
{
    if (kind->mixer == TF_MAMBA2) {
        add_mamba(graph);
    } else if (kind->mixer != TF_NO_MIXER && graph->model->latent) {
        add_latent_attention(graph);
    } else if (kind->mixer != TF_NO_MIXER) {
        add_attention(graph, kind);
    }
    if (kind->place == TF_CROSS) {
        add_cross_attention(graph, kind);
    }
}
