/* Arguments of Hugging Face's Trainer (on a command line, in YAML or JSON), of programs made of it,
 * and the configuration of its launcher accelerate. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "et_converter/launch/launch_formats.h"
#include "et_converter/launch/launch_precision.h"
#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/model_flavors.h"

/* Values as given; numbers 0, texts NULL where they are not. */
struct trainer {
    const char *model, *fsdp, *strategy, *precision, *optimizer_device, *parameter_device,
        *deepspeed, *distributed;
    uint64_t micro_batch, accumulation, sequence, zero, has_zero, checkpointing, bf16, fp16, nproc,
        nnodes, processes, machines, gpus, offload, tensor, context, reshard, has_reshard;
};

#define AT(member) offsetof(struct trainer, member)

static const struct launch_row rows[] = {
    {"model_name_or_path", LAUNCH_TEXT, AT(model), NULL, 0},
    {"base_model", LAUNCH_TEXT, AT(model), NULL, 0},
    {"per_device_train_batch_size", LAUNCH_NUMBER, AT(micro_batch), NULL, 0},
    {"micro_batch_size", LAUNCH_NUMBER, AT(micro_batch), NULL, 0},
    {"gradient_accumulation_steps", LAUNCH_NUMBER, AT(accumulation), NULL, 0},
    {"max_seq_length", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"max_length", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"model_max_length", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"block_size", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"cutoff_len", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"sequence_len", LAUNCH_NUMBER, AT(sequence), NULL, 0},
    {"gradient_checkpointing", LAUNCH_FLAG, AT(checkpointing), NULL, 0},
    {"fsdp_activation_checkpointing", LAUNCH_FLAG, AT(checkpointing), NULL, 0},
    {"bf16", LAUNCH_FLAG, AT(bf16), NULL, 0},
    {"fp16", LAUNCH_FLAG, AT(fp16), NULL, 0},
    {"mixed_precision", LAUNCH_TEXT, AT(precision), NULL, 0},
    {"fsdp", LAUNCH_TEXT, AT(fsdp), NULL, 0},
    {"fsdp_sharding_strategy", LAUNCH_TEXT, AT(strategy), NULL, 0},
    {"fsdp_reshard_after_forward", LAUNCH_TEXT, AT(strategy), NULL, 0},
    {"reshard_after_forward", LAUNCH_FLAG, AT(reshard), NULL, AT(has_reshard)},
    {"fsdp_offload_params", LAUNCH_FLAG, AT(offload), NULL, 0},
    {"deepspeed", LAUNCH_TEXT, AT(deepspeed), NULL, 0},
    {"deepspeed_config_file", LAUNCH_TEXT, AT(deepspeed), NULL, 0},
    {"zero_stage", LAUNCH_NUMBER, AT(zero), NULL, AT(has_zero)},
    {"offload_optimizer_device", LAUNCH_TEXT, AT(optimizer_device), NULL, 0},
    {"offload_param_device", LAUNCH_TEXT, AT(parameter_device), NULL, 0},
    {"distributed_type", LAUNCH_TEXT, AT(distributed), NULL, 0},
    {"tensor_parallel_size", LAUNCH_NUMBER, AT(tensor), NULL, 0},
    {"tp_size", LAUNCH_NUMBER, AT(tensor), NULL, 0},
    {"context_parallel_size", LAUNCH_NUMBER, AT(context), NULL, 0},
    {"num_processes", LAUNCH_NODES, AT(processes), NULL, 0},
    {"num_machines", LAUNCH_NODES, AT(machines), NULL, 0},
    {"nproc_per_node", LAUNCH_NODES, AT(nproc), NULL, 0},
    {"num_gpus", LAUNCH_NODES, AT(nproc), NULL, 0},
    {"nnodes", LAUNCH_NODES, AT(nnodes), NULL, 0},
    {"num_nodes", LAUNCH_NODES, AT(nnodes), NULL, 0}};

