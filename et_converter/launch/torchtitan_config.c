/* torchtitan's configuration in TOML, and its options on a command line (--training.seq_len 8192):
 * degrees, batch, recomputation, formats of numbers; the model by its flavor. Names are those of
 * its job_config.py; older files have degrees under [training] and [experimental]. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_formats.h"
#include "et_converter/launch/launch_precision.h"
#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/model_flavors.h"

/* Values as given; numbers 0, texts NULL where they are not. */
struct titan {
    const char *name, *flavor, *converters, *schedule, *mode, *element, *reduce, *optimizer,
        *reshard, *rotate;
    uint64_t local_batch, global_batch, seq_len, replicate, shard, tensor, pipeline, context,
        expert, expert_tensor, float8_gather, layers_per_stage, microbatch, offload, has_shard,
        nproc, nnodes;
};

#define AT(member) offsetof(struct titan, member)

static const char *const modes[] = {"none", "selective", "full", NULL};
static const char *const types[] = {"bfloat16", "float16", "float32", NULL};
static const char *const rotates[] = {"allgather", "alltoall", NULL};
static const char *const reshards[] = {"default", "always", "never", NULL};

static const struct launch_row rows[] = {
    {"name", LAUNCH_TEXT, AT(name), NULL, 0},
    {"flavor", LAUNCH_TEXT, AT(flavor), NULL, 0},
    {"converters", LAUNCH_TEXT, AT(converters), NULL, 0},
    {"enable_fsdp_float8_all_gather", LAUNCH_FLAG, AT(float8_gather), NULL, 0},
    {"local_batch_size", LAUNCH_NUMBER, AT(local_batch), NULL, 0},
    {"batch_size", LAUNCH_NUMBER, AT(local_batch), NULL, 0},
    {"global_batch_size", LAUNCH_REST, AT(global_batch), NULL, 0},
    {"seq_len", LAUNCH_NUMBER, AT(seq_len), NULL, 0},
    {"mixed_precision_param", LAUNCH_TEXT, AT(element), types, 0},
    {"mixed_precision_reduce", LAUNCH_TEXT, AT(reduce), types, 0},
    {"enable_cpu_offload", LAUNCH_FLAG, AT(offload), NULL, 0},
    {"data_parallel_replicate_degree", LAUNCH_REST, AT(replicate), NULL, 0},
    {"data_parallel_shard_degree", LAUNCH_REST, AT(shard), NULL, AT(has_shard)},
    {"data_parallel_degree", LAUNCH_REST, AT(shard), NULL, AT(has_shard)},
    {"fsdp_reshard_after_forward", LAUNCH_TEXT, AT(reshard), reshards, 0},
    {"tensor_parallel_degree", LAUNCH_NUMBER, AT(tensor), NULL, 0},
    {"pipeline_parallel_degree", LAUNCH_NUMBER, AT(pipeline), NULL, 0},
    {"pipeline_parallel_schedule", LAUNCH_TEXT, AT(schedule), NULL, 0},
    {"pipeline_parallel_layers_per_stage", LAUNCH_NUMBER, AT(layers_per_stage), NULL, 0},
    {"pipeline_parallel_microbatch_size", LAUNCH_NUMBER, AT(microbatch), NULL, 0},
    {"context_parallel_rotate_method", LAUNCH_TEXT, AT(rotate), rotates, 0},
    {"context_parallel_degree", LAUNCH_NUMBER, AT(context), NULL, 0},
    {"expert_parallel_degree", LAUNCH_NUMBER, AT(expert), NULL, 0},
    {"expert_tensor_parallel_degree", LAUNCH_NUMBER, AT(expert_tensor), NULL, 0},
    {"mode", LAUNCH_TEXT, AT(mode), modes, 0},
    {"nproc_per_node", LAUNCH_NODES, AT(nproc), NULL, 0},
    {"nnodes", LAUNCH_NODES, AT(nnodes), NULL, 0}};

static const char *const without_effect[] = {
    "dataset",        "steps",         "max_norm",    "gc_",
    "seed",           "deterministic", "lr",          "eps",
    "beta",           "weight_decay",  "warmup",      "decay",
    "tokenizer",      "hf_assets",     "print_",      "custom_import",
    "implementation", "dataloader",    "num_workers", "config_file",
    "rdzv",           "master_",       "node_rank",   "local_ranks",
    "role",           "tee",           "module",      NULL};

static const struct launch_table table = {rows, sizeof rows / sizeof *rows, without_effect, NULL};

/* ---- sections ---- */

