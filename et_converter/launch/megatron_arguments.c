/* Megatron-LM's and Megatron-Bridge's arguments: how the model is trained. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_formats.h"
#include "et_converter/launch/launch_precision.h"
#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/megatron_values.h"

static void set_if(struct megatron_reading *reading, const char *path, uint64_t number,
                   const char *key)
{
    if (number > 0) {
        orr_launch_set_number(reading->build, path, number, key);
    }
}

static void set_true(struct megatron_reading *reading, const char *path, uint64_t flag,
                     const char *key)
{
    if (flag > 0) {
        orr_launch_set(reading->build, path, "true", key);
    }
}

/* Of the fork of Qi et al.: ZB-H1 and ZB-H2 by how many backward passes wait for their weights, or
 * a V. */
static bool set_zero_bubble(struct megatron_reading *reading)
{
    static const char *const of_v[] = {"zb-v", "v-half", "v-min"};
    const struct megatron_values *values = &reading->values;
    const bool on = values->zero_bubble > 0 || values->zero_bubble_v > 0;
    const unsigned memory = values->zero_bubble_memory != NULL
                                ? orr_launch_word(values->zero_bubble_memory, orr_megatron_v)
                                : 0;
    if (on && values->pipeline > 1) {
        orr_launch_set(reading->build, "parallel.schedule",
                       values->zero_bubble_v > 0                             ? of_v[memory]
                       : values->zero_bubble_pending >= 2 * values->pipeline ? "zb-h2"
                                                                             : "zb-h1",
                       values->zero_bubble_v > 0 ? "zero_bubble_v_schedule" : "enable_zero_bubble");
    }
    return on && values->pipeline > 1;
}

static void set_chunks(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const struct orr_launch_value *layers =
        orr_launch_get(reading->build->launch, "transformer.layers");
    const uint64_t all = layers != NULL ? strtoull(layers->text, NULL, 10) : 0;
    uint64_t chunks = values->virtual_stages;
    const char *key = "num_virtual_stages_per_pipeline_rank";
    if (values->layers_per_virtual > 0 && values->pipeline > 0 && all > 0) {
        const uint64_t divisor = values->pipeline * values->layers_per_virtual;
        if (divisor > all || all % divisor != 0) {
            (void)orr_megatron_fail(reading, "num_layers_per_virtual_pipeline_stage",
                                    "expected num_layers to be a multiple of it x "
                                    "pipeline_model_parallel_size%s",
                                    "");
            return;
        }
        chunks = all / divisor;
        key = "num_layers_per_virtual_pipeline_stage";
    }
    if (set_zero_bubble(reading)) {
        return;
    }
    const bool merged = values->overlap_experts > 0 && (chunks > 1 || values->pipeline <= 1);
    if (merged) {
        orr_launch_set(reading->build, "parallel.schedule", "merged",
                       "overlap_moe_expert_parallel_comm");
    } else if (chunks > 1) {
        orr_launch_set(reading->build, "parallel.schedule", "interleaved", key);
    }
    if (chunks > 1) {
        orr_launch_set_number(reading->build, "parallel.chunks", chunks, key);
    }
}

static void set_zero(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    if (values->replicas > 1) {
        orr_launch_set_number(reading->build, "parallel.replicas", values->replicas,
                              "num_distributed_optimizer_instances");
    }
    if (values->sharding != NULL) {
        const unsigned stage = orr_launch_word(values->sharding, orr_megatron_sharding);
        orr_launch_set_number(reading->build, "parallel.zero", stage,
                              "data_parallel_sharding_strategy");
        return;
    }
    if (values->distributed_optimizer) {
        orr_launch_set(reading->build, "parallel.zero", "1", "use_distributed_optimizer");
    }
}

/* Megatron trains in FP32 unless it is told otherwise; recipes are laid over others, which may say
 * it. With BF16 it adds gradients up, and reduces them, in FP32. */
static void set_precision(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    if (values->bf16 || values->fp16) {
        orr_launch_set(reading->build, "training.element_bytes", "2",
                       values->precision != NULL ? "precision"
                       : values->bf16            ? "bf16"
                                                 : "fp16");
    } else if (values->fp32) {
        orr_launch_set(reading->build, "training.element_bytes", "4", "precision");
    } else if (!values->partial && (values->micro_batch > 0 || values->global_batch > 0)) {
        orr_launch_assume(reading->build,
                          &(struct launch_assumption){
                              .value = {.path = "training.element_bytes",
                                        .text = "4",
                                        .key = "neither bf16 nor fp16"},
                              .why = "neither --bf16 nor --fp16: Megatron trains in FP32, with "
                                     "training.element_bytes 4"});
    }
    if (values->has_reduce > 0) {
        orr_launch_set(reading->build, "training.gradient_bytes",
                       values->reduce_in_fp32 ? "4" : "2", "grad_reduce_in_fp32");
    } else if (values->bf16 && !values->partial) {
        orr_launch_set(reading->build, "training.gradient_bytes",
                       values->reduce_in_bf16 ? "2" : "4",
                       values->reduce_in_bf16 ? "grad_reduce_in_bf16" : "bf16");
    }
}

