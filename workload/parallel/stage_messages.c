/* Messages between pipeline stages. Tensor-parallel ranks hold the same activations unless these
 * are split by tokens. Then each rank sends only its share, and the receivers gather the rest among
 * themselves (Narayanan et al., SC'21, section 4.1). */
#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/stage.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

/* ---- parts of the model ---- */

static uint32_t parts_of(const struct stage *stage)
{
    const struct gen_pipeline *pipeline = &stage->program->plan->pipeline;
    return pipeline->stages * pipeline->chunks;
}

static uint32_t part_of(const struct stage *stage, uint32_t chunk)
{
    return chunk * stage->program->plan->pipeline.stages + stage->number;
}

/* Bytes that pass from the part before the block's chunk, or to the part behind it. */
static uint64_t boundary_bytes(const struct stage *stage, const struct gen_block *block,
                               bool behind)
{
    const struct rank_layer *first = stage->item[stage->first].layer;
    const struct rank_layer *last = stage->item[stage->chunk_end[block->chunk] - 1].layer;
    return behind ? last->boundary_bytes : (first - 1)->boundary_bytes;
}

/* The bytes that one rank sends of these. */
static uint64_t message_bytes(const struct stage *stage, uint64_t bytes)
{
    return sat_divide_up(
        bytes, stage->program->scatters ? stage->program->plan->layout.size[GEN_TENSOR] : 1);
}

/* The tag of a part's input for a micro-batch. */
static uint32_t tag_of(const struct stage *stage, uint32_t part, bool backward)
{
    const uint32_t micro =
        stage->run.step * stage->program->plan->pipeline.micros + stage->run.micro;
    return 2 * (micro * parts_of(stage) + part) + (backward ? 1 : 0);
}

static uint32_t offset_to(const struct stage *stage, uint32_t part)
{
    const struct gen_layout *layout = stage->run.emitter->layout;
    return orr_gen_stage_offset(layout, stage->number, part % layout->size[GEN_PIPELINE]);
}

/* ---- nodes ---- */

static const char *message_name(const struct stage *stage, const struct gen_block *block,
                                const char *how, char name[GEN_NAME_BYTES])
{
    return orr_stage_name(stage, NULL, block->backward ? "gradient" : "activations", how, name);
}

/* Ordered after the block before, as the rank's other collectives of this group are. */
static void gather_shares(struct stage *stage, const struct gen_block *block, uint64_t bytes,
                          struct gen_deps *chain)
{
    const struct rank_comm whole = {
        .family = GEN_TP, .comm = ORR_COMM_ALL_GATHER, .bytes = bytes, .is_set = true};
    char name[GEN_NAME_BYTES];
    if (stage->program->scatters) {
        *chain = orr_stage_comm(stage, &whole, message_name(stage, block, "gathered", name), chain);
    }
}

void orr_stage_receive(struct stage *stage, const struct gen_block *block, struct gen_deps *chain)
{
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part + 1 == parts_of(stage) : part == 0) {
        return;
    }
    const struct gen_deps nothing = orr_gen_no_deps();
    const uint64_t bytes = boundary_bytes(stage, block, block->backward);
    const struct orr_node_spec spec = {.name = message_name(stage, block, "received", name),
                                       .comm_bytes = message_bytes(stage, bytes),
                                       .tag = tag_of(stage, part, block->backward)};
    orr_gen_deps_add(chain, orr_gen_emit_recv(
                                stage->run.emitter, spec,
                                offset_to(stage, block->backward ? part + 1 : part - 1), &nothing));
    gather_shares(stage, block, bytes, chain);
}

void orr_stage_send(struct stage *stage, const struct gen_block *block,
                    const struct gen_deps *chain)
{
    const uint32_t part = part_of(stage, block->chunk);
    char name[GEN_NAME_BYTES];
    if (block->backward ? part == 0 : part + 1 == parts_of(stage)) {
        return;
    }
    const uint32_t next = block->backward ? part - 1 : part + 1;
    const uint64_t bytes = boundary_bytes(stage, block, !block->backward);
    const struct orr_node_spec spec = {.name = message_name(stage, block, "sent", name),
                                       .comm_bytes = message_bytes(stage, bytes),
                                       .tag = tag_of(stage, next, block->backward)};
    (void)orr_gen_emit_send(stage->run.emitter, spec, offset_to(stage, next), chain);
}
