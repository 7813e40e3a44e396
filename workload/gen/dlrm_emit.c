/* The nodes of a recommendation model; see dlrm.h. All NPUs have the same.
 *
 * The tables are read for the samples of all NPUs, and the pooled vectors are exchanged, while the
 * bottom MLP runs. Backward, the gradients of the vectors are exchanged while the bottom MLP runs,
 * then the rows that were read are updated. */
#include <stdio.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/data_parallel.h"
#include "workload/gen/dlrm.h"
#include "workload/parallel/emitter.h"
#include "workload/parallel/layout.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

struct dlrm_walk {
    const struct dlrm_job *job;
    struct gen_run run;
    struct gen_weights bottom[DLRM_MAX_LAYERS], top[DLRM_MAX_LAYERS];
    struct gen_deps tables_ready; /* the update of the rows */
    struct gen_deps last;         /* of the step before */
};

enum pass { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT };

/* ---- the MLPs ---- */

static const char *layer_name(bool is_top, unsigned layer, char text[32])
{
    (void)snprintf(text, 32, "%s %u", is_top ? "top" : "bottom", layer);
    return text;
}

static struct gen_deps emit_layer(struct dlrm_walk *dlrm_walk, bool is_top, unsigned layer,
                                  enum pass pass, const struct gen_deps *after)
{
    static const char *const how[] = {"fwd", "bwd", "wgrad"};
    const struct dlrm_mlp *mlp = is_top ? &dlrm_walk->job->top : &dlrm_walk->job->bottom;
    const struct gen_plan *plan = &dlrm_walk->job->plan;
    char name[32];
    const struct gen_work work = orr_gen_product(plan->micro_batch, mlp->width[layer],
                                                 mlp->width[layer + 1], plan->element_bytes);
    return orr_gen_run_comp(&dlrm_walk->run, layer_name(is_top, layer, name), how[pass],
                            ORR_OP_GEMM, work, after);
}

static struct gen_deps mlp_forward(struct dlrm_walk *dlrm_walk, bool is_top, struct gen_deps chain)
{
    const struct dlrm_mlp *mlp = is_top ? &dlrm_walk->job->top : &dlrm_walk->job->bottom;
    const struct gen_weights *weights = is_top ? dlrm_walk->top : dlrm_walk->bottom;
    for (unsigned l = 0; l < mlp->layers; l++) {
        orr_gen_deps_merge(&chain, &weights[l].ready);
        chain = emit_layer(dlrm_walk, is_top, l, FORWARD, &chain);
    }
    return chain;
}

/* The dense features have no gradient. */
static struct gen_deps mlp_backward(struct dlrm_walk *dlrm_walk, bool is_top, struct gen_deps chain)
{
    const struct dlrm_mlp *mlp = is_top ? &dlrm_walk->job->top : &dlrm_walk->job->bottom;
    struct gen_weights *weights = is_top ? dlrm_walk->top : dlrm_walk->bottom;
    char name[32];
    for (unsigned l = mlp->layers; l-- > 0;) {
        struct gen_deps passed = chain;
        if (is_top || l > 0) {
            passed = emit_layer(dlrm_walk, is_top, l, INPUT_GRADIENT, &chain);
        }
        const struct gen_deps gradient = emit_layer(dlrm_walk, is_top, l, WEIGHT_GRADIENT, &chain);
        orr_gen_weights_gradient(&dlrm_walk->run, layer_name(is_top, l, name), &weights[l],
                                 &gradient);
        chain = is_top || l > 0 ? passed : gradient;
    }
    return chain;
}

/* ---- the tables ---- */

/* Not in the group of the gradients: it would wait for their reductions. */
static struct gen_deps emit_exchange(struct dlrm_walk *dlrm_walk, bool backward,
                                     const struct gen_deps *after)
{
    const struct dlrm_job *job = dlrm_walk->job;
    char name[GEN_NAME_BYTES];
    struct orr_node_spec spec = {.comm = ORR_COMM_ALL_TO_ALL,
                                 .comm_bytes = orr_dlrm_exchange_bytes(job)};
    if (job->sharding == DLRM_BY_ROW && backward) {
        spec.comm = ORR_COMM_ALL_GATHER; /* its size in a trace is the contribution of a rank */
        spec.comm_bytes /= job->plan.layout.npus;
    } else if (job->sharding == DLRM_BY_ROW) {
        spec.comm = ORR_COMM_REDUCE_SCATTER;
    }
    spec.name =
        orr_gen_run_name(&dlrm_walk->run, "embeddings exchanged", backward ? "bwd" : "fwd", name);
    return orr_gen_emit_coll(dlrm_walk->run.emitter, spec, GEN_WORLD, after);
}

