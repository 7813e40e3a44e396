/* The model that Megatron's arguments describe; see megatron_values.h. Defaults are those of
 * Megatron-LM's arguments.py. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "et_converter/launch/hugging_face_config.h"
#include "et_converter/launch/megatron_values.h"
#include "et_converter/launch/model_flavors.h"

/* ---- layers ---- */

/* A layer frequency: N (every N-th has experts), or a Python expression of lists: [0]*3+[1]*58,
 * ([0,1]*24). Returns the number of layers written; 0: not such a thing. */
static size_t read_list(const char *at, bool *experts, size_t room)
{
    size_t count = 0;
    for (;;) {
        bool item[ORR_SHAPE_MAX_LAYERS];
        size_t items = 0;
        while (*at == ' ' || *at == '(' || *at == '+') {
            at++;
        }
        if (*at != '[') {
            return *at == '\0' ? count : 0;
        }
        for (at++; *at != ']'; at++) {
            if ((*at != '0' && *at != '1' && *at != ',' && *at != ' ') ||
                items == sizeof item / sizeof *item) {
                return 0;
            }
            if (*at == '0' || *at == '1') {
                item[items++] = *at == '1';
            }
        }
        at++;
        while (*at == ' ') {
            at++;
        }
        unsigned long times = 1;
        if (*at == '*') {
            char *end = NULL;
            times = strtoul(at + 1, &end, 10);
            at = end;
        }
        if (items == 0 || times > room) {
            return 0;
        }
        for (unsigned long i = 0; i < times; i++) {
            for (size_t k = 0; k < items; k++) {
                if (count == room) {
                    return 0;
                }
                experts[count++] = item[k];
            }
        }
        while (*at == ' ' || *at == ')') {
            at++;
        }
    }
}

static void read_expert_layers(struct megatron_reading *reading, struct orr_model_shape *shape)
{
    const char *frequency = reading->values.moe_layer_freq;
    bool experts[ORR_SHAPE_MAX_LAYERS];
    char *end = NULL;
    const unsigned long every = frequency != NULL ? strtoul(frequency, &end, 10) : 1;
    const bool number = frequency == NULL || (end != frequency && *end == '\0' && every > 0);
    const size_t listed =
        number ? shape->layers : read_list(frequency, experts, ORR_SHAPE_MAX_LAYERS);
    if (listed != shape->layers) {
        (void)orr_megatron_fail(
            reading, "moe_layer_freq",
            "expected a number or a list of 0 and 1 for each layer, got \"%.60s\"", frequency);
        return;
    }
    for (uint32_t i = 0; i < shape->layers; i++) {
        if (number ? i % every == 0 : experts[i]) {
            shape->layer[i].feed = ORR_FEED_EXPERTS;
        }
    }
}

static void read_pattern(struct megatron_reading *reading, struct orr_model_shape *shape)
{
    const char *pattern = reading->values.hybrid_pattern;
    uint32_t modules = 0;
    size_t length = strcspn(pattern, "/");
    for (const char *at = pattern + length; *at != '\0'; at++) {
        modules += *at == '/' ? 1 : 0;
    }
    if (length != shape->layers || strspn(pattern, "ME*-") < length) {
        (void)orr_megatron_fail(reading, "hybrid_layer_pattern",
                                "expected a letter M, E, * or - for each layer, got \"%.100s\"",
                                pattern);
        return;
    }
    shape->norm_per_part = true;
    shape->mtp_modules = modules;
    if (modules > 0) {
        const char *module = pattern + length + 1;
        orr_launch_module_layer(shape, module, strcspn(module, "/"));
    }
    for (uint32_t i = 0; i < shape->layers; i++) {
        shape->layer[i].mixer = pattern[i] == 'M'   ? ORR_MIXER_MAMBA2
                                : pattern[i] == '*' ? ORR_MIXER_ATTENTION
                                                    : ORR_MIXER_NONE;
        shape->layer[i].feed = pattern[i] == 'E'   ? ORR_FEED_EXPERTS
                               : pattern[i] == '-' ? ORR_FEED_DENSE
                                                   : ORR_FEED_NONE;
    }
}

