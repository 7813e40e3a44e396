/* Megatron's arguments by name; see megatron_values.h. Names are those of Megatron-LM's
 * arguments.py, and of the configurations of NeMo and Megatron-Bridge. */
#include "et_converter/launch/megatron_values.h"

#include <stdio.h>
#include <string.h>

#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/launch_words.h"

const char *const orr_megatron_v[] = {"zb", "half", "min", NULL};
const char *const orr_megatron_sharding[] = {"no_shard", "optim", "optim_grads",
                                             "optim_grads_params", NULL};
static const char *const norms[] = {"LayerNorm", "RMSNorm", "layernorm1p", NULL};
static const char *const recompute_methods[] = {"uniform", "block", NULL};
static const char *const recompute[] = {"full", "selective", NULL};

#define AT(member) offsetof(struct megatron_values, member)

static const char *const fp4_recipes[] = {"nvfp4", NULL};
static const struct launch_row rows[] = {
    {"num_layers", LAUNCH_NUMBER, AT(num_layers), NULL, 0},
    {"hidden_size", LAUNCH_NUMBER, AT(hidden_size), NULL, 0},
    {"num_attention_heads", LAUNCH_NUMBER, AT(num_attention_heads), NULL, 0},
    {"num_query_groups", LAUNCH_NUMBER, AT(num_query_groups), NULL, 0},
    {"group_query_attention", LAUNCH_FLAG, AT(group_query_attention), NULL, 0},
    {"kv_channels", LAUNCH_NUMBER, AT(kv_channels), NULL, 0},
    {"ffn_hidden_size", LAUNCH_NUMBER, AT(ffn_hidden_size), NULL, 0},
    {"seq_length", LAUNCH_NUMBER, AT(seq_length), NULL, 0},
    {"encoder_seq_length", LAUNCH_NUMBER, AT(seq_length), NULL, 0},
    {"vocab_size", LAUNCH_NUMBER, AT(vocab_size), NULL, 0},
    {"padded_vocab_size", LAUNCH_NUMBER, AT(padded_vocab_size), NULL, 0},
    {"make_vocab_size_divisible_by", LAUNCH_NUMBER, AT(make_vocab_size_divisible_by), NULL, 0},
    {"max_position_embeddings", LAUNCH_NUMBER, AT(max_position_embeddings), NULL, 0},
    {"position_embedding_type", LAUNCH_TEXT, AT(position_embedding_type), NULL, 0},
    {"use_rotary_position_embeddings", LAUNCH_FLAG, AT(rotary), NULL, 0},
    {"num_experts", LAUNCH_NUMBER, AT(num_experts), NULL, 0},
    {"num_moe_experts", LAUNCH_NUMBER, AT(num_experts), NULL, 0},
    {"moe_router_topk", LAUNCH_NUMBER, AT(moe_router_topk), NULL, 0},
    {"moe_ffn_hidden_size", LAUNCH_NUMBER, AT(moe_ffn_hidden_size), NULL, 0},
    {"moe_shared_expert_intermediate_size", LAUNCH_NUMBER, AT(moe_shared_expert_intermediate_size),
     NULL, 0},
    {"moe_layer_freq", LAUNCH_TEXT, AT(moe_layer_freq), NULL, 0},
    {"moe_latent_size", LAUNCH_NUMBER, AT(moe_latent_size), NULL, 0},
    {"moe_router_enable_expert_bias", LAUNCH_FLAG, AT(expert_bias), NULL, 0},
    {"multi_latent_attention", LAUNCH_FLAG, AT(multi_latent_attention), NULL, 0},
    {"q_lora_rank", LAUNCH_NUMBER, AT(q_lora_rank), NULL, 0},
    {"kv_lora_rank", LAUNCH_NUMBER, AT(kv_lora_rank), NULL, 0},
    {"qk_head_dim", LAUNCH_NUMBER, AT(qk_head_dim), NULL, 0},
    {"qk_pos_emb_head_dim", LAUNCH_NUMBER, AT(qk_pos_emb_head_dim), NULL, 0},
    {"v_head_dim", LAUNCH_NUMBER, AT(v_head_dim), NULL, 0},
    {"qk_layernorm", LAUNCH_FLAG, AT(qk_layernorm), NULL, 0},
    {"mtp_num_layers", LAUNCH_NUMBER, AT(mtp_num_layers), NULL, 0},
    {"window_size", LAUNCH_TEXT, AT(window_size), NULL, 0},
    {"window_attn_skip_freq", LAUNCH_NUMBER, AT(window_attn_skip_freq), NULL, 0},
    {"normalization", LAUNCH_TEXT, AT(normalization), norms, 0},
    {"swiglu", LAUNCH_FLAG, AT(swiglu), NULL, 0},
    {"gated_linear_unit", LAUNCH_FLAG, AT(swiglu), NULL, 0},
    {"quick_geglu", LAUNCH_FLAG, AT(quick_geglu), NULL, 0},
    {"softmax_type", LAUNCH_TEXT, AT(softmax_type), NULL, 0},
    {"squared_relu", LAUNCH_FLAG, AT(squared_relu), NULL, 0},
    {"untie_embeddings_and_output_weights", LAUNCH_FLAG, AT(untie), NULL, 0},
    {"disable_bias_linear", LAUNCH_FLAG, AT(disable_bias), NULL, 0},
    {"add_bias_linear", LAUNCH_FLAG, AT(bias), NULL, AT(has_bias)},
    {"share_embeddings_and_output_weights", LAUNCH_FLAG, AT(tied), NULL, AT(has_tied)},
    {"add_qkv_bias", LAUNCH_FLAG, AT(add_qkv_bias), NULL, 0},
    {"hybrid_layer_pattern", LAUNCH_TEXT, AT(hybrid_pattern), NULL, 0},
    {"hybrid_override_pattern", LAUNCH_TEXT, AT(hybrid_pattern), NULL, 0},
    {"mamba_num_heads", LAUNCH_NUMBER, AT(mamba_num_heads), NULL, 0},
    {"mamba_head_dim", LAUNCH_NUMBER, AT(mamba_head_dim), NULL, 0},
    {"mamba_state_dim", LAUNCH_NUMBER, AT(mamba_state_dim), NULL, 0},
    {"mamba_num_groups", LAUNCH_NUMBER, AT(mamba_num_groups), NULL, 0},
    {"tensor_model_parallel_size", LAUNCH_NUMBER, AT(tensor), NULL, 0},
    {"pipeline_model_parallel_size", LAUNCH_NUMBER, AT(pipeline), NULL, 0},
    {"context_parallel_size", LAUNCH_NUMBER, AT(context), NULL, 0},
    {"cp_comm_type", LAUNCH_TEXT, AT(context_type), NULL, 0},
    {"hierarchical_context_parallel_sizes", LAUNCH_TEXT, AT(context_sizes), NULL, 0},
    {"expert_model_parallel_size", LAUNCH_NUMBER, AT(expert), NULL, 0},
    {"expert_tensor_parallel_size", LAUNCH_NUMBER, AT(expert_tensor), NULL, 0},
    {"num_distributed_optimizer_instances", LAUNCH_NUMBER, AT(replicas), NULL, 0},
    {"pipeline_model_parallel_layout", LAUNCH_TEXT, AT(pipeline_layout), NULL, 0},
    {"num_layers_per_virtual_pipeline_stage", LAUNCH_NUMBER, AT(layers_per_virtual), NULL, 0},
    {"num_virtual_stages_per_pipeline_rank", LAUNCH_NUMBER, AT(virtual_stages), NULL, 0},
    {"virtual_pipeline_model_parallel_size", LAUNCH_NUMBER, AT(virtual_stages), NULL, 0},
    {"overlap_moe_expert_parallel_comm", LAUNCH_FLAG, AT(overlap_experts), NULL, 0},
    {"enable_zero_bubble", LAUNCH_FLAG, AT(zero_bubble), NULL, 0},
    {"zero_bubble_v_schedule", LAUNCH_FLAG, AT(zero_bubble_v), NULL, 0},
    {"zero_bubble_v_schedule_mem_setup", LAUNCH_TEXT, AT(zero_bubble_memory), orr_megatron_v, 0},
    {"zero_bubble_max_pending_backward", LAUNCH_NUMBER, AT(zero_bubble_pending), NULL, 0},
    {"account_for_embedding_in_pipeline_split", LAUNCH_FLAG, AT(embedding_as_layer), NULL, 0},
    {"account_for_loss_in_pipeline_split", LAUNCH_FLAG, AT(head_as_layer), NULL, 0},
    {"optimizer", LAUNCH_TEXT, AT(optimizer), NULL, 0},
    {"sequence_parallel", LAUNCH_FLAG, AT(sequence_parallel), NULL, 0},
    {"use_distributed_optimizer", LAUNCH_FLAG, AT(distributed_optimizer), NULL, 0},
    {"data_parallel_sharding_strategy", LAUNCH_TEXT, AT(sharding), orr_megatron_sharding, 0},
    {"micro_batch_size", LAUNCH_NUMBER, AT(micro_batch), NULL, 0},
    {"global_batch_size", LAUNCH_NUMBER, AT(global_batch), NULL, 0},
    {"recompute_granularity", LAUNCH_TEXT, AT(recompute_granularity), recompute, 0},
    {"recompute_method", LAUNCH_TEXT, AT(recompute_method), recompute_methods, 0},
    {"recompute_num_layers", LAUNCH_NUMBER, AT(recompute_layers), NULL, 0},
    {"recompute_modules", LAUNCH_TEXT, AT(recompute_modules), NULL, 0},
    {"recompute_activations", LAUNCH_FLAG, AT(recompute_activations), NULL, 0},
    {"overlap_grad_reduce", LAUNCH_FLAG, AT(overlap_grad_reduce), NULL, AT(has_overlap)},
    {"overlap_grad_sync", LAUNCH_FLAG, AT(overlap_grad_reduce), NULL, AT(has_overlap)},
    {"overlap_param_sync", LAUNCH_FLAG, AT(overlap_param_gather), NULL, 0},
    {"overlap_param_gather", LAUNCH_FLAG, AT(overlap_param_gather), NULL, 0},
    {"bf16", LAUNCH_FLAG, AT(bf16), NULL, 0},
    {"fp16", LAUNCH_FLAG, AT(fp16), NULL, 0},
    {"grad_reduce_in_bf16", LAUNCH_FLAG, AT(reduce_in_bf16), NULL, 0},
    {"grad_reduce_in_fp32", LAUNCH_FLAG, AT(reduce_in_fp32), NULL, AT(has_reduce)},
    {"accumulate_allreduce_grads_in_fp32", LAUNCH_FLAG, AT(reduce_in_fp32), NULL, AT(has_reduce)},
    {"fp8_format", LAUNCH_TEXT, AT(fp8_format), NULL, 0},
    {"fp8", LAUNCH_TEXT, AT(fp8_format), NULL, 0},
    {"fp8_recipe", LAUNCH_TEXT, AT(fp8_recipe), NULL, 0},
    {"fp8_param_gather", LAUNCH_FLAG, AT(fp8_param_gather), NULL, AT(has_param_gather)},
    {"fp8_param", LAUNCH_FLAG, AT(fp8_param_gather), NULL, AT(has_param_gather)},
    {"fp4_format", LAUNCH_TEXT, AT(fp4_format), NULL, 0},
    {"fp4", LAUNCH_TEXT, AT(fp4_format), NULL, 0},
    {"fp4_recipe", LAUNCH_TEXT, AT(fp4_recipe), fp4_recipes, 0},
    {"first_last_layers_bf16", LAUNCH_FLAG, AT(bf16_ends), NULL, AT(has_bf16_ends)},
    {"num_layers_at_start_in_bf16", LAUNCH_NUMBER, AT(bf16_first), NULL, AT(has_bf16_first)},
    {"num_layers_at_end_in_bf16", LAUNCH_NUMBER, AT(bf16_last), NULL, AT(has_bf16_last)},
    {"use_precision_aware_optimizer", LAUNCH_FLAG, AT(precision_aware), NULL, 0},
    {"exp_avg_dtype", LAUNCH_TEXT, AT(first_moment_type), NULL, 0},
    {"exp_avg_sq_dtype", LAUNCH_TEXT, AT(second_moment_type), NULL, 0},
    {"world_size", LAUNCH_NUMBER, AT(world), NULL, 0},
    {"data_parallel_size", LAUNCH_NUMBER, AT(data), NULL, 0},
    {"nproc_per_node", LAUNCH_NODES, AT(nproc), NULL, 0},
    {"nnodes", LAUNCH_NODES, AT(nnodes), NULL, 0},
    {"sequence_length", LAUNCH_NUMBER, AT(seq_length), NULL, 0},
    {"bias", LAUNCH_FLAG, AT(bias), NULL, AT(has_bias)},
    {"activation", LAUNCH_TEXT, AT(activation), NULL, 0},
    {"activations_checkpoint_granularity", LAUNCH_TEXT, AT(recompute_granularity), recompute, 0},
    {"mixed_precision", LAUNCH_TEXT, AT(precision), NULL, 0},
    {"precision", LAUNCH_TEXT, AT(precision), NULL, 0},
    {"devices", LAUNCH_NODES, AT(nproc), NULL, 0},
    {"num_nodes", LAUNCH_NODES, AT(nnodes), NULL, 0},
    {"num_gpus_per_node", LAUNCH_NODES, AT(nproc), NULL, 0}};

