/* Models trained by data parallelism; see data_parallel.h. */
#include "workload/gen/data_parallel.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- checks ---- */

static enum orr_status check_degrees(const struct gen_plan *plan, const char *model,
                                     struct orr_diag *diag)
{
    static const char *const axes[GEN_AXES] = {[GEN_TENSOR] = "tensor",
                                               [GEN_CONTEXT] = "context",
                                               [GEN_EXPERT] = "expert",
                                               [GEN_PIPELINE] = "pipeline"};
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if (axes[a] != NULL && plan->layout.size[a] != 1) {
            return gen_fail(plan->parallel, axes[a], diag,
                            "a %s is not cut this way; expected 1, got %u", model,
                            plan->layout.size[a]);
        }
    }
    if (plan->pipeline.schedule == GEN_INTERLEAVED) {
        return gen_fail(plan->parallel, "schedule", diag, "a %s has no stages to interleave",
                        model);
    }
    if (plan->zero != 0) {
        return gen_fail(plan->parallel, "zero", diag,
                        "a %s keeps all weights on every NPU; expected 0, got %u", model,
                        plan->zero);
    }
    return ORR_OK;
}

static enum orr_status check_training(const struct gen_plan *plan, const char *model,
                                      struct orr_diag *diag)
{
    static const char *const of_transformers[] = {"fused_attention", "prefetch"};
    for (size_t i = 0; plan->training != NULL && i < 2; i++) {
        if (orr_conf_get(plan->training, of_transformers[i]) != NULL) {
            return gen_fail(plan->training, of_transformers[i], diag,
                            "only a transformer takes this, not a %s", model);
        }
    }
    if (plan->recompute != GEN_RECOMPUTE_NONE) {
        return gen_fail(plan->training, "recompute", diag,
                        "a %s keeps its activations; expected none", model);
    }
    return ORR_OK;
}

enum orr_status gen_data_parallel_check(struct gen_plan *plan, const char *model,
                                        struct orr_diag *diag)
{
    enum orr_status status = check_degrees(plan, model, diag);
    if (status == ORR_OK) {
        status = check_training(plan, model, diag);
    }
    const bool given =
        plan->training != NULL && orr_conf_get(plan->training, "micro_batch") != NULL;
    if (status == ORR_OK && !given) {
        plan->micro_batch *= plan->pipeline.micros;
        plan->pipeline.micros = 1;
    }
    return status;
}

/* ---- computations ---- */

struct gen_work gen_product(uint64_t m, uint64_t k, uint64_t n, uint64_t element_bytes)
{
    const uint64_t elements = gen_plus(gen_plus(gen_times(m, k), gen_times(k, n)), gen_times(m, n));
    return (struct gen_work){gen_times(2, gen_times(m, gen_times(k, n))),
                             gen_times(elements, element_bytes)};
}

/* ---- emitting ---- */

const char *gen_run_name(const struct gen_run *run, const char *what, const char *how,
                         char text[GEN_NAME_BYTES])
{
    int at = 0;
    if (run->plan->steps > 1) {
        at = snprintf(text, GEN_NAME_BYTES, "step %" PRIu32 " ", run->step);
    }
    at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "%s", what);
    if (how != NULL) {
        (void)snprintf(text + at, GEN_NAME_BYTES - (size_t)at, " %s mb %" PRIu32, how, run->micro);
    }
    return text;
}

struct gen_after gen_run_comp(const struct gen_run *run, const char *what, const char *how,
                              enum orr_op_kind kind, struct gen_work work,
                              const struct gen_after *after)
{
    char name[GEN_NAME_BYTES];
    const struct orr_node_spec spec = {.name = gen_run_name(run, what, how, name),
                                       .op = kind,
                                       .num_ops = work.flops,
                                       .tensor_bytes = work.bytes};
    return gen_node(gen_emit_comp(run->emitter, spec, after));
}

static void reduce(const struct gen_run *run, const char *layer, struct gen_weights *weights,
                   const struct gen_after *after)
{
    char what[GEN_NAME_BYTES / 2], name[GEN_NAME_BYTES];
    (void)snprintf(what, sizeof what, "%s gradients", layer);
    const struct orr_node_spec spec = {
        .name = gen_run_name(run, what, "reduced", name),
        .comm = ORR_COMM_ALL_REDUCE,
        .comm_bytes = gen_times(weights->parameters, run->plan->gradient_bytes)};
    weights->reduced = gen_emit_coll(run->emitter, spec, GEN_DP, after);
}

void gen_weights_gradient(const struct gen_run *run, const char *layer, struct gen_weights *weights,
                          const struct gen_after *gradient)
{
    weights->gradient = *gradient;
    if (run->plan->overlap && run->micro + 1 == run->plan->pipeline.micros) {
        reduce(run, layer, weights, gradient);
    }
}

void gen_weights_reduce(const struct gen_run *run, const char *layer, struct gen_weights *weights,
                        const struct gen_after *end)
{
    if (!run->plan->overlap) {
        struct gen_after after = weights->gradient;
        gen_join(&after, end);
        reduce(run, layer, weights, &after);
    }
}

uint64_t gen_update_bytes(const struct gen_plan *plan, uint64_t parameters)
{
    return gen_times(parameters,
                     plan->gradient_bytes + 2 * plan->optimizer_bytes + plan->element_bytes);
}

void gen_weights_update(const struct gen_run *run, const char *layer, struct gen_weights *weights)
{
    char what[GEN_NAME_BYTES / 2];
    (void)snprintf(what, sizeof what, "%s update", layer);
    weights->ready = weights->reduced;
    if (run->plan->has_optimizer) {
        const struct gen_work work = {weights->parameters,
                                      gen_update_bytes(run->plan, weights->parameters)};
        weights->ready = gen_run_comp(run, what, NULL, ORR_OP_ELEMENTWISE, work, &weights->reduced);
    }
}
