/* Messages between pipeline stages of a transformer. Tensor-parallel ranks hold the same
 * activations unless these are split by tokens. Then each rank sends only its share, and the
 * receivers gather the rest among themselves (Narayanan et al., SC'21, section 4.1). */
#include "core/saturate.h"
#include "workload/gen/transformer_stage.h"
#include "workload/parallel/layout.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

/* ---- sizes ---- */

bool orr_transformer_scatters(const struct gen_plan *plan)
{
    return plan->pipeline_scatter && plan->pipeline.stages > 1 &&
           plan->layout.size[GEN_TENSOR] > 1 && !plan->sequence_parallel;
}

uint64_t orr_transformer_boundary_bytes(const struct tf_job *job)
{
    const struct gen_plan *plan = &job->plan;
    const uint64_t cut = plan->sequence_parallel ? plan->layout.size[GEN_TENSOR] : 1;
    const uint64_t tokens = sat_times(
        plan->micro_batch, sat_divide_up(job->model.sequence, plan->layout.size[GEN_CONTEXT]));
    return sat_times(sat_divide_up(tokens, cut), sat_times(job->model.hidden, plan->element_bytes));
}

uint64_t orr_transformer_message_bytes(const struct tf_job *job)
{
    const uint64_t ranks =
        orr_transformer_scatters(&job->plan) ? job->plan.layout.size[GEN_TENSOR] : 1;
    return sat_divide_up(orr_transformer_boundary_bytes(job), ranks);
}

/* ---- nodes ---- */

static uint32_t part_of(const struct tf_stage *stage, uint32_t chunk)
{
    return chunk * stage->job->plan.pipeline.stages + stage->number;
}

/* The tag of a part's input for a micro-batch. */
static uint32_t tag_of(const struct tf_stage *stage, uint32_t part, bool backward)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t micro = stage->step * pipeline->micros + stage->micro;
    return 2 * (micro * parts + part) + (backward ? 1 : 0);
}

static uint32_t offset_to(const struct tf_stage *stage, uint32_t part)
{
    const struct gen_layout *layout = stage->emitter->layout;
    return orr_gen_stage_offset(layout, stage->number, part % layout->size[GEN_PIPELINE]);
}

/* Ordered after the block before, as the rank's other collectives of this group are. */
static void gather_shares(struct tf_stage *stage, const struct gen_block *block,
                          struct gen_deps *chain)
{
    const struct tf_collective whole = {.family = GEN_TP,
                                        .comm = ORR_COMM_ALL_GATHER,
                                        .bytes = orr_transformer_boundary_bytes(stage->job),
                                        .is_set = true};
    char name[GEN_NAME_BYTES];
    if (orr_transformer_scatters(&stage->job->plan)) {
        *chain = orr_transformer_emit_comm(
            stage, &whole,
            orr_transformer_name(stage, NULL, block->backward ? "gradient" : "activations",
                                 "gathered", name),
            chain);
    }
}

void orr_transformer_receive(struct tf_stage *stage, const struct gen_block *block,
                             struct gen_deps *chain)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part + 1 == parts : part == 0) {
        return;
    }
    const struct gen_deps nothing = orr_gen_no_deps();
    const struct orr_node_spec spec = {
        .name = orr_transformer_name(stage, NULL, block->backward ? "gradient" : "activations",
                                     "received", name),
        .comm_bytes = orr_transformer_message_bytes(stage->job),
        .tag = tag_of(stage, part, block->backward)};
    orr_gen_deps_add(chain, orr_gen_emit_recv(
                                stage->emitter, spec,
                                offset_to(stage, block->backward ? part + 1 : part - 1), &nothing));
    gather_shares(stage, block, chain);
}

void orr_transformer_send(struct tf_stage *stage, const struct gen_block *block,
                          const struct gen_deps *chain)
{
    const struct gen_pipeline *pipeline = &stage->job->plan.pipeline;
    const uint32_t parts = pipeline->stages * pipeline->chunks;
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part == 0 : part + 1 == parts) {
        return;
    }
    const uint32_t next = block->backward ? part - 1 : part + 1;
    const struct orr_node_spec spec = {
        .name = orr_transformer_name(stage, NULL, block->backward ? "gradient" : "activations",
                                     "sent", name),
        .comm_bytes = orr_transformer_message_bytes(stage->job),
        .tag = tag_of(stage, next, block->backward)};
    (void)orr_gen_emit_send(stage->emitter, spec, offset_to(stage, next), chain);
}