/* Arguments that say nothing of size or speed: those that begin so. */
static const char *const without_effect[] = {"tokenizer",
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
                                             "max_restarts",
                                             "_target_",
                                             "_call_",
                                             "name",
                                             "restore_from_path",
                                             "max_epochs",
                                             "max_steps",
                                             "limit_",
                                             "val_check",
                                             "accelerator",
                                             "enable_checkpointing",
                                             "use_distributed_sampler",
                                             "benchmark",
                                             "use_scaled_init",
                                             "apply_query_key",
                                             "native_amp",
                                             "hysteresis",
                                             "onnx_safe",
                                             "transformer_engine",
                                             "fp8_margin",
                                             "fp8_interval",
                                             "fp8_amax",
                                             "gradient_clip_val",
                                             "manual_gc",
                                             "betas",
                                             "warmup",
                                             "decay",
                                             "persist_layer_norm",
                                             "check_for",
                                             "no_log",
                                             "consumed_",
                                             "rank",
                                             "local_rank",
                                             "iteration",
                                             "mscale",
                                             "beta_fast",
                                             "beta_slow",
                                             "moe_aux_loss",
                                             "moe_z_loss",
                                             "moe_router_bias_update",
                                             "mtp_loss",
                                             "resume_from_checkpoint",
                                             "config_path",
                                             "config_name",
                                             "mcore_gpt",
                                             "accumulate_grad_batches",
                                             "use_cpu_initialization",
                                             "dist_ckpt",
                                             "path_to_cache",
                                             "async_save",
                                             "finetune",
                                             "override_opt",
                                             "adam",
                                             "ffn_dropout",
                                             "layernorm_zero",
                                             NULL};

