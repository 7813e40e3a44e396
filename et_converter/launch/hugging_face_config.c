/* Reads a model's config.json; see hugging_face_config.h. What a family does differently from LLaMA
 * stands in its line of model_families.c; keys are those of the library transformers. */
#include "et_converter/launch/hugging_face_config.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "et_converter/launch/json_keys.h"
#include "et_converter/launch/model_families.h"

enum { MAX_EXPERTS = 1 << 20 };
enum { MAX_SIZE = 1 << 30 };

static bool is(const struct orr_model_shape *shape, const char *type)
{
    return strcmp(shape->name, type) == 0;
}

/* ---- sizes ---- */

/* Keys and values have heads of their own in number, or one head for all. */
static void read_kv_heads(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const groups[] = {"num_key_value_heads", "num_kv_heads", "num_query_groups",
                                         NULL};
    const bool falcon = is(shape, "falcon"), bigcode = is(shape, "gpt_bigcode");
    const bool one_by_flag = (falcon || bigcode) && orr_config_flag(keys, "multi_query", true) &&
                             (bigcode || !orr_config_flag(keys, "new_decoder_architecture", false));
    shape->kv_heads =
        orr_config_number(keys, groups, is(shape, "gemma3_text") ? 4 : shape->heads, 1, MAX_SIZE);
    if (one_by_flag) {
        keys->last = orr_config_has(keys, "multi_query") ? "multi_query" : NULL;
        shape->kv_heads = 1;
    } else if (falcon && !orr_config_flag(keys, "new_decoder_architecture", false)) {
        keys->last = NULL;
        shape->kv_heads = shape->heads;
    }
    orr_config_source(keys, "kv_heads");
    if (shape->heads % shape->kv_heads != 0) {
        orr_config_fail(keys, groups[0], "expected a divisor of %" PRIu64 " heads, got %" PRIu64,
                        shape->heads, shape->kv_heads);
    }
}

static void read_sizes(struct config_keys *keys, struct orr_model_shape *shape, unsigned traits)
{
    static const char *const layers[] = {"num_hidden_layers", "n_layer", "num_layers", "n_layers",
                                         NULL};
    static const char *const hidden[] = {"hidden_size", "n_embd", "n_embed", "d_model", NULL};
    static const char *const heads[] = {"num_attention_heads", "n_head", "num_heads", "n_heads",
                                        NULL};
    static const char *const size[] = {"head_dim", "d_kv", "attention_head_dim", NULL};
    static const char *const vocabulary[] = {"vocab_size", NULL};
    static const char *const positions[] = {"n_positions", "max_position_embeddings", NULL};
    shape->layers = (uint32_t)orr_config_need(keys, layers, 1, ORR_SHAPE_MAX_LAYERS);
    orr_config_source(keys, "layers");
    shape->hidden = orr_config_need(keys, hidden, 1, MAX_SIZE);
    orr_config_source(keys, "hidden");
    if (is(shape, "gemma3_text")) { /* its published files leave these out */
        shape->vocabulary = orr_config_number(keys, vocabulary, 262208, 1, MAX_SIZE);
        orr_config_source(keys, "vocabulary");
        shape->heads = orr_config_number(keys, heads, 8, 1, MAX_SIZE);
    } else {
        shape->vocabulary = orr_config_need(keys, vocabulary, 1, MAX_SIZE);
        orr_config_source(keys, "vocabulary");
        shape->heads = orr_config_need(keys, heads, 1, MAX_SIZE);
    }
    orr_config_source(keys, "heads");
    if (keys->diag->status != ORR_OK) {
        return;
    }
    read_kv_heads(keys, shape);
    const uint64_t standard = is(shape, "qwen3") || is(shape, "qwen3_moe") ? 128
                              : is(shape, "gemma3_text")                   ? 256
                                                                           : 0;
    shape->head_size = orr_config_number(keys, size, standard, 1, MAX_SIZE);
    orr_config_source(keys, "head_size");
    if (shape->head_size == 0) {
        if (shape->hidden % shape->heads != 0) {
            orr_config_fail(keys, heads[0],
                            "expected a divisor of %" PRIu64 " (hidden_size), got %" PRIu64,
                            shape->hidden, shape->heads);
            return;
        }
        shape->head_size = shape->hidden / shape->heads;
    }
    if ((traits & LEARNED_POSITIONS) != 0) {
        shape->positions = orr_config_need(keys, positions, 1, MAX_SIZE);
        orr_config_source(keys, "positions");
        shape->positions += is(shape, "opt") ? 2 : 0; /* its table has two more rows */
    }
}

