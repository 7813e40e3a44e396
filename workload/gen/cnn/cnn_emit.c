/* The nodes of a convolutional network; see cnn.h. All NPUs have the same.
 *
 * Forward, an operator waits for its inputs. Backward, it waits for the gradients from all
 * operators that use its output, then passes its input gradient to its inputs. Weight gradients are
 * computed off this chain, and reduced. */
#include "core/arena.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/gen/emitter.h"

/* The nodes of an operator. */
struct item {
    struct gen_deps output;   /* end of the forward pass */
    struct gen_deps gradient; /* gradient of its output, summed over the operators that use it */
    struct gen_weights weights;
};

struct cnn_walk {
    const struct cnn_job *job;
    struct gen_run run;
    struct item *item; /* [net.count] */
    struct gen_deps last;
};

static struct gen_deps emit_op(struct cnn_walk *cnn_walk, uint32_t index, enum cnn_pass pass,
                               const struct gen_deps *after)
{
    static const char *const how[] = {"fwd", "bwd", "wgrad"};
    const struct cnn_op *op = &cnn_walk->job->net.op[index];
    const struct gen_plan *plan = &cnn_walk->job->plan;
    char name[32];
    return orr_gen_run_comp(&cnn_walk->run, orr_cnn_op_name(op, name), how[pass],
                            orr_cnn_op_kind(op),
                            orr_cnn_work(op, pass, plan->micro_batch, plan->element_bytes), after);
}

static void update(struct cnn_walk *cnn_walk, uint32_t index)
{
    char name[32];
    orr_gen_weights_update(&cnn_walk->run, orr_cnn_op_name(&cnn_walk->job->net.op[index], name),
                           &cnn_walk->item[index].weights);
}

/* With training.chain a layer is updated just before it runs in the next step, after the layer
 * before it. */
static void update_chained(struct cnn_walk *cnn_walk, uint32_t index)
{
    struct gen_weights *weights = &cnn_walk->item[index].weights;
    const bool first = cnn_walk->run.step == 0 || cnn_walk->run.micro != 0;
    if (!cnn_walk->job->plan.chain || first ||
        !orr_cnn_has_weights(&cnn_walk->job->net.op[index])) {
        return;
    }
    if (index > 0) {
        orr_gen_deps_merge(&weights->reduced, &cnn_walk->item[index - 1].output);
    }
    update(cnn_walk, index);
}

static void run_forward(struct cnn_walk *cnn_walk)
{
    for (uint32_t i = 0; i < cnn_walk->job->net.count; i++) {
        const struct cnn_op *op = &cnn_walk->job->net.op[i];
        update_chained(cnn_walk, i);
        struct gen_deps after = cnn_walk->item[i].weights.ready;
        for (uint32_t k = 0; k < op->input_count; k++) {
            const bool image = op->input[k] == CNN_IMAGE;
            orr_gen_deps_merge(&after,
                               image ? &cnn_walk->last : &cnn_walk->item[op->input[k]].output);
        }
        cnn_walk->item[i].output = emit_op(cnn_walk, i, CNN_FORWARD, &after);
        cnn_walk->item[i].gradient = orr_gen_no_deps();
    }
}

static struct gen_deps weight_gradient(struct cnn_walk *cnn_walk, uint32_t index)
{
    struct item *item = &cnn_walk->item[index];
    char name[32];
    const struct gen_deps done = emit_op(cnn_walk, index, CNN_WEIGHT_GRADIENT, &item->gradient);
    orr_gen_weights_gradient(&cnn_walk->run, orr_cnn_op_name(&cnn_walk->job->net.op[index], name),
                             &item->weights, &done);
    return done;
}

/* A sum may have the images as an input, which have no gradient. */
static void add_output_gradient(struct cnn_walk *cnn_walk, const struct cnn_op *op,
                                const struct gen_deps *passed)
{
    for (uint32_t k = 0; k < op->input_count; k++) {
        if (op->input[k] != CNN_IMAGE) {
            orr_gen_deps_merge(&cnn_walk->item[op->input[k]].gradient, passed);
        }
    }
}

/* The backward pass ends at the operators on the images. */
static void run_backward(struct cnn_walk *cnn_walk)
{
    const uint32_t count = cnn_walk->job->net.count;
    cnn_walk->item[count - 1].gradient = cnn_walk->item[count - 1].output;
    cnn_walk->last = orr_gen_no_deps();
    for (uint32_t i = count; i-- > 0;) {
        const struct cnn_op *op = &cnn_walk->job->net.op[i];
        struct gen_deps end = cnn_walk->item[i].gradient;
        if (op->input[0] != CNN_IMAGE) {
            const struct gen_deps passed =
                emit_op(cnn_walk, i, CNN_INPUT_GRADIENT, &cnn_walk->item[i].gradient);
            add_output_gradient(cnn_walk, op, &passed);
        }
        if (orr_cnn_has_weights(op)) {
            end = weight_gradient(cnn_walk, i);
        }
        if (op->input[0] == CNN_IMAGE) {
            orr_gen_deps_merge(&cnn_walk->last, &end);
        }
    }
}

static void run_step(struct cnn_walk *cnn_walk)
{
    char name[32];
    for (cnn_walk->run.micro = 0; cnn_walk->run.micro < cnn_walk->job->plan.pipeline.micros;
         cnn_walk->run.micro++) {
        run_forward(cnn_walk);
        run_backward(cnn_walk);
    }
    cnn_walk->run.micro--; /* for the names of the nodes that follow */
    for (uint32_t i = cnn_walk->job->net.count; i-- > 0;) {
        const struct cnn_op *op = &cnn_walk->job->net.op[i];
        if (orr_cnn_has_weights(op)) {
            orr_gen_weights_reduce(&cnn_walk->run, orr_cnn_op_name(op, name),
                                   &cnn_walk->item[i].weights, &cnn_walk->last);
        }
    }
    orr_gen_weights_flush(&cnn_walk->run);
    for (uint32_t i = cnn_walk->job->net.count; i-- > 0 && !cnn_walk->job->plan.chain;) {
        if (orr_cnn_has_weights(&cnn_walk->job->net.op[i])) {
            update(cnn_walk, i);
        }
    }
}

/* After the last step no layer begins early: updates wait for all gradients. */
static void update_last(struct cnn_walk *cnn_walk)
{
    for (uint32_t i = 0; i < cnn_walk->job->net.count && cnn_walk->job->plan.chain; i++) {
        if (orr_cnn_has_weights(&cnn_walk->job->net.op[i])) {
            cnn_walk->item[i].weights.reduced.part_bytes = 0;
            update(cnn_walk, i);
        }
    }
}

void orr_cnn_emit(const struct cnn_job *job, struct gen_emitter *emitter)
{
    struct item *item = orr_heap_calloc(job->net.count, sizeof *item);
    if (item == NULL) {
        if (emitter->status == ORR_OK) {
            emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
        }
        return;
    }
    struct cnn_walk cnn_walk = {.job = job, .item = item};
    cnn_walk.run = (struct gen_run){.plan = &job->plan, .emitter = emitter};
    cnn_walk.last = orr_gen_no_deps();
    for (uint32_t i = 0; i < job->net.count; i++) {
        item[i].weights.parameters = job->net.op[i].parameters;
    }
    for (cnn_walk.run.step = 0; cnn_walk.run.step < job->plan.steps; cnn_walk.run.step++) {
        run_step(&cnn_walk);
    }
    cnn_walk.run.step--;
    update_last(&cnn_walk);
    orr_heap_free(item);
}
