/* The layers of a pipeline stage, and the names and collectives of its nodes; see stage.h. */
#include "workload/parallel/stage.h"

#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/stage_split.h"
#include "workload/trace/trace_builder.h"

/* ---- names ---- */

struct text {
    char *at, *end;
};

static void put(struct text *text, const char *word)
{
    while (*word != '\0' && text->at < text->end) {
        *text->at++ = *word++;
    }
    *text->at = '\0';
}

static void put_number(struct text *text, uint32_t number)
{
    char digits[12], *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(text, at);
}

static void put_layer(struct text *text, const struct rank_layer *layer)
{
    if (layer->name == NULL) {
        put(text, "layer ");
        put_number(text, layer->number);
        put(text, " ");
    } else if (layer->name[0] != '\0') {
        put(text, layer->name);
        put(text, " ");
    }
}

const char *orr_stage_name(const struct stage *stage, const struct rank_layer *layer,
                           const char *what, const char *how, char name[GEN_NAME_BYTES])
{
    struct text text = {name, name + GEN_NAME_BYTES - 1};
    name[0] = '\0';
    if (stage->program->plan->steps > 1) {
        put(&text, "step ");
        put_number(&text, stage->run.step);
        put(&text, " ");
    }
    if (layer != NULL) {
        put_layer(&text, layer);
    }
    put(&text, what);
    if (how != NULL) {
        put(&text, " ");
        put(&text, how);
        put(&text, " mb ");
        put_number(&text, stage->run.micro);
    }
    return name;
}

/* ---- collectives ---- */

/* The sizes of an uneven all-to-all: what goes to the ranks of experts comes from each rank in
 * equal parts, and back. */
static struct orr_comm_sizes uneven_sizes(const struct stage *stage, const struct rank_comm *what)
{
    const struct rank_program *program = stage->program;
    const uint32_t ranks = gen_expert_ranks(&program->plan->layout);
    uint64_t *of_each = stage->sizes, *own = stage->sizes + ranks, before = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t end = rank_tokens_before(program->load, i + 1, ranks, what->tokens);
        of_each[i] = sat_times(end - before, what->token_bytes);
        before = end;
    }
    for (uint32_t i = 0; i < ranks; i++) {
        own[i] = of_each[program->expert_rank];
    }
    const bool there = what->spread == RANK_TO_EXPERTS;
    return (struct orr_comm_sizes){.send = there ? of_each : own,
                                   .recv = there ? own : of_each,
                                   .send_count = ranks,
                                   .recv_count = ranks};
}

/* Tokens that go by nodes: two exchanges at the same time, by kernels of their own. */
static struct gen_deps exchange_by_nodes(struct stage *stage, const struct rank_comm *what,
                                         const char *name, const struct gen_deps *after)
{
    const struct orr_node_spec over = {
        .name = name, .comm = what->comm, .comm_bytes = what->bytes, .tokens = true};
    const struct orr_node_spec within = {
        .name = name, .comm = what->comm, .comm_bytes = what->node_bytes, .tokens = true};
    struct gen_deps end = orr_gen_emit_coll(stage->run.emitter, over, GEN_EP_RAIL, after);
    const struct gen_deps inside =
        orr_gen_emit_coll(stage->run.emitter, within, GEN_EP_NODE, after);
    orr_gen_deps_join(stage->run.emitter, &end, &inside);
    return end;
}

/* In a trace the size of an all-gather is the contribution of a rank. */
struct gen_deps orr_stage_comm(struct stage *stage, const struct rank_comm *what, const char *name,
                               const struct gen_deps *after)
{
    const bool uneven = what->spread != RANK_EVEN;
    if (!what->is_set || (uneven ? what->tokens : what->bytes) == 0) {
        return *after;
    }
    if (what->family == GEN_EP_RAIL) {
        return exchange_by_nodes(stage, what, name, after);
    }
    const uint32_t ranks = orr_gen_family_size(stage->run.emitter->layout, what->family);
    const bool gather = what->comm == ORR_COMM_ALL_GATHER;
    const struct orr_node_spec spec = {
        .name = name,
        .comm = what->comm,
        .comm_bytes = gather ? (what->bytes + ranks - 1) / ranks : what->bytes,
        .sizes = uneven ? uneven_sizes(stage, what) : (struct orr_comm_sizes){.send = NULL}};
    return orr_gen_emit_coll(stage->run.emitter, spec, what->family, after);
}

