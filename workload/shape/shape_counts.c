/* Parameters and operations of a model's shape; see model_shape.h. */
#include "workload/shape/model_shape.h"

#include <stddef.h>

/* Parameters of a part, and those among them that are weights of products: a token costs 2
 * operations forwards for each of the latter that it meets. */
struct part {
    double parameters, products;
};

static struct part product(uint64_t in, uint64_t out, bool bias)
{
    const double weights = (double)in * (double)out;
    return (struct part){weights + (bias ? (double)out : 0), weights};
}

static void add(struct part *to, struct part part, double times)
{
    to->parameters += times * part.parameters;
    to->products += times * part.products;
}

static struct part plain(double parameters)
{
    return (struct part){parameters, 0};
}

static double norm(const struct orr_model_shape *shape, uint64_t size)
{
    return shape->no_norm_weight ? 0 : (double)size * (shape->layer_norm ? 2 : 1);
}

/* ---- mixers ---- */

static struct part attention(const struct orr_model_shape *shape)
{
    const uint64_t queries = shape->heads * shape->head_size;
    const uint64_t keys = shape->kv_heads * shape->head_size;
    struct part part =
        product(shape->hidden, queries * (shape->gated_queries ? 2 : 1), shape->qkv_bias);
    add(&part, product(shape->hidden, keys, shape->qkv_bias), 2);
    add(&part, product(queries, shape->hidden, shape->out_bias), 1);
    add(&part, plain(shape->sinks ? (double)shape->heads : 0), 1);
    if (shape->qk_norm == ORR_QK_NORM_HEAD) {
        add(&part, plain(2 * norm(shape, shape->head_size)), 1);
    } else if (shape->qk_norm == ORR_QK_NORM_ALL) {
        add(&part, plain(norm(shape, queries) + norm(shape, keys)), 1);
    }
    return part;
}

/* h x r_q, r_q x a (d_n + d_r); h x (r_k + d_r), r_k x a (d_n + d_v); a d_v x h; norms of the two
 * low-rank tensors. */
static struct part latent(const struct orr_model_shape *shape)
{
    const uint64_t query = shape->heads * (shape->no_position_size + shape->rotary_size);
    struct part part = {0, 0};
    if (shape->query_rank > 0) {
        add(&part, product(shape->hidden, shape->query_rank, shape->qkv_bias), 1);
        add(&part, plain(norm(shape, shape->query_rank)), 1);
        add(&part, product(shape->query_rank, query, false), 1);
    } else {
        add(&part, product(shape->hidden, query, false), 1);
    }
    add(&part, product(shape->hidden, shape->kv_rank + shape->rotary_size, shape->qkv_bias), 1);
    add(&part, plain(norm(shape, shape->kv_rank)), 1);
    add(&part,
        product(shape->kv_rank, shape->heads * (shape->no_position_size + shape->value_size),
                false),
        1);
    add(&part, product(shape->heads * shape->value_size, shape->hidden, shape->out_bias), 1);
    return part;
}

/* h x (2 d_i + 2 G N + H), the convolution over d_i + 2 G N channels, three numbers a head, the
 * norm of d_i, d_i x h. */
static struct part mamba(const struct orr_model_shape *shape)
{
    const uint64_t inner = shape->mamba_heads * shape->mamba_head_size;
    const uint64_t channels = inner + 2 * shape->mamba_groups * shape->mamba_state;
    struct part part =
        product(shape->hidden, inner + channels + shape->mamba_heads, shape->mamba_bias);
    const uint64_t taps = shape->mamba_convolution + (shape->mamba_convolution_bias ? 1 : 0);
    add(&part, plain((double)taps * (double)channels), 1);
    add(&part, plain(3.0 * (double)shape->mamba_heads + (double)inner), 1);
    add(&part, product(inner, shape->hidden, shape->mamba_bias), 1);
    return part;
}

static struct part mixer(const struct orr_model_shape *shape, enum orr_mixer kind)
{
    return kind == ORR_MIXER_ATTENTION ? attention(shape)
           : kind == ORR_MIXER_LATENT  ? latent(shape)
           : kind == ORR_MIXER_MAMBA2  ? mamba(shape)
                                       : plain(0);
}