static void read_feed_forward(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const width[] = {"intermediate_size", "n_inner",         "d_ff",
                                        "ffn_dim",           "ffn_hidden_size", NULL};
    static const char *const mlp[] = {"intermediate_size_mlp", NULL};
    shape->width = orr_config_number(keys, width, 4 * shape->hidden, 1, MAX_SIZE);
    const char *from = keys->last;
    if (is(shape, "llama4_text")) {
        shape->width = orr_config_number(keys, mlp, shape->width, 1, MAX_SIZE);
        from = keys->last != NULL ? keys->last : from;
    }
    keys->last = from;
    orr_config_source(keys, "ffn");
    const char *projection = orr_config_text(keys, "feed_forward_proj");
    if (projection != NULL) {
        shape->gated = strncmp(projection, "gated-", 6) == 0;
    }
}

/* ---- attention ---- */

static void read_latent(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const query[] = {"q_lora_rank", NULL};
    static const char *const kv[] = {"kv_lora_rank", NULL};
    static const char *const no_position[] = {"qk_nope_head_dim", NULL};
    static const char *const rotary[] = {"qk_rope_head_dim", NULL};
    static const char *const value[] = {"v_head_dim", NULL};
    shape->query_rank = orr_config_number(keys, query, 0, 0, MAX_SIZE);
    shape->kv_rank = orr_config_need(keys, kv, 1, MAX_SIZE);
    shape->no_position_size = orr_config_need(keys, no_position, 1, MAX_SIZE);
    shape->rotary_size = orr_config_need(keys, rotary, 0, MAX_SIZE);
    shape->value_size = orr_config_need(keys, value, 1, MAX_SIZE);
}

static void read_attention(struct config_keys *keys, struct orr_model_shape *shape, unsigned traits)
{
    const bool all = orr_config_flag(keys, "attention_bias", (traits & BIASES) != 0);
    const bool bias = orr_config_flag(keys, "bias", orr_config_flag(keys, "use_bias", all));
    shape->qkv_bias = orr_config_flag(keys, "use_qkv_bias", bias || (traits & QKV_BIAS) != 0);
    shape->out_bias = bias;
    shape->sinks = (traits & SINKS) != 0;
    shape->qk_norm = (traits & NORM_OF_HEADS) != 0 ? ORR_QK_NORM_HEAD
                     : (traits & NORM_OF_QK) != 0  ? ORR_QK_NORM_ALL
                                                   : ORR_QK_PLAIN;
    if (is(shape, "glm4_moe")) {
        shape->out_bias = false;
    }
    if (orr_config_flag(keys, "use_qk_norm", false) && !is(shape, "llama4_text")) {
        /* llama4's has no weights, Cohere's one for each head */
        shape->qk_norm = is(shape, "cohere") ? ORR_QK_NORM_ALL : ORR_QK_NORM_HEAD;
    }
    shape->feed_bias = orr_config_flag(keys, "mlp_bias",
                                       (bias && ((traits & BIASES) != 0 || is(shape, "falcon"))) ||
                                           (traits & FEED_BIAS) != 0);
}

/* Which layers see a part of the sequence only: `layer_types` layer by layer, else a pattern of
 * `sliding_window_pattern` layers, whose last one sees all. */
