/* Parameters and operations of a transformer; see transformer.h and
 * docs/how-to/generated-transformer.md. */
#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/rank_sums.h"

/* ---- totals ---- */

/* Of a sample's tokens, whole ones go to each expert. */
static struct rank_experts experts_of(const struct tf_model *model)
{
    if (model->experts == 0) {
        return (struct rank_experts){0, 1};
    }
    const double slots = (double)model->experts_per_token * model->capacity;
    const uint64_t sent = (uint64_t)(slots * (double)model->sequence + 0.5);
    const double all = (double)sat_divide_up(sent, model->experts) * (double)model->experts;
    return (struct rank_experts){(double)model->experts_per_token / (double)model->experts,
                                 (double)sent / all};
}

bool orr_transformer_totals(const struct tf_job *actual, struct gen_totals *totals)
{
    struct tf_job unsplit = *actual; /* the same model on one rank, one sample at a time */
    for (unsigned a = 0; a < GEN_AXES; a++) {
        unsplit.plan.layout.size[a] = 1;
    }
    unsplit.plan.layout.replicas = unsplit.plan.layout.ulysses = 1;
    unsplit.plan.layout.rings = false;
    unsplit.plan.layout.node = 0;
    unsplit.model.busiest = (struct orr_busiest){1, 1};
    unsplit.model.expert_places = 0;
    unsplit.plan.layout.experts_differ = unsplit.plan.layout.experts.are_apart = false;
    unsplit.plan.sequence_parallel = false;
    unsplit.plan.fused_attention = true; /* masked pairs are not counted, even if computed */
    unsplit.plan.pipeline = orr_gen_pipeline_unsplit(unsplit.plan.pipeline.micros);
    unsplit.plan.micro_batch = 1;
    const struct tf_model *model = &unsplit.model;
    const struct rank_experts experts = experts_of(model);
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? orr_transformer_program(arena, &unsplit) : NULL;
    *totals = (struct gen_totals){.samples = 0};
    if (program != NULL) {
        orr_rank_totals(program, (double)actual->plan.batch, &experts, totals);
    }
    totals->tokens = totals->samples * (double)(model->sequence + model->encoder_sequence);
    orr_arena_destroy(arena);
    return program != NULL;
}

/* ---- tensor cores ---- */

/* Measured for BLOOM (docs/models.md, section 2). Tiles of products are 64 wide or more, and rows
 * of a head of 2 bytes an element are read 16 bytes at a time. */
enum { ALIGNED_WIDTH = 64, ALIGNED_HEAD = 8 };

void orr_transformer_misalignment(const struct tf_job *job, struct gen_misalignment *misalignment)
{
    const struct tf_model *model = &job->model;
    const uint64_t tensor = job->plan.layout.size[GEN_TENSOR];
    const bool width = model->hidden % (tensor * ALIGNED_WIDTH) != 0;
    const bool head = model->head_size % ALIGNED_HEAD != 0;
    *misalignment =
        (struct gen_misalignment){.width = width ? (double)model->hidden / (double)tensor : 0,
                                  .head_size = head ? model->head_size : 0};
}
