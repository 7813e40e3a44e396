/* What a rank does of a transformer, from the operators of each kind of its layers. */
#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/transformer.h"

struct gen_row orr_transformer_row(const struct tf_model *model)
{
    return (struct gen_row){.layers = orr_transformer_all_layers(model),
                            .embedding = model->vocabulary > 0,
                            .head = model->vocabulary > 0};
}

/* ---- sizes ---- */

static bool scatters(const struct gen_plan *plan)
{
    return plan->pipeline_scatter && plan->pipeline.stages > 1 &&
           plan->layout.size[GEN_TENSOR] > 1 && !plan->sequence_parallel;
}

/* Bytes of the activations of a micro-batch between two layers. */
static uint64_t boundary_bytes(const struct tf_job *job)
{
    const struct gen_plan *plan = &job->plan;
    const uint64_t cut = plan->sequence_parallel ? plan->layout.size[GEN_TENSOR] : 1;
    const uint64_t tokens = sat_times(
        plan->micro_batch, sat_divide_up(job->model.sequence, plan->layout.size[GEN_CONTEXT]));
    return sat_times(sat_divide_up(tokens, cut), sat_times(job->model.hidden, plan->element_bytes));
}

/* ---- blocks ---- */

static bool fill_block(struct orr_arena *arena, const struct tf_job *job, uint32_t kind,
                       struct rank_block *block)
{
    struct tf_ops *ops = orr_arena_alloc(arena, sizeof *ops);
    if (ops == NULL) {
        return false;
    }
    orr_transformer_layer_ops(job, kind, ops);
    block->op = ops->op;
    block->ops = ops->count;
    block->is_end = kind < TF_FIRST_KIND;
    block->beside =
        job->model.kind[kind].place == TF_MTP_EMBEDDING || job->model.kind[kind].place == TF_MTP;
    block->recomputes = !block->is_end;
    orr_rank_block_finish(block, ops->op);
    block->input_bytes = block->outer_bytes = ops->op[0].kept_bytes;
    return true;
}

/* Of all kinds of layers, in the arena; NULL when memory is out. */
static struct rank_block *make_blocks(struct orr_arena *arena, const struct tf_job *job)
{
    struct rank_block *block = orr_arena_array(arena, job->model.kinds, sizeof *block);
    bool done = block != NULL;
    for (uint32_t kind = 0; kind < job->model.kinds && done; kind++) {
        done = !tf_has_kind(&job->model, kind) || fill_block(arena, job, kind, &block[kind]);
    }
    return done ? block : NULL;
}

/* Layers whose products stay in elements have blocks of their own. */
struct blocks {
    const struct rank_block *usual, *plain; /* [kinds] */
};

static struct blocks all_blocks(struct orr_arena *arena, const struct tf_job *job)
{
    const struct gen_precision *of = &job->plan.precision;
    const bool differ = of->product != GEN_ELEMENT && of->first_layers + of->last_layers > 0;
    struct blocks blocks = {.usual = make_blocks(arena, job)};
    blocks.plain = blocks.usual;
    if (differ) {
        struct tf_job plain = *job;
        plain.plan.precision = orr_gen_precision_plain(of);
        blocks.plain = make_blocks(arena, &plain);
    }
    return blocks;
}

static const struct rank_block *block_of_layer(const struct tf_job *job,
                                               const struct blocks *blocks, uint32_t layer)
{
    const struct gen_precision *of = &job->plan.precision;
    const uint32_t layers = orr_transformer_all_layers(&job->model);
    const bool plain = layer < of->first_layers || layers - layer <= of->last_layers;
    return &(plain ? blocks->plain : blocks->usual)[orr_transformer_kind_of(&job->model, layer)];
}

/* ---- the program ---- */

/* Layers behind the last one: the head, and modules of multi-token prediction with an embedding. */
static uint32_t layers_behind(const struct tf_model *model)
{
    uint32_t layers = 0;
    for (uint32_t k = TF_KIND_HEAD; k < model->kinds; k++) {
        layers += orr_transformer_ends(model, k);
    }
    return layers;
}

/* On another stage a tied head has a copy of the embedding, or else what is in front of modules of
 * multi-token prediction, behind the head. */
static void tie(const struct tf_job *job, const struct rank_block *block, struct rank_layer *layer)
{
    const struct tf_model *model = &job->model;
    const uint32_t head = orr_transformer_all_layers(model) + 1;
    const bool copied = model->vocabulary > 0 && (model->tied || model->mtp_modules > 0);
    if (copied && orr_gen_pipeline_ends_apart(&job->plan.pipeline)) {
        layer[0].tied_parameters = layer[model->tied ? head : head + 1].tied_parameters =
            block[TF_KIND_EMBEDDING].op[0].parameters;
    }
}

static void list_layers(const struct tf_job *job, const struct blocks *blocks,
                        struct rank_layer *layer)
{
    const struct rank_block *block = blocks->usual;
    const struct gen_row row = orr_transformer_row(&job->model);
    const uint64_t bytes = boundary_bytes(job);
    const struct tf_model *model = &job->model;
    uint32_t at = 0;
    if (row.head) {
        layer[at++] = (struct rank_layer){.block = &block[TF_KIND_EMBEDDING], .name = ""};
    }
    for (uint32_t i = 0; i < row.layers; i++) {
        layer[at++] = (struct rank_layer){.block = block_of_layer(job, blocks, i), .number = i};
    }
    for (uint32_t k = TF_KIND_HEAD; k < model->kinds; k++) {
        for (uint32_t i = 0; i < orr_transformer_ends(model, k); i++) {
            layer[at++] = (struct rank_layer){.block = &block[k],
                                              .name = k < TF_FIRST_KIND ? "" : NULL,
                                              .number = row.layers + i};
        }
    }
    for (uint32_t i = 0; i < at; i++) {
        layer[i].boundary_bytes = bytes;
    }
    tie(job, block, layer);
}

const struct rank_program *orr_transformer_program(struct orr_arena *arena,
                                                   const struct tf_job *job)
{
    const struct gen_row row = orr_transformer_row(&job->model);
    const uint32_t behind = layers_behind(&job->model);
    const uint32_t layers = row.layers + (row.embedding ? 1 : 0) + behind;
    struct rank_program *program = orr_arena_alloc(arena, sizeof *program);
    struct rank_layer *layer = orr_arena_array(arena, layers, sizeof *layer);
    const struct blocks blocks = all_blocks(arena, job);
    if (program == NULL || layer == NULL || blocks.usual == NULL || blocks.plain == NULL) {
        return NULL;
    }
    list_layers(job, &blocks, layer);
    *program = (struct rank_program){.plan = &job->plan,
                                     .layer = layer,
                                     .layers = layers,
                                     .behind = behind,
                                     .scatters = scatters(&job->plan),
                                     .expert_rank = job->expert_rank,
                                     .load = &job->model.load};
    return program;
}