static void read_spans(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const window[] = {"sliding_window", NULL};
    static const char *const chunk[] = {"attention_chunk_size", NULL};
    static const char *const pattern[] = {"sliding_window_pattern", "_sliding_window_pattern",
                                          NULL};
    const uint32_t width = (uint32_t)orr_config_number(keys, window, 0, 0, MAX_SIZE);
    const uint32_t chunked = (uint32_t)orr_config_number(keys, chunk, 0, 0, MAX_SIZE);
    const bool alternates = is(shape, "gemma2") || is(shape, "gpt_oss");
    const uint64_t standard = is(shape, "gemma3_text") ? 6 : alternates ? 2 : 0;
    const uint64_t every = orr_config_number(keys, pattern, standard, 0, ORR_SHAPE_MAX_LAYERS);
    const bool used = orr_config_flag(keys, "use_sliding_window",
                                      !is(shape, "qwen2") && !is(shape, "qwen3") &&
                                          !is(shape, "qwen2_moe") && !is(shape, "qwen3_moe"));
    for (uint32_t i = 0; i < shape->layers; i++) {
        struct orr_layer_shape *layer = &shape->layer[i];
        const char *type = orr_config_list_text(keys, "layer_types", i);
        const bool global = every > 0 && (i + 1) % every == 0;
        if (type != NULL ? strcmp(type, "sliding_attention") == 0 : width > 0 && used && !global) {
            layer->span = ORR_SPAN_WINDOW;
            layer->window = width;
        } else if (type != NULL ? strcmp(type, "chunked_attention") == 0
                                : chunked > 0 && is(shape, "llama4_text") && (i + 1) % 4 != 0) {
            layer->span = ORR_SPAN_CHUNK;
            layer->window = chunked;
        }
    }
}

/* ---- experts ---- */

static void read_expert_sizes(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const count[] = {"n_routed_experts", "num_local_experts", "num_experts",
                                        NULL};
    static const char *const used[] = {"num_experts_per_tok", "experts_per_token",
                                       "num_experts_per_token", NULL};
    static const char *const width[] = {"moe_intermediate_size", "intermediate_size", NULL};
    static const char *const shared[] = {"n_shared_experts", NULL};
    static const char *const shared_width[] = {"shared_expert_intermediate_size",
                                               "moe_shared_expert_intermediate_size", NULL};
    static const char *const latent[] = {"moe_latent_size", NULL};
    shape->experts = orr_config_number(keys, count, 0, 0, MAX_EXPERTS);
    orr_config_source(keys, "experts");
    if (shape->experts == 0) {
        return;
    }
    shape->experts_per_token = orr_config_need(keys, used, 1, shape->experts);
    orr_config_source(keys, "experts_per_token");
    shape->expert_width = orr_config_number(keys, width, shape->width, 1, MAX_SIZE);
    orr_config_source(keys, "expert_ffn");
    shape->expert_latent = orr_config_number(keys, latent, 0, 0, MAX_SIZE);
    const uint64_t shared_experts =
        orr_config_number(keys, shared, is(shape, "llama4_text") ? 1 : 0, 0, MAX_EXPERTS);
    shape->shared_width =
        orr_config_number(keys, shared_width, shared_experts * shape->expert_width, 0, MAX_SIZE);
    if (is(shape, "nemotron_h") && shared_experts == 0) {
        shape->shared_width = 0;
    }
}

/* Which layers have experts. */
static void read_expert_layers(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const first_dense[] = {"first_k_dense_replace", NULL};
    static const char *const step[] = {"decoder_sparse_step", "interleave_moe_layer_step",
                                       "moe_layer_freq", NULL};
    const uint64_t dense = orr_config_number(keys, first_dense, 0, 0, ORR_SHAPE_MAX_LAYERS);
    const uint64_t every = orr_config_number(keys, step, 1, 1, ORR_SHAPE_MAX_LAYERS);
    for (uint32_t i = 0; i < shape->layers; i++) {
        const bool on_step = is(shape, "deepseek_v2") || is(shape, "deepseek_v3")
                                 ? i % every == 0
                                 : (i + 1) % every == 0;
        const bool excluded = orr_config_list_has(keys, "mlp_only_layers", i);
        const bool named = orr_config_list_size(keys, "moe_layers") == 0 ||
                           orr_config_list_has(keys, "moe_layers", i);
        if (shape->experts > 0 && i >= dense && on_step && !excluded && named) {
            shape->layer[i].feed = ORR_FEED_EXPERTS;
        }
    }
}

/* ---- all ---- */

static void read_layers(struct config_keys *keys, struct orr_model_shape *shape, bool latent,
                        bool both_ways)
{
    for (uint32_t i = 0; i < shape->layers; i++) {
        shape->layer[i].mixer = latent ? ORR_MIXER_LATENT : ORR_MIXER_ATTENTION;
        shape->layer[i].feed = ORR_FEED_DENSE;
    }
    const char *pattern = orr_config_text(keys, "hybrid_override_pattern");
    if (pattern != NULL) {
        orr_hugging_face_pattern(keys, shape, pattern);
    } else {
        read_expert_layers(keys, shape);
    }
    if (both_ways) {
        for (uint32_t i = 0; i < shape->layers; i++) {
            shape->layer[i].span = ORR_SPAN_ALL;
        }
    } else {
        read_spans(keys, shape);
    }
}

