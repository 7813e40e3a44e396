/* Published models: their config.json, with ' for ", and their counts. The numbers of a
 * configuration are facts of the models named. */
#ifndef ORR_TESTS_UNIT_MODEL_CONFIGS_H
#define ORR_TESTS_UNIT_MODEL_CONFIGS_H

#include <stdint.h>

struct model {
    const char *name, *config;
    uint64_t parameters, active; /* active 0: the same */
    double gflops;               /* a token of a training step; 0: not compared */
    uint64_t sequence;
};

static const struct model models[] = {
    {"llama8b",
     "{'model_type': 'llama', 'num_hidden_layers': 32, 'hidden_size': 4096, 'vocab_size': 128256, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'intermediate_size': 14336}",
     8030261248u, 0u, 51.47, 8192u},
    {"llama70b",
     "{'model_type': 'llama', 'num_hidden_layers': 80, 'hidden_size': 8192, 'vocab_size': 128256, "
     "'num_attention_heads': 64, 'num_key_value_heads': 8, 'intermediate_size': 28672}",
     70553706496u, 0u, 449.223, 8192u},
    {"llama405b",
     "{'model_type': 'llama', 'num_hidden_layers': 126, 'hidden_size': 16384, 'vocab_size': "
     "128256, 'num_attention_heads': 128, 'num_key_value_heads': 8, 'intermediate_size': 53248}",
     405853388800u, 0u, 2523.956, 8192u},
    {"llama2-70b",
     "{'model_type': 'llama', 'num_hidden_layers': 80, 'hidden_size': 8192, 'vocab_size': 32000, "
     "'num_attention_heads': 64, 'num_key_value_heads': 8, 'intermediate_size': 28672}",
     68976648192u, 0u, 0.0, 4096u},
    /* 50272 x 512 rows, 2 x 512 x 1024 beside them, 24 layers of 12,596,224, 2050 positions */
    {"opt350m",
     "{'model_type': 'opt', 'num_hidden_layers': 24, 'hidden_size': 1024, 'vocab_size': 50272, "
     "'num_attention_heads': 16, 'ffn_dim': 4096, 'max_position_embeddings': 2048, "
     "'word_embed_proj_dim': 512, 'do_layer_norm_before': false}",
     331196416u, 0u, 0.0, 2048u},
    {"dsv3",
     "{'model_type': 'deepseek_v3', 'num_hidden_layers': 61, 'hidden_size': 7168, 'vocab_size': "
     "129280, 'num_attention_heads': 128, 'num_key_value_heads': 128, 'q_lora_rank': 1536, "
     "'kv_lora_rank': 512, 'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64, 'v_head_dim': 128, "
     "'intermediate_size': 18432, 'moe_intermediate_size': 2048, 'n_routed_experts': 256, "
     "'n_shared_experts': 1, 'num_experts_per_tok': 8, 'first_k_dense_replace': 3, "
     "'moe_layer_freq': 1, 'n_group': 8, 'topk_group': 4, 'num_nextn_predict_layers': 1}",
     671026419200u, 37552297472u, 249.811, 4096u},
    {"k2",
     "{'model_type': 'kimi_k2', 'num_hidden_layers': 61, 'hidden_size': 7168, 'vocab_size': "
     "163840, 'num_attention_heads': 64, 'num_key_value_heads': 64, 'q_lora_rank': 1536, "
     "'kv_lora_rank': 512, 'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64, 'v_head_dim': 128, "
     "'intermediate_size': 18432, 'moe_intermediate_size': 2048, 'n_routed_experts': 384, "
     "'n_shared_experts': 1, 'num_experts_per_tok': 8, 'first_k_dense_replace': 1, "
     "'moe_layer_freq': 1, 'n_group': 8, 'topk_group': 4, 'num_nextn_predict_layers': 0}",
     1026408232448u, 32861500928u, 204.477, 4096u},
    {"q235",
     "{'model_type': 'qwen3_moe', 'num_hidden_layers': 94, 'hidden_size': 4096, 'vocab_size': "
     "151936, 'num_attention_heads': 64, 'num_key_value_heads': 4, 'head_dim': 128, "
     "'intermediate_size': 12288, 'moe_intermediate_size': 1536, 'num_experts': 128, "
     "'num_experts_per_tok': 8, 'decoder_sparse_step': 1, 'mlp_only_layers': []}",
     235093634560u, 22190763520u, 148.035, 4096u},
    {"q30",
     "{'model_type': 'qwen3_moe', 'num_hidden_layers': 48, 'hidden_size': 2048, 'vocab_size': "
     "151936, 'num_attention_heads': 32, 'num_key_value_heads': 4, 'head_dim': 128, "
     "'intermediate_size': 6144, 'moe_intermediate_size': 768, 'num_experts': 128, "
     "'num_experts_per_tok': 8, 'decoder_sparse_step': 1, 'mlp_only_layers': []}",
     30532122624u, 3353032704u, 23.006, 4096u},
    {"oss120",
     "{'model_type': 'gpt_oss', 'num_hidden_layers': 36, 'hidden_size': 2880, 'vocab_size': "
     "201088, 'num_attention_heads': 64, 'num_key_value_heads': 8, 'head_dim': 64, "
     "'intermediate_size': 2880, 'num_local_experts': 128, 'num_experts_per_tok': 4, "
     "'experts_per_token': 4, 'attention_bias': true, 'sliding_window': 128, 'layer_types': "
     "['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'full_attention']}",
     116829156672u, 5711982912u, 32.63, 4096u},
    {"mix7",
     "{'model_type': 'mixtral', 'num_hidden_layers': 32, 'hidden_size': 4096, 'vocab_size': 32000, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'intermediate_size': 14336, "
     "'num_local_experts': 8, 'num_experts_per_tok': 2}",
     46702792704u, 12879925248u, 79.706, 4096u},
    {"mix22",
     "{'model_type': 'mixtral', 'num_hidden_layers': 56, 'hidden_size': 6144, 'vocab_size': 32768, "
     "'num_attention_heads': 48, 'num_key_value_heads': 8, 'intermediate_size': 16384, "
     "'num_local_experts': 8, 'num_experts_per_tok': 2}",
     140630071296u, 39161468928u, 242.196, 4096u},
    {"scout",
     "{'model_type': 'llama4', 'text_config': {'model_type': 'llama4_text', 'num_hidden_layers': "
     "48, 'hidden_size': 5120, 'vocab_size': 202048, 'num_attention_heads': 40, "
     "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 8192, "
     "'intermediate_size_mlp': 16384, 'num_local_experts': 16, 'num_experts_per_tok': 1, "
     "'interleave_moe_layer_step': 1, 'attention_chunk_size': 8192, 'use_qk_norm': true}}",
     107769861120u, 17172894720u, 108.884, 8192u},
    {"mav",
     "{'model_type': 'llama4', 'text_config': {'model_type': 'llama4_text', 'num_hidden_layers': "
     "48, 'hidden_size': 5120, 'vocab_size': 202048, 'num_attention_heads': 40, "
     "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 8192, "
     "'intermediate_size_mlp': 16384, 'num_local_experts': 128, 'num_experts_per_tok': 1, "
     "'interleave_moe_layer_step': 2, 'attention_chunk_size': 8192, 'use_qk_norm': false}}",
     400711848960u, 17184691200u, 0.0, 4096u},
    {"g27",
     "{'model_type': 'gemma3', 'text_config': {'model_type': 'gemma3_text', 'num_hidden_layers': "
     "62, 'hidden_size': 5376, 'vocab_size': 262208, 'num_attention_heads': 32, "
     "'num_key_value_heads': 16, 'head_dim': 128, 'intermediate_size': 21504, 'sliding_window': "
     "1024, 'sliding_window_pattern': 6}}",
     27009346304u, 0u, 0.0, 4096u},
    {"g1",
     "{'model_type': 'gemma3_text', 'num_hidden_layers': 26, 'hidden_size': 1152, 'vocab_size': "
     "262144, 'num_attention_heads': 4, 'num_key_value_heads': 1, 'head_dim': 256, "
     "'intermediate_size': 6912, 'sliding_window': 512, 'sliding_window_pattern': 6}",
     999885952u, 0u, 0.0, 4096u},
    {"nano",
     "{'model_type': 'nemotron_h', 'num_hidden_layers': 52, 'hidden_size': 2688, 'vocab_size': "
     "131072, 'num_attention_heads': 32, 'num_key_value_heads': 2, 'head_dim': 128, "
     "'intermediate_size': 1856, 'moe_intermediate_size': 1856, 'n_routed_experts': 128, "
     "'num_experts_per_tok': 6, 'n_shared_experts': 1, 'moe_shared_expert_intermediate_size': "
     "3712, 'mamba_num_heads': 64, 'mamba_head_dim': 64, 'ssm_state_size': 128, 'n_groups': 8, "
     "'conv_kernel': 4, 'use_conv_bias': true, 'hybrid_override_pattern': "
     "'MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME'}",
     31577940288u, 3580076352u, 20.775, 8192u},
    {"super",
     "{'model_type': 'nemotron_h', 'num_hidden_layers': 88, 'hidden_size': 4096, 'vocab_size': "
     "131072, 'num_attention_heads': 32, 'num_key_value_heads': 2, 'head_dim': 128, "
     "'intermediate_size': 1856, 'moe_intermediate_size': 2688, 'n_routed_experts': 512, "
     "'num_experts_per_tok': 22, 'n_shared_experts': 1, 'moe_shared_expert_intermediate_size': "
     "5376, 'mamba_num_heads': 128, 'mamba_head_dim': 64, 'ssm_state_size': 128, 'n_groups': 8, "
     "'conv_kernel': 4, 'use_conv_bias': true, 'hybrid_override_pattern': "
     "'MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME', "
     "'moe_latent_size': 1024}",
     120668707840u, 12770237440u, 75.372, 8192u},
    {"gpt2",
     "{'model_type': 'gpt2', 'n_layer': 12, 'n_embd': 768, 'n_head': 12, 'n_positions': 1024, "
     "'vocab_size': 50257, 'n_inner': null}",
     124439808u, 0u, 0.0, 4096u},
    {"qwen2.5-7b",
     "{'model_type': 'qwen2', 'num_hidden_layers': 28, 'hidden_size': 3584, 'vocab_size': 152064, "
     "'num_attention_heads': 28, 'num_key_value_heads': 4, 'intermediate_size': 18944}",
     7615616512u, 0u, 0.0, 4096u},
    {"mistral7b",
     "{'model_type': 'mistral', 'num_hidden_layers': 32, 'hidden_size': 4096, 'vocab_size': 32000, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'intermediate_size': 14336, "
     "'sliding_window': 4096}",
     7241732096u, 0u, 0.0, 4096u},
    {"gemma2-9b",
     "{'model_type': 'gemma2', 'num_hidden_layers': 42, 'hidden_size': 3584, 'vocab_size': 256000, "
     "'num_attention_heads': 16, 'num_key_value_heads': 8, 'head_dim': 256, 'intermediate_size': "
     "14336, 'sliding_window': 4096}",
     9241705984u, 0u, 0.0, 4096u},
    {"opt125",
     "{'model_type': 'opt', 'num_hidden_layers': 12, 'hidden_size': 768, 'vocab_size': 50272, "
     "'num_attention_heads': 12, 'ffn_dim': 3072, 'max_position_embeddings': 2048}",
     125239296u, 0u, 0.0, 4096u},
    {"falcon7b",
     "{'model_type': 'falcon', 'num_hidden_layers': 32, 'hidden_size': 4544, 'vocab_size': 65024, "
     "'num_attention_heads': 71, 'multi_query': true, 'parallel_attn': true, 'bias': false}",
     6921720704u, 0u, 0.0, 4096u},
    {"pythia",
     "{'model_type': 'gpt_neox', 'num_hidden_layers': 12, 'hidden_size': 768, 'vocab_size': 50304, "
     "'num_attention_heads': 12, 'intermediate_size': 3072, 'max_position_embeddings': 2048}",
     162322944u, 0u, 0.0, 4096u},
    {"t5small",
     "{'model_type': 't5', 'num_layers': 6, 'd_model': 512, 'num_heads': 8, 'd_kv': 64, 'd_ff': "
     "2048, 'vocab_size': 32128, 'relative_attention_num_buckets': 32, 'feed_forward_proj': "
     "'relu'}",
     60506624u, 0u, 0.0, 4096u},
    {"bloom560",
     "{'model_type': 'bloom', 'n_layer': 24, 'hidden_size': 1024, 'vocab_size': 250880, 'n_head': "
     "16}",
     559214592u, 0u, 0.0, 4096u},
    {"phi2",
     "{'model_type': 'phi', 'num_hidden_layers': 32, 'hidden_size': 2560, 'vocab_size': 51200, "
     "'num_attention_heads': 32, 'intermediate_size': 10240}",
     2779683840u, 0u, 0.0, 4096u},
    {"dsv2lite",
     "{'model_type': 'deepseek_v2', 'num_hidden_layers': 27, 'hidden_size': 2048, 'vocab_size': "
     "102400, 'num_attention_heads': 16, 'q_lora_rank': null, 'kv_lora_rank': 512, "
     "'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64, 'v_head_dim': 128, 'intermediate_size': "
     "10944, 'moe_intermediate_size': 1408, 'n_routed_experts': 64, 'n_shared_experts': 2, "
     "'num_experts_per_tok': 6, 'first_k_dense_replace': 1, 'moe_layer_freq': 1}",
     15706484224u, 0u, 0.0, 4096u},
    {"olmoe",
     "{'model_type': 'olmoe', 'num_hidden_layers': 16, 'hidden_size': 2048, 'vocab_size': 50304, "
     "'num_attention_heads': 16, 'intermediate_size': 1024, 'num_experts': 64, "
     "'num_experts_per_tok': 8}",
     6919161856u, 0u, 0.0, 4096u},
    {"qwen1.5moe",
     "{'model_type': 'qwen2_moe', 'num_hidden_layers': 24, 'hidden_size': 2048, 'vocab_size': "
     "151936, 'num_attention_heads': 16, 'num_key_value_heads': 16, 'intermediate_size': 5632, "
     "'moe_intermediate_size': 1408, 'shared_expert_intermediate_size': 5632, 'num_experts': 60, "
     "'num_experts_per_tok': 4, 'decoder_sparse_step': 1}",
     14315784192u, 0u, 0.0, 4096u},
};

#endif