static bool is_in(const char *path, const char *const *sections)
{
    for (size_t i = 0; sections[i] != NULL; i++) {
        const size_t length = strlen(sections[i]);
        if (strncmp(path, sections[i], length) == 0 && path[length] == '.') {
            return true;
        }
    }
    return false;
}

/* Sections of which nothing is of size or speed. */
static const char *const aside[] = {"job",        "profiling", "metrics", "lr_scheduler",
                                    "checkpoint", "comm",      "debug",   "memory_estimation",
                                    "validation", NULL};
/* Sections of which values count; the names of others are only noted. */
static const char *const counting[] = {
    "model", "training", "parallelism", "experimental", "activation_checkpoint", "optimizer", NULL};

static void read_argument(struct launch_build *build, const struct launch_argument *argument,
                          struct titan *titan)
{
    if (strcmp(argument->path, "optimizer.name") == 0) {
        titan->optimizer = argument->value;
        orr_launch_note(build, argument->path, true);
    } else if (is_in(argument->path, aside)) {
        orr_launch_note(build, argument->path, true);
    } else if (strchr(argument->path, '.') == NULL || is_in(argument->path, counting) ||
               strstr(argument->path, ".enable_fsdp_float8_all_gather") != NULL) {
        orr_launch_read_row(build, &table, argument, titan);
    } else {
        orr_launch_note(build, argument->path, false);
    }
}

/* ---- the model ---- */

static void set_model(struct launch_build *build, const struct titan *titan)
{
    char name[128];
    if (titan->name == NULL && titan->flavor == NULL) {
        return;
    }
    (void)snprintf(name, sizeof name, "%s%s", titan->name != NULL ? titan->name : "llama3",
                   titan->flavor != NULL ? titan->flavor : "debugmodel");
    if (!orr_launch_set_flavor(build, name, "flavor") && build->diag->status == ORR_OK) {
        const struct orr_location place =
            orr_location_file(build->launch->file[build->launch->files - 1].name);
        orr_diag_warn(build->diag, &place,
                      "model.flavor: \"%s\" of \"%s\" is not known; its config.json beside this "
                      "file says what it is",
                      titan->flavor != NULL ? titan->flavor : "debugmodel",
                      titan->name != NULL ? titan->name : "llama3");
    }
}

/* ---- parallelism ---- */

static void set_if(struct launch_build *build, const char *path, uint64_t number, const char *key)
{
    if (number > 0) {
        orr_launch_set_number(build, path, number, key);
    }
}

/* Parts of the model on each rank: torchtitan counts embedding and head as a layer each where it
 * cuts layers into stages; files written for versions before it do not. */
static void set_chunks(struct launch_build *build, const struct titan *titan)
{
    const struct orr_launch_value *value = orr_launch_get(build->launch, "transformer.layers");
    const uint64_t layers = value != NULL ? strtoull(value->text, NULL, 10) : 0;
    const uint64_t each = titan->layers_per_stage, ranks = titan->pipeline;
    if (each == 0 || layers == 0) {
        orr_launch_set(build, "parallel.chunks", "2", "pipeline_parallel_schedule");
        return;
    }
    const uint64_t with = (layers + 2 + each - 1) / each, without = (layers + each - 1) / each;
    const uint64_t stages = with % ranks == 0 ? with : without;
    if (stages % ranks != 0) {
        (void)orr_launch_fail(build, "parallelism.pipeline_parallel_layers_per_stage",
                              "expected a multiple of %" PRIu64 " stages, %" PRIu64
                              " layers in stages of %" PRIu64 " are %" PRIu64,
                              ranks, layers, each, with);
        return;
    }
    orr_launch_set_number(build, "parallel.chunks", stages / ranks,
                          "pipeline_parallel_layers_per_stage");
}

static void set_schedule(struct launch_build *build, const struct titan *titan)
{
    /* Schedules with a fixed number of stages a rank come first. */
    enum { INTERLEAVED = 4 };
    static const char *const names[] = {
        "1F1B",      "GPipe",           "ZBVZeroBubble",         "DualPipeV",
        "LoopedBFS", "Interleaved1F1B", "InterleavedZeroBubble", NULL};
    static const char *const own[] = {"1f1b",          "gpipe",       "zb-v", "dualpipev",
                                      "breadth-first", "interleaved", "zb-h1"};
    if (titan->pipeline < 2 || titan->schedule == NULL) {
        return;
    }
    const unsigned place = orr_launch_word(titan->schedule, names);
    const bool known = place > 0 || strcmp(titan->schedule, names[0]) == 0;
    if (!known) {
        const struct orr_location place_of =
            orr_location_file(build->launch->file[build->launch->files - 1].name);
        orr_diag_warn(build->diag, &place_of,
                      "parallelism.pipeline_parallel_schedule: %s is not generated; interleaved is "
                      "taken",
                      titan->schedule);
        orr_launch_note(build, "parallelism.pipeline_parallel_schedule", false);
    }
    orr_launch_set(build, "parallel.schedule", known ? own[place] : "interleaved",
                   "pipeline_parallel_schedule");
    if (!known || place >= INTERLEAVED) {
        set_chunks(build, titan);
    }
}