/* ---- layers ---- */

/* An operator whose output others use outside of the chunk, or nobody. */
static void mark_ends(struct stage *stage, struct gen_range range, uint32_t first)
{
    const struct rank_layer *layer = stage->program->layer;
    for (uint32_t l = range.first; l < stage->program->layers; l++) {
        const struct rank_block *block = layer[l].block;
        const uint32_t edges =
            block->edge == NULL || block->ops == 0
                ? 0
                : block->op[block->ops - 1].first_edge + block->op[block->ops - 1].edges;
        for (uint32_t e = 0; e < edges; e++) {
            const uint32_t from = l - block->edge[e].back;
            if (from < l + 1 && from >= range.first && from < range.end && l >= range.end) {
                const struct stage_item *item = &stage->item[first + from - range.first];
                stage->slot[item->slot + block->edge[e].op].ends = true;
            }
        }
    }
}

/* Marks the operators that nobody uses. */
static void mark_unused(struct stage *stage, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const struct rank_block *block = stage->item[i].layer->block;
        for (uint32_t k = 0; k < block->ops; k++) {
            stage->slot[stage->item[i].slot + k].ends =
                block->edge != NULL || (i + 1 == end && k + 1 == block->ops);
        }
        for (uint32_t k = 0; k < block->ops && block->edge != NULL; k++) {
            const struct rank_op *op = &block->op[k];
            for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
                if (block->edge[e].back <= i - first) {
                    const struct stage_item *from = &stage->item[i - block->edge[e].back];
                    stage->slot[from->slot + block->edge[e].op].ends = false;
                }
            }
        }
    }
}

static void list_chunk(struct stage *stage, uint32_t chunk)
{
    const struct gen_range range = orr_rank_layers(stage->program, stage->number, chunk);
    for (uint32_t l = range.first; l < range.end; l++) {
        const struct rank_layer *layer = &stage->program->layer[l];
        stage->item[stage->items++] =
            (struct stage_item){.layer = layer,
                                .slot = stage->slots,
                                .computed_again = orr_rank_recomputes(stage->program, &range, l),
                                .weights = {.parameters = layer->block->parameters}};
        stage->slots += layer->block->ops;
    }
    stage->chunk_end[chunk] = stage->items;
}

static bool list_slots(struct stage *stage)
{
    stage->slot = orr_heap_calloc((size_t)stage->slots + 1, sizeof *stage->slot);
    for (uint32_t c = 0; c < stage->program->plan->pipeline.chunks && stage->slot != NULL; c++) {
        const uint32_t first = stage_chunk_first(stage, c);
        mark_unused(stage, first, stage->chunk_end[c]);
        mark_ends(stage, orr_rank_layers(stage->program, stage->number, c), first);
    }
    return stage->slot != NULL;
}

bool orr_stage_prepare(struct stage *stage)
{
    const struct gen_plan *plan = stage->program->plan;
    const struct gen_row row = orr_rank_row(stage->program);
    const size_t ends = (size_t)plan->pipeline.copies * (1 + stage->program->behind);
    const size_t items = orr_gen_stage_layers(plan, &row, stage->number) + ends;
    stage->item = orr_heap_calloc(items, sizeof *stage->item);
    stage->chunk_end = orr_heap_calloc(plan->pipeline.chunks, sizeof *stage->chunk_end);
    stage->left = orr_heap_calloc(plan->pipeline.chunks, sizeof *stage->left);
    stage->history = orr_heap_calloc((size_t)plan->prefetch + 1, sizeof *stage->history);
    stage->sizes =
        orr_heap_calloc(2 * (size_t)gen_expert_ranks(&plan->layout), sizeof *stage->sizes);
    if (stage->item == NULL || stage->chunk_end == NULL || stage->left == NULL ||
        stage->history == NULL || stage->sizes == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < plan->pipeline.chunks; c++) {
        list_chunk(stage, c);
    }
    return list_slots(stage);
}

void orr_stage_release(struct stage *stage)
{
    orr_heap_free(stage->item);
    orr_heap_free(stage->slot);
    orr_heap_free(stage->chunk_end);
    orr_heap_free(stage->left);
    orr_heap_free(stage->history);
    orr_heap_free(stage->sizes);
}