/* An encoder and a decoder of as many layers each, the decoder's with attention to the encoder. */
static bool add_encoder(struct config_keys *keys, struct orr_model_shape *shape,
                        struct orr_arena *arena)
{
    static const char *const decoder[] = {"num_decoder_layers", NULL};
    static const char *const buckets[] = {"relative_attention_num_buckets", NULL};
    const uint32_t encoders = shape->layers;
    const uint32_t decoders =
        (uint32_t)orr_config_number(keys, decoder, encoders, 1, ORR_SHAPE_MAX_LAYERS);
    shape->layer = orr_arena_array(arena, (size_t)encoders + decoders, sizeof *shape->layer);
    if (shape->layer == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < encoders + decoders; i++) {
        shape->layer[i] =
            (struct orr_layer_shape){.mixer = ORR_MIXER_ATTENTION,
                                     .feed = ORR_FEED_DENSE,
                                     .span = i < encoders ? ORR_SPAN_ALL : ORR_SPAN_FULL,
                                     .cross = i >= encoders};
    }
    shape->encoder_layers = encoders;
    shape->layers = encoders + decoders;
    shape->relative_buckets = orr_config_number(keys, buckets, 32, 0, MAX_SIZE);
    return true;
}

static void set_traits(struct config_keys *keys, struct orr_model_shape *shape,
                       const struct model_family *family)
{
    static const char *const types[] = {"type_vocab_size", NULL};
    static const char *const modules[] = {"num_nextn_predict_layers", NULL};
    const unsigned traits = family->traits;
    shape->norms = family->norms;
    shape->gated = (traits & GATED) != 0;
    shape->layer_norm = (traits & LAYER_NORM) != 0;
    shape->no_norm_weight = (traits & NO_NORM_WEIGHT) != 0;
    shape->final_norm = (traits & NO_FINAL_NORM) == 0;
    shape->embedding_norm = (traits & EMBEDDING_NORM) != 0;
    shape->router_bias = (traits & ROUTER_BIAS) != 0;
    shape->expert_bias = (traits & EXPERT_BIAS) != 0;
    shape->shared_gate = (traits & SHARED_GATE) != 0;
    shape->head_bias = (traits & HEAD_BIAS) != 0;
    shape->tied = orr_config_flag(keys, "tie_word_embeddings", (traits & TIED) != 0);
    shape->mtp_modules = (uint32_t)orr_config_number(keys, modules, 0, 0, 64);
    if (is(shape, "bert")) {
        shape->token_types = orr_config_number(keys, types, 2, 0, MAX_SIZE);
        shape->head_dense = shape->hidden;
    }
    if (is(shape, "falcon") && orr_config_flag(keys, "parallel_attn", true) &&
        !orr_config_flag(keys, "new_decoder_architecture", false)) {
        shape->norms = 1;
    }
    if (is(shape, "nemotron_h")) {
        shape->expert_bias = true;
    }
    if (is(shape, "stablelm") && orr_config_flag(keys, "use_parallel_residual", false)) {
        shape->norms = 1;
    }
    if (is(shape, "opt")) {
        static const char *const size[] = {"word_embed_proj_dim", NULL};
        const uint64_t rows = orr_config_number(keys, size, shape->hidden, 1, MAX_SIZE);
        shape->embedding_size = rows != shape->hidden ? rows : 0;
    }
    if (is(shape, "opt") && !orr_config_flag(keys, "do_layer_norm_before", true)) {
        shape->final_norm = false;
    }
}

