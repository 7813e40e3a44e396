/* Models trained by data parallelism; see data_parallel.h. */
#include "workload/gen/data_parallel.h"

#include <string.h>

#include "core/conf/conf.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/pipeline.h"

/* ---- checks ---- */

static enum orr_status check_degrees(const struct gen_plan *plan, const char *model,
                                     struct orr_diag *diag)
{
    static const char *const axes[GEN_AXES] = {[GEN_TENSOR] = "tensor",
                                               [GEN_CONTEXT] = "context",
                                               [GEN_EXPERT] = "expert",
                                               [GEN_PIPELINE] = "pipeline"};
    static const char *const stages[] = {
        "expert_tensor",    "context_exchange",   "replicas",     "pipeline_scatter",
        "layers_per_stage", "embedding_as_layer", "head_as_layer"};
    if (plan->operators != NULL) {
        return orr_gen_fail(plan->parallel, "operators", diag,
                            "only a model of operators takes this, not a %s", model);
    }
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if (axes[a] != NULL && plan->layout.size[a] != 1) {
            return orr_gen_fail(plan->parallel, axes[a], diag,
                                "a %s cannot be parallelized this way; expected 1, got %u", model,
                                plan->layout.size[a]);
        }
    }
    for (size_t i = 0; plan->parallel != NULL && i < sizeof stages / sizeof *stages; i++) {
        if (orr_conf_get(plan->parallel, stages[i]) != NULL) {
            return orr_gen_fail(plan->parallel, stages[i], diag,
                                "only a transformer takes this, not a %s", model);
        }
    }
    if (plan->pipeline.schedule == GEN_INTERLEAVED || plan->pipeline.schedule == GEN_ORDERED) {
        return orr_gen_fail(plan->parallel, "schedule", diag, "a %s has no stages to interleave",
                            model);
    }
    if (plan->zero != 0) {
        return orr_gen_fail(plan->parallel, "zero", diag,
                            "a %s keeps all weights on every NPU; expected 0, got %u", model,
                            plan->zero);
    }
    return ORR_OK;
}

static enum orr_status check_training(const struct gen_plan *plan, const char *model,
                                      struct orr_diag *diag)
{
    static const char *const of_transformers[] = {
        "fused_attention",   "overlap_gather",    "prefetch",   "offload_parameters",
        "offload_gradients", "offload_optimizer", "host_layer", "host_experts"};
    const char *narrow = orr_gen_precision_key(plan->training);
    if (narrow != NULL) {
        return orr_gen_fail(plan->training, narrow, diag, "only a transformer takes this, not a %s",
                            model);
    }
    for (size_t i = 0;
         plan->training != NULL && i < sizeof of_transformers / sizeof *of_transformers; i++) {
        if (orr_conf_get(plan->training, of_transformers[i]) != NULL) {
            return orr_gen_fail(plan->training, of_transformers[i], diag,
                                "only a transformer takes this, not a %s", model);
        }
    }
    if (plan->recompute_operators.count > 0) {
        return orr_gen_fail(plan->training, "recompute_operators", diag,
                            "only a model of operators takes this, not a %s", model);
    }
    if (plan->recompute != GEN_RECOMPUTE_NONE) {
        return orr_gen_fail(plan->training, "recompute", diag,
                            "a %s keeps its activations; expected none", model);
    }
    return ORR_OK;
}

/* training.chain: one all-reduce of all layers after the backward pass, without buckets. */
static enum orr_status check_chain(struct gen_plan *plan, const char *model, struct orr_diag *diag)
{
    static const char *const others[] = {"bucket", "slice"};
    if (!plan->chain) {
        return ORR_OK;
    }
    if (strcmp(model, "cnn") != 0) {
        return orr_gen_fail(plan->training, "chain", diag,
                            "only the layers of a cnn are chained, not a %s's", model);
    }
    for (size_t i = 0; i < 2; i++) {
        if (orr_conf_get(plan->training, others[i]) != NULL) {
            return orr_gen_fail(
                plan->training, others[i], diag,
                "with chain: true all gradients are reduced at once; expected none");
        }
    }
    if (plan->overlap && orr_conf_get(plan->training, "overlap") != NULL) {
        return orr_gen_fail(plan->training, "overlap", diag,
                            "with chain: true gradients are reduced after the backward pass; "
                            "expected false");
    }
    plan->overlap = false;
    plan->bucket_bytes = INT64_MAX;
    return ORR_OK;
}

enum orr_status orr_gen_data_parallel_check(struct gen_plan *plan, const char *model,
                                            struct orr_diag *diag)
{
    enum orr_status status = check_degrees(plan, model, diag);
    if (status == ORR_OK) {
        status = check_training(plan, model, diag);
    }
    if (status == ORR_OK) {
        status = check_chain(plan, model, diag);
    }
    const bool has_micro_batch =
        plan->training != NULL && orr_conf_get(plan->training, "micro_batch") != NULL;
    if (status == ORR_OK && !has_micro_batch) {
        plan->micro_batch *= plan->pipeline.micros;
        plan->pipeline.micros = 1;
    }
    return status;
}
