/* The `parallel` and `training` sections of a generated workload; see parallel_plan.h. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/offload.h"
#include "workload/parallel/parallel_section.h"
#include "workload/parallel/pipeline_order.h"
#include "workload/parallel/recompute.h"
#include "workload/parallel/token_dispatch.h"

#include <inttypes.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const recomputes[] = {"none", "selective", "full", NULL};
static const char *const offloads[] = {"none", "sharded", "gathered", NULL};
static const char *const optimizer_modes[] = {"none", "npu", "memory", NULL};
static const char *const optimizers[] = {"adam", "sgd", "none", NULL};

struct training_section {
    int64_t batch, micro_batch, steps, prefetch;
    struct gen_precision_section precision;
    uint64_t bucket, slice;
    unsigned optimizer, recompute, recompute_method;
    int64_t recompute_layers;
    unsigned offload_parameters, offload_gradients, offload_optimizer;
    bool overlap, overlap_gather, chain, fused_attention, keep_gated;
    struct orr_conf_list recompute_modules, recompute_operators;
    struct gen_host host;
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
    GEN_PRECISION_KEYS(struct training_section),
    {.name = "optimizer",
     .type = ORR_KEY_CHOICE,
     .offset = AT(optimizer),
     .choices = optimizers,
     .default_text = "adam",
     .doc = "optimizer; none: the weights are not updated"},
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
    {.name = "host_layer",
     .type = ORR_KEY_TIME,
     .offset = AT(host.layer_ps),
     .default_text = "0 ns",
     .output_if_given = true,
     .example = "host_layer: 1 ms",
     .doc =
         "transformer: the host launches a layer of a micro-batch, forwards and backwards, in this "
         "time, before the layer begins; without CUDA graphs of whole steps"},
    {.name = "host_experts",
     .type = ORR_KEY_TIME,
     .offset = AT(host.experts_ps),
     .default_text = "0 ns",
     .output_if_given = true,
     .example = "host_experts: 9.6 ms",
     .doc = "the same of a layer with experts"},
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

/* ---- training ---- */

static enum orr_status fit_batch(struct gen_plan *plan, struct orr_diag *diag)
{
    const uint64_t ranks = gen_data_ranks(&plan->layout);
    const uint64_t at_once = ranks * plan->micro_batch;
    if (plan->batch == 0) {
        plan->batch = at_once * orr_gen_schedule_default_micros(&plan->pipeline);
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
    return orr_gen_schedule_order(plan, diag);
}

static bool given(const struct orr_conf *section, const char *key)
{
    return section != NULL && orr_conf_get(section, key) != NULL;
}

static enum orr_status read_training(struct gen_plan *plan, struct orr_diag *diag)
{
    struct training_section section = {.micro_batch = 1, .precision = orr_gen_precision_absent()};
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
    plan->has_optimizer = section.optimizer != GEN_NO_OPTIMIZER;
    plan->recompute = (enum gen_recompute)section.recompute;
    plan->keep_gated = section.keep_gated;
    plan->recompute_operators = section.recompute_operators;
    plan->bucket_bytes = section.bucket;
    plan->overlap = section.overlap;
    plan->overlap_gather =
        given(plan->training, "overlap_gather") ? section.overlap_gather : section.overlap;
    plan->chain = section.chain;
    plan->slice_bytes = section.slice;
    plan->fused_attention = section.fused_attention;
    plan->host = section.host;
    plan->prefetch = (uint32_t)section.prefetch;
    plan->offload_parameters = (enum gen_offload)section.offload_parameters;
    plan->offload_gradients = (enum gen_offload)section.offload_gradients;
    plan->offload_optimizer = (enum gen_offload_optimizer)section.offload_optimizer;
    const bool adam = section.optimizer == GEN_ADAM;
    const bool read =
        orr_gen_precision_read(&section.precision, adam, section.optimizer == GEN_SGD ? 4 : 0, plan,
                               diag) == ORR_OK &&
        orr_gen_recompute_read(&section.recompute_modules, plan, diag) == ORR_OK &&
        orr_gen_recompute_set_layers(section.recompute_method == 1, section.recompute_layers, plan,
                                     diag) == ORR_OK;
    return read ? fit_batch(plan, diag) : diag->status;
}

enum orr_status orr_gen_plan_read(const struct orr_conf *parallel, const struct orr_conf *training,
                                  uint32_t npus, struct gen_plan *plan, struct orr_diag *diag)
{
    *plan = (struct gen_plan){.arena = plan->arena, .parallel = parallel, .training = training};
    enum orr_status status = orr_gen_parallel_read(npus, plan, diag);
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
                               .expert = gen_expert_ranks(&plan->layout),
                               .expert_tensor = plan->expert_tensor,
                               .replicas = plan->layout.replicas,
                               .context_exchange = plan->context_exchange,
                               .pipeline = plan->layout.size[GEN_PIPELINE],
                               .chunks = plan->pipeline.chunks,
                               .kind = plan->pipeline.kind,
                               .zero = plan->zero,
                               .recompute = plan->recompute,
                               .sequence_parallel = plan->sequence_is_set,
                               .batch = plan->batch_is_set ? plan->batch : 0,
                               .micro_batch = plan->micro_batch};
}

enum orr_status orr_gen_plan_change(struct gen_plan *plan, const struct gen_change *change,
                                    struct orr_diag *diag)
{
    const struct parallel_section section = {.tensor = change->tensor,
                                             .context = change->context,
                                             .expert = change->expert,
                                             .expert_tensor = change->expert_tensor,
                                             .context_exchange = change->context_exchange,
                                             .context_ulysses = plan->context_ulysses,
                                             .replicas = change->replicas,
                                             .zero = change->zero,
                                             .pipeline = change->pipeline};
    const uint32_t npus = plan->layout.npus;
    enum orr_status status = orr_gen_parallel_fit(&section, npus, plan, diag);
    if (status == ORR_OK) {
        status = orr_gen_layout_init(&plan->layout, plan->order, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = orr_gen_dispatch_set(plan, plan->dispatcher, plan->node, diag);
    if (status != ORR_OK) {
        return status;
    }
    plan->sequence_is_set = change->sequence_parallel;
    plan->sequence_parallel = change->sequence_parallel && change->tensor > 1;
    plan->zero = change->zero;
    plan->recompute = change->recompute;
    plan->pipeline.stages = change->pipeline;
    orr_gen_schedule_change(plan, change);
    plan->batch = change->batch;
    plan->batch_is_set = change->batch != 0;
    plan->micro_batch = change->micro_batch;
    status = fit_batch(plan, diag);
    return status == ORR_OK ? orr_gen_offload_check(plan, npus, diag) : status;
}