static struct gen_deps emit_lookup(struct dlrm_walk *dlrm_walk)
{
    struct gen_deps after = dlrm_walk->last;
    orr_gen_deps_merge(&after, &dlrm_walk->tables_ready);
    const struct gen_deps pooled =
        orr_gen_run_comp(&dlrm_walk->run, "embedding lookup", "fwd", ORR_OP_MEMORY,
                         orr_dlrm_lookup(dlrm_walk->job), &after);
    return emit_exchange(dlrm_walk, false, &pooled);
}

static void update_rows(struct dlrm_walk *dlrm_walk, const struct gen_deps *gradients)
{
    dlrm_walk->tables_ready = *gradients;
    if (dlrm_walk->job->plan.has_optimizer) {
        dlrm_walk->tables_ready =
            orr_gen_run_comp(&dlrm_walk->run, "embedding update", NULL, ORR_OP_MEMORY,
                             orr_dlrm_row_update(dlrm_walk->job), gradients);
    }
}

/* ---- a step ---- */

static struct gen_deps emit_interaction(struct dlrm_walk *dlrm_walk, bool backward,
                                        const struct gen_deps *after)
{
    const bool dot = dlrm_walk->job->interaction == DLRM_DOT;
    return orr_gen_run_comp(&dlrm_walk->run, "interaction", backward ? "bwd" : "fwd",
                            dot ? ORR_OP_GEMM : ORR_OP_MEMORY,
                            orr_dlrm_interaction(dlrm_walk->job, backward), after);
}

static struct gen_deps emit_loss(struct dlrm_walk *dlrm_walk, bool backward,
                                 const struct gen_deps *after)
{
    const struct gen_plan *plan = &dlrm_walk->job->plan;
    const uint64_t elements =
        sat_times(plan->micro_batch, dlrm_walk->job->top.width[dlrm_walk->job->top.layers]);
    const struct gen_work work = {elements,
                                  sat_times(elements, (backward ? 3 : 2) * plan->element_bytes)};
    return orr_gen_run_comp(&dlrm_walk->run, "loss", backward ? "bwd" : "fwd", ORR_OP_ELEMENTWISE,
                            work, after);
}

static void finish_mlp(struct dlrm_walk *dlrm_walk, bool is_top, bool update)
{
    const unsigned layers = is_top ? dlrm_walk->job->top.layers : dlrm_walk->job->bottom.layers;
    struct gen_weights *weights = is_top ? dlrm_walk->top : dlrm_walk->bottom;
    char name[32];
    for (unsigned l = layers; l-- > 0;) {
        (void)layer_name(is_top, l, name);
        if (update) {
            orr_gen_weights_update(&dlrm_walk->run, name, &weights[l]);
        } else {
            orr_gen_weights_reduce(&dlrm_walk->run, name, &weights[l], &dlrm_walk->last);
        }
    }
}

static void run_step(struct dlrm_walk *dlrm_walk)
{
    const struct gen_deps vectors = emit_lookup(dlrm_walk);
    struct gen_deps chain = mlp_forward(dlrm_walk, false, dlrm_walk->last);
    orr_gen_deps_merge(&chain, &vectors);
    chain = emit_interaction(dlrm_walk, false, &chain);
    chain = mlp_forward(dlrm_walk, true, chain);
    chain = emit_loss(dlrm_walk, false, &chain);
    chain = emit_loss(dlrm_walk, true, &chain);
    chain = mlp_backward(dlrm_walk, true, chain);
    chain = emit_interaction(dlrm_walk, true, &chain);
    const struct gen_deps gradients = emit_exchange(dlrm_walk, true, &chain);
    dlrm_walk->last = mlp_backward(dlrm_walk, false, chain);
    update_rows(dlrm_walk, &gradients);
    for (unsigned update = 0; update < 2; update++) {
        finish_mlp(dlrm_walk, true, update != 0);
        finish_mlp(dlrm_walk, false, update != 0);
        orr_gen_weights_flush(&dlrm_walk->run);
    }
}

static void fill_weights(const struct dlrm_mlp *mlp, struct gen_weights *weights)
{
    for (unsigned l = 0; l < mlp->layers; l++) {
        weights[l] = (struct gen_weights){.parameters = orr_dlrm_layer_parameters(mlp, l)};
    }
}

void orr_dlrm_emit(const struct dlrm_job *job, struct gen_emitter *emitter)
{
    struct dlrm_walk *dlrm_walk = orr_heap_calloc(1, sizeof *dlrm_walk);
    if (dlrm_walk == NULL) {
        if (emitter->status == ORR_OK) {
            emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
        }
        return;
    }
    dlrm_walk->job = job;
    dlrm_walk->run = (struct gen_run){.plan = &job->plan, .emitter = emitter};
    fill_weights(&job->bottom, dlrm_walk->bottom);
    fill_weights(&job->top, dlrm_walk->top);
    for (dlrm_walk->run.step = 0; dlrm_walk->run.step < job->plan.steps; dlrm_walk->run.step++) {
        run_step(dlrm_walk);
    }
    orr_heap_free(dlrm_walk);
}