static const char *const without_effect[] = {"output_dir",
                                             "overwrite_",
                                             "do_train",
                                             "do_eval",
                                             "do_predict",
                                             "learning_rate",
                                             "lr",
                                             "seed",
                                             "data_seed",
                                             "num_train_epochs",
                                             "num_epochs",
                                             "max_steps",
                                             "warmup",
                                             "weight_decay",
                                             "adam_",
                                             "logging",
                                             "log_",
                                             "save_",
                                             "eval_",
                                             "evaluation_",
                                             "per_device_eval",
                                             "report_to",
                                             "run_name",
                                             "push_to_hub",
                                             "hub_",
                                             "dataset",
                                             "dataloader",
                                             "train_file",
                                             "validation_",
                                             "preprocessing",
                                             "max_grad_norm",
                                             "max_samples",
                                             "remove_unused",
                                             "ddp_timeout",
                                             "template",
                                             "finetuning_type",
                                             "stage_name",
                                             "plot_loss",
                                             "resume_from",
                                             "trust_remote",
                                             "tokenizer",
                                             "token",
                                             "val_",
                                             "wandb",
                                             "main_",
                                             "machine_rank",
                                             "rdzv",
                                             "master_",
                                             "node_rank",
                                             "same_network",
                                             "use_cpu",
                                             "compute_environment",
                                             "debug",
                                             "downcast",
                                             "tpu_",
                                             "enable_cpu_affinity",
                                             "config_file",
                                             "fsdp_cpu_ram",
                                             "fsdp_state_dict",
                                             "fsdp_sync_module",
                                             "fsdp_transformer_layer",
                                             "fsdp_auto_wrap",
                                             "fsdp_use_orig",
                                             "fsdp_version",
                                             "zero3_init",
                                             "zero3_save",
                                             "special_tokens",
                                             "datasets",
                                             "chat_template",
                                             "cache_dir",
                                             "disable_tqdm",
                                             "load_best",
                                             "metric_for",
                                             "greater_is",
                                             "early_stopping",
                                             "group_by_length",
                                             "shuffle",
                                             "ddp_find",
                                             "bf16_full_eval",
                                             "include_num",
                                             NULL};

static const struct launch_table table = {rows, sizeof rows / sizeof *rows, without_effect, NULL};

/* ---- what is set ---- */

static void set_if(struct launch_build *build, const char *path, uint64_t number, const char *key)
{
    if (number > 0) {
        orr_launch_set_number(build, path, number, key);
    }
}

/* Of a strategy of FSDP: 3 shares parameters, 2 gradients, 0 nothing; -1: no word of one. */
static int stage_of(const char *text)
{
    static const struct {
        const char *word;
        int stage;
    } words[] = {{"FULL_SHARD", 3},
                 {"HYBRID_SHARD_ZERO2", 2},
                 {"HYBRID_SHARD", 3},
                 {"SHARD_GRAD_OP", 2},
                 {"NO_SHARD", 0},
                 {"true", 3},
                 {"false", 2},
                 {"1", 3},
                 {"2", 2},
                 {"3", 0},
                 {"4", 3}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if (strncasecmp(text + (*text == '[' ? 1 : 0), words[i].word, length) == 0) {
            return words[i].stage;
        }
    }
    return -1;
}

static void set_fsdp(struct launch_build *build, const char *text, const char *key)
{
    const int stage = text != NULL ? stage_of(text) : -1;
    if (stage >= 0) {
        orr_launch_set_number(build, "parallel.zero", (uint64_t)stage, key);
    } else if (text != NULL && orr_launch_is_true(text) && strcmp(text, "[]") != 0) {
        (void)orr_launch_fail(build, key,
                              "expected FULL_SHARD, SHARD_GRAD_OP, NO_SHARD or "
                              "HYBRID_SHARD, got \"%.60s\"",
                              text);
    }
    if (text != NULL && strstr(text, "offload") != NULL) {
        orr_launch_set(build, "training.offload_parameters", "sharded", key);
    }
}

static bool is_device(const char *text)
{
    return text != NULL && strcmp(text, "none") != 0;
}

/* PyTorch's hybrid strategies shard on each machine. */
static bool is_hybrid(const char *text)
{
    return text != NULL && (strstr(text, "HYBRID") != NULL || strstr(text, "hybrid") != NULL ||
                            strcmp(text, "4") == 0);
}

static void set_replicas(struct launch_build *build, const struct trainer *trainer)
{
    const uint64_t machines = trainer->machines > 0 ? trainer->machines : trainer->nnodes;
    if (machines > 1 && (is_hybrid(trainer->fsdp) || is_hybrid(trainer->strategy))) {
        orr_launch_set_number(build, "parallel.replicas", machines,
                              is_hybrid(trainer->strategy) ? "fsdp_sharding_strategy" : "fsdp");
    }
}

static void set_sharing(struct launch_build *build, const struct trainer *trainer)
{
    set_replicas(build, trainer);
    if (trainer->has_zero > 0 && trainer->zero > 3) {
        (void)orr_launch_fail(build, "zero_stage", "expected 0 to 3");
    } else if (trainer->has_zero > 0) {
        orr_launch_set_number(build, "parallel.zero", trainer->zero, "zero_stage");
    }
    set_fsdp(build, trainer->fsdp, "fsdp");
    set_fsdp(build, trainer->strategy, "fsdp_sharding_strategy");
    if (is_device(trainer->optimizer_device)) {
        orr_launch_set(build, "training.offload_optimizer", "npu", "offload_optimizer_device");
    }
    if (is_device(trainer->parameter_device) || trainer->offload) {
        orr_launch_set(build, "training.offload_parameters", "sharded",
                       trainer->offload ? "fsdp_offload_params" : "offload_param_device");
    }
    if (trainer->deepspeed != NULL && strstr(trainer->deepspeed, ".json") != NULL) {
        const struct orr_location place =
            orr_location_file(build->launch->file[build->launch->files - 1].name);
        orr_diag_warn(build->diag, &place, "deepspeed: %s says the rest; give it as well",
                      trainer->deepspeed);
    }
}

