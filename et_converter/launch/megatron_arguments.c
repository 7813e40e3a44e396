/* Megatron-LM's and Megatron-Bridge's arguments: how the model is trained. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_formats.h"
#include "et_converter/launch/megatron_values.h"
#include "et_converter/launch/megatron_words.h"

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

static void set_chunks(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const struct orr_launch_value *layers =
        orr_launch_get(reading->build->launch, "transformer.layers");
    const uint64_t all = layers != NULL ? strtoull(layers->text, NULL, 10) : 0;
    uint64_t chunks = values->virtual_stages;
    if (values->layers_per_virtual > 0 && values->pipeline > 0 && all > 0) {
        const uint64_t divisor = values->pipeline * values->layers_per_virtual;
        if (all % divisor != 0) {
            (void)orr_megatron_fail(reading, "num_layers_per_virtual_pipeline_stage",
                                    "expected num_layers to be a multiple of it x "
                                    "pipeline_model_parallel_size%s",
                                    "");
            return;
        }
        chunks = all / divisor;
    }
    if (chunks > 1) {
        orr_launch_set(reading->build, "parallel.schedule", "interleaved",
                       "num_layers_per_virtual_pipeline_stage");
        orr_launch_set_number(reading->build, "parallel.chunks", chunks,
                              "num_layers_per_virtual_pipeline_stage");
    }
}

static void set_zero(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    if (values->sharding != NULL) {
        const unsigned stage = orr_megatron_word(values->sharding, orr_megatron_sharding);
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
                       values->bf16 ? "bf16" : "fp16");
    } else if (!values->named && (values->micro_batch > 0 || values->global_batch > 0)) {
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
    } else if (values->bf16 && !values->named) {
        orr_launch_set(reading->build, "training.gradient_bytes",
                       values->reduce_in_bf16 ? "2" : "4",
                       values->reduce_in_bf16 ? "grad_reduce_in_bf16" : "bf16");
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
    if (values->overlap_grad_reduce == 0 && (values->micro_batch > 0 || values->global_batch > 0)) {
        orr_launch_set(reading->build, "training.overlap", "false", "no overlap_grad_reduce");
    }
    set_true(reading, "training.overlap", values->overlap_grad_reduce, "overlap_grad_reduce");
    set_true(reading, "training.overlap_gather", values->overlap_param_gather,
             "overlap_param_gather");
    set_precision(reading);
    if (values->fp8_format != NULL) {
        orr_launch_set(reading->build, "training.product_type", "fp8", "fp8_format");
    }
}

static uint64_t or_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

/* The largest degree that is taken: products of four of them fit. */
enum { MAX_DEGREE = 1 << 15 };

static bool check_degrees(const struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const uint64_t degrees[] = {values->tensor, values->pipeline,      values->context,
                                values->expert, values->expert_tensor, values->layers_per_virtual};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (degrees[i] > MAX_DEGREE) {
            (void)orr_megatron_fail(reading, "parallel", "expected degrees of at most %s", "32768");
            return false;
        }
    }
    return true;
}

/* Data-parallel ranks: what tensor, pipeline and context leave of the processes. */
static void set_data(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const uint64_t tensor = or_one(values->tensor), pipeline = or_one(values->pipeline);
    const uint64_t split = tensor * pipeline * or_one(values->context);
    const uint64_t given = values->nproc + values->nnodes;
    const uint64_t world = values->world > 0 ? values->world
                           : given > 0       ? or_one(values->nproc) * or_one(values->nnodes)
                                             : 0;
    if (world == 0) {
        if (values->data > 0) {
            orr_launch_set_number(reading->build, "parallel.data", values->data,
                                  "data_parallel_size");
        }
        return;
    }
    if (world % split != 0) {
        char text[128];
        (void)snprintf(text, sizeof text,
                       "%" PRIu64 " processes are no multiple of tensor x pipeline x context = "
                       "%" PRIu64,
                       world, split);
        (void)orr_megatron_fail(reading, "nnodes", "%s", text);
        return;
    }
    const uint64_t of_expert = or_one(values->expert) * pipeline *
                               (values->expert_tensor > 0 ? values->expert_tensor : tensor);
    if (values->expert > 0 && world % of_expert != 0) {
        char text[128];
        (void)snprintf(text, sizeof text,
                       "%" PRIu64 " processes are no multiple of expert x expert tensor x pipeline "
                       "= %" PRIu64,
                       world, of_expert);
        (void)orr_megatron_fail(reading, "expert_model_parallel_size", "%s", text);
        return;
    }
    orr_launch_set_number(reading->build, "parallel.data", world / split,
                          values->world > 0 ? "world_size" : "nnodes");
}

static void set_parallel(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    set_if(reading, "parallel.tensor", values->tensor, "tensor_model_parallel_size");
    set_true(reading, "parallel.sequence", values->sequence_parallel, "sequence_parallel");
    set_if(reading, "parallel.context", values->context, "context_parallel_size");
    set_if(reading, "parallel.expert", values->expert, "expert_model_parallel_size");
    set_if(reading, "parallel.pipeline", values->pipeline, "pipeline_model_parallel_size");
    set_chunks(reading);
    set_data(reading);
    set_zero(reading);
}

static bool is_one(const struct launch_text *text)
{
    /* Names that no other program's files have. */
    static const char *const names[] = {
        "num_layers",       "tensor_model_parallel_size", "pipeline_model_parallel_size",
        "micro_batch_size", "global_batch_size",          "num_attention_heads"};
    const struct megatron_arguments *arguments = text->arguments;
    bool found = false;
    for (size_t i = 0; arguments != NULL && i < arguments->count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            found = found || strcmp(arguments->argument[i].name, names[k]) == 0;
        }
    }
    return found;
}

static enum orr_status read(struct launch_build *build, const struct launch_text *text)
{
    struct megatron_reading reading = {.build = build, .text = text};
    if (orr_megatron_read_values(&reading) == ORR_OK && check_degrees(&reading)) {
        orr_megatron_set_model(&reading);
        set_parallel(&reading);
        set_training(&reading);
    }
    return build->diag->status;
}

const struct launch_format orr_launch_megatron = {
    .kind = "megatron_arguments", .what = "Megatron's arguments", .is_one = is_one, .read = read};
