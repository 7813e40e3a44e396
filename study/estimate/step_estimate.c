/* The estimate of a step; see step_estimate.h. */
#include "study/estimate/step_estimate.h"

#include "core/arena.h"
#include "core/diag.h"
#include "study/estimate/estimate_private.h"

bool orr_step_can_estimate(const struct rank_program *program, const char **why)
{
    const struct gen_plan *plan = program->plan;
    *why = plan->offload_parameters != GEN_OFFLOAD_NONE ||
                   plan->offload_gradients != GEN_OFFLOAD_NONE ||
                   plan->offload_optimizer != GEN_OPTIMIZER_LOCAL
               ? "a remote memory holds what is offloaded"
           : plan->layout.experts_differ ? "loads of experts are uneven"
           : plan->bucket_bytes != 0 || plan->slice_bytes != 0
               ? "gradients are in buckets or slices"
           : plan->chain ? "layers of the next step are chained"
                         : NULL;
    return *why == NULL;
}

static void prepare(struct est_job *job)
{
    const struct gen_pipeline *pipeline = &job->plan->pipeline;
    const uint32_t layers = job->program->layers;
    job->block = orr_arena_array(job->arena, layers, sizeof *job->block);
    job->layer = orr_arena_array(job->arena, layers, sizeof *job->layer);
    job->chunk = orr_arena_array(job->arena, (size_t)pipeline->stages * pipeline->chunks,
                                 sizeof *job->chunk);
    job->both =
        orr_arena_array(job->arena, (size_t)pipeline->stages * pipeline->chunks, sizeof *job->both);
    job->no_memory =
        job->both == NULL || job->block == NULL || job->layer == NULL || job->chunk == NULL;
    if (!job->no_memory) {
        orr_est_passes(job);
    }
}

/* A step of `micros` micro-batches: of the stage that ends last its number, when its blocks and its
 * step end; and the time of some micro-batches in the middle. */
struct run {
    uint32_t last;
    double blocks_end, end, period, busy;
};

/* Parts of a stage's step. */
static struct orr_step_estimate parts_of(const struct est_job *job, const struct run *run,
                                         double left)
{
    const double blocks_end = run->blocks_end + left, end = run->end + left;
    const uint32_t stage = run->last;
    const struct gen_pipeline *pipeline = &job->plan->pipeline;
    const double micros = (double)pipeline->micros / pipeline->copies;
    struct orr_step_estimate parts = {.step_s = end, .weights_s = end - blocks_end};
    double busy = 0;
    for (uint32_t c = 0; c < pipeline->chunks; c++) {
        const struct est_chunk *chunk = est_chunk_of(job, stage, c);
        busy += micros * (chunk->forward + chunk->backward);
        for (uint32_t l = chunk->range.first; l < chunk->range.end; l++) {
            parts.compute_s += micros * job->layer[l]->computes;
            parts.recompute_s += micros * job->layer[l]->again;
        }
    }
    busy = pipeline->order != NULL ? run->busy : busy;
    parts.exchange_s = busy - parts.compute_s - parts.recompute_s;
    parts.bubble_s = blocks_end - busy;
    return parts;
}

static struct run run_micros(struct est_job *job, uint32_t micros)
{
    const uint32_t stages = job->plan->pipeline.stages, layers = job->program->layers;
    struct est_stage *stage = orr_arena_array(job->arena, stages, sizeof *stage);
    const uint32_t holders = job->plan->pipeline.copies > 1 ? stages : 1; /* of a layer */
    double *reduced = orr_arena_array(job->arena, (size_t)layers * holders, sizeof *reduced);
    struct run run = {0};
    if (stage == NULL || reduced == NULL) {
        job->no_memory = true;
        return run;
    }
    for (uint32_t s = 0; s < stages; s++) {
        stage[s] = (struct est_stage){.reduced = reduced + (size_t)layers * (s % holders)};
    }
    run.period = orr_est_pipeline(job, micros, stage);
    if (!job->no_memory) {
        orr_est_reduce_rest(job, stage);
    }
    for (uint32_t s = 0; s < stages && !job->no_memory; s++) {
        const double blocks = stage[s].free, end = orr_est_step_end(job, s, &stage[s]);
        if (end > run.end) {
            run = (struct run){s, blocks, end, run.period, stage[s].busy};
        }
    }
    return run;
}

/* A schedule repeats itself between warm-up and cool-down: of many micro-batches only some run. */
static void estimate(struct est_job *job, struct orr_step_estimate *out)
{
    const uint32_t stages = job->plan->pipeline.stages, micros = job->plan->pipeline.micros;
    const bool whole = micros < 3 * stages || job->plan->pipeline.order != NULL;
    const uint32_t few = whole ? micros : 3 * stages;
    const struct run run = run_micros(job, few);
    const double left = (double)(micros - few) / stages * run.period;
    *out = parts_of(job, &run, left);
}

enum orr_status orr_step_estimate(const struct orr_step_costs *costs,
                                  const struct rank_program *program, struct orr_step_estimate *out,
                                  struct orr_diag *diag)
{
    struct est_job job = {.costs = costs,
                          .program = program,
                          .plan = program->plan,
                          .groups = {.costs = costs->groups, .layout = &program->plan->layout},
                          .arena = orr_arena_create()};
    job.no_memory = job.arena == NULL;
    if (!job.no_memory) {
        prepare(&job);
    }
    if (!job.no_memory) {
        estimate(&job, out);
    }
    orr_arena_destroy(job.arena);
    return job.no_memory || job.groups.no_memory
               ? orr_diag_no_memory(diag, "the estimate of a step")
               : ORR_OK;
}