static void read_windows(struct megatron_reading *reading, struct orr_model_shape *shape)
{
    const struct megatron_values *values = &reading->values;
    if (values->window_size == NULL) {
        return;
    }
    const char *digits = values->window_size;
    while (*digits != '\0' && !isdigit((unsigned char)*digits) && *digits != '-') {
        digits++;
    }
    if (*digits == '-') {
        return; /* -1: no window */
    }
    const uint32_t window = (uint32_t)strtoul(digits, NULL, 10) + 1; /* W,0: W before its own */
    const uint64_t skip = values->window_attn_skip_freq;
    for (uint32_t i = 0; i < shape->layers; i++) {
        if (skip == 0 || (i + 1) % skip != 0) {
            shape->layer[i].span = ORR_SPAN_WINDOW;
            shape->layer[i].window = window;
        }
    }
}

/* ---- the model ---- */

static uint64_t standard_width(const struct megatron_values *values)
{
    return values->swiglu || values->quick_geglu ? values->hidden_size * 4 * 2 / 3 / 64 * 64
                                                 : 4 * values->hidden_size;
}

static uint64_t padded_vocabulary(const struct megatron_values *values)
{
    if (values->padded_vocab_size > 0) {
        return values->padded_vocab_size;
    }
    const uint64_t by =
        (values->make_vocab_size_divisible_by > 0 ? values->make_vocab_size_divisible_by : 128) *
        (values->tensor > 0 ? values->tensor : 1);
    return (values->vocab_size + by - 1) / by * by;
}

static void set_attention(const struct megatron_values *values, struct orr_model_shape *shape)
{
    shape->heads = values->num_attention_heads;
    const bool grouped =
        values->num_query_groups > 0 && (values->group_query_attention || values->named);
    shape->kv_heads = grouped ? values->num_query_groups : shape->heads;
    shape->head_size =
        values->kv_channels > 0 ? values->kv_channels : values->hidden_size / shape->heads;
    const bool bias = values->has_bias > 0 ? values->bias > 0 : !values->disable_bias;
    shape->qkv_bias = bias || values->add_qkv_bias;
    shape->out_bias = shape->feed_bias = bias;
    shape->sinks = values->softmax_type != NULL && strcmp(values->softmax_type, "learnable") == 0;
    shape->qk_norm =
        values->qk_layernorm && !values->multi_latent_attention ? ORR_QK_NORM_HEAD : ORR_QK_PLAIN;
    if (values->multi_latent_attention) {
        shape->query_rank = values->q_lora_rank;
        shape->kv_rank = values->kv_lora_rank > 0 ? values->kv_lora_rank : 32;
        shape->no_position_size = values->qk_head_dim > 0 ? values->qk_head_dim : 128;
        shape->rotary_size = values->qk_pos_emb_head_dim > 0 ? values->qk_pos_emb_head_dim : 64;
        shape->value_size = values->v_head_dim > 0 ? values->v_head_dim : 128;
    }
}

static void set_experts(struct megatron_reading *reading, struct orr_model_shape *shape)
{
    const struct megatron_values *values = &reading->values;
    const uint64_t standard = values->num_experts < 2 ? values->num_experts : 2;
    shape->experts = values->num_experts;
    shape->experts_per_token = values->moe_router_topk > 0 ? values->moe_router_topk : standard;
    if (shape->experts_per_token > shape->experts) {
        (void)orr_megatron_fail(reading, "moe_router_topk", "expected at most num_experts%s", "");
    }
    shape->expert_width =
        values->moe_ffn_hidden_size > 0 ? values->moe_ffn_hidden_size : shape->width;
    shape->shared_width = values->moe_shared_expert_intermediate_size;
    shape->expert_latent = values->moe_latent_size;
    shape->expert_bias = values->expert_bias != 0;
}

static void set_mamba(const struct megatron_values *values, struct orr_model_shape *shape)
{
    shape->mamba_head_size = values->mamba_head_dim > 0 ? values->mamba_head_dim : 64;
    shape->mamba_heads = values->mamba_num_heads > 0
                             ? values->mamba_num_heads
                             : 2 * values->hidden_size / shape->mamba_head_size;
    shape->mamba_state = values->mamba_state_dim > 0 ? values->mamba_state_dim : 128;
    shape->mamba_groups = values->mamba_num_groups > 0 ? values->mamba_num_groups : 8;
    shape->mamba_convolution = 4;
    shape->mamba_convolution_bias = true;
}