static const char *const others[] = {"moe_router_dtype", NULL};

static const struct launch_table table = {rows, sizeof rows / sizeof *rows, without_effect, others};

/* ---- sections of recipes ---- */

/* Whether the path begins with a section. */
static bool is_in(const char *path, const char *section)
{
    const size_t length = strlen(section);
    return strncmp(path, section, length) == 0 && (path[length] == '.' || path[length] == '\0');
}

/* Sections of which nothing counts: none has a size or speed. */
static bool is_aside(const char *path)
{
    static const char *const sections[] = {"checkpoint",
                                           "logger",
                                           "tokenizer",
                                           "profiling",
                                           "rng",
                                           "ft",
                                           "scheduler",
                                           "exp_manager",
                                           "run",
                                           "hydra",
                                           "rerun_state_machine",
                                           "nvrx_straggler",
                                           "straggler",
                                           "inprocess_restart",
                                           "ENV_VARS",
                                           "env_vars",
                                           "defaults",
                                           "logging",
                                           "callbacks",
                                           "resume",
                                           "log",
                                           "validation",
                                           "tensor_inspect",
                                           "model.tokenizer",
                                           "model.nsys_profile",
                                           "model.optim.sched",
                                           "trainer.callbacks",
                                           "trainer.logger"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (is_in(path, sections[i])) {
            return true;
        }
    }
    return false;
}

