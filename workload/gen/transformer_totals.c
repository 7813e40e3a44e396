/* Parameters, operations and memory of a transformer; see transformer.h and
 * docs/how-to/generated-transformer.md. */
#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/data_parallel.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/pipeline.h"

/* ---- totals ---- */

struct sums {
    double parameters, expert_parameters, flops, fp8_flops;
};

static struct sums sums_of(const struct tf_job *job, uint32_t kind)
{
    struct tf_ops ops;
    struct sums sums = {0};
    orr_transformer_layer_ops(job, kind, &ops);
    for (unsigned i = 0; i < ops.count; i++) {
        const struct tf_op *op = &ops.op[i];
        *(op->of_experts ? &sums.expert_parameters : &sums.parameters) += (double)op->parameters;
        if (op->kind == ORR_OP_GEMM || op->kind == ORR_OP_ATTENTION) {
            const double flops = (double)op->forward.flops + (double)op->input_gradient.flops +
                                 (double)op->weight_gradient.flops;
            sums.flops += flops;
            sums.fp8_flops += op->fp8 ? flops : 0;
        }
    }
    return sums;
}

void orr_transformer_totals(const struct tf_job *actual, struct gen_totals *totals)
{
    struct tf_job unsplit = *actual; /* the same model on one rank, one sample at a time */
    for (unsigned a = 0; a < GEN_AXES; a++) {
        unsplit.plan.layout.size[a] = 1;
    }
    unsplit.plan.layout.experts_differ = false;
    unsplit.plan.sequence_parallel = false;
    unsplit.plan.fused_attention = true; /* masked pairs are not counted, even if computed */
    unsplit.plan.pipeline.stages = unsplit.plan.pipeline.chunks = 1;
    unsplit.plan.micro_batch = 1;
    const struct tf_model *model = &unsplit.model;
    const double met =
        model->experts > 0 ? (double)model->experts_per_token / (double)model->experts : 0;
    const double samples = (double)actual->plan.batch;
    *totals = (struct gen_totals){.samples = samples,
                                  .tokens = samples *
                                            (double)(model->sequence + model->encoder_sequence)};
    struct sums known[TF_MAX_KINDS];
    for (uint32_t k = 0; k < model->kinds; k++) {
        known[k] = tf_has_kind(model, k) ? sums_of(&unsplit, k) : (struct sums){0};
    }
    const uint32_t layers = orr_transformer_all_layers(model);
    for (uint32_t layer = 0; layer < layers + TF_FIRST_KIND; layer++) {
        const struct sums sums =
            known[layer < layers ? orr_transformer_kind_of(model, layer) : layer - layers];
        totals->parameters += sums.parameters + sums.expert_parameters;
        totals->active_parameters += sums.parameters + sums.expert_parameters * met;
        totals->model_flops += samples * sums.flops;
        totals->fp8_flops += samples * sums.fp8_flops;
    }
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

/* ---- memory ---- */

/* Memory of a layer: weights, and activations for each micro-batch in flight. */
struct holding {
    uint64_t parameters, expert_parameters;
    uint64_t kept_bytes;    /* between forward and backward pass */
    uint64_t working_bytes; /* more, during recomputation */
    uint64_t largest;       /* parameters of the largest layer */
    uint64_t gathered;      /* gathered by ZeRO-3: the maximum of a layer ... */
    uint64_t next_gathered; /* ... and the maximum without embedding and head */
};

static struct holding holding_of(const struct tf_job *job, uint32_t kind)
{
    struct tf_ops ops;
    struct holding holding = {0};
    uint64_t scores = 0;
    orr_transformer_layer_ops(job, kind, &ops);
    for (unsigned i = 0; i < ops.count; i++) {
        const struct tf_op *op = &ops.op[i];
        *(op->of_experts ? &holding.expert_parameters : &holding.parameters) += op->parameters;
        holding.kept_bytes = sat_plus(holding.kept_bytes, op->kept_bytes);
        scores = sat_plus(scores, op->scores_bytes);
    }
    if (job->plan.recompute == GEN_RECOMPUTE_NONE || kind < TF_FIRST_KIND) {
        holding.kept_bytes = sat_plus(holding.kept_bytes, scores);
    } else if (job->plan.recompute == GEN_RECOMPUTE_SELECTIVE) {
        holding.working_bytes = scores;
    } else { /* only the input of the layer, its first operator's, is kept */
        holding.working_bytes = sat_plus(holding.kept_bytes - ops.op[0].kept_bytes, scores);
        holding.kept_bytes = ops.op[0].kept_bytes;
    }
    holding.largest = holding.parameters + holding.expert_parameters;
    holding.gathered =
        (orr_gen_family_size(&job->plan.layout, GEN_DP) > 1 ? holding.parameters : 0) +
        (orr_gen_family_size(&job->plan.layout, GEN_EDP) > 1 ? holding.expert_parameters : 0);
    holding.next_gathered = kind < TF_FIRST_KIND ? 0 : holding.gathered;
    return holding;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds `count` equal layers. */
static void add_holding(struct holding *all, const struct holding *more, uint64_t count)
{
    if (count == 0) {
        return;
    }
    all->parameters += count * more->parameters;
    all->expert_parameters += count * more->expert_parameters;
    all->kept_bytes = sat_plus(all->kept_bytes, sat_times(count, more->kept_bytes));
    all->largest = larger(all->largest, more->largest);
    all->gathered = larger(all->gathered, more->gathered);
    all->next_gathered = larger(all->next_gathered, more->next_gathered);
    all->working_bytes = larger(all->working_bytes, more->working_bytes);
}

static struct holding chunk_holding(const struct tf_job *job, uint32_t stage, uint32_t chunk)
{
    const struct tf_range range = orr_transformer_chunk_range(job, stage, chunk);
    uint32_t count[TF_MAX_KINDS] = {
        [TF_KIND_EMBEDDING] = range.embedding, [TF_KIND_HEAD] = range.head};
    struct holding all = {0};
    for (uint32_t layer = range.first; layer < range.end; layer++) {
        count[orr_transformer_kind_of(&job->model, layer)]++;
    }
    for (uint32_t k = 0; k < job->model.kinds; k++) {
        if (count[k] > 0) {
            const struct holding one = holding_of(job, k);
            add_holding(&all, &one, count[k]);
        }
    }
    return all;
}

/* The maximum of kept activations over the stage's schedule. After its warm-up an interleaved
 * schedule repeats every stages x chunks pairs of blocks; with one chunk, every pair. */
static uint64_t peak_activations(const struct gen_pipeline *pipeline, uint32_t stage,
                                 const struct holding *chunks)
{
    uint64_t now = 0, peak = 0;
    const uint64_t warm = orr_gen_pipeline_warm_up(pipeline, stage);
    const uint64_t all = orr_gen_pipeline_blocks(pipeline);
    if (pipeline->chunks == 1) {
        const uint64_t held = warm < all / 2 ? warm + 1 : warm;
        return sat_plus(sat_times(held, chunks->kept_bytes), chunks->working_bytes);
    }
    const uint64_t max = warm + 4 * (uint64_t)pipeline->stages * pipeline->chunks;
    for (uint64_t i = 0; i < all && i < max; i++) {
        const struct gen_block block = orr_gen_pipeline_block(pipeline, stage, i);
        const struct holding *chunk = &chunks[block.chunk];
        now = block.backward ? now : sat_plus(now, chunk->kept_bytes);
        const uint64_t use = block.backward ? sat_plus(now, chunk->working_bytes) : now;
        peak = use > peak ? use : peak;
        if (peak == INT64_MAX) { /* saturated */
            return peak;
        }
        now -= block.backward ? chunk->kept_bytes : 0;
    }
    return peak;
}

static uint64_t shared_by(uint64_t count, uint64_t ranks)
{
    return (count + ranks - 1) / ranks;
}

/* Parameters that ZeRO-3 holds gathered in addition to its shard: those of the current layer and of
 * `prefetch` more. Embedding and head are not adjacent, and no more than all can be gathered. */
static uint64_t gathered_ahead(const struct gen_plan *plan, const struct holding *all)
{
    const uint64_t max =
        sat_plus(all->gathered, sat_times(all->next_gathered, (uint64_t)plan->prefetch));
    const uint64_t unsplit = all->parameters + all->expert_parameters;
    return plan->zero < 3 ? 0 : max < unsplit ? max : unsplit;
}

/* Offloaded data is not on the NPU except for the layers in progress: the weights of the current
 * layer and of those prefetched, the gradients and the state of one. */
static void move_to_pool(const struct gen_plan *plan, const struct holding *all, uint64_t shard,
                         struct gen_memory *memory)
{
    const uint64_t unsplit = all->parameters + all->expert_parameters;
    const uint64_t ahead = sat_times(all->largest, (uint64_t)plan->prefetch + 1);
    if (plan->offload_parameters != GEN_OFFLOAD_NONE) {
        memory->pool_bytes += shard * plan->element_bytes;
        memory->weights_bytes = (ahead < unsplit ? ahead : unsplit) * plan->element_bytes;
    }
    if (plan->offload_gradients != GEN_OFFLOAD_NONE) {
        memory->pool_bytes += shard * plan->gradient_bytes;
        memory->gradients_bytes = all->largest * plan->gradient_bytes;
    }
    if (plan->offload_optimizer != GEN_OPTIMIZER_LOCAL) {
        const uint64_t ranks = orr_gen_family_size(&plan->layout, GEN_EDP);
        const bool here = plan->offload_optimizer == GEN_OPTIMIZER_NPU;
        memory->pool_bytes += shard * plan->optimizer_bytes;
        memory->optimizer_bytes = here ? shared_by(all->largest, ranks) * plan->optimizer_bytes : 0;
    }
}

/* The expert-parallel rank whose experts get the most tokens. */
static uint32_t fullest_expert_rank(const struct tf_job *job)
{
    enum { SAMPLE = 1000000 }; /* tokens to compare with */
    uint32_t fullest = 0;
    uint64_t before = 0, max = 0;
    const uint32_t ranks = job->plan.layout.experts_differ ? job->plan.layout.size[GEN_EXPERT] : 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t end = orr_transformer_tokens_before(job, i + 1, SAMPLE);
        fullest = end - before > max ? i : fullest;
        max = end - before > max ? end - before : max;
        before = end;
    }
    return fullest;
}

bool orr_transformer_memory(const struct tf_job *model, uint32_t stage, struct gen_memory *memory)
{
    struct tf_job of_rank = *model;
    const struct tf_job *job = &of_rank;
    const struct gen_plan *plan = &job->plan;
    of_rank.expert_rank = fullest_expert_rank(model);
    struct holding *chunks = orr_heap_calloc(plan->pipeline.chunks, sizeof *chunks);
    if (chunks == NULL) {
        return false;
    }
    const uint64_t dense = orr_gen_family_size(&plan->layout, GEN_DP);
    const uint64_t expert = orr_gen_family_size(&plan->layout, GEN_EDP);
    struct holding all = {0};
    for (uint32_t c = 0; c < plan->pipeline.chunks; c++) {
        chunks[c] = chunk_holding(job, stage, c);
        add_holding(&all, &chunks[c], 1);
    }
    const uint64_t unsplit = all.parameters + all.expert_parameters;
    const uint64_t shard =
        shared_by(all.parameters, dense) + shared_by(all.expert_parameters, expert);
    const uint64_t weights = (plan->zero >= 3 ? shard : unsplit) + gathered_ahead(plan, &all);
    *memory = (struct gen_memory){
        .weights_bytes = weights * plan->element_bytes,
        .gradients_bytes = (plan->zero >= 2 ? shard : unsplit) * plan->gradient_bytes,
        .optimizer_bytes = (plan->zero >= 1 ? shard : unsplit) * plan->optimizer_bytes,
        .activations_bytes = peak_activations(&plan->pipeline, stage, chunks)};
    move_to_pool(plan, &all, shard, memory);
    orr_heap_free(chunks);
    return true;
}