static enum orr_status read_shape(struct config_keys *keys, struct orr_arena *arena,
                                  struct orr_model_shape *shape, const struct model_family *family)
{
    static const char *const rank[] = {"kv_lora_rank", NULL};
    read_sizes(keys, shape, family->traits);
    if (keys->diag->status != ORR_OK) {
        return keys->diag->status;
    }
    set_traits(keys, shape, family);
    read_feed_forward(keys, shape);
    read_attention(keys, shape, family->traits);
    const bool latent = orr_config_number(keys, rank, 0, 0, MAX_SIZE) > 0;
    if (latent) {
        read_latent(keys, shape);
    }
    read_expert_sizes(keys, shape);
    if (keys->diag->status != ORR_OK) {
        return keys->diag->status;
    }
    if (is(shape, "t5")) {
        return add_encoder(keys, shape, arena) ? keys->diag->status
                                               : orr_diag_no_memory(keys->diag, "a model");
    }
    shape->layer = orr_arena_array(arena, shape->layers, sizeof *shape->layer);
    if (shape->layer == NULL) {
        return orr_diag_no_memory(keys->diag, "a model");
    }
    read_layers(keys, shape, latent, (family->traits & ENCODER) != 0);
    return keys->diag->status;
}

/* The object of the language model, and its type. */
static const json_t *language_model(const json_t *root)
{
    static const char *const nested[] = {"text_config", "llm_config", "language_config"};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        const json_t *text = json_object_get(root, nested[i]);
        if (json_is_object(text)) {
            return text;
        }
    }
    return root;
}

bool orr_is_hugging_face(const json_t *root)
{
    const json_t *model = language_model(root);
    return json_object_get(root, "model_type") != NULL ||
           json_object_get(root, "architectures") != NULL ||
           json_object_get(model, "num_hidden_layers") != NULL;
}

/* A model of pictures or sound, or one whose sizes are in objects of their own, is no language
 * model that is read. */
static enum orr_status check_language(struct config_keys *keys, const char *type)
{
    static const char *const others[] = {"image_size",  "patch_size",        "num_mel_bins",
                                         "conv_dim",    "feat_extract_norm", "vision_config",
                                         "audio_config"};
    static const char *const nested[] = {"ffn_config", "attn_config"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (json_object_get(keys->object, others[i]) != NULL) {
            orr_config_fail(keys, others[i],
                            "a language model is expected, this is one of pictures or sound%s%s",
                            type != NULL ? ": " : "", type != NULL ? type : "");
            return keys->diag->status;
        }
    }
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        if (json_object_get(keys->object, nested[i]) != NULL) {
            orr_config_fail(keys, nested[i], "such files (model_type %s) are not read",
                            type != NULL ? type : "unknown");
            return keys->diag->status;
        }
    }
    return ORR_OK;
}

static const struct model_family *family_of(struct config_keys *keys, struct orr_model_shape *shape,
                                            const char *outer)
{
    const char *type = orr_config_text(keys, "model_type");
    type = type != NULL ? type : outer;
    const struct model_family *family = type != NULL ? orr_model_family(type) : NULL;
    (void)snprintf(shape->name, sizeof shape->name, "%s",
                   family != NULL ? family->type
                   : type != NULL ? type
                                  : "unknown");
    if (family == NULL) {
        const struct orr_location place = orr_location_file(keys->name);
        orr_diag_warn(keys->diag, &place,
                      "model_type \"%s\" is not known; it is read as a LLaMA-like model "
                      "(gated feed-forward, RMS norms, no biases)",
                      shape->name);
        family = orr_model_family("llama");
    }
    return family;
}

enum orr_status orr_hugging_face_read(const char *name, const json_t *root, struct orr_arena *arena,
                                      struct orr_hugging_face *model, struct orr_diag *diag)
{
    struct config_keys keys;
    *model = (struct orr_hugging_face){0};
    const char *outer = json_string_value(json_object_get(root, "model_type"));
    const json_t *text_model = language_model(root);
    orr_config_open(&keys, name, text_model, text_model != root ? root : NULL, arena, diag);
    const struct model_family *family = NULL;
    if (check_language(&keys, outer) == ORR_OK) {
        family = family_of(&keys, &model->shape, outer);
    }
    if (family != NULL && read_shape(&keys, arena, &model->shape, family) == ORR_OK) {
        const char *element = orr_config_text(&keys, "torch_dtype");
        element = element != NULL ? element : orr_config_text(&keys, "dtype");
        model->element = element != NULL ? orr_arena_strdup(arena, element) : NULL;
        memcpy(model->source, keys.source, sizeof model->source);
        model->sources = keys.sources;
        (void)orr_config_close(&keys, &model->understood, &model->understoods, &model->ignored,
                               &model->ignoreds);
    }
    return diag->status;
}
