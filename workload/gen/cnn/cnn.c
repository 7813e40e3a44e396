/* Totals and memory of a convolutional network; see cnn.h and docs/how-to/generated-cnn.md. */
#include "workload/gen/cnn/cnn.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/models.h"
#include "workload/gen/parallel_plan.h"

/* ---- totals ---- */

void orr_cnn_totals(const struct cnn_job *job, struct gen_totals *totals)
{
    const double samples = (double)job->plan.batch;
    *totals = (struct gen_totals){.samples = samples};
    for (uint32_t i = 0; i < job->net.count; i++) {
        const struct cnn_op *op = &job->net.op[i];
        const double flops = (double)orr_cnn_work(op, CNN_FORWARD, 1, 1).flops;
        /* the images have no gradient */
        const unsigned passes = op->input[0] == CNN_IMAGE ? 2 : 3;
        totals->parameters += (double)op->parameters;
        totals->model_flops += orr_cnn_has_weights(op) ? samples * passes * flops : 0;
    }
    totals->active_parameters = totals->parameters;
}

/* ---- memory ---- */

static uint64_t elements(const struct cnn_shape *shape)
{
    return sat_times(shape->channels, sat_times(shape->height, shape->width));
}

void orr_cnn_memory(const struct cnn_job *job, struct gen_memory *memory)
{
    const struct gen_plan *plan = &job->plan;
    uint64_t parameters = 0, kept = elements(&job->net.image);
    for (uint32_t i = 0; i < job->net.count; i++) {
        const struct cnn_op *op = &job->net.op[i];
        parameters = sat_plus(parameters, op->parameters);
        kept = sat_plus(kept, op->keeps_output ? elements(&op->out) : 0);
    }
    *memory = (struct gen_memory){
        .weights_bytes = sat_times(parameters, plan->element_bytes),
        .gradients_bytes = sat_times(parameters, plan->gradient_bytes),
        .optimizer_bytes = sat_times(parameters, plan->optimizer_bytes),
        .activations_bytes = sat_times(kept, sat_times(plan->micro_batch, plan->element_bytes))};
}

/* ---- the entry of the table of models ---- */

static enum orr_status read_model(struct orr_arena *arena, const struct gen_sections *sections,
                                  uint32_t npus, void **out, struct orr_diag *diag)
{
    struct cnn_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    *out = job;
    const enum orr_status status =
        orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag);
    return status == ORR_OK ? orr_cnn_read(arena, sections->model, job, diag) : status;
}

static const struct gen_plan *plan_of(const void *job)
{
    return &((const struct cnn_job *)job)->plan;
}

static void emit_model(const void *job, uint32_t stage, struct gen_emitter *emitter)
{
    (void)stage; /* there is one */
    orr_cnn_emit(job, emitter);
}

static void model_totals(const void *job, struct gen_totals *totals)
{
    orr_cnn_totals(job, totals);
}

static bool model_memory(const void *job, uint32_t stage, struct gen_memory *memory)
{
    (void)stage;
    orr_cnn_memory(job, memory);
    return true;
}

static enum orr_status model_graph(const void *job, struct model_builder *builder,
                                   struct orr_diag *diag)
{
    return orr_cnn_graph(job, builder, diag);
}

const struct gen_model_ops orr_cnn_model = {
    "cnn",
    "convolutional networks: layers and residual blocks",
    &orr_cnn_key_table,
    read_model,
    plan_of,
    emit_model,
    model_totals,
    model_memory,
    NULL,
    NULL,
    model_graph,
    NULL,
};
