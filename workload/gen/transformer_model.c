/* Transformers in the table of models. */
#include "core/arena.h"
#include "workload/gen/layout_time.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/layout.h"

/* A bucket is one all-reduce of the data-parallel ranks. */
static enum orr_status check_buckets(const struct tf_job *job, struct orr_diag *diag)
{
    const struct gen_plan *plan = &job->plan;
    const bool copied = job->model.tied || job->model.mtp_modules > 0;
    const char *reason =
        plan->zero > 0              ? "ZeRO"
        : job->model.experts > 0    ? "experts"
        : plan->pipeline.copies > 1 ? "two copies of the model"
        : copied && job->model.vocabulary > 0 && orr_gen_pipeline_ends_apart(&plan->pipeline)
            ? "an embedding on two stages"
            : NULL;
    return reason == NULL || (plan->bucket_bytes == 0 && plan->slice_bytes == 0)
               ? ORR_OK
               : orr_gen_fail(plan->training, plan->bucket_bytes != 0 ? "bucket" : "slice", diag,
                              "with %s gradients are reduced layer by layer", reason);
}

static enum orr_status read_transformer(struct orr_arena *arena,
                                        const struct gen_sections *sections, uint32_t npus,
                                        void **out, struct orr_diag *diag)
{
    struct tf_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    *out = job;
    job->plan.arena = arena;
    enum orr_status status =
        orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag);
    if (status == ORR_OK && job->plan.chain) {
        return orr_gen_fail(sections->training, "chain", diag,
                            "only the layers of a cnn are chained, not a transformer's");
    }
    if (status == ORR_OK) {
        status = orr_transformer_read(arena, sections->model, job, diag);
    }
    return status == ORR_OK ? check_buckets(job, diag) : status;
}

static const struct gen_plan *transformer_plan(const void *job)
{
    return &((const struct tf_job *)job)->plan;
}

static void transformer_totals(const void *job, struct gen_totals *totals)
{
    (void)orr_transformer_totals(job, totals);
}

/* The expert-parallel rank whose experts get the most tokens. */
static uint32_t fullest_expert_rank(const struct tf_job *job)
{
    enum { SAMPLE = 1000000 }; /* tokens to compare with */
    uint32_t fullest = 0;
    uint64_t before = 0, max = 0;
    const uint32_t ranks =
        job->plan.layout.experts_differ ? gen_expert_ranks(&job->plan.layout) : 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t end = orr_transformer_tokens_before(job, i + 1, SAMPLE);
        fullest = end - before > max ? i : fullest;
        max = end - before > max ? end - before : max;
        before = end;
    }
    return fullest;
}

static const struct rank_program *transformer_program(struct orr_arena *arena, const void *job,
                                                      uint32_t expert)
{
    struct tf_job *of_rank = orr_arena_alloc(arena, sizeof *of_rank);
    if (of_rank == NULL) {
        return NULL;
    }
    *of_rank = *(const struct tf_job *)job;
    of_rank->expert_rank = expert == GEN_FULLEST ? fullest_expert_rank(job) : expert;
    return orr_transformer_program(arena, of_rank);
}

static enum orr_status change_transformer(struct orr_arena *arena, const void *current,
                                          const struct gen_change *change, void **out,
                                          struct orr_diag *diag)
{
    struct tf_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "another layout");
    }
    *out = job;
    *job = *(const struct tf_job *)current;
    job->plan.arena = arena;
    enum orr_status status = orr_gen_plan_change(&job->plan, change, diag);
    if (status == ORR_OK) {
        status = orr_transformer_check_layout(job, diag);
    }
    if (status == ORR_OK) {
        status = orr_transformer_set_busiest(job, diag);
    }
    return status == ORR_OK ? check_buckets(job, diag) : status;
}

static double estimate_transformer(const void *job, const struct gen_speed *speed)
{
    const struct tf_job *of = job;
    const struct tf_model *model = &of->model;
    const double tokens =
        (double)(model->sequence + model->encoder_sequence) / of->plan.layout.size[GEN_CONTEXT];
    struct gen_estimate estimate = {.plan = &of->plan,
                                    .row = orr_transformer_row(model),
                                    .layer_bytes = tokens * (double)model->hidden *
                                                   (double)of->plan.element_bytes};
    (void)orr_transformer_totals(of, &estimate.totals);
    return orr_gen_sample_seconds(&estimate, speed);
}

static enum orr_status transformer_graph(const void *job, struct model_builder *builder,
                                         struct orr_diag *diag)
{
    return orr_transformer_graph(job, builder, diag);
}

static void transformer_misalignment(const void *job, struct gen_misalignment *misalignment)
{
    orr_transformer_misalignment(job, misalignment);
}

const struct gen_model_ops orr_transformer_model = {
    .name = "transformer",
    .summary = "GPT, LLaMA, BERT, T5, DeepSeek, Nemotron: dense, experts, state-space layers",
    .keys = &orr_transformer_key_table,
    .read = read_transformer,
    .plan = transformer_plan,
    .program = transformer_program,
    .totals = transformer_totals,
    .change = change_transformer,
    .estimate = estimate_transformer,
    .graph = transformer_graph,
    .misalignment = transformer_misalignment,
};