static void set_precision(struct launch_build *build, const struct trainer *trainer)
{
    const char *precision = trainer->precision;
    const bool half =
        precision != NULL && (strcmp(precision, "bf16") == 0 || strcmp(precision, "fp16") == 0 ||
                              strcmp(precision, "fp8") == 0);
    if (trainer->bf16 || trainer->fp16 || half) {
        orr_launch_set(build, "training.element_bytes", "2",
                       trainer->bf16   ? "bf16"
                       : trainer->fp16 ? "fp16"
                                       : "mixed_precision");
    }
    if (precision != NULL && strcmp(precision, "fp8") == 0) {
        /* Transformer Engine's default, with weights in their own type */
        const struct launch_precision fp8 = {
            .recipe = "fp8_delayed", .plain_weights = true, .key = "mixed_precision"};
        orr_launch_set_precision(build, &fp8);
    }
}

static void set_batch(struct launch_build *build, const struct trainer *trainer)
{
    const uint64_t steps = trainer->accumulation > 0 ? trainer->accumulation : 1;
    set_if(build, "training.micro_batch", trainer->micro_batch, "per_device_train_batch_size");
    if (trainer->micro_batch > 0) {
        build->samples_per_rank = trainer->micro_batch * steps;
        build->samples_key = orr_arena_strdup(
            build->arena,
            orr_launch_origin(build, trainer->accumulation > 0 ? "gradient_accumulation_steps"
                                                               : "per_device_train_batch_size"));
    }
}

static void set_processes(struct launch_build *build, const struct trainer *trainer)
{
    const uint64_t nodes = trainer->nnodes > 0 ? trainer->nnodes : 1;
    if (trainer->processes > 0) {
        orr_launch_set_world(build, trainer->processes, "num_processes");
    } else if (trainer->nproc + trainer->nnodes > 0) {
        orr_launch_set_world(build, nodes * (trainer->nproc > 0 ? trainer->nproc : 1),
                             trainer->nnodes > 0 ? "nnodes" : "nproc_per_node");
    }
}

static void set_values(struct launch_build *build, const struct trainer *trainer)
{
    if (trainer->model != NULL) {
        (void)orr_launch_set_flavor(build, trainer->model, "model_name_or_path");
    }
    set_if(build, "transformer.sequence", trainer->sequence, "max_seq_length");
    set_if(build, "parallel.tensor", trainer->tensor, "tensor_parallel_size");
    set_if(build, "parallel.context", trainer->context, "context_parallel_size");
    set_sharing(build, trainer);
    set_batch(build, trainer);
    set_precision(build, trainer);
    set_processes(build, trainer);
    if (trainer->checkpointing) {
        orr_launch_set(build, "training.recompute", "full", "gradient_checkpointing");
    }
}

/* ---- the format ---- */

/* Names that no other program's files have; in JSON the first two (some models' files have the last
 * one). */
enum { NAMES_IN_JSON = 2 };
static const char *const own_names[] = {"per_device_train_batch_size", "distributed_type",
                                        "base_model", "gradient_checkpointing"};

static bool is_one(const struct launch_text *text)
{
    const struct launch_arguments *arguments = text->arguments;
    for (size_t k = 0; k < sizeof own_names / sizeof *own_names; k++) {
        if (text->json != NULL && k < NAMES_IN_JSON &&
            json_object_get(text->json, own_names[k]) != NULL) {
            return true;
        }
        for (size_t i = 0; arguments != NULL && !arguments->toml && i < arguments->count; i++) {
            if (strcmp(arguments->argument[i].name, own_names[k]) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* "stage" alone is that of a course of trainings. */
static void read_argument(struct launch_build *build, struct launch_argument *argument,
                          struct trainer *trainer)
{
    static const char stage[] = "zero_optimization.stage";
    const size_t length = strlen(argument->path), of_stage = sizeof stage - 1;
    if (length >= of_stage && strcmp(argument->path + length - of_stage, stage) == 0) {
        argument->name = "zero_stage";
    }
    orr_launch_read_row(build, &table, argument, trainer);
}

static enum orr_status read(struct launch_build *build, const struct launch_text *text)
{
    struct trainer trainer = {0};
    struct launch_arguments own = {.form = LAUNCH_RECIPE};
    const struct launch_arguments *arguments = text->arguments;
    if (arguments == NULL) { /* JSON is YAML as well */
        (void)orr_launch_collect_recipe(text->name, text->text, build->arena, &own, build->diag);
        arguments = &own;
    }
    for (size_t i = 0; i < arguments->count; i++) {
        read_argument(build, &arguments->argument[i], &trainer);
    }
    if (build->diag->status == ORR_OK) {
        set_values(build, &trainer);
    }
    return build->diag->status;
}

const struct launch_format orr_launch_trainer = {.kind = "trainer_arguments",
                                                 .what = "arguments of Hugging Face's Trainer",
                                                 .is_one = is_one,
                                                 .read = read};
