/* Reads Megatron's arguments by name; see megatron_values.h. Names are those of Megatron-LM's
 * arguments.py. */
#include "et_converter/launch/megatron_values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "et_converter/launch/megatron_words.h"

enum kind { NUMBER, FLAG, TEXT };

struct row {
    const char *name;
    enum kind kind;
    size_t at;
};

#define AT(member) offsetof(struct megatron_values, member)

static const struct row rows[] = {
    {"num_layers", NUMBER, AT(num_layers)},
    {"hidden_size", NUMBER, AT(hidden_size)},
    {"num_attention_heads", NUMBER, AT(num_attention_heads)},
    {"num_query_groups", NUMBER, AT(num_query_groups)},
    {"group_query_attention", FLAG, AT(group_query_attention)},
    {"kv_channels", NUMBER, AT(kv_channels)},
    {"ffn_hidden_size", NUMBER, AT(ffn_hidden_size)},
    {"seq_length", NUMBER, AT(seq_length)},
    {"encoder_seq_length", NUMBER, AT(seq_length)},
    {"vocab_size", NUMBER, AT(vocab_size)},
    {"padded_vocab_size", NUMBER, AT(padded_vocab_size)},
    {"make_vocab_size_divisible_by", NUMBER, AT(make_vocab_size_divisible_by)},
    {"max_position_embeddings", NUMBER, AT(max_position_embeddings)},
    {"position_embedding_type", TEXT, AT(position_embedding_type)},
    {"use_rotary_position_embeddings", FLAG, AT(rotary)},
    {"num_experts", NUMBER, AT(num_experts)},
    {"num_moe_experts", NUMBER, AT(num_experts)},
    {"moe_router_topk", NUMBER, AT(moe_router_topk)},
    {"moe_ffn_hidden_size", NUMBER, AT(moe_ffn_hidden_size)},
    {"moe_shared_expert_intermediate_size", NUMBER, AT(moe_shared_expert_intermediate_size)},
    {"moe_layer_freq", TEXT, AT(moe_layer_freq)},
    {"moe_latent_size", NUMBER, AT(moe_latent_size)},
    {"moe_router_enable_expert_bias", FLAG, AT(expert_bias)},
    {"multi_latent_attention", FLAG, AT(multi_latent_attention)},
    {"q_lora_rank", NUMBER, AT(q_lora_rank)},
    {"kv_lora_rank", NUMBER, AT(kv_lora_rank)},
    {"qk_head_dim", NUMBER, AT(qk_head_dim)},
    {"qk_pos_emb_head_dim", NUMBER, AT(qk_pos_emb_head_dim)},
    {"v_head_dim", NUMBER, AT(v_head_dim)},
    {"qk_layernorm", FLAG, AT(qk_layernorm)},
    {"mtp_num_layers", NUMBER, AT(mtp_num_layers)},
    {"window_size", TEXT, AT(window_size)},
    {"window_attn_skip_freq", NUMBER, AT(window_attn_skip_freq)},
    {"normalization", TEXT, AT(normalization)},
    {"swiglu", FLAG, AT(swiglu)},
    {"gated_linear_unit", FLAG, AT(swiglu)},
    {"quick_geglu", FLAG, AT(quick_geglu)},
    {"softmax_type", TEXT, AT(softmax_type)},
    {"squared_relu", FLAG, AT(squared_relu)},
    {"untie_embeddings_and_output_weights", FLAG, AT(untie)},
    {"disable_bias_linear", FLAG, AT(disable_bias)},
    {"add_bias_linear", FLAG, AT(bias)},
    {"share_embeddings_and_output_weights", FLAG, AT(tied)},
    {"add_qkv_bias", FLAG, AT(add_qkv_bias)},
    {"hybrid_layer_pattern", TEXT, AT(hybrid_pattern)},
    {"hybrid_override_pattern", TEXT, AT(hybrid_pattern)},
    {"mamba_num_heads", NUMBER, AT(mamba_num_heads)},
    {"mamba_head_dim", NUMBER, AT(mamba_head_dim)},
    {"mamba_state_dim", NUMBER, AT(mamba_state_dim)},
    {"mamba_num_groups", NUMBER, AT(mamba_num_groups)},
    {"tensor_model_parallel_size", NUMBER, AT(tensor)},
    {"pipeline_model_parallel_size", NUMBER, AT(pipeline)},
    {"context_parallel_size", NUMBER, AT(context)},
    {"expert_model_parallel_size", NUMBER, AT(expert)},
    {"expert_tensor_parallel_size", NUMBER, AT(expert_tensor)},
    {"num_layers_per_virtual_pipeline_stage", NUMBER, AT(layers_per_virtual)},
    {"num_virtual_stages_per_pipeline_rank", NUMBER, AT(virtual_stages)},
    {"virtual_pipeline_model_parallel_size", NUMBER, AT(virtual_stages)},
    {"sequence_parallel", FLAG, AT(sequence_parallel)},
    {"use_distributed_optimizer", FLAG, AT(distributed_optimizer)},
    {"data_parallel_sharding_strategy", TEXT, AT(sharding)},
    {"micro_batch_size", NUMBER, AT(micro_batch)},
    {"global_batch_size", NUMBER, AT(global_batch)},
    {"recompute_granularity", TEXT, AT(recompute_granularity)},
    {"recompute_activations", FLAG, AT(recompute_activations)},
    {"overlap_grad_reduce", FLAG, AT(overlap_grad_reduce)},
    {"overlap_param_gather", FLAG, AT(overlap_param_gather)},
    {"bf16", FLAG, AT(bf16)},
    {"fp16", FLAG, AT(fp16)},
    {"grad_reduce_in_bf16", FLAG, AT(reduce_in_bf16)},
    {"grad_reduce_in_fp32", FLAG, AT(reduce_in_fp32)},
    {"accumulate_allreduce_grads_in_fp32", FLAG, AT(reduce_in_fp32)},
    {"fp8_format", TEXT, AT(fp8_format)},
    {"fp8", TEXT, AT(fp8_format)},
    {"world_size", NUMBER, AT(world)},
    {"data_parallel_size", NUMBER, AT(data)},
    {"nproc_per_node", NUMBER, AT(nproc)},
    {"nnodes", NUMBER, AT(nnodes)}};

