/* The `parallel` and `training` sections of a generated workload; see parallel_plan.h. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/offload.h"
#include "workload/parallel/pipeline.h"
#include "workload/parallel/recompute.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const schedules[] = {"gpipe", "1f1b", "interleaved", NULL};
static const char *const recomputes[] = {"none", "selective", "full", NULL};
static const char *const offloads[] = {"none", "sharded", "gathered", NULL};
static const char *const optimizer_modes[] = {"none", "npu", "memory", NULL};
static const char *const product_types[] = {"element", "fp8", NULL};
static const char *const optimizers[] = {"adam", "sgd", "none", NULL};

struct parallel_section {
    int64_t tensor, context, expert, pipeline, data, chunks, zero;
    bool sequence, pipeline_scatter, embedding_as_layer, head_as_layer;
    struct orr_conf_list layers_per_stage;
    unsigned schedule;
    const char *order;
};

#define AT(member) offsetof(struct parallel_section, member)
#define DEGREE(key, text)                                                                          \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = 1, .high = 1e6,           \
        .default_text = "1", .doc = text                                                           \
    }

static const struct orr_key parallel_keys[] = {
    DEGREE(tensor, "ranks that share each layer's matrices"),
    DEGREE(context, "ranks that share each sequence"),
    DEGREE(expert, "data-parallel ranks among which experts are spread"),
    DEGREE(pipeline, "stages that share the layers"),
    {.name = "data",
     .type = ORR_KEY_INTEGER,
     .offset = AT(data),
     .low = 1,
     .high = 1e9,
     .absent = "the NPUs that are left",
     .example = "data: 8",
     .doc = "ranks that share the batch"},
    {.name = "order",
     .type = ORR_KEY_TEXT,
     .offset = AT(order),
     .default_text = "tp-cp-ep-dp-pp",
     .example = "order: tp-dp-pp",
     .doc = "how ranks are numbered, the fastest first"},
    {.name = "sequence",
     .type = ORR_KEY_BOOL,
     .offset = AT(sequence),
     .default_text = "false",
     .doc = "tensor-parallel ranks share norms, dropout and residuals by tokens"},
    {.name = "schedule",
     .type = ORR_KEY_CHOICE,
     .offset = AT(schedule),
     .choices = schedules,
     .default_text = "1f1b",
     .doc = "order of micro-batches in a pipeline"},
    {.name = "chunks",
     .type = ORR_KEY_INTEGER,
     .offset = AT(chunks),
     .low = 1,
     .high = 1e4,
     .absent = "2 when interleaved, else 1",
     .doc = "interleaved: parts of the model on each stage"},
    {.name = "layers_per_stage",
     .type = ORR_KEY_TEXT,
     .offset = AT(layers_per_stage),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = 4096,
     .absent = "even",
     .example = "layers_per_stage: uneven",
     .doc = "layers of each stage, interleaved of each part in the order of the model; even: as "
            "many each; uneven: the first and the last have less"},
    {.name = "embedding_as_layer",
     .type = ORR_KEY_BOOL,
     .offset = AT(embedding_as_layer),
     .default_text = "false",
     .doc = "the embedding counts as a layer of the first stage"},
    {.name = "head_as_layer",
     .type = ORR_KEY_BOOL,
     .offset = AT(head_as_layer),
     .default_text = "false",
     .doc = "the head counts as a layer of the last stage"},
    {.name = "pipeline_scatter",
     .type = ORR_KEY_BOOL,
     .offset = AT(pipeline_scatter),
     .default_text = "true",
     .doc = "tensor-parallel ranks that hold the same activations send one share each to the next "
            "stage, which gathers them"},
    {.name = "zero",
     .type = ORR_KEY_INTEGER,
     .offset = AT(zero),
     .low = 0,
     .high = 3,
     .default_text = "0",
     .doc = "ZeRO stage: share optimizer state (1), gradients (2), parameters (3, FSDP)"},
};

const struct orr_key_table orr_gen_parallel_table = {"the parallel section", parallel_keys,
                                                     COUNT(parallel_keys), NULL};
#undef AT

struct training_section {
    int64_t batch, micro_batch, steps, element_bytes, gradient_bytes, optimizer_bytes, prefetch;
    uint64_t bucket, slice;
    unsigned optimizer, recompute, product_type;
    unsigned offload_parameters, offload_gradients, offload_optimizer;
    bool overlap, overlap_gather, chain, fused_attention, keep_gated;
    struct orr_conf_list recompute_modules;
};

#define AT(member) offsetof(struct training_section, member)

static const struct orr_key training_keys[] = {
    {.name = "batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batch),
     .low = 1,
     .high = 1e12,
     .absent = "a micro-batch of each data-parallel rank",
     .example = "batch: 1536",
     .doc = "samples of a step, all ranks together"},
    {.name = "micro_batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(micro_batch),
     .low = 1,
     .high = 1e9,
     .absent = "1; dlrm and cnn: the rank's part of the batch",
     .example = "micro_batch: 1",
     .doc = "samples that a rank works on at a time"},
    {.name = "steps",
     .type = ORR_KEY_INTEGER,
     .offset = AT(steps),
     .low = 1,
     .high = 1e4,
     .default_text = "1",
     .doc = "training steps"},
    {.name = "element_bytes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(element_bytes),
     .low = 1,
     .high = 8,
     .default_text = "2",
     .doc = "bytes of a weight and of an activation"},
    {.name = "product_type",
     .type = ORR_KEY_CHOICE,
     .offset = AT(product_type),
     .choices = product_types,
     .default_text = "element",
     .output_if_given = true,
     .doc = "type of the inputs of the layers' products: that of elements, or fp8 "
            "(compute.fp8_peak)"},
    {.name = "gradient_bytes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(gradient_bytes),
     .low = 1,
     .high = 8,
     .absent = "as element_bytes",
     .example = "gradient_bytes: 4",
     .doc = "bytes of a gradient, in memory and when reduced"},
    {.name = "optimizer",
     .type = ORR_KEY_CHOICE,
     .offset = AT(optimizer),
     .choices = optimizers,
     .default_text = "adam",
     .doc = "optimizer; none: the weights are not updated"},
    {.name = "optimizer_bytes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(optimizer_bytes),
     .low = 0,
     .high = 64,
     .absent = "adam 12, sgd 4, none 0",
     .doc = "bytes of optimizer state of a parameter"},
    {.name = "recompute",
     .type = ORR_KEY_CHOICE,
     .offset = AT(recompute),
     .choices = recomputes,
     .default_text = "none",
     .doc =
         "activations recomputed in the backward pass: none, attention (selective), layers (full)"},
    GEN_RECOMPUTE_KEYS(struct training_section),
    {.name = "overlap",
     .type = ORR_KEY_BOOL,
     .offset = AT(overlap),
     .default_text = "true",
     .doc = "gradients are reduced layer by layer during the backward pass"},
    {.name = "overlap_gather",
     .type = ORR_KEY_BOOL,
     .offset = AT(overlap_gather),
     .absent = "as overlap",
     .example = "overlap_gather: false",
     .doc = "ZeRO-1 and -2: updated weights are gathered layer by layer during the forward pass of "
            "the next step"},
    {.name = "bucket",
     .type = ORR_KEY_BYTES,
     .offset = AT(bucket),
     .low = 1,
     .high = 1e15,
     .absent = "layer by layer",
     .example = "bucket: 25 MiB",
     .doc =
         "without ZeRO: gradients of layers are reduced together in buckets of at least this size"},
    {.name = "slice",
     .type = ORR_KEY_BYTES,
     .offset = AT(slice),
     .low = 1,
     .high = 1e15,
     .absent = "uncut",
     .example = "slice: 200 kB",
     .doc = "without ZeRO: gradients are reduced in slices of this size, one after the other"},
    {.name = "chain",
     .type = ORR_KEY_BOOL,
     .offset = AT(chain),
     .default_text = "false",
     .doc = "cnn: all gradients are reduced at once after the backward pass, and a layer of the "
            "next step begins when its part of them has arrived"},
    {.name = "fused_attention",
     .type = ORR_KEY_BOOL,
     .offset = AT(fused_attention),
     .default_text = "true",
     .doc = "attention scores are neither written to memory nor kept; false: two products of all "
            "pairs of tokens, and a softmax between them"},
    {.name = "prefetch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(prefetch),
     .low = 0,
     .high = 1e6,
     .default_text = "1",
     .doc = "ZeRO-3: layers whose parameters are gathered ahead"},
    {.name = "offload_parameters",
     .type = ORR_KEY_CHOICE,
     .offset = AT(offload_parameters),
     .choices = offloads,
     .default_text = "none",
     .doc =
         "transformer: weights are in the remote memory (ZeRO-Infinity), and each rank loads its "
         "share, or the pool gathers them"},
    {.name = "offload_gradients",
     .type = ORR_KEY_CHOICE,
     .offset = AT(offload_gradients),
     .choices = offloads,
     .default_text = "none",
     .doc = "transformer: gradients go to the remote memory, each rank's share, or reduced in the "
            "pool"},
    {.name = "offload_optimizer",
     .type = ORR_KEY_CHOICE,
     .offset = AT(offload_optimizer),
     .choices = optimizer_modes,
     .default_text = "none",
     .doc = "transformer: optimizer state is in the remote memory: NPUs load and store it, or the "
            "memory updates the weights itself"},
};

const struct orr_key_table orr_gen_training_table = {"the training section", training_keys,
                                                     COUNT(training_keys), NULL};

const char *orr_gen_recompute_name(enum gen_recompute recompute)
{
    return recomputes[recompute];
}

/* ---- errors ---- */

