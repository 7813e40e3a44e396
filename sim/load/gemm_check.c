/* Checks of GEMMs: peaks of narrow types, and sizes that fit tensor cores badly; see gemm_check.h.
 */
#include "sim/load/gemm_check.h"

#include "core/conf/conf.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"
#include "workload/gen/models.h"
#include "workload/parallel/recompute.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- narrow types ---- */

static const char *const peak_keys[ORR_PRODUCT_TYPES] = {
    [ORR_PRODUCT_FP8] = "fp8_peak", [ORR_PRODUCT_FP4] = "fp4_peak"};
static const char *const peak_examples[ORR_PRODUCT_TYPES] = {
    [ORR_PRODUCT_FP8] = "1979 TFLOP/s", [ORR_PRODUCT_FP4] = "9 PFLOP/s"};

/* Whether the platform's roofline does not know products of the type. */
static bool lacks(const struct orrery *job, enum orr_product_type type)
{
    return type != ORR_PRODUCT_ELEMENT && !(job->compute.product_peak_flops[type] > 0);
}

static enum orr_status check_model(struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    const struct gen_plan *plan = model->ops->plan(model->job);
    const enum orr_product_type type =
        (enum orr_product_type)orr_gen_format_type(plan->precision.product);
    if (!lacks(job, type)) {
        return ORR_OK;
    }
    const struct orr_conf *node = orr_conf_get(plan->training, "product_type");
    node = node != NULL ? node : orr_conf_get(plan->training, "precision");
    const struct orr_location place = orr_conf_location(node != NULL ? node : plan->training);
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                         "%s: %s needs the key compute.%s of the platform, such as %s: %s",
                         node != NULL ? node->path : "workload.training",
                         orr_gen_format_names[plan->precision.product], peak_keys[type],
                         peak_keys[type], peak_examples[type]);
}

static enum orr_status check_trace(struct orrery *job, const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const enum orr_product_type type = orr_wl_product_type(node->comm);
        if (node->kind == ORR_NODE_COMP && lacks(job, type)) {
            const struct orr_location place = orr_location_file(trace->path);
            return orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                                 "node %" PRIu64 " (%s): a product of %s (orrery_op_type) needs "
                                 "the key compute.%s of the platform, such as %s: %s",
                                 node->id, node->name, orr_product_type_names[type],
                                 peak_keys[type], peak_keys[type], peak_examples[type]);
        }
    }
    return ORR_OK;
}

static enum orr_status check_types(struct orrery *job)
{
    const struct orr_trace *const *trace = job->source.trace;
    const bool knows = !lacks(job, ORR_PRODUCT_FP8) && !lacks(job, ORR_PRODUCT_FP4);
    if (!job->compute.roofline || knows) {
        return ORR_OK;
    }
    if (job->files.job_description.model.ops != NULL) {
        return check_model(job);
    }
    for (uint32_t i = 0; job->files.job_description.traces != NULL && i < job->source.count; i++) {
        const bool seen = i > 0 && (trace[i] == trace[i - 1] || trace[i] == trace[0]);
        const enum orr_status status = seen ? ORR_OK : check_trace(job, trace[i]);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

/* ---- tensor cores ---- */

static void describe(const struct gen_misalignment *misalignment, char *text, size_t bytes)
{
    char width[64] = "", head[64] = "";
    if (misalignment->width > 0) {
        (void)snprintf(width, sizeof width, "hidden / tensor = %.10g is not a multiple of 64",
                       misalignment->width);
    }
    if (misalignment->head_size != 0) {
        (void)snprintf(head, sizeof head, "the head size %" PRIu64 " is not a multiple of 8",
                       misalignment->head_size);
    }
    (void)snprintf(text, bytes, "%s%s%s", width,
                   width[0] != '\0' && head[0] != '\0' ? ", and " : "", head);
}

static void warn_misalignment(struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    const struct wl_compute *compute = &job->compute;
    const bool calibrated = compute->efficiency != NULL || compute->alignment > 0;
    struct gen_misalignment misalignment = {0};
    if (!compute->roofline || !calibrated || model->ops == NULL ||
        model->ops->misalignment == NULL) {
        return;
    }
    model->ops->misalignment(model->job, &misalignment);
    if (!(misalignment.width > 0) && misalignment.head_size == 0) {
        return;
    }
    const struct orr_location place = orr_conf_location(model->section);
    char sizes[160];
    describe(&misalignment, sizes, sizeof sizes);
    if (compute->alignment > 0) {
        orr_diag_warn(&job->diag, &place,
                      "%s: %s: %s counted with %.10g of the share of the peak "
                      "(compute.alignment)",
                      model->section->path, sizes,
                      misalignment.width > 0 && misalignment.head_size != 0
                          ? "the layers' products and attention are"
                      : misalignment.width > 0 ? "the layers' products are"
                                               : "attention is",
                      compute->alignment);
        return;
    }
    orr_diag_warn(
        &job->diag, &place,
        "%s: %s, which tensor cores take badly: real GPUs need about 1.3 times as long for "
        "an iteration; compute.alignment: 0.75 counts that",
        model->section->path, sizes);
}

/* ---- recomputation ---- */

/* Fused attention keeps no scores, so that there is nothing to save by computing them again. */
static void warn_recompute(struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    if (model->ops == NULL || strcmp(model->ops->name, "transformer") != 0) {
        return;
    }
    const struct gen_plan *plan = model->ops->plan(model->job);
    const struct orr_conf *node =
        plan->training != NULL ? orr_conf_get(plan->training, "recompute") : NULL;
    const bool core =
        plan->recompute == GEN_RECOMPUTE_SELECTIVE && plan->recompute_modules == GEN_CORE_ATTENTION;
    if (node != NULL && core && plan->fused_attention) {
        const struct orr_location place = orr_conf_location(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: selective saves no memory: fused attention keeps no scores, and is "
                      "computed twice; expected none, or fused_attention: false where scores are "
                      "written",
                      node->path);
    }
}

enum orr_status orr_check_gemms(struct orrery *job)
{
    const enum orr_status status = check_types(job);
    if (status == ORR_OK) {
        warn_misalignment(job);
        warn_recompute(job);
    }
    return status;
}
