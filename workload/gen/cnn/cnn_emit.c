/* The nodes of a convolutional network; see cnn.h. All NPUs do alike.
 *
 * Forwards an operator waits for its inputs, backwards for the gradients of all operators that use
 * its output; its own input gradient then goes on to its inputs. Weight gradients are worked out
 * beside that, and reduced. */
#include "workload/gen/cnn/cnn.h"

/* An operator's part of the walk. */
struct item {
    struct gen_after output;   /* done forwards */
    struct gen_after gradient; /* of its output: what the operators behind have passed back */
    struct gen_weights weights;
};

struct walk {
    const struct cnn_job *job;
    struct gen_run run;
    struct item *item; /* [net.count] */
    struct gen_after last;
};

static struct gen_after emit_op(struct walk *walk, uint32_t index, enum cnn_pass pass,
                                const struct gen_after *after)
{
    static const char *const how[] = {"fwd", "bwd", "wgrad"};
    const struct cnn_op *op = &walk->job->net.op[index];
    const struct gen_plan *plan = &walk->job->plan;
    char name[32];
    return orr_gen_run_comp(&walk->run, orr_cnn_op_name(op, name), how[pass], orr_cnn_op_kind(op),
                            orr_cnn_work(op, pass, plan->micro_batch, plan->element_bytes), after);
}

static void update(struct walk *walk, uint32_t index)
{
    char name[32];
    orr_gen_weights_update(&walk->run, orr_cnn_op_name(&walk->job->net.op[index], name),
                           &walk->item[index].weights);
}

/* With training.chain a layer is updated before it runs again, behind the layer before it. */
static void update_chained(struct walk *walk, uint32_t index)
{
    struct gen_weights *weights = &walk->item[index].weights;
    const bool first = walk->run.step == 0 || walk->run.micro != 0;
    if (!walk->job->plan.chain || first || !orr_cnn_has_weights(&walk->job->net.op[index])) {
        return;
    }
    if (index > 0) {
        orr_gen_join(&weights->reduced, &walk->item[index - 1].output);
    }
    update(walk, index);
}

static void run_forward(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->job->net.count; i++) {
        const struct cnn_op *op = &walk->job->net.op[i];
        update_chained(walk, i);
        struct gen_after after = walk->item[i].weights.ready;
        for (uint32_t k = 0; k < op->above; k++) {
            const bool image = op->input[k] == CNN_IMAGE;
            orr_gen_join(&after, image ? &walk->last : &walk->item[op->input[k]].output);
        }
        walk->item[i].output = emit_op(walk, i, CNN_FORWARD, &after);
        walk->item[i].gradient = orr_gen_nothing();
    }
}

static struct gen_after weight_gradient(struct walk *walk, uint32_t index)
{
    struct item *item = &walk->item[index];
    char name[32];
    const struct gen_after done = emit_op(walk, index, CNN_WEIGHT_GRADIENT, &item->gradient);
    orr_gen_weights_gradient(&walk->run, orr_cnn_op_name(&walk->job->net.op[index], name),
                             &item->weights, &done);
    return done;
}

/* A sum may have the images themselves as an input: there is no gradient of these. */
static void pass_back(struct walk *walk, const struct cnn_op *op, const struct gen_after *passed)
{
    for (uint32_t k = 0; k < op->above; k++) {
        if (op->input[k] != CNN_IMAGE) {
            orr_gen_join(&walk->item[op->input[k]].gradient, passed);
        }
    }
}

/* The operators on the images end the pass. */
static void run_backward(struct walk *walk)
{
    const uint32_t count = walk->job->net.count;
    walk->item[count - 1].gradient = walk->item[count - 1].output;
    walk->last = orr_gen_nothing();
    for (uint32_t i = count; i-- > 0;) {
        const struct cnn_op *op = &walk->job->net.op[i];
        struct gen_after end = walk->item[i].gradient;
        if (op->input[0] != CNN_IMAGE) {
            const struct gen_after passed =
                emit_op(walk, i, CNN_INPUT_GRADIENT, &walk->item[i].gradient);
            pass_back(walk, op, &passed);
        }
        if (orr_cnn_has_weights(op)) {
            end = weight_gradient(walk, i);
        }
        if (op->input[0] == CNN_IMAGE) {
            orr_gen_join(&walk->last, &end);
        }
    }
}

static void run_step(struct walk *walk)
{
    char name[32];
    for (walk->run.micro = 0; walk->run.micro < walk->job->plan.pipeline.micros;
         walk->run.micro++) {
        run_forward(walk);
        run_backward(walk);
    }
    walk->run.micro--; /* names of what follows */
    for (uint32_t i = walk->job->net.count; i-- > 0;) {
        const struct cnn_op *op = &walk->job->net.op[i];
        if (orr_cnn_has_weights(op)) {
            orr_gen_weights_reduce(&walk->run, orr_cnn_op_name(op, name), &walk->item[i].weights,
                                   &walk->last);
        }
    }
    orr_gen_weights_flush(&walk->run);
    for (uint32_t i = walk->job->net.count; i-- > 0 && !walk->job->plan.chain;) {
        if (orr_cnn_has_weights(&walk->job->net.op[i])) {
            update(walk, i);
        }
    }
}

/* Behind the last step there is no layer to begin early: updates wait for all. */
static void update_last(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->job->net.count && walk->job->plan.chain; i++) {
        if (orr_cnn_has_weights(&walk->job->net.op[i])) {
            walk->item[i].weights.reduced.part_bytes = 0;
            update(walk, i);
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
    struct walk walk = {.job = job, .item = item};
    walk.run = (struct gen_run){.plan = &job->plan, .emitter = emitter};
    walk.last = orr_gen_nothing();
    for (uint32_t i = 0; i < job->net.count; i++) {
        item[i].weights.parameters = job->net.op[i].parameters;
    }
    for (walk.run.step = 0; walk.run.step < job->plan.steps; walk.run.step++) {
        run_step(&walk);
    }
    walk.run.step--;
    update_last(&walk);
    orr_heap_free(item);
}
