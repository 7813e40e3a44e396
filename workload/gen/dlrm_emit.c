/* The nodes of a recommendation model; see dlrm.h. All NPUs do alike.
 *
 * Tables are read for the samples of all NPUs, and the pooled vectors go to the NPUs of the
 * samples; beside that runs the bottom MLP. Backwards the gradients of the vectors go back while
 * the bottom MLP works, and then the rows that were read are updated. */
#include <stdio.h>

#include "workload/gen/dlrm.h"

struct walk {
    const struct dlrm_job *job;
    struct gen_run run;
    struct gen_weights bottom[DLRM_MAX_LAYERS], top[DLRM_MAX_LAYERS];
    struct gen_after tables_ready; /* since the rows were updated */
    struct gen_after last;         /* of the step before */
};

enum pass { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT };

/* ---- the MLPs ---- */

static const char *layer_name(bool is_top, unsigned layer, char text[32])
{
    (void)snprintf(text, 32, "%s %u", is_top ? "top" : "bottom", layer);
    return text;
}

static struct gen_after emit_layer(struct walk *walk, bool is_top, unsigned layer, enum pass pass,
                                   const struct gen_after *after)
{
    static const char *const how[] = {"fwd", "bwd", "wgrad"};
    const struct dlrm_mlp *mlp = is_top ? &walk->job->top : &walk->job->bottom;
    const struct gen_plan *plan = &walk->job->plan;
    char name[32];
    const struct gen_work work = orr_gen_product(plan->micro_batch, mlp->width[layer],
                                                 mlp->width[layer + 1], plan->element_bytes);
    return orr_gen_run_comp(&walk->run, layer_name(is_top, layer, name), how[pass], ORR_OP_GEMM,
                            work, after);
}

static struct gen_after mlp_forward(struct walk *walk, bool is_top, struct gen_after chain)
{
    const struct dlrm_mlp *mlp = is_top ? &walk->job->top : &walk->job->bottom;
    const struct gen_weights *weights = is_top ? walk->top : walk->bottom;
    for (unsigned l = 0; l < mlp->layers; l++) {
        orr_gen_join(&chain, &weights[l].ready);
        chain = emit_layer(walk, is_top, l, FORWARD, &chain);
    }
    return chain;
}

/* There is no gradient of the dense features. */
static struct gen_after mlp_backward(struct walk *walk, bool is_top, struct gen_after chain)
{
    const struct dlrm_mlp *mlp = is_top ? &walk->job->top : &walk->job->bottom;
    struct gen_weights *weights = is_top ? walk->top : walk->bottom;
    char name[32];
    for (unsigned l = mlp->layers; l-- > 0;) {
        struct gen_after passed = chain;
        if (is_top || l > 0) {
            passed = emit_layer(walk, is_top, l, INPUT_GRADIENT, &chain);
        }
        const struct gen_after gradient = emit_layer(walk, is_top, l, WEIGHT_GRADIENT, &chain);
        orr_gen_weights_gradient(&walk->run, layer_name(is_top, l, name), &weights[l], &gradient);
        chain = is_top || l > 0 ? passed : gradient;
    }
    return chain;
}

/* ---- the tables ---- */

/* Not in the group of the gradients, whose reductions it would wait for. */
static struct gen_after exchange(struct walk *walk, bool backward, const struct gen_after *after)
{
    const struct dlrm_job *job = walk->job;
    char name[GEN_NAME_BYTES];
    struct orr_node_spec spec = {.comm = ORR_COMM_ALL_TO_ALL,
                                 .comm_bytes = orr_dlrm_exchange_bytes(job)};
    if (job->sharding == DLRM_BY_ROW && backward) {
        spec.comm = ORR_COMM_ALL_GATHER; /* its size in a trace is what a rank contributes */
        spec.comm_bytes /= job->plan.layout.npus;
    } else if (job->sharding == DLRM_BY_ROW) {
        spec.comm = ORR_COMM_REDUCE_SCATTER;
    }
    spec.name =
        orr_gen_run_name(&walk->run, "embeddings exchanged", backward ? "bwd" : "fwd", name);
    return orr_gen_emit_coll(walk->run.emitter, spec, GEN_WORLD, after);
}