static void set_sizes(const struct megatron_values *values, struct orr_model_shape *shape)
{
    const char *position = values->position_embedding_type;
    const bool learned =
        !values->rotary && (position == NULL || strcmp(position, "learned_absolute") == 0);
    (void)snprintf(shape->name, sizeof shape->name, "megatron");
    shape->hidden = values->hidden_size;
    shape->layers = (uint32_t)values->num_layers;
    shape->vocabulary = padded_vocabulary(values);
    shape->positions = learned ? values->max_position_embeddings : 0;
    shape->norms = 2;
    shape->final_norm = true;
    shape->tied = values->has_tied > 0 ? values->tied > 0 : !values->untie;
    shape->layer_norm =
        values->normalization == NULL || strncasecmp(values->normalization, "layernorm", 9) == 0;
    shape->gated = values->swiglu != 0 || values->quick_geglu != 0;
    shape->width = values->ffn_hidden_size > 0 ? values->ffn_hidden_size : standard_width(values);
    shape->mtp_modules = (uint32_t)values->mtp_num_layers;
}

/* The sizes that were given, with their names. */
static size_t keys_given(const struct megatron_values *values, struct launch_size_key key[12])
{
    const struct {
        uint64_t given;
        struct launch_size_key key;
    } sizes[] = {
        {values->num_layers, {"layers", "num_layers"}},
        {values->hidden_size, {"hidden", "hidden_size"}},
        {values->num_attention_heads, {"heads", "num_attention_heads"}},
        {values->num_query_groups, {"kv_heads", "num_query_groups"}},
        {values->kv_channels, {"head_size", "kv_channels"}},
        {values->ffn_hidden_size, {"ffn", "ffn_hidden_size"}},
        {values->padded_vocab_size, {"vocabulary", "padded_vocab_size"}},
        {values->padded_vocab_size == 0 ? values->vocab_size : 0, {"vocabulary", "vocab_size"}},
        {values->max_position_embeddings, {"positions", "max_position_embeddings"}},
        {values->num_experts, {"experts", "num_experts"}},
        {values->moe_router_topk, {"experts_per_token", "moe_router_topk"}},
        {values->moe_ffn_hidden_size, {"expert_ffn", "moe_ffn_hidden_size"}}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].given > 0) {
            key[count++] = sizes[i].key;
        }
    }
    return count;
}

/* A model that the file only names, by its class or by that of Hugging Face. */
static bool set_named(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    return (values->model_name != NULL &&
            orr_launch_set_flavor(reading->build, values->model_name, "model.hf_model_id")) ||
           (values->model_class != NULL &&
            orr_launch_set_flavor(reading->build, values->model_class, "model._target_"));
}

/* The model, if the arguments have one. */
void orr_megatron_set_model(struct megatron_reading *reading)
{
    struct megatron_values *values = &reading->values;
    if (values->num_layers == 0 && values->hybrid_pattern != NULL) {
        values->num_layers = strcspn(values->hybrid_pattern, "/");
    }
    struct orr_model_shape shape = {0};
    if (values->num_layers == 0 || values->hidden_size == 0 || values->num_attention_heads == 0) {
        if (set_named(reading)) {
            return;
        }
        if (values->num_layers > 0) { /* beside a file that describes the rest */
            orr_launch_set_number(reading->build, "transformer.layers", values->num_layers,
                                  "num_layers");
        }
        return;
    }
    if (values->num_layers > ORR_SHAPE_MAX_LAYERS) {
        (void)orr_megatron_fail(reading, "num_layers", "expected at most %s", "4096");
        return;
    }
    set_sizes(values, &shape);
    set_attention(values, &shape);
    shape.layer = orr_arena_array(reading->build->arena, shape.layers, sizeof *shape.layer);
    if (shape.layer == NULL) {
        (void)orr_diag_no_memory(reading->build->diag, "a model");
        return;
    }
    for (uint32_t i = 0; i < shape.layers; i++) {
        shape.layer[i].mixer =
            values->multi_latent_attention ? ORR_MIXER_LATENT : ORR_MIXER_ATTENTION;
        shape.layer[i].feed = ORR_FEED_DENSE;
    }
    if (values->num_experts > 0) {
        set_experts(reading, &shape);
    }
    if (values->hybrid_pattern != NULL) {
        set_mamba(values, &shape);
        read_pattern(reading, &shape);
    } else if (values->num_experts > 0) {
        read_expert_layers(reading, &shape);
    }
    read_windows(reading, &shape);
    reading->build->unpadded_vocabulary =
        values->padded_vocab_size == 0 ? values->vocab_size : reading->build->unpadded_vocabulary;
    struct launch_size_key key[12];
    orr_launch_set_shape(reading->build, &shape, key, keys_given(values, key));
}
