/* Messages between pipeline stages. Tensor-parallel ranks hold the same activations unless these
 * are split by tokens. Then each rank sends only its share, and the receivers gather the rest among
 * themselves (Narayanan et al., SC'21, section 4.1). */
#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/stage.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

/* ---- parts of the model ---- */

static const struct gen_pipeline *pipeline_of(const struct stage *stage)
{
    return &stage->program->plan->pipeline;
}

static uint32_t part_of(const struct stage *stage, uint32_t chunk)
{
    return orr_gen_pipeline_part(pipeline_of(stage), stage->number, chunk);
}

/* The part that a block's input comes from, or to which its output goes; false: there is none, or
 * it is on the same stage, which runs it in its order. */
static bool find_neighbour(const struct stage *stage, const struct gen_block *block, bool forward,
                           uint32_t *other)
{
    const struct gen_pipeline *pipeline = pipeline_of(stage);
    const uint32_t part = part_of(stage, block->chunk);
    if (forward ? gen_part_is_last(pipeline, part) : gen_part_is_first(pipeline, part)) {
        return false;
    }
    *other = forward ? part + 1 : part - 1;
    return pipeline->order == NULL || orr_gen_pipeline_stage(pipeline, *other) != stage->number;
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
    const struct gen_pipeline *pipeline = pipeline_of(stage);
    const uint32_t micro = stage->run.step * pipeline->micros + stage->run.micro;
    return 2 * (micro * pipeline->stages * pipeline->chunks + part) + (backward ? 1 : 0);
}

static uint32_t offset_to(const struct stage *stage, uint32_t part)
{
    const struct gen_layout *layout = stage->run.emitter->layout;
    return orr_gen_stage_offset(layout, stage->number,
                                orr_gen_pipeline_stage(pipeline_of(stage), part));
}

/* ---- nodes ---- */

static const char *message_name(const struct stage *stage, const struct gen_block *block,
                                const char *how, char name[GEN_NAME_BYTES])
{
    return orr_stage_name(stage, NULL, gen_block_is_backward(block) ? "gradient" : "activations",
                          how, name);
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
    const bool backward = gen_block_is_backward(block);
    uint32_t from;
    char name[GEN_NAME_BYTES];
    if (block->pass == ORR_PASS_BACKWARD_WEIGHTS ||
        !find_neighbour(stage, block, backward, &from)) {
        return;
    }
    const struct gen_deps nothing = orr_gen_no_deps();
    const uint64_t bytes = boundary_bytes(stage, block, backward);
    const struct orr_node_spec spec = {.name = message_name(stage, block, "received", name),
                                       .comm_bytes = message_bytes(stage, bytes),
                                       .tag =
                                           tag_of(stage, part_of(stage, block->chunk), backward)};
    const struct gen_deps received =
        orr_gen_dep(orr_gen_emit_recv(stage->run.emitter, spec, offset_to(stage, from), &nothing));
    orr_gen_deps_join(stage->run.emitter, chain, &received);
    gather_shares(stage, block, bytes, chain);
}

void orr_stage_send(struct stage *stage, const struct gen_block *block,
                    const struct gen_deps *chain)
{
    const bool backward = gen_block_is_backward(block);
    uint32_t next;
    char name[GEN_NAME_BYTES];
    if (block->pass == ORR_PASS_BACKWARD_WEIGHTS ||
        !find_neighbour(stage, block, !backward, &next)) {
        return;
    }
    const uint64_t bytes = boundary_bytes(stage, block, !backward);
    const struct orr_node_spec spec = {.name = message_name(stage, block, "sent", name),
                                       .comm_bytes = message_bytes(stage, bytes),
                                       .tag = tag_of(stage, next, backward)};
    (void)orr_gen_emit_send(stage->run.emitter, spec, offset_to(stage, next), chain);
}