static struct gen_after look_up(struct walk *walk)
{
    struct gen_after after = walk->last;
    orr_gen_join(&after, &walk->tables_ready);
    const struct gen_after pooled = orr_gen_run_comp(
        &walk->run, "embedding lookup", "fwd", ORR_OP_MEMORY, orr_dlrm_lookup(walk->job), &after);
    return exchange(walk, false, &pooled);
}

static void update_rows(struct walk *walk, const struct gen_after *gradients)
{
    walk->tables_ready = *gradients;
    if (walk->job->plan.has_optimizer) {
        walk->tables_ready = orr_gen_run_comp(&walk->run, "embedding update", NULL, ORR_OP_MEMORY,
                                              orr_dlrm_row_update(walk->job), gradients);
    }
}

/* ---- a step ---- */

static struct gen_after interact(struct walk *walk, bool backward, const struct gen_after *after)
{
    const bool dot = walk->job->interaction == DLRM_DOT;
    return orr_gen_run_comp(&walk->run, "interaction", backward ? "bwd" : "fwd",
                            dot ? ORR_OP_GEMM : ORR_OP_MEMORY,
                            orr_dlrm_interaction(walk->job, backward), after);
}

static struct gen_after lose(struct walk *walk, bool backward, const struct gen_after *after)
{
    const struct gen_plan *plan = &walk->job->plan;
    const uint64_t elements =
        sat_times(plan->micro_batch, walk->job->top.width[walk->job->top.layers]);
    const struct gen_work work = {elements,
                                  sat_times(elements, (backward ? 3 : 2) * plan->element_bytes)};
    return orr_gen_run_comp(&walk->run, "loss", backward ? "bwd" : "fwd", ORR_OP_ELEMENTWISE, work,
                            after);
}

static void finish_mlp(struct walk *walk, bool is_top, bool update)
{
    const unsigned layers = is_top ? walk->job->top.layers : walk->job->bottom.layers;
    struct gen_weights *weights = is_top ? walk->top : walk->bottom;
    char name[32];
    for (unsigned l = layers; l-- > 0;) {
        (void)layer_name(is_top, l, name);
        if (update) {
            orr_gen_weights_update(&walk->run, name, &weights[l]);
        } else {
            orr_gen_weights_reduce(&walk->run, name, &weights[l], &walk->last);
        }
    }
}

static void run_step(struct walk *walk)
{
    const struct gen_after vectors = look_up(walk);
    struct gen_after chain = mlp_forward(walk, false, walk->last);
    orr_gen_join(&chain, &vectors);
    chain = interact(walk, false, &chain);
    chain = mlp_forward(walk, true, chain);
    chain = lose(walk, false, &chain);
    chain = lose(walk, true, &chain);
    chain = mlp_backward(walk, true, chain);
    chain = interact(walk, true, &chain);
    const struct gen_after gradients = exchange(walk, true, &chain);
    walk->last = mlp_backward(walk, false, chain);
    update_rows(walk, &gradients);
    for (unsigned update = 0; update < 2; update++) {
        finish_mlp(walk, true, update != 0);
        finish_mlp(walk, false, update != 0);
        orr_gen_weights_flush(&walk->run);
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
    struct walk *walk = orr_heap_calloc(1, sizeof *walk);
    if (walk == NULL) {
        if (emitter->status == ORR_OK) {
            emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
        }
        return;
    }
    walk->job = job;
    walk->run = (struct gen_run){.plan = &job->plan, .emitter = emitter};
    fill_weights(&job->bottom, walk->bottom);
    fill_weights(&job->top, walk->top);
    for (walk->run.step = 0; walk->run.step < job->plan.steps; walk->run.step++) {
        run_step(walk);
    }
    orr_heap_free(walk);
}