/* Sections of data say how long a sample is, and of NeMo 2 the batch; else of the data's reader. */
static bool counts_of_data(const struct launch_argument *argument)
{
    static const char *const names[] = {"seq_length", "sequence_length", "micro_batch_size",
                                        "global_batch_size"};
    const char *path = argument->path;
    if (!is_in(path, "data") && !is_in(path, "dataset") && !is_in(path, "model.data")) {
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(argument->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Settings that a recipe has for several machines: which one runs is not known. */
static bool is_choice(const char *path)
{
    return is_in(path, "perf_matrix");
}

static void read_argument(struct megatron_reading *reading, const struct launch_argument *argument)
{
    static const char container[] = "ConfigContainer.";
    struct launch_argument inner = *argument;
    if (strncmp(inner.path, container, sizeof container - 1) == 0) {
        inner.path += sizeof container - 1;
    }
    const bool class = strcmp(inner.path, "model.config._target_") == 0 ||
                       strcmp(inner.path, "model._target_") == 0;
    if (class || strcmp(inner.path, "model.hf_model_id") == 0) {
        *(class ? &reading->values.model_class : &reading->values.model_name) = inner.value;
        orr_launch_note(reading->build, argument->path, true);
    } else if (strcmp(inner.path, "model.optim.name") == 0) {
        reading->values.distributed_optimizer =
            inner.value != NULL && strstr(inner.value, "distributed") != NULL;
        orr_launch_note(reading->build, argument->path, true);
    } else if (is_choice(inner.path)) {
        orr_launch_note(reading->build, "perf_matrix", false);
    } else if (is_aside(inner.path) || !counts_of_data(&inner)) {
        orr_launch_note(reading->build, argument->path, true);
    } else {
        orr_launch_read_row(reading->build, &table, argument, &reading->values);
    }
}

enum orr_status orr_megatron_fail(const struct megatron_reading *reading, const char *name,
                                  const char *format, const char *value)
{
    char message[256];
    (void)snprintf(message, sizeof message, format, value);
    return orr_launch_fail(reading->build, name, "%s", message);
}

enum orr_status orr_megatron_read_values(struct megatron_reading *reading)
{
    const struct launch_arguments *arguments = reading->text->arguments;
    reading->values.named = arguments->form != LAUNCH_FLAGS || arguments->overrides;
    reading->values.partial = arguments->form == LAUNCH_RECIPE || arguments->overrides;
    for (size_t i = 0; i < arguments->count; i++) {
        read_argument(reading, &arguments->argument[i]);
    }
    return reading->build->diag->status;
}
