/* Attention over a ring (Liu et al. 2023, "Ring Attention"; context parallelism of Transformer
 * Engine): the ranks of a ring hold the queries, keys and values of their own tokens. In each of n
 * steps a rank attends to the keys and values that it has, while these go on to the next rank.
 * Backward their gradients follow, each behind the step that adds to it, and end where they belong.
 * With pieces i and 2 n - 1 - i of a sample on rank i all steps take equally long under a causal
 * mask (docs/how-to/generated-transformer.md). */
#include "workload/parallel/layout.h"
#include "workload/parallel/stage.h"
#include "workload/trace/trace_builder.h"

struct ring {
    struct stage *stage;
    const struct rank_layer *layer;
    const struct rank_op *op;
    const char *how;
};

/* The part of a step of all, so that the steps add up. */
static uint64_t part_of(uint64_t all, uint32_t step, uint32_t steps)
{
    const uint64_t each = all / steps, left = all % steps;
    return each + (step < left ? 1 : 0);
}

static struct gen_deps attend(const struct ring *ring, uint32_t step, const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    const struct rank_op *op = ring->op;
    const struct gen_work *all = ring->how[0] == 'b' ? &op->input_gradient : &op->forward;
    const struct orr_node_spec spec = {
        .name = orr_stage_name(ring->stage, ring->layer, op->name, ring->how, name),
        .op = op->kind,
        .unaligned = op->unaligned,
        .product = op->product,
        .num_ops = part_of(all->flops, step, op->ring),
        .tensor_bytes = part_of(all->bytes, step, op->ring)};
    return orr_gen_dep(orr_gen_emit_comp(ring->stage->run.emitter, spec, after));
}

/* Sends to the next rank after `after`, and receives as much from the one before; returns that. */
static struct gen_deps pass_on(const struct ring *ring, const char *sent, const char *received,
                               const struct gen_deps *after)
{
    char name[GEN_NAME_BYTES];
    struct gen_emitter *emitter = ring->stage->run.emitter;
    const struct gen_deps nothing = orr_gen_no_deps();
    const uint32_t place = emitter->ring_place;
    struct orr_node_spec spec = {
        .name = orr_stage_name(ring->stage, ring->layer, sent, ring->how, name),
        .comm_bytes = ring->op->ring_bytes,
        .tag = ring->stage->ring_messages++};
    (void)orr_gen_emit_send(emitter, spec, orr_gen_ring_offset(emitter->layout, place, true),
                            after);
    spec.name = orr_stage_name(ring->stage, ring->layer, received, ring->how, name);
    return orr_gen_dep(orr_gen_emit_recv(
        emitter, spec, orr_gen_ring_offset(emitter->layout, place, false), &nothing));
}

struct gen_deps orr_stage_ring(struct stage *stage, const struct rank_layer *layer,
                               const struct rank_op *op, const char *how,
                               const struct gen_deps *after)
{
    const struct ring ring = {stage, layer, op, how};
    const bool backward = how[0] == 'b';
    struct gen_deps end = *after, keys = *after, gradients = orr_gen_no_deps();
    for (uint32_t step = 0; step < op->ring; step++) {
        struct gen_deps begin = end;
        orr_gen_deps_join(stage->run.emitter, &begin, &keys);
        if (step + 1 < op->ring) {
            keys = pass_on(&ring, "keys and values sent", "keys and values received", &keys);
        }
        end = attend(&ring, step, &begin);
        if (backward) {
            orr_gen_deps_join(stage->run.emitter, &gradients, &end);
            gradients =
                pass_on(&ring, "their gradients sent", "their gradients received", &gradients);
        }
    }
    orr_gen_deps_join(stage->run.emitter, &end, &gradients);
    return end;
}