static bool is_said(const char *text)
{
    return text != NULL && orr_launch_is_true(text);
}

/* Layers at the ends that stay in BF16: with flags one each, unless it is said how many. */
static void set_ends(const struct megatron_values *values, struct launch_precision *precision)
{
    const bool first = values->has_bf16_first > 0, last = values->has_bf16_last > 0;
    const uint64_t unsaid = values->named ? 0 : 1;
    if (values->has_bf16_ends == 0) {
        return; /* as the recipe's name says */
    }
    const bool ends = values->bf16_ends != 0;
    precision->first = !ends ? 0 : first ? values->bf16_first : unsaid;
    precision->last = !ends ? 0 : last ? values->bf16_last : unsaid;
    precision->first_key = first ? "num_layers_at_start_in_bf16" : "first_last_layers_bf16";
    precision->last_key = last ? "num_layers_at_end_in_bf16" : "first_last_layers_bf16";
}

/* FP8 and FP4: by flags, else by the name of a recipe; flags of Megatron-LM store weights in BF16
 * unless they say otherwise. */
static void set_narrow(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    struct launch_precision precision = {.recipe = NULL};
    const bool fp8 = is_said(values->fp8_format), fp4 = is_said(values->fp4_format);
    if (values->precision != NULL && orr_launch_named_precision(values->precision, &precision)) {
        precision.key = "precision";
    }
    if (fp4) {
        precision.recipe = "nvfp4";
        precision.key = "fp4_format";
    } else if (fp8) {
        precision.plain_weights = precision.recipe == NULL || precision.plain_weights;
        precision.recipe = orr_launch_fp8_recipe(values->fp8_recipe);
        precision.key = values->fp8_recipe != NULL ? "fp8_recipe" : "fp8_format";
    }
    if (values->has_param_gather > 0) {
        precision.plain_weights = values->fp8_param_gather == 0;
        precision.weight_key = "fp8_param_gather";
    }
    if (precision.gradients_in_bf16 && values->has_reduce == 0 && values->partial) {
        orr_launch_set(reading->build, "training.gradient_bytes", "2", "precision");
    }
    set_ends(values, &precision);
    orr_launch_set_precision(reading->build, &precision);
}

/* Moments of Adam in other types than FP32. */
static void set_moments(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const char *first = values->first_moment_type, *second = values->second_moment_type;
    static const char *const types[] = {"fp32",     "bf16",    "fp16",  "fp8",
                                        "bfloat16", "float16", "uint8", NULL};
    static const uint64_t bytes[] = {4, 2, 2, 1, 2, 2, 1};
    if (values->precision_aware == 0 || first == NULL || second == NULL) {
        return;
    }
    const char *const last[] = {strrchr(first, '.'), strrchr(second, '.')};
    const uint64_t each[] = {bytes[orr_launch_word(last[0] != NULL ? last[0] + 1 : first, types)],
                             bytes[orr_launch_word(last[1] != NULL ? last[1] + 1 : second, types)]};
    if (each[0] == each[1] && each[0] != 4) {
        orr_launch_set_number(reading->build, "training.moment_bytes", each[0], "exp_avg_dtype");
    } else if (each[0] != each[1]) {
        orr_launch_set_number(reading->build, "training.optimizer_bytes", 4 + each[0] + each[1],
                              "exp_avg_dtype");
    }
}

static void set_training(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    set_if(reading, "transformer.sequence", values->seq_length, "seq_length");
    set_if(reading, "training.micro_batch", values->micro_batch, "micro_batch_size");
    set_if(reading, "training.batch", values->global_batch, "global_batch_size");
    if (values->recompute_granularity != NULL) {
        orr_launch_set(reading->build, "training.recompute", values->recompute_granularity,
                       "recompute_granularity");
    } else if (values->recompute_activations) {
        orr_launch_set(reading->build, "training.recompute", "selective", "recompute_activations");
    }
    orr_megatron_set_modules(reading);
    if (values->has_overlap > 0) {
        orr_launch_set(reading->build, "training.overlap",
                       values->overlap_grad_reduce ? "true" : "false", "overlap_grad_reduce");
    } else if (!values->partial && (values->micro_batch > 0 || values->global_batch > 0)) {
        orr_launch_set(reading->build, "training.overlap", "false", "no overlap_grad_reduce");
    }
    set_true(reading, "training.overlap_gather", values->overlap_param_gather,
             "overlap_param_gather");
    if (values->optimizer != NULL &&
        (strcmp(values->optimizer, "adam") == 0 || strcmp(values->optimizer, "sgd") == 0)) {
        orr_launch_set(reading->build, "training.optimizer", values->optimizer, "optimizer");
    } else if (values->optimizer != NULL) {
        orr_launch_note(reading->build, orr_launch_origin(reading->build, "optimizer"), false);
    }
    set_precision(reading);
    set_narrow(reading);
    set_moments(reading);
}

