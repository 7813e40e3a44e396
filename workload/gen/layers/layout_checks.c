/* Checks that a plan can split a transformer; see transformer.h. */
#include <inttypes.h>

#include "core/diag.h"
#include "workload/gen/layers/section_checks.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/layout.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* Approximate nodes of a layer for a micro-batch. */
enum { NODES_OF_LAYER = 40 };
#define MAX_NODES 1e8

static enum orr_status fail_split(const struct tf_job *job, const char *key, uint32_t degree,
                                  const char *what, uint64_t count, struct orr_diag *diag)
{
    return orr_gen_fail(job->plan.parallel, key, diag, "%u does not divide the %" PRIu64 " %s",
                        degree, count, what);
}

static enum orr_status check_heads(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const uint32_t tensor = job->plan.layout.size[GEN_TENSOR];
    if (model->heads % tensor != 0) {
        return fail_split(job, "tensor", tensor, "heads", model->heads, diag);
    }
    if (!model->latent && model->kv_heads % tensor != 0 && tensor % model->kv_heads != 0) {
        return fail_split(job, "tensor", tensor, "heads of keys and values, nor is divided by them",
                          model->kv_heads, diag);
    }
    return ORR_OK;
}

/* Heads and groups of layers mamba2 are spread over both sorts of ranks. */
static enum orr_status check_mamba(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    static const enum gen_axis axes[] = {GEN_TENSOR, GEN_CONTEXT};
    static const char *const names[] = {"tensor", "context"};
    uint64_t heads = model->mamba.heads, groups = model->mamba.groups;
    for (unsigned i = 0; i < COUNT(axes) && orr_transformer_mixes(model, TF_MAMBA2); i++) {
        const uint32_t ranks = job->plan.layout.size[axes[i]];
        if (heads % ranks != 0 || groups % ranks != 0) {
            return fail_split(job, names[i], ranks,
                              heads % ranks != 0 ? "heads of layers mamba2 (of a rank)"
                                                 : "groups of layers mamba2 (of a rank)",
                              heads % ranks != 0 ? heads : groups, diag);
        }
        heads /= ranks;
        groups /= ranks;
    }
    return ORR_OK;
}

