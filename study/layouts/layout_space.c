/* All layouts; see layout_space.h. */
#include "study/layouts/layout_space.h"

#include "workload/schedule/pipeline_schedule.h"

enum { MAX_CONTEXT = 16, MAX_MICRO = 16, MAX_CHUNKS = 8, MAX_EXPERT = 512, ZEROS = 4 };

struct walk {
    const struct orr_layout_space *space;
    bool (*visit)(void *context, const struct gen_change *layout);
    void *context;
    bool ended;
};

static void visit(struct walk *walk, const struct gen_change *layout)
{
    walk->ended = walk->ended || !walk->visit(walk->context, layout);
}

static void vary_recomputation(struct walk *walk, struct gen_change layout)
{
    layout.recompute = GEN_RECOMPUTE_NONE;
    visit(walk, &layout);
    layout.recompute = GEN_RECOMPUTE_SELECTIVE;
    if (!walk->space->keeps_no_scores) {
        visit(walk, &layout);
    }
    layout.recompute = GEN_RECOMPUTE_FULL;
    visit(walk, &layout);
}

/* Parameters are sharded over all data-parallel ranks, or over those of the innermost dimension. */
static void vary_memory(struct walk *walk, struct gen_change layout)
{
    const uint32_t split = layout.tensor * layout.context, near = walk->space->near;
    const uint32_t ranks = walk->space->npus / split / layout.pipeline;
    const uint32_t within = near % split == 0 ? near / split : 0;
    for (layout.zero = 0; layout.zero < ZEROS; layout.zero++) {
        layout.replicas = walk->space->given.replicas;
        vary_recomputation(walk, layout);
    }
    if (within > 1 && ranks > within && ranks % within == 0 && walk->space->given.replicas == 1) {
        layout.zero = ZEROS - 1;
        layout.replicas = ranks / within;
        vary_recomputation(walk, layout);
    }
}

/* A schedule of the list is that of all layouts of several stages. */
static void vary_chunks(struct walk *walk, struct gen_change layout)
{
    const struct orr_schedule_kind *kind = layout.kind;
    for (layout.chunks = kind->min_chunks;
         layout.chunks <= kind->max_chunks && layout.chunks <= MAX_CHUNKS && !walk->ended;
         layout.chunks++) {
        vary_memory(walk, layout);
    }
}

static void vary_schedule(struct walk *walk, struct gen_change layout, uint64_t micros)
{
    if (layout.kind != NULL && layout.pipeline > 1) {
        vary_chunks(walk, layout);
        return;
    }
    layout.kind = NULL;
    for (layout.chunks = 1; layout.chunks <= MAX_CHUNKS && !walk->ended; layout.chunks++) {
        if (layout.chunks == 1 || (layout.pipeline > 1 && micros % layout.pipeline == 0)) {
            vary_memory(walk, layout);
        }
    }
}

static void vary_micro_batches(struct walk *walk, struct gen_change layout)
{
    const uint64_t ranks = walk->space->npus / layout.tensor / layout.context / layout.pipeline;
    for (layout.micro_batch = 1; layout.micro_batch <= MAX_MICRO; layout.micro_batch *= 2) {
        if (layout.batch % (ranks * layout.micro_batch) == 0) {
            vary_schedule(walk, layout, layout.batch / (ranks * layout.micro_batch));
        }
    }
}

/* `ranks`: over which experts can be spread. */
static void vary_experts(struct walk *walk, struct gen_change layout, uint32_t ranks)
{
    const uint32_t max = walk->space->has_experts ? MAX_EXPERT : 1;
    for (layout.expert = 1; layout.expert <= max && !walk->ended; layout.expert++) {
        if (ranks % layout.expert == 0) {
            vary_micro_batches(walk, layout);
        }
    }
}

/* Experts that tensor-parallel ranks share, and whole ones spread over all ranks of a stage. */
static void vary_sharing(struct walk *walk, struct gen_change layout)
{
    const uint32_t ranks = walk->space->npus / layout.pipeline;
    const uint32_t split = layout.tensor * layout.context;
    layout.expert_tensor = walk->space->given.expert_tensor > 0 ? layout.tensor : 0;
    vary_experts(walk, layout, ranks / split);
    if (walk->space->has_experts && split > 1) {
        layout.expert_tensor = 1;
        vary_experts(walk, layout, ranks);
    }
}

/* Besides gathers of keys and values, rings and heads for tokens. */
static void vary_exchange(struct walk *walk, struct gen_change layout)
{
    static const enum gen_context_exchange others[] = {GEN_RING, GEN_ULYSSES_ALONE};
    layout.context_exchange = walk->space->given.context_exchange;
    vary_sharing(walk, layout);
    for (unsigned i = 0; i < 2 && layout.context > 1 && !walk->ended &&
                         walk->space->given.context_exchange == GEN_GATHER;
         i++) {
        layout.context_exchange = others[i];
        vary_sharing(walk, layout);
    }
}

static void vary_pipeline(struct walk *walk, struct gen_change layout)
{
    const uint32_t left = walk->space->npus / layout.tensor;
    for (layout.context = 1; layout.context <= MAX_CONTEXT && !walk->ended; layout.context *= 2) {
        for (layout.pipeline = 1; layout.pipeline <= left && !walk->ended; layout.pipeline++) {
            if (left % layout.context == 0 && left / layout.context % layout.pipeline == 0) {
                vary_exchange(walk, layout);
            }
        }
    }
}

void orr_visit_layouts(const struct orr_layout_space *space,
                       bool (*function)(void *context, const struct gen_change *layout),
                       void *context)
{
    struct walk walk = {.space = space, .visit = function, .context = context};
    struct gen_change layout = space->given;
    layout.sequence_parallel = true;
    for (layout.tensor = 1; layout.tensor <= space->npus && !walk.ended; layout.tensor++) {
        if (space->npus % layout.tensor == 0) {
            vary_pipeline(&walk, layout);
        }
    }
}