enum orr_status orr_gen_fail(const struct orr_conf *section, const char *key, struct orr_diag *diag,
                             const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct orr_conf *node = section != NULL ? orr_conf_get(section, key) : NULL;
    if (section == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: %s", key, text);
    }
    const struct orr_location location = orr_conf_location(node != NULL ? node : section);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s.%s: %s", section->path, key, text);
}

/* ---- parallel ---- */

static enum orr_status fit_npus(const struct parallel_section *section, uint32_t npus,
                                struct gen_plan *plan, struct orr_diag *diag)
{
    uint32_t *size = plan->layout.size;
    const double given =
        (double)section->tensor * (double)section->context * (double)section->pipeline;
    const uint64_t model = given <= UINT32_MAX ? (uint64_t)given : UINT64_MAX;
    if (section->data == 0 && npus % model != 0) {
        return orr_gen_fail(plan->parallel, "data", diag,
                            "tensor %" PRId64 " x context %" PRId64 " x pipeline %" PRId64
                            " does not divide the %u NPUs of the platform; expected degrees whose "
                            "product does",
                            section->tensor, section->context, section->pipeline, npus);
    }
    const uint64_t data = section->data != 0 ? (uint64_t)section->data : npus / model;
    if ((double)data * given != (double)npus) {
        return orr_gen_fail(plan->parallel, "data", diag,
                            "tensor %" PRId64 " x context %" PRId64 " x pipeline %" PRId64
                            " x data %" PRIu64 " is %.0f NPUs, but the platform has %u; "
                            "--npus %.0f scales its outermost dimension (network.npus)",
                            section->tensor, section->context, section->pipeline, data,
                            (double)data * given, npus, (double)data * given);
    }
    if (data % (uint64_t)section->expert != 0) {
        return orr_gen_fail(plan->parallel, "expert", diag,
                            "experts are spread over data-parallel ranks, but %" PRId64
                            " does not divide the %" PRIu64 " of them",
                            section->expert, data);
    }
    size[GEN_TENSOR] = (uint32_t)section->tensor;
    size[GEN_CONTEXT] = (uint32_t)section->context;
    size[GEN_EXPERT] = (uint32_t)section->expert;
    size[GEN_DATA] = (uint32_t)(data / (uint64_t)section->expert);
    size[GEN_PIPELINE] = (uint32_t)section->pipeline;
    return ORR_OK;
}

