/* Graphs of operators as jobs: totals, memory and nodes; see graph_job.h.
 *
 * Forward, an operator waits for its inputs. Backward, it waits for the gradients from all
 * operators that use its output, then passes its input gradient to its inputs. Weight gradients are
 * computed off this chain, and reduced by layer. */
#include "workload/gen/graph_job.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/parallel/emitter.h"

/* ---- totals and memory ---- */

enum orr_status orr_graph_job_begin(struct orr_arena *arena, const struct gen_sections *sections,
                                    uint32_t npus, struct graph_job **out, struct orr_diag *diag)
{
    struct graph_job *job = orr_arena_alloc(arena, sizeof *job);
    *out = job;
    return job != NULL
               ? orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag)
               : orr_diag_no_memory(diag, "a generated model");
}

const struct gen_plan *orr_graph_job_plan(const void *job)
{
    return &((const struct graph_job *)job)->plan;
}

const struct model_graph *orr_graph_job_operators(const void *job)
{
    return &((const struct graph_job *)job)->graph;
}

void orr_graph_job_totals(const void *of, struct gen_totals *totals)
{
    const struct graph_job *job = of;
    const double samples = (double)job->plan.batch;
    *totals = (struct gen_totals){.samples = samples};
    for (uint32_t i = 0; i < job->graph.ops; i++) {
        const struct model_op *op = &job->graph.op[i];
        const bool product = op->op_kind == ORR_OP_GEMM || op->op_kind == ORR_OP_ATTENTION;
        const uint64_t flops = sat_plus(op->forward.flops, op->backward.flops);
        totals->parameters += op->owner == i ? (double)op->weights : 0;
        totals->model_flops += product ? samples * (double)flops : 0;
    }
    totals->active_parameters = totals->parameters;
}

bool orr_graph_job_memory(const void *of, uint32_t stage, struct gen_memory *memory)
{
    const struct graph_job *job = of;
    const struct gen_plan *plan = &job->plan;
    uint64_t parameters = 0, kept_bytes = job->graph.data_bytes;
    (void)stage; /* there is one */
    for (uint32_t i = 0; i < job->graph.ops; i++) {
        const struct model_op *op = &job->graph.op[i];
        parameters = sat_plus(parameters, op->owner == i ? op->weights : 0);
        kept_bytes = sat_plus(kept_bytes, op->kept ? op->output_bytes : 0);
        kept_bytes = sat_plus(kept_bytes, op->kept_bytes);
    }
    *memory = (struct gen_memory){.weights_bytes = sat_times(parameters, plan->element_bytes),
                                  .gradients_bytes = sat_times(parameters, plan->gradient_bytes),
                                  .optimizer_bytes = sat_times(parameters, plan->optimizer_bytes),
                                  .activations_bytes = sat_times(kept_bytes, plan->micro_batch)};
    return true;
}

/* ---- nodes ---- */

/* The nodes of an operator. */
struct item {
    struct gen_deps output;   /* end of the forward pass */
    struct gen_deps gradient; /* gradient of its output, summed over the operators that use it */
    bool used;
};

struct graph_layer {
    struct gen_weights weights;
    struct gen_deps gradient; /* of its operators so far */
};

struct graph_walk {
    const struct graph_job *job;
    const struct model_graph *graph;
    struct gen_run run;
    struct item *item;         /* [graph.ops] */
    struct graph_layer *layer; /* [graph.layers] */
    struct gen_deps last;      /* the end of the backward pass */
};

enum pass { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT };

/* ---- computations ---- */

static struct model_work input_gradient(const struct model_op *op)
{
    const struct model_work *both = &op->backward, *weights = &op->weight_gradient;
    return (struct model_work){.flops = both->flops - weights->flops,
                               .input_bytes = both->input_bytes - weights->input_bytes,
                               .output_bytes = both->output_bytes - weights->output_bytes,
                               .inner_bytes = both->inner_bytes - weights->inner_bytes,
                               .weight_bytes = both->weight_bytes - weights->weight_bytes};
}

static struct gen_deps emit_op(struct graph_walk *walk, uint32_t index, enum pass pass,
                               const struct gen_deps *after)
{
    static const char *const how[] = {"fwd", "bwd", "wgrad"};
    const struct model_op *op = &walk->graph->op[index];
    const uint64_t samples = walk->job->plan.micro_batch;
    const struct model_work of_sample = pass == FORWARD          ? op->forward
                                        : pass == INPUT_GRADIENT ? input_gradient(op)
                                                                 : op->weight_gradient;
    const uint64_t bytes =
        sat_plus(of_sample.input_bytes, sat_plus(of_sample.output_bytes, of_sample.inner_bytes));
    const struct gen_work work = {sat_times(of_sample.flops, samples),
                                  sat_plus(sat_times(bytes, samples), of_sample.weight_bytes)};
    return orr_gen_run_comp(&walk->run, op->label, how[pass], (enum orr_op_kind)op->op_kind, work,
                            after);
}

static void update(struct graph_walk *walk, uint32_t layer)
{
    orr_gen_weights_update(&walk->run, walk->graph->layer[layer].name, &walk->layer[layer].weights);
}

static bool has_weights(const struct graph_walk *walk, uint32_t layer)
{
    return walk->graph->layer[layer].weights > 0;
}

/* With training.chain a layer is updated just before it runs in the next step, after the layer
 * before it. */