enum { ROWS = sizeof rows / sizeof *rows };

static const struct row *row_of(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Arguments that say nothing of size or speed: those that begin so. */
static bool never_matters(const char *name)
{
    static const char *const beginnings[] = {"tokenizer",
                                             "data_path",
                                             "data_cache",
                                             "train_data",
                                             "valid_data",
                                             "test_data",
                                             "save",
                                             "load",
                                             "lr",
                                             "min_lr",
                                             "log_",
                                             "eval_",
                                             "seed",
                                             "split",
                                             "clip_grad",
                                             "weight_decay",
                                             "adam_",
                                             "init_method",
                                             "train_iters",
                                             "train_samples",
                                             "wandb",
                                             "tensorboard",
                                             "master_",
                                             "node_rank",
                                             "distributed_backend",
                                             "distributed_timeout",
                                             "rdzv",
                                             "num_workers",
                                             "rotary_",
                                             "norm_epsilon",
                                             "layernorm_epsilon",
                                             "use_mcore_models",
                                             "transformer_impl",
                                             "exit_",
                                             "attention_dropout",
                                             "hidden_dropout",
                                             "ckpt_",
                                             "vocab_file",
                                             "merge_file",
                                             "no_load_",
                                             "no_save_",
                                             "timing_",
                                             "profile",
                                             "job_name",
                                             "mock_data",
                                             "max_restarts"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool says_nothing(const char *value)
{
    return value != NULL && (strcmp(value, "None") == 0 || strcmp(value, "null") == 0 ||
                             strcmp(value, "~") == 0 || strcmp(value, "auto") == 0);
}

/* Flags have no value, in logs and recipes true or false. */
static bool is_true(const char *value)
{
    static const char *const no[] = {"False", "false", "0", "no", "off"};
    for (size_t i = 0; value != NULL && i < sizeof no / sizeof *no; i++) {
        if (strcmp(value, no[i]) == 0) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_megatron_fail(const struct megatron_reading *reading, const char *name,
                                  const char *format, const char *value)
{
    char message[256];
    const struct orr_location place = orr_location_file(reading->text->name);
    (void)snprintf(message, sizeof message, format, value);
    return orr_diag_fail(reading->build->diag, ORR_ERR_INPUT, &place, "%s: %s", name, message);
}

/* A value that is made when the script runs: of a variable that it does not set, of a command; or
 * the words of torchrun for what it finds. */
static bool is_made_later(const struct row *row, const char *value)
{
    const bool launcher = row->at == AT(nproc) || row->at == AT(nnodes);
    return value != NULL && (strchr(value, '$') != NULL ||
                             (launcher && strspn(value, "0123456789") < strlen(value)));
}

static void read_number(struct megatron_reading *reading, const struct row *row, const char *value,
                        uint64_t *out)
{
    char *end = NULL;
    const unsigned long long number = value != NULL ? strtoull(value, &end, 10) : 0;
    if (value == NULL || !isdigit((unsigned char)*value) || *end != '\0' || number > 1u << 30) {
        (void)orr_megatron_fail(reading, row->name, "expected a whole number, got \"%.60s\"",
                                value != NULL ? value : "nothing");
        return;
    }
    *out = number;
}

const char *const orr_megatron_sharding[] = {"no_shard", "optim", "optim_grads",
                                             "optim_grads_params", NULL};

unsigned orr_megatron_word(const char *word, const char *const *words)
{
    unsigned place = 0;
    while (words[place] != NULL && strcmp(words[place], word) != 0) {
        place++;
    }
    return words[place] != NULL ? place : 0;
}

/* The words that a text can be, where not all can; NULL: all. */
static const char *const *words_of(const struct row *row)
{
    static const char *const norms[] = {"LayerNorm", "RMSNorm", NULL};
    static const char *const recompute[] = {"full", "selective", NULL};
    return row->at == AT(normalization)           ? norms
           : row->at == AT(recompute_granularity) ? recompute
           : row->at == AT(sharding)              ? orr_megatron_sharding
                                                  : NULL;
}

static void read_text(struct megatron_reading *reading, const struct row *row, const char *value,
                      const char **out)
{
    const char *const *words = words_of(row);
    char list[128] = "";
    bool found = words == NULL;
    for (size_t i = 0; value != NULL && words != NULL && words[i] != NULL; i++) {
        found = found || strcmp(words[i], value) == 0;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    if (value == NULL || !found) {
        const struct orr_location place = orr_location_file(reading->text->name);
        (void)orr_diag_fail(reading->build->diag, ORR_ERR_INPUT, &place,
                            "%s: expected %s, got \"%.60s\"", row->name,
                            words != NULL ? list : "a word", value != NULL ? value : "nothing");
        return;
    }
    *out = value;
}

static void read_argument(struct megatron_reading *reading,
                          const struct megatron_argument *argument)
{
    const struct row *row = row_of(argument->name);
    if (row == NULL) {
        orr_launch_note(reading->build, argument->name, never_matters(argument->name));
        return;
    }
    orr_launch_note(reading->build, argument->name, true);
    if (says_nothing(argument->value)) {
        return;
    }
    if (row->kind == NUMBER && is_made_later(row, argument->value)) {
        const struct orr_location place = orr_location_file(reading->text->name);
        orr_diag_warn(reading->build->diag, &place, "%s: \"%s\" is known when it runs only",
                      argument->name, argument->value);
        return;
    }
    char *member = (char *)&reading->values + row->at;
    if (row->kind == NUMBER) {
        read_number(reading, row, argument->value, (uint64_t *)(void *)member);
    } else if (row->kind == TEXT) {
        read_text(reading, row, argument->value, (const char **)(void *)member);
    } else {
        *(uint64_t *)(void *)member = is_true(argument->value) ? 1 : 0;
        reading->values.has_bias += row->at == AT(bias) ? 1 : 0;
        reading->values.has_tied += row->at == AT(tied) ? 1 : 0;
        reading->values.has_reduce += row->at == AT(reduce_in_fp32) ? 1 : 0;
    }
}

enum orr_status orr_megatron_read_values(struct megatron_reading *reading)
{
    const struct megatron_arguments *arguments = reading->text->arguments;
    reading->values.named = arguments->named;
    for (size_t i = 0; i < arguments->count; i++) {
        read_argument(reading, &arguments->argument[i]);
    }
    return reading->build->diag->status;
}