/* Keys that a query sees, on average over a causal sequence; full attention at exactly half. */
static double keys_seen(const struct orr_layer_shape *layer, uint64_t sequence)
{
    const double length = (double)sequence, window = (double)layer->window;
    if (layer->span == ORR_SPAN_ALL) {
        return length;
    }
    if (layer->span == ORR_SPAN_FULL || layer->window == 0 || window >= length) {
        return length / 2;
    }
    return layer->span == ORR_SPAN_CHUNK ? window / 2 : window - window * (window - 1) / 2 / length;
}

/* Operations of a token forwards that are not products of weights: scores and values; the scan,
 * 7 d_i N. */
static double mixing(const struct orr_model_shape *shape, const struct orr_layer_shape *layer,
                     uint64_t sequence)
{
    const double heads = (double)shape->heads, keys = keys_seen(layer, sequence);
    switch (layer->mixer) {
    case ORR_MIXER_ATTENTION:
        return 4 * keys * heads * (double)shape->head_size;
    case ORR_MIXER_LATENT:
        return 2 * keys * heads *
               (double)(shape->no_position_size + shape->rotary_size + shape->value_size);
    case ORR_MIXER_MAMBA2:
        return 7.0 * (double)(shape->mamba_heads * shape->mamba_head_size) *
               (double)shape->mamba_state;
    default:
        return 0;
    }
}

static double kept_elements(const struct orr_model_shape *shape, enum orr_mixer kind)
{
    return kind == ORR_MIXER_ATTENTION ? 2.0 * (double)(shape->kv_heads * shape->head_size)
           : kind == ORR_MIXER_LATENT  ? (double)(shape->kv_rank + shape->rotary_size)
                                       : 0;
}

/* ---- feed-forward ---- */

static struct part dense(const struct orr_model_shape *shape, uint64_t in, uint64_t width,
                         bool bias)
{
    struct part part = product(in, width, bias);
    add(&part, product(in, width, bias), shape->gated ? 1 : 0);
    add(&part, product(width, in, bias), 1);
    return part;
}

/* Of `met` routed experts; the router's product is a parameter, but not counted as operations. */
static struct part experts(const struct orr_model_shape *shape, uint64_t met)
{
    const uint64_t size = shape->expert_latent > 0 ? shape->expert_latent : shape->hidden;
    struct part part = plain((double)shape->hidden * (double)shape->experts +
                             (shape->router_bias ? (double)shape->experts : 0) +
                             (shape->expert_bias ? (double)shape->experts : 0) +
                             (shape->shared_gate ? (double)shape->hidden : 0));
    add(&part, dense(shape, size, shape->expert_width, shape->feed_bias), (double)met);
    if (shape->shared_width > 0) {
        add(&part, dense(shape, shape->hidden, shape->shared_width, shape->feed_bias), 1);
    }
    if (shape->expert_latent > 0) {
        add(&part, product(shape->hidden, size, false), 1);
        add(&part, product(size, shape->hidden, false), 1);
    }
    return part;
}

/* A layer of which a token meets `met` experts. */
static struct part layer_part(const struct orr_model_shape *shape,
                              const struct orr_layer_shape *layer, uint64_t met)
{
    struct part part = mixer(shape, layer->mixer);
    if (layer->cross) {
        add(&part, mixer(shape, layer->mixer), 1);
        add(&part, plain(norm(shape, shape->hidden)), 1);
    }
    if (layer->feed == ORR_FEED_EXPERTS) {
        add(&part, experts(shape, met), 1);
    } else if (layer->feed == ORR_FEED_DENSE) {
        add(&part, dense(shape, shape->hidden, shape->width, shape->feed_bias), 1);
    }
    const bool half =
        shape->norm_per_part && (layer->mixer == ORR_MIXER_NONE || layer->feed == ORR_FEED_NONE);
    add(&part, plain(norm(shape, shape->hidden) * shape->norms / (half ? 2 : 1)), 1);
    return part;
}