static void update_chained(struct graph_walk *walk, uint32_t layer)
{
    struct gen_weights *weights = &walk->layer[layer].weights;
    const bool first = walk->run.step == 0 || walk->run.micro != 0;
    if (!walk->job->plan.chain || first || !has_weights(walk, layer)) {
        return;
    }
    if (walk->graph->layer[layer].first > 0) {
        orr_gen_deps_merge(&weights->reduced,
                           &walk->item[walk->graph->layer[layer].first - 1].output);
    }
    update(walk, layer);
}

/* ---- passes ---- */

static void run_forward(struct graph_walk *walk)
{
    for (uint32_t i = 0; i < walk->graph->ops; i++) {
        const struct model_op *op = &walk->graph->op[i];
        const bool first = walk->graph->layer[op->layer].first == i;
        struct gen_deps after = orr_gen_no_deps();
        if (first) {
            update_chained(walk, op->layer);
            after = walk->layer[op->layer].weights.ready;
        }
        for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
            orr_gen_deps_merge(&after, &walk->item[walk->graph->edge[e].from].output);
        }
        if (op->takes_data) {
            orr_gen_deps_merge(&after, &walk->last);
        }
        walk->item[i].output = emit_op(walk, i, FORWARD, &after);
        walk->item[i].gradient = orr_gen_no_deps();
    }
}

/* Gradients of weights that come with those of inputs are behind these, which the layer's first
 * operator ends. */
static struct gen_deps weight_gradient(struct graph_walk *walk, uint32_t index,
                                       struct gen_deps passed)
{
    const struct model_op *op = &walk->graph->op[index];
    const struct model_layer *layer = &walk->graph->layer[op->layer];
    struct graph_layer *gradients = &walk->layer[op->layer];
    const bool apart = op->weight_gradient.flops != 0 || op->weight_gradient.inner_bytes != 0;
    struct gen_deps end = passed;
    if (apart) {
        end = emit_op(walk, index, WEIGHT_GRADIENT, &walk->item[index].gradient);
    }
    if (apart || (op->weights != 0 && layer->first == index)) {
        orr_gen_deps_merge(&gradients->gradient, &end);
    }
    if (layer->first == index && layer->weights > 0) {
        orr_gen_weights_gradient(&walk->run, layer->name, &gradients->weights,
                                 &gradients->gradient);
        gradients->gradient = orr_gen_no_deps();
    }
    return end;
}

static void pass_gradient(struct graph_walk *walk, const struct model_op *op,
                          const struct gen_deps *passed)
{
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        orr_gen_deps_merge(&walk->item[walk->graph->edge[e].from].gradient, passed);
    }
}

/* The backward pass ends at the operators on the data, which have no gradient. */
static void run_backward(struct graph_walk *walk)
{
    walk->last = orr_gen_no_deps();
    for (uint32_t i = walk->graph->ops; i-- > 0;) {
        const struct model_op *op = &walk->graph->op[i];
        struct item *item = &walk->item[i];
        item->gradient = item->used ? item->gradient : item->output;
        struct gen_deps end = item->gradient;
        if (!op->of_data) {
            end = emit_op(walk, i, INPUT_GRADIENT, &item->gradient);
            pass_gradient(walk, op, &end);
        }
        end = weight_gradient(walk, i, end);
        if (op->of_data) {
            orr_gen_deps_merge(&walk->last, &end);
        }
    }
}

/* ---- steps ---- */

static void run_step(struct graph_walk *walk)
{
    const uint32_t layers = walk->graph->layers;
    for (walk->run.micro = 0; walk->run.micro < walk->job->plan.pipeline.micros;
         walk->run.micro++) {
        run_forward(walk);
        run_backward(walk);
    }
    walk->run.micro--; /* for the names of the nodes that follow */
    for (uint32_t i = layers; i-- > 0;) {
        if (has_weights(walk, i)) {
            orr_gen_weights_reduce(&walk->run, walk->graph->layer[i].name, &walk->layer[i].weights,
                                   &walk->last);
        }
    }
    orr_gen_weights_flush(&walk->run);
    for (uint32_t i = layers; i-- > 0 && !walk->job->plan.chain;) {
        if (has_weights(walk, i)) {
            update(walk, i);
        }
    }
}

/* After the last step no layer begins early: updates wait for all gradients. */
static void update_last(struct graph_walk *walk)
{
    for (uint32_t i = 0; i < walk->graph->layers && walk->job->plan.chain; i++) {
        if (has_weights(walk, i)) {
            walk->layer[i].weights.reduced.part_bytes = 0;
            update(walk, i);
        }
    }
}

static void prepare(struct graph_walk *walk)
{
    walk->last = orr_gen_no_deps();
    for (uint32_t i = 0; i < walk->graph->layers; i++) {
        walk->layer[i].weights.parameters = walk->graph->layer[i].weights;
    }
    for (uint32_t e = 0; e < walk->graph->edges; e++) {
        walk->item[walk->graph->edge[e].from].used = true;
    }
}

void orr_graph_emit(const void *of, uint32_t number, struct gen_emitter *emitter)
{
    const struct graph_job *job = of;
    struct graph_walk walk = {.job = job,
                              .graph = &job->graph,
                              .run = {.plan = &job->plan, .emitter = emitter},
                              .item = orr_heap_calloc(job->graph.ops, sizeof *walk.item),
                              .layer = orr_heap_calloc(job->graph.layers, sizeof *walk.layer)};
    (void)number; /* there is one class */
    if (walk.item != NULL && walk.layer != NULL) {
        prepare(&walk);
        for (walk.run.step = 0; walk.run.step < job->plan.steps; walk.run.step++) {
            run_step(&walk);
        }
        walk.run.step--;
        update_last(&walk);
    } else if (emitter->status == ORR_OK) {
        emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
    }
    orr_heap_free(walk.item);
    orr_heap_free(walk.layer);
}