/* Stages that do not divide the layers: the ends, which have embedding and head, get less. */
static void set_stages(struct launch_build *build, const struct titan *titan)
{
    const struct orr_launch_value *layers = orr_launch_get(build->launch, "transformer.layers");
    const struct orr_launch_value *chunks = orr_launch_get(build->launch, "parallel.chunks");
    const uint64_t all = layers != NULL ? strtoull(layers->text, NULL, 10) : 0;
    const uint64_t each = chunks != NULL ? strtoull(chunks->text, NULL, 10) : 1;
    if (titan->pipeline > 1 && titan->pipeline <= all && each > 0 && each <= all &&
        all % (titan->pipeline * each) != 0) {
        orr_launch_set(build, "parallel.layers_per_stage", "uneven", "pipeline_parallel_degree");
    }
}

/* Shards of 1: plain data parallelism. FSDP keeps gathered parameters where it does not reshard
 * them behind the forward pass: by default with pipelines. */
static void set_data(struct launch_build *build, const struct titan *titan)
{
    const bool never = titan->reshard != NULL && strcmp(titan->reshard, "never") == 0;
    const bool always = titan->reshard != NULL && strcmp(titan->reshard, "always") == 0;
    const uint64_t replicas = titan->replicate > 0 ? titan->replicate : 1;
    if (titan->shard == 1) {
        orr_launch_set(build, "parallel.zero", "0", "data_parallel_shard_degree");
    } else {
        const bool keeps = never || (!always && titan->pipeline > 1);
        orr_launch_set(build, "parallel.zero", keeps ? "2" : "3",
                       titan->reshard != NULL ? "fsdp_reshard_after_forward"
                                              : "data_parallel_shard_degree");
    }
    if (titan->shard > 0) {
        orr_launch_set_number(build, "parallel.data", titan->shard * replicas,
                              "data_parallel_shard_degree");
    }
    if (replicas > 1 && titan->shard != 1) {
        orr_launch_set_number(build, "parallel.replicas", replicas,
                              "data_parallel_replicate_degree");
    }
}

static void set_parallel(struct launch_build *build, const struct titan *titan)
{
    set_if(build, "parallel.tensor", titan->tensor, "tensor_parallel_degree");
    if (titan->tensor > 1) { /* norms and residuals are always by tokens then */
        orr_launch_set(build, "parallel.sequence", "true", "tensor_parallel_degree");
    }
    set_if(build, "parallel.context", titan->context, "context_parallel_degree");
    if (titan->context > 1) { /* its rings gather, or exchange keys and values step by step */
        const bool gathers = titan->rotate == NULL || strcmp(titan->rotate, "allgather") == 0;
        orr_launch_set(
            build, "parallel.context_exchange", gathers ? "all_gather" : "ring_attention",
            titan->rotate != NULL ? "context_parallel_rotate_method" : "context_parallel_degree");
    }
    set_if(build, "parallel.expert", titan->expert, "expert_parallel_degree");
    set_if(build, "parallel.pipeline", titan->pipeline, "pipeline_parallel_degree");
    if (titan->expert > 1) { /* else experts are cut as all is */
        orr_launch_set_expert_tensor(build, titan->expert_tensor > 0 ? titan->expert_tensor : 1,
                                     titan->expert_tensor > 0 ? "expert_tensor_parallel_degree"
                                                              : "expert_parallel_degree");
    }
    set_schedule(build, titan);
    set_stages(build, titan);
    set_data(build, titan);
    if (titan->nproc + titan->nnodes > 0) {
        orr_launch_set_world(
            build, (titan->nproc > 0 ? titan->nproc : 1) * (titan->nnodes > 0 ? titan->nnodes : 1),
            "nnodes");
    }
}

/* ---- training ---- */