static enum orr_status read_parallel(uint32_t npus, struct gen_plan *plan, struct orr_diag *diag)
{
    struct parallel_section section = {0};
    enum orr_status status = orr_conf_read(plan->parallel, orr_gen_parallel_table.owner,
                                           parallel_keys, COUNT(parallel_keys), &section, diag);
    if (status == ORR_OK) {
        status = fit_npus(&section, npus, plan, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct orr_diag reason;
    orr_diag_init(&reason);
    if (orr_gen_layout_init(&plan->layout, section.order, &reason) != ORR_OK) {
        return orr_gen_fail(plan->parallel, "order", diag, "%s", reason.message);
    }
    plan->order = section.order;
    plan->sequence_is_set = section.sequence;
    plan->data_is_set = section.data != 0;
    plan->sequence_parallel = section.sequence && section.tensor > 1;
    plan->zero = (unsigned)section.zero;
    plan->pipeline_scatter = section.pipeline_scatter;
    plan->split.embedding = section.embedding_as_layer;
    plan->split.head = section.head_as_layer;
    plan->pipeline.schedule = (enum gen_schedule)section.schedule;
    plan->pipeline.stages = (uint32_t)section.pipeline;
    plan->pipeline.chunks = (uint32_t)section.chunks;
    if (section.chunks == 0) {
        plan->pipeline.chunks = plan->pipeline.schedule == GEN_INTERLEAVED ? 2 : 1;
    }
    if (plan->pipeline.schedule != GEN_INTERLEAVED && plan->pipeline.chunks != 1) {
        return orr_gen_fail(plan->parallel, "chunks", diag,
                            "only the schedule interleaved has several chunks on a stage");
    }
    return orr_gen_split_read(plan->parallel, &section.layers_per_stage, &plan->split, diag);
}

/* ---- training ---- */

static enum orr_status fit_batch(struct gen_plan *plan, struct orr_diag *diag)
{
    const uint64_t ranks = (uint64_t)plan->layout.size[GEN_EXPERT] * plan->layout.size[GEN_DATA];
    const uint64_t at_once = ranks * plan->micro_batch;
    if (plan->batch == 0) {
        plan->batch =
            at_once * (plan->pipeline.schedule == GEN_INTERLEAVED ? plan->pipeline.stages : 1);
    }
    if (plan->batch % at_once != 0) {
        return orr_gen_fail(plan->training, "batch", diag,
                            "%" PRIu64 " samples are not a multiple of %" PRIu64
                            " data-parallel ranks x micro-batches of %" PRIu64,
                            plan->batch, ranks, plan->micro_batch);
    }
    const uint64_t micros = plan->batch / at_once;
    if (micros > 1000000) {
        return orr_gen_fail(plan->training, "batch", diag,
                            "%" PRIu64 " micro-batches in a step; at most 1000000 are supported",
                            micros);
    }
    plan->pipeline.micros = (uint32_t)micros;
    if (plan->pipeline.schedule == GEN_INTERLEAVED && micros % plan->pipeline.stages != 0) {
        return orr_gen_fail(plan->training, "batch", diag,
                            "the interleaved schedule needs a multiple of the %u stages as "
                            "micro-batches, but the batch makes %" PRIu64,
                            plan->pipeline.stages, micros);
    }
    return ORR_OK;
}

static bool given(const struct orr_conf *section, const char *key)
{
    return section != NULL && orr_conf_get(section, key) != NULL;
}

static enum orr_status read_training(struct gen_plan *plan, struct orr_diag *diag)
{
    static const uint64_t state_bytes[] = {[GEN_ADAM] = 12, [GEN_SGD] = 4, [GEN_NO_OPTIMIZER] = 0};
    struct training_section section = {.micro_batch = 1, .optimizer_bytes = -1};
    const enum orr_status status =
        orr_conf_read(plan->training, orr_gen_training_table.owner, training_keys,
                      COUNT(training_keys), &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    plan->batch = (uint64_t)section.batch;
    plan->batch_is_set = section.batch != 0;
    plan->micro_batch = (uint64_t)section.micro_batch;
    plan->steps = (uint32_t)section.steps;
    plan->element_bytes = (uint64_t)section.element_bytes;
    plan->gradient_bytes =
        (uint64_t)(section.gradient_bytes != 0 ? section.gradient_bytes : section.element_bytes);
    plan->optimizer_bytes = section.optimizer_bytes >= 0 ? (uint64_t)section.optimizer_bytes
                                                         : state_bytes[section.optimizer];
    plan->has_optimizer = section.optimizer != GEN_NO_OPTIMIZER;
    plan->recompute = (enum gen_recompute)section.recompute;
    plan->keep_gated = section.keep_gated;
    plan->bucket_bytes = section.bucket;
    plan->overlap = section.overlap;
    plan->overlap_gather =
        given(plan->training, "overlap_gather") ? section.overlap_gather : section.overlap;
    plan->chain = section.chain;
    plan->slice_bytes = section.slice;
    plan->fused_attention = section.fused_attention;
    plan->fp8_products = section.product_type == 1;
    plan->prefetch = (uint32_t)section.prefetch;
    plan->offload_parameters = (enum gen_offload)section.offload_parameters;
    plan->offload_gradients = (enum gen_offload)section.offload_gradients;
    plan->offload_optimizer = (enum gen_offload_optimizer)section.offload_optimizer;
    return orr_gen_recompute_read(&section.recompute_modules, plan, diag) == ORR_OK
               ? fit_batch(plan, diag)
               : diag->status;
}

enum orr_status orr_gen_plan_read(const struct orr_conf *parallel, const struct orr_conf *training,
                                  uint32_t npus, struct gen_plan *plan, struct orr_diag *diag)
{
    *plan = (struct gen_plan){.parallel = parallel, .training = training};
    enum orr_status status = read_parallel(npus, plan, diag);
    if (status == ORR_OK) {
        status = read_training(plan, diag);
    }
    return status == ORR_OK ? orr_gen_offload_check(plan, npus, diag) : status;
}

enum orr_status orr_gen_plan_set_batch(struct gen_plan *plan, uint64_t batch, struct orr_diag *diag)
{
    if (plan->batch_is_set || batch == 0) {
        return ORR_OK;
    }
    plan->batch = batch;
    plan->batch_is_set = true;
    return fit_batch(plan, diag);
}

/* ---- changes ---- */

struct gen_change orr_gen_plan_settings(const struct gen_plan *plan)
{
    return (struct gen_change){.tensor = plan->layout.size[GEN_TENSOR],
                               .context = plan->layout.size[GEN_CONTEXT],
                               .expert = plan->layout.size[GEN_EXPERT],
                               .pipeline = plan->layout.size[GEN_PIPELINE],
                               .chunks = plan->pipeline.chunks,
                               .zero = plan->zero,
                               .recompute = plan->recompute,
                               .sequence_parallel = plan->sequence_is_set,
                               .batch = plan->batch_is_set ? plan->batch : 0,
                               .micro_batch = plan->micro_batch};
}

/* The schedule that other chunks ask for. */
static enum gen_schedule schedule_of(const struct gen_plan *plan, uint32_t chunks)
{
    return chunks == plan->pipeline.chunks ? plan->pipeline.schedule
           : chunks > 1                    ? GEN_INTERLEAVED
                                           : GEN_1F1B;
}

enum orr_status orr_gen_plan_change(struct gen_plan *plan, const struct gen_change *change,
                                    struct orr_diag *diag)
{
    const struct parallel_section section = {.tensor = change->tensor,
                                             .context = change->context,
                                             .expert = change->expert,
                                             .pipeline = change->pipeline};
    const uint32_t npus = plan->layout.npus;
    enum orr_status status = fit_npus(&section, npus, plan, diag);
    if (status == ORR_OK) {
        status = orr_gen_layout_init(&plan->layout, plan->order, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    plan->sequence_is_set = change->sequence_parallel;
    plan->sequence_parallel = change->sequence_parallel && change->tensor > 1;
    plan->zero = change->zero;
    plan->recompute = change->recompute;
    plan->pipeline.stages = change->pipeline;
    plan->pipeline.schedule = schedule_of(plan, change->chunks);
    plan->pipeline.chunks = change->chunks;
    plan->batch = change->batch;
    plan->batch_is_set = change->batch != 0;
    plan->micro_batch = change->micro_batch;
    status = fit_batch(plan, diag);
    return status == ORR_OK ? orr_gen_offload_check(plan, npus, diag) : status;
}
