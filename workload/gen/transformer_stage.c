/* The items of a pipeline stage of a transformer, and the names and collectives of its nodes; see
 * transformer_stage.h. */
#include "workload/gen/transformer_stage.h"

#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

#include <inttypes.h>
#include <stdio.h>

const char *orr_transformer_name(const struct tf_stage *stage, const struct tf_item *item,
                                 const char *what, const char *how, char text[GEN_NAME_BYTES])
{
    int at = 0;
    text[0] = '\0';
    if (stage->job->plan.steps > 1) {
        at = snprintf(text, GEN_NAME_BYTES, "step %" PRIu32 " ", stage->step);
    }
    if (item != NULL && item->kind >= TF_FIRST_KIND) {
        at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "layer %" PRIu32 " ", item->layer);
    }
    at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "%s", what);
    if (how != NULL) {
        (void)snprintf(text + at, GEN_NAME_BYTES - (size_t)at, " %s mb %" PRIu32, how,
                       stage->micro);
    }
    return text;
}

/* The sizes of an uneven all-to-all: what goes to the ranks of experts comes from each rank in
 * equal parts, and back. */
static struct orr_comm_sizes uneven_sizes(const struct tf_stage *stage,
                                          const struct tf_collective *what)
{
    const struct tf_job *job = stage->job;
    const uint32_t ranks = job->plan.layout.size[GEN_EXPERT];
    uint64_t *of_each = stage->sizes, *own = stage->sizes + ranks, before = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t end = orr_transformer_tokens_before(job, i + 1, what->tokens);
        of_each[i] = sat_times(end - before, what->token_bytes);
        before = end;
    }
    for (uint32_t i = 0; i < ranks; i++) {
        own[i] = of_each[job->expert_rank];
    }
    const bool there = what->spread == TF_TO_EXPERTS;
    return (struct orr_comm_sizes){.send = there ? of_each : own,
                                   .recv = there ? own : of_each,
                                   .send_count = ranks,
                                   .recv_count = ranks};
}

/* In a trace the size of an all-gather is the contribution of a rank. */
struct gen_deps orr_transformer_emit_comm(struct tf_stage *stage, const struct tf_collective *what,
                                          const char *name, const struct gen_deps *after)
{
    const bool uneven = what->spread != TF_EVEN;
    if (!what->is_set || (uneven ? what->tokens : what->bytes) == 0) {
        return *after;
    }
    const uint32_t ranks = orr_gen_family_size(stage->emitter->layout, what->family);
    const bool gather = what->comm == ORR_COMM_ALL_GATHER;
    const struct orr_node_spec spec = {
        .name = name,
        .comm = what->comm,
        .comm_bytes = gather ? (what->bytes + ranks - 1) / ranks : what->bytes,
        .sizes = uneven ? uneven_sizes(stage, what) : (struct orr_comm_sizes){.send = NULL}};
    return orr_gen_emit_coll(stage->emitter, spec, what->family, after);
}

static void add_item(struct tf_stage *stage, uint32_t kind, uint32_t layer)
{
    struct tf_item *item = &stage->item[stage->items++];
    *item = (struct tf_item){.kind = kind, .ops = &stage->ops[kind], .layer = layer};
    for (unsigned i = 0; i < item->ops->count; i++) {
        const struct tf_op *op = &item->ops->op[i];
        *(op->of_experts ? &item->expert_parameters : &item->parameters) += op->parameters;
    }
}

void orr_transformer_list_items(struct tf_stage *stage, uint32_t *chunk_end)
{
    const struct tf_model *model = &stage->job->model;
    for (uint32_t c = 0; c < stage->job->plan.pipeline.chunks; c++) {
        const struct tf_range range = orr_transformer_chunk_range(stage->job, stage->number, c);
        if (range.embedding) {
            add_item(stage, TF_KIND_EMBEDDING, 0);
        }
        for (uint32_t layer = range.first; layer < range.end; layer++) {
            add_item(stage, orr_transformer_kind_of(model, layer), layer);
        }
        if (range.head) {
            add_item(stage, TF_KIND_HEAD, 0);
        }
        chunk_end[c] = stage->items;
    }
    stage->chunk_end = chunk_end;
}