static void set_batch(struct launch_build *build, const struct titan *titan)
{
    const uint64_t of_pass = titan->microbatch > 0 ? titan->microbatch : 1;
    const uint64_t local = titan->local_batch;
    if (titan->pipeline > 1 && local % of_pass != 0) {
        (void)orr_launch_fail(build, "parallelism.pipeline_parallel_microbatch_size",
                              "expected a divisor of %" PRIu64 " (local_batch_size), got %" PRIu64,
                              local, of_pass);
        return;
    }
    if (titan->pipeline > 1) {
        orr_launch_set_number(build, "training.micro_batch", of_pass,
                              "pipeline_parallel_microbatch_size");
    } else {
        set_if(build, "training.micro_batch", local, "local_batch_size");
    }
    if (titan->global_batch > 0) {
        orr_launch_set_number(build, "training.batch", titan->global_batch, "global_batch_size");
    } else if (local > 0) {
        build->samples_per_rank = local;
        build->samples_key =
            orr_arena_strdup(build->arena, orr_launch_origin(build, "local_batch_size"));
    }
}

static const char *bytes_of(const char *type)
{
    return strcmp(type, "float32") == 0 ? "4" : "2";
}

/* Of a type, or of torchtitan's own where the file says none. */
static void set_type(struct launch_build *build, const char *path, const char *type,
                     const struct orr_launch_value *standard)
{
    if (type != NULL) {
        orr_launch_set(build, path, bytes_of(type), standard->key);
    } else {
        orr_launch_assume(build,
                          &(struct launch_assumption){
                              .value = {.path = path, .text = standard->text, .key = "a default"}});
    }
}

/* torchao casts weights, which stay in their type, when they are used. */
static void set_narrow(struct launch_build *build, const struct titan *titan)
{
    const char *converters = titan->converters;
    const bool mx = converters != NULL && strstr(converters, "mx") != NULL;
    const struct launch_precision precision = {
        .recipe = "fp8_cs",
        .plain_weights = true,
        .narrow_gather = titan->float8_gather > 0,
        .key = "converters",
        .weight_key = titan->float8_gather > 0 ? "enable_fsdp_float8_all_gather" : "converters"};
    const struct launch_precision of_mx = {
        .recipe = "mxfp8", .plain_weights = true, .key = "converters"};
    if (converters != NULL && (mx || strstr(converters, "float8") != NULL)) {
        orr_launch_set_precision(build, mx ? &of_mx : &precision);
    }
}

static void set_training(struct launch_build *build, const struct titan *titan)
{
    set_if(build, "transformer.sequence", titan->seq_len, "seq_len");
    set_batch(build, titan);
    if (titan->mode != NULL) {
        orr_launch_set(build, "training.recompute", titan->mode, "mode");
    }
    set_type(build, "training.element_bytes", titan->element,
             &(struct orr_launch_value){.text = "2", .key = "mixed_precision_param"});
    set_type(build, "training.gradient_bytes", titan->reduce,
             &(struct orr_launch_value){.text = "4", .key = "mixed_precision_reduce"});
    set_narrow(build, titan);
    if (titan->optimizer != NULL && strncmp(titan->optimizer, "Adam", 4) == 0) {
        orr_launch_set(build, "training.optimizer", "adam", "optimizer.name");
    } else if (titan->optimizer != NULL) {
        orr_launch_note(build, "optimizer.name", false);
    }
    if (titan->offload) {
        orr_launch_set(build, "training.offload_optimizer", "npu", "enable_cpu_offload");
        orr_launch_set(build, "training.offload_parameters", "sharded", "enable_cpu_offload");
    }
}

/* ---- the format ---- */

static bool is_one(const struct launch_text *text)
{
    static const char *const sections[] = {"parallelism", "training", "model", "job", NULL};
    const struct launch_arguments *arguments = text->arguments;
    for (size_t i = 0; arguments != NULL && i < arguments->count; i++) {
        const bool is_option = arguments->form == LAUNCH_FLAGS && !arguments->overrides;
        if ((arguments->toml || is_option) && is_in(arguments->argument[i].path, sections)) {
            return true;
        }
    }
    return false;
}

static enum orr_status read(struct launch_build *build, const struct launch_text *text)
{
    struct titan titan = {0};
    for (size_t i = 0; i < text->arguments->count; i++) {
        read_argument(build, &text->arguments->argument[i], &titan);
    }
    if (build->diag->status == ORR_OK) {
        set_model(build, &titan);
        set_parallel(build, &titan);
        set_training(build, &titan);
    }
    return build->diag->status;
}

const struct launch_format orr_launch_torchtitan = {.kind = "torchtitan_config",
                                                    .what = "a configuration of torchtitan",
                                                    .is_one = is_one,
                                                    .read = read};
