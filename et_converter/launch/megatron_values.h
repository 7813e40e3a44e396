/* Megatron's arguments as values, and the model that they describe. (megatron_arguments.c) */
#ifndef ORR_ET_CONVERTER_LAUNCH_MEGATRON_VALUES_H
#define ORR_ET_CONVERTER_LAUNCH_MEGATRON_VALUES_H

#include <stdint.h>

#include "et_converter/launch/launch_build.h"

/* Values as given; numbers 0, texts NULL, flags false where they are not. */
struct megatron_values {
    uint64_t num_layers, hidden_size, num_attention_heads, num_query_groups, kv_channels,
        ffn_hidden_size, seq_length, vocab_size, make_vocab_size_divisible_by,
        max_position_embeddings, num_experts, moe_router_topk, moe_ffn_hidden_size,
        moe_shared_expert_intermediate_size, moe_latent_size, q_lora_rank, kv_lora_rank,
        qk_head_dim, qk_pos_emb_head_dim, v_head_dim, mtp_num_layers, window_attn_skip_freq,
        mamba_num_heads, mamba_head_dim, mamba_state_dim, mamba_num_groups, padded_vocab_size;
    uint64_t bf16_first, bf16_last, has_bf16_first, has_bf16_last;
    uint64_t tensor, pipeline, context, expert, expert_tensor, replicas, layers_per_virtual,
        virtual_stages, micro_batch, global_batch, nproc, nnodes, world, data;
    uint64_t group_query_attention, multi_latent_attention, qk_layernorm, swiglu, squared_relu,
        untie, disable_bias, add_qkv_bias, rotary, expert_bias, sequence_parallel,
        distributed_optimizer, recompute_activations, overlap_grad_reduce, overlap_param_gather,
        bf16, fp16, fp32, embedding_as_layer, head_as_layer, reduce_in_bf16, reduce_in_fp32,
        fp8_param_gather, has_param_gather, precision_aware, bf16_ends, recompute_layers,
        has_bf16_ends, overlap_experts, zero_bubble, zero_bubble_v, zero_bubble_pending,
        quick_geglu, bias, tied, has_bias, has_tied, has_reduce, has_overlap;
    const char *normalization, *position_embedding_type, *moe_layer_freq, *window_size,
        *recompute_granularity, *recompute_modules, *recompute_method, *pipeline_layout,
        *context_type, *context_sizes, *sharding, *fp8_format, *fp8_recipe, *fp4_format,
        *fp4_recipe, *first_moment_type, *second_moment_type, *hybrid_pattern, *softmax_type,
        *activation, *precision, *model_class, *model_name, *optimizer, *zero_bubble_memory;
    bool named;   /* by lines of a log or a recipe, not by flags */
    bool partial; /* a recipe or overrides, laid over something that says the rest */
};

struct megatron_reading {
    struct launch_build *build;
    const struct launch_text *text;
    struct megatron_values values;
};

/* Reads all arguments of the text into the values. */
enum orr_status orr_megatron_read_values(struct megatron_reading *reading);

/* Adds the model to the launch, if the arguments describe one (megatron_model.c). */
void orr_megatron_set_model(struct megatron_reading *reading);

/* What a V of zero bubbles keeps: as 1F1B, half, least; ended by NULL. */
extern const char *const orr_megatron_v[];

/* Adds how context-parallel ranks share attention, and the modules that are computed again.
 * (megatron_lists.c) */
void orr_megatron_set_context(struct megatron_reading *reading);
void orr_megatron_set_modules(struct megatron_reading *reading);

/* Adds the layers of each part of a pipeline from pipeline_model_parallel_layout; false: there is
 * none. (megatron_layout.c) */
bool orr_megatron_set_layout(struct megatron_reading *reading);

/* The stages of ZeRO by their names, in their order; ended by NULL. */
extern const char *const orr_megatron_sharding[];

/* Records the error "NAME: ..."; the format has one text. */
enum orr_status orr_megatron_fail(const struct megatron_reading *reading, const char *name,
                                  const char *format, const char *value);

#endif