/* Processes: said, or nodes times those of a node. */
static void set_world(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const uint64_t nodes = values->nnodes > 0 ? values->nnodes : 1;
    if (values->world > 0) {
        orr_launch_set_world(reading->build, values->world, "world_size");
    } else if (values->nproc + values->nnodes > 0) {
        orr_launch_set_world(reading->build, nodes * (values->nproc > 0 ? values->nproc : 1),
                             "nnodes");
    } else {
        set_if(reading, "parallel.data", values->data, "data_parallel_size");
    }
    orr_launch_set_expert_tensor(reading->build, values->expert_tensor,
                                 "expert_tensor_parallel_size");
}

static void set_parallel(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    set_if(reading, "parallel.tensor", values->tensor, "tensor_model_parallel_size");
    set_true(reading, "parallel.sequence", values->sequence_parallel, "sequence_parallel");
    set_if(reading, "parallel.context", values->context, "context_parallel_size");
    orr_megatron_set_context(reading);
    set_if(reading, "parallel.expert", values->expert, "expert_model_parallel_size");
    set_if(reading, "parallel.pipeline", values->pipeline, "pipeline_model_parallel_size");
    set_true(reading, "parallel.embedding_as_layer", values->embedding_as_layer,
             "account_for_embedding_in_pipeline_split");
    set_true(reading, "parallel.head_as_layer", values->head_as_layer,
             "account_for_loss_in_pipeline_split");
    if (!orr_megatron_set_layout(reading)) {
        set_chunks(reading);
    }
    set_world(reading);
    set_zero(reading);
}

/* Whether an argument has one of the names, which end with NULL. */
static bool has_name(const struct launch_text *text, const char *const *names)
{
    const struct launch_arguments *arguments = text->arguments;
    for (size_t i = 0; arguments != NULL && !arguments->toml && i < arguments->count; i++) {
        for (size_t k = 0; names[k] != NULL; k++) {
            if (strcmp(arguments->argument[i].name, names[k]) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_megatron(const struct launch_text *text)
{
    /* Names that no other program's files have. */
    static const char *const names[] = {"num_layers",
                                        "tensor_model_parallel_size",
                                        "pipeline_model_parallel_size",
                                        "micro_batch_size",
                                        "global_batch_size",
                                        "num_attention_heads",
                                        NULL};
    return has_name(text, names);
}

/* A configuration of NeMo, or overrides of one: Megatron's names, and the trainer's. */
static bool is_nemo(const struct launch_text *text)
{
    const struct launch_arguments *arguments = text->arguments;
    bool trainer = false;
    for (size_t i = 0; arguments != NULL && i < arguments->count; i++) {
        trainer = trainer || strncmp(arguments->argument[i].path, "trainer.", 8) == 0;
    }
    return trainer && is_megatron(text);
}

/* A script that says how many processes there are, and nothing else that is known. */
static bool is_launcher(const struct launch_text *text)
{
    static const char *const names[] = {"nproc_per_node", "nnodes", NULL};
    return has_name(text, names);
}

/* What configurations of NeMo and Megatron-Bridge say in words. */
static void read_words(struct megatron_values *values)
{
    const char *activation = values->activation, *precision = values->precision;
    if (activation != NULL && strstr(activation, "glu") != NULL) {
        values->swiglu = 1; /* swiglu, geglu, reglu, and fast ones: with a gate */
    }
    if (precision != NULL) {
        values->bf16 = values->bf16 || strncmp(precision, "bf16", 4) == 0;
        values->fp16 =
            values->fp16 || strncmp(precision, "16", 2) == 0 || strncmp(precision, "fp16", 4) == 0;
        values->fp32 = strncmp(precision, "32", 2) == 0 || strncmp(precision, "fp32", 4) == 0;
    }
}

static enum orr_status read(struct launch_build *build, const struct launch_text *text)
{
    struct megatron_reading reading = {.build = build, .text = text};
    if (orr_megatron_read_values(&reading) == ORR_OK) {
        read_words(&reading.values);
        orr_megatron_set_model(&reading);
        set_parallel(&reading);
        set_training(&reading);
    }
    return build->diag->status;
}

const struct launch_format orr_launch_nemo = {
    .kind = "nemo_config", .what = "a configuration of NeMo", .is_one = is_nemo, .read = read};
const struct launch_format orr_launch_megatron = {.kind = "megatron_arguments",
                                                  .what = "Megatron's arguments",
                                                  .is_one = is_megatron,
                                                  .read = read};
const struct launch_format orr_launch_launcher = {
    .kind = "launch_script", .what = "a launch script", .is_one = is_launcher, .read = read};