static enum orr_status check_tensor(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const uint32_t tensor = job->plan.layout.size[GEN_TENSOR];
    const bool dense = orr_transformer_feeds(model, TF_DENSE);
    const enum orr_status status = check_heads(job, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (dense && model->ffn % tensor != 0) {
        return fail_split(job, "tensor", tensor, "columns of the feed-forward part (ffn)",
                          model->ffn, diag);
    }
    if (model->shared_ffn % tensor != 0) {
        return fail_split(job, "tensor", tensor, "columns of the shared experts (shared_ffn)",
                          model->shared_ffn, diag);
    }
    const uint32_t sharing = gen_expert_tensor(&job->plan.layout);
    if (model->experts > 0 && model->expert_ffn % sharing != 0) {
        return fail_split(job, job->plan.layout.experts.are_apart ? "expert_tensor" : "tensor",
                          sharing, "columns of an expert (expert_ffn)", model->expert_ffn, diag);
    }
    if (model->experts > 0 && tensor > 1 && !job->plan.sequence_parallel) {
        return orr_gen_fail(job->plan.parallel, "sequence", diag,
                            "experts on tensor-parallel ranks need sequence: true, or every rank "
                            "would send the same tokens");
    }
    return check_mamba(job, diag);
}

/* Rings and heads of context-parallel ranks. */
static enum orr_status check_context(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const struct gen_plan *plan = &job->plan;
    const uint32_t ulysses = gen_ulysses_ranks(&plan->layout);
    const uint32_t ranks = ulysses * plan->layout.size[GEN_TENSOR];
    if (plan->context_exchange == GEN_GATHER || plan->layout.size[GEN_CONTEXT] == 1) {
        return ORR_OK;
    }
    if (model->encoder_layers > 0) {
        return orr_gen_fail(
            plan->parallel, "context_exchange", diag,
            "attention of a decoder to its encoder is not spread this way; expected "
            "all_gather");
    }
    if (!plan->fused_attention) {
        return orr_gen_fail(plan->parallel, "context_exchange", diag,
                            "attention that writes its scores (training.fused_attention: false) is "
                            "not spread this way; expected all_gather");
    }
    if (ulysses > 1 && model->heads % ranks != 0) {
        return orr_gen_fail(plan->parallel, "context_exchange", diag,
                            "tensor x ranks that exchange tokens for heads is %u, which does not "
                            "divide the %" PRIu64 " heads",
                            ranks, model->heads);
    }
    if (ulysses > 1 && !model->latent && model->kv_heads % ranks != 0 &&
        ranks % model->kv_heads != 0) {
        return orr_gen_fail(plan->parallel, "context_exchange", diag,
                            "tensor x ranks that exchange tokens for heads is %u, which neither "
                            "divides the %" PRIu64 " heads of keys and values nor is divided by "
                            "them",
                            ranks, model->kv_heads);
    }
    if (plan->layout.experts_differ && plan->layout.experts.are_apart &&
        gen_ring_ranks(&plan->layout) > 1) {
        return orr_gen_fail(plan->parallel, "context_exchange", diag,
                            "uneven loads of experts that are spread over context-parallel ranks "
                            "go with all_gather or ulysses");
    }
    return ORR_OK;
}

static enum orr_status check_tokens(const struct tf_job *job, struct orr_diag *diag)
{
    const uint32_t context = job->plan.layout.size[GEN_CONTEXT];
    const uint32_t tensor = job->plan.layout.size[GEN_TENSOR];
    const uint64_t lengths[] = {job->model.sequence, job->model.encoder_sequence};
    for (unsigned i = 0; i < COUNT(lengths); i++) {
        if (lengths[i] % context != 0) {
            return fail_split(job, "context", context, "tokens of a sample", lengths[i], diag);
        }
        const uint64_t tokens = lengths[i] / context * job->plan.micro_batch;
        if (job->plan.sequence_parallel && tokens % tensor != 0) {
            return fail_split(job, "tensor", tensor, "tokens of a rank, as sequence: true needs",
                              tokens, diag);
        }
    }
    return ORR_OK;
}

static enum orr_status check_layers(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const struct gen_pipeline *pipeline = &job->plan.pipeline;
    const struct gen_row row = orr_transformer_row(model);
    const uint64_t parts = (uint64_t)pipeline->stages * pipeline->chunks;
    const uint32_t expert = gen_expert_ranks(&job->plan.layout);
    if (job->plan.recompute_operators.count > 0) {
        return orr_gen_fail(job->plan.training, "recompute_operators", diag,
                            "only a model of operators takes this; a transformer takes "
                            "recompute_modules");
    }
    if (job->plan.operators != NULL) {
        return orr_gen_fail(job->plan.parallel, "operators", diag,
                            "only a model of operators takes this, not a transformer, whose "
                            "operators are cut as in Megatron-LM");
    }
    if (model->encoder_layers > 0 && parts > 1) {
        return orr_gen_fail(job->plan.parallel, "pipeline", diag,
                            "a model with an encoder and a decoder cannot be cut into stages");
    }
    if (model->attended < 1 && !job->plan.fused_attention) {
        return orr_gen_fail(job->plan.training, "fused_attention", diag,
                            "attention that writes its scores computes all pairs of tokens; with "
                            "transformer.attended expected true");
    }
    if (model->latent && !job->plan.fused_attention) {
        return orr_gen_fail(job->plan.training, "fused_attention", diag,
                            "latent attention keeps its scores on the chip; expected true");
    }
    const enum orr_status status = orr_gen_check_split(&job->plan, &row, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (model->experts == 0 && expert > 1) {
        return orr_gen_fail(job->plan.parallel, "expert", diag,
                            "the model has no experts; expected 1, got %u", expert);
    }
    if (model->experts == 0 && job->plan.expert_tensor > 0) {
        return orr_gen_fail(job->plan.parallel, "expert_tensor", diag, "the model has no experts");
    }
    if (model->experts % expert != 0) {
        return fail_split(job, "expert", expert, "experts", model->experts, diag);
    }
    const uint32_t layers = orr_gen_max_layers(&job->plan, &row);
    const double nodes =
        (double)NODES_OF_LAYER * layers * pipeline->micros * (double)job->plan.steps;
    if (nodes > MAX_NODES) {
        return orr_gen_fail(job->plan.training, "batch", diag,
                            "%u layers of a stage x %u micro-batches x %u steps make about %.2g "
                            "nodes for each stage; at most %.0e are supported",
                            layers, pipeline->micros, job->plan.steps, nodes, MAX_NODES);
    }
    const double tags = 2.0 * (double)pipeline->micros * (double)parts * job->plan.steps;
    if (tags > (double)UINT32_MAX) {
        return orr_gen_fail(job->plan.training, "batch", diag,
                            "micro-batches x stages x chunks x steps make more than 4294967295 "
                            "messages");
    }
    return ORR_OK;
}

enum orr_status orr_transformer_check_layout(const struct tf_job *job, struct orr_diag *diag)
{
    enum orr_status status = check_tensor(job, diag);
    if (status == ORR_OK) {
        status = check_tokens(job, diag);
    }
    if (status == ORR_OK) {
        status = check_context(job, diag);
    }
    return status == ORR_OK ? check_layers(job, diag) : status;
}