/* ---- the model ---- */

static uint64_t whole(double number)
{
    return number < 18446744073709549568.0 ? (uint64_t)(number + 0.5) : UINT64_MAX;
}

static uint64_t embedding_size(const struct orr_model_shape *shape)
{
    return shape->embedding_size > 0 ? shape->embedding_size : shape->hidden;
}

/* What stands before the layers and behind them, without the embedding's rows. */
static struct part ends(const struct orr_model_shape *shape)
{
    struct part part = {0, 0};
    const double of_norm = norm(shape, shape->hidden);
    add(&part, plain((double)(shape->positions + shape->token_types) * (double)shape->hidden), 1);
    add(&part, plain(shape->embedding_norm ? of_norm : 0), 1);
    add(&part, plain(shape->final_norm ? of_norm * (shape->encoder_layers > 0 ? 2 : 1) : 0), 1);
    add(&part,
        plain((double)(shape->relative_buckets * shape->heads) *
              (shape->encoder_layers > 0 ? 2 : 1)),
        1);
    if (shape->head_dense > 0) {
        add(&part, product(shape->hidden, shape->head_dense, true), 1);
        add(&part, plain(of_norm), 1);
    }
    if (shape->embedding_size > 0) {
        add(&part, product(shape->embedding_size, shape->hidden, false), 2);
    }
    if (!shape->no_head) {
        const struct part head =
            product(embedding_size(shape), shape->vocabulary, shape->head_bias);
        add(&part,
            shape->tied ? (struct part){head.parameters - head.products, head.products} : head, 1);
    }
    return part;
}

static const struct orr_layer_shape *mtp_layer(const struct orr_model_shape *shape)
{
    const bool own =
        shape->mtp_layer.mixer != ORR_MIXER_NONE || shape->mtp_layer.feed != ORR_FEED_NONE;
    return own ? &shape->mtp_layer : &shape->layer[shape->layers - 1];
}

/* A module of multi-token prediction: two norms, a product 2 h x h, a layer, a norm. Embedding and
 * head are the model's. */
static struct part mtp_part(const struct orr_model_shape *shape, uint64_t met)
{
    struct part part = product(2 * shape->hidden, shape->hidden, false);
    add(&part, plain(3 * norm(shape, shape->hidden)), 1);
    add(&part, layer_part(shape, mtp_layer(shape), met), 1);
    return part;
}

void orr_shape_count(const struct orr_model_shape *shape, uint64_t sequence,
                     struct orr_shape_counts *counts)
{
    const double embedding = (double)embedding_size(shape) * (double)shape->vocabulary;
    struct part all = ends(shape), met = all;
    double mixed = 0, kept = 0;
    for (uint32_t i = 0; i < shape->layers; i++) {
        const struct orr_layer_shape *layer = &shape->layer[i];
        add(&all, layer_part(shape, layer, shape->experts), 1);
        add(&met, layer_part(shape, layer, shape->experts_per_token), 1);
        mixed += mixing(shape, layer, sequence) * (layer->cross ? 2 : 1);
        kept += kept_elements(shape, layer->mixer);
    }
    *counts = (struct orr_shape_counts){.parameters = whole(all.parameters + embedding),
                                        .active_parameters = whole(met.parameters + embedding),
                                        .embedding_parameters = whole(embedding),
                                        .product_flops = 6 * met.products,
                                        .mixer_flops = 3 * mixed,
                                        .kv_bytes = 2 * kept};
    if (shape->mtp_modules > 0 && shape->layers > 0) {
        const struct part module = mtp_part(shape, shape->experts);
        const struct part active = mtp_part(shape, shape->experts_per_token);
        const double head = (double)shape->hidden * (double)shape->vocabulary;
        counts->mtp_parameters = whole(module.parameters * shape->mtp_modules);
        counts->mtp_flops = shape->mtp_modules * (6 * (active.products + head) +
                                                  3 * mixing(shape, mtp_layer(shape), sequence));
    }
}
