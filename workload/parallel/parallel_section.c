/* The `parallel` section of a generated workload; see parallel_section.h. */
#include "workload/parallel/parallel_section.h"

#include <inttypes.h>

#include "core/conf/conf_read.h"
#include "core/diag.h"
#include "workload/parallel/pipeline_order.h"
#include "workload/parallel/stage_split.h"
#include "workload/parallel/token_dispatch.h"

static const char *const context_exchanges[] = {"all_gather", "ring_attention", "ulysses",
                                                "ulysses_ring", NULL};

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const struct orr_key operator_key = {
    .name = "NAME",
    .type = ORR_KEY_TEXT,
    .example = "NAME: output",
    .doc = "an operator, or a pattern of names with * and ?: the dimension that is cut; none: each "
           "rank does all of it"};

#define AT(member) offsetof(struct parallel_section, member)
#define DEGREE(key, text)                                                                          \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = 1, .high = 1e6,           \
        .default_text = "1", .doc = text                                                           \
    }

static const struct orr_key parallel_keys[] = {
    DEGREE(tensor, "ranks that share each layer's matrices"),
    DEGREE(context, "ranks that share each sequence"),
    {.name = "context_exchange",
     .type = ORR_KEY_CHOICE,
     .offset = AT(context_exchange),
     .choices = context_exchanges,
     .default_text = "all_gather",
     .output_if_given = true,
     .doc = "context-parallel ranks: gather all keys and values; pass them around a ring, beside "
            "the attention to those before (each rank has pieces i and 2 c - 1 - i of a sample); "
            "exchange tokens for heads (ulysses); both"},
    {.name = "context_ulysses",
     .type = ORR_KEY_INTEGER,
     .offset = AT(context_ulysses),
     .low = 1,
     .high = 1e6,
     .absent = "all of them",
     .output_if_given = true,
     .example = "context_ulysses: 8",
     .doc =
         "context_exchange: ulysses_ring: context-parallel ranks that exchange tokens for heads; "
         "rings are of the others"},
    DEGREE(expert, "data-parallel ranks among which experts are spread"),
    {.name = "expert_tensor",
     .type = ORR_KEY_INTEGER,
     .offset = AT(expert_tensor),
     .low = 1,
     .high = 1e6,
     .absent = "as tensor",
     .output_if_given = true,
     .example = "expert_tensor: 1",
     .doc = "ranks that share each expert's matrices; where given, experts are laid over all "
            "tensor x context x data ranks"},
    {.name = "dispatcher",
     .type = ORR_KEY_CHOICE,
     .offset = AT(dispatcher),
     .choices = orr_gen_dispatchers,
     .default_text = "alltoall",
     .output_if_given = true,
     .doc = "how tokens go to the ranks of their experts: to each by itself, or once to each node "
            "and from there over the links of the node (deepep)"},
    {.name = "node",
     .type = ORR_KEY_INTEGER,
     .offset = AT(node),
     .low = 1,
     .high = 1e6,
     .default_text = "8",
     .only_with = "dispatcher",
     .output_if_given = true,
     .doc = "dispatcher: deepep: NPUs of a node"},
    DEGREE(pipeline, "stages that share the layers"),
    {.name = "data",
     .type = ORR_KEY_INTEGER,
     .offset = AT(data),
     .low = 1,
     .high = 1e9,
     .absent = "the NPUs that are left",
     .example = "data: 8",
     .doc = "ranks that share the batch"},
    {.name = "replicas",
     .type = ORR_KEY_INTEGER,
     .offset = AT(replicas),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .output_if_given = true,
     .doc = "groups of data-parallel ranks that shard what ZeRO shards within each group, and "
            "reduce gradients across (HSDP)"},
    {.name = "order",
     .type = ORR_KEY_TEXT,
     .offset = AT(order),
     .default_text = "tp-cp-ep-dp-pp",
     .example = "order: tp-dp-pp",
     .doc = "how ranks are numbered, the fastest first"},
    {.name = "sequence",
     .type = ORR_KEY_BOOL,
     .offset = AT(sequence),
     .default_text = "false",
     .doc = "tensor-parallel ranks share norms, dropout and residuals by tokens"},
    {.name = "operators",
     .type = ORR_KEY_NODE,
     .offset = AT(operators),
     .each = &operator_key,
     .absent = "the dimensions whose exchanges move the fewest bytes",
     .doc = "a model of operators: which of their dimensions tensor-parallel ranks cut; of several "
            "patterns that match the last counts"},
    {.name = "schedule",
     .type = ORR_KEY_TEXT,
     .offset = AT(schedule),
     .default_text = "1f1b",
     .example = "schedule: zb-h1",
     .doc = "order of micro-batches in a pipeline: gpipe, 1f1b, interleaved, breadth-first, zb-h1, "
            "zb-h2, zb-v, v-half, v-min, dualpipe, dualpipev, merged, memory-limit, or a table "
            "(x.csv)"},
    {.name = "chunks",
     .type = ORR_KEY_INTEGER,
     .offset = AT(chunks),
     .low = 1,
     .high = 1e4,
     .absent = "that of the schedule: 2 when interleaved, 1 with 1f1b",
     .doc = "parts of the model on each stage, where the schedule has several"},
    {.name = "layers_per_stage",
     .type = ORR_KEY_TEXT,
     .offset = AT(layers_per_stage),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = 4096,
     .absent = "even",
     .example = "layers_per_stage: uneven",
     .doc = "layers of each stage, interleaved of each part in the order of the model; even: as "
            "many each; uneven: the first and the last have less"},
    {.name = "embedding_as_layer",
     .type = ORR_KEY_BOOL,
     .offset = AT(embedding_as_layer),
     .default_text = "false",
     .doc = "the embedding counts as a layer of the first stage"},
    {.name = "head_as_layer",
     .type = ORR_KEY_BOOL,
     .offset = AT(head_as_layer),
     .default_text = "false",
     .doc = "the head counts as a layer of the last stage"},
    {.name = "pipeline_scatter",
     .type = ORR_KEY_BOOL,
     .offset = AT(pipeline_scatter),
     .default_text = "true",
     .doc = "tensor-parallel ranks that hold the same activations send one share each to the next "
            "stage, which gathers them"},
    {.name = "zero",
     .type = ORR_KEY_INTEGER,
     .offset = AT(zero),
     .low = 0,
     .high = 3,
     .default_text = "0",
     .doc = "ZeRO stage: share optimizer state (1), gradients (2), parameters (3, FSDP)"},
};

const struct orr_key_table orr_gen_parallel_table = {"the parallel section", parallel_keys,
                                                     COUNT(parallel_keys), NULL};
#undef AT

const char *orr_gen_context_exchange_name(enum gen_context_exchange exchange)
{
    return context_exchanges[exchange];
}

/* ---- the layout ---- */

static enum orr_status fit_context(const struct parallel_section *section, struct gen_plan *plan,
                                   struct orr_diag *diag)
{
    struct gen_layout *layout = &plan->layout;
    const enum gen_context_exchange how = (enum gen_context_exchange)section->context_exchange;
    const uint32_t ranks = layout->size[GEN_CONTEXT];
    const uint32_t given = (uint32_t)section->context_ulysses;
    plan->context_exchange = how;
    plan->context_ulysses = given;
    layout->ulysses = how == GEN_ULYSSES_ALONE ? ranks : how == GEN_ULYSSES_RING ? given : 1;
    layout->rings = how == GEN_RING || how == GEN_ULYSSES_RING;
    if (how == GEN_ULYSSES_RING && given == 0 && ranks > 1) {
        return orr_gen_fail(plan->parallel, "context_ulysses", diag,
                            "context_exchange: ulysses_ring needs the number of ranks that "
                            "exchange tokens for heads, a divisor of context %u",
                            ranks);
    }
    if (how != GEN_ULYSSES_RING && given != 0) {
        return orr_gen_fail(plan->parallel, "context_ulysses", diag,
                            "only context_exchange: ulysses_ring has two sorts of context-parallel "
                            "ranks");
    }
    if (layout->ulysses > 1 && ranks % layout->ulysses != 0) {
        return orr_gen_fail(plan->parallel, "context_ulysses", diag,
                            "%u does not divide the %u context-parallel ranks", layout->ulysses,
                            ranks);
    }
    return ORR_OK;
}

static enum orr_status fit_replicas(const struct parallel_section *section, struct gen_plan *plan,
                                    struct orr_diag *diag)
{
    const uint32_t ranks = plan->layout.size[GEN_DATA];
    plan->layout.replicas = (uint32_t)section->replicas;
    if (ranks % plan->layout.replicas != 0) {
        return orr_gen_fail(plan->parallel, "replicas", diag,
                            "%u does not divide the %u data-parallel ranks%s",
                            plan->layout.replicas, ranks,
                            plan->layout.size[GEN_EXPERT] > 1 ? " with equal experts" : "");
    }
    if (plan->layout.replicas > 1 && section->zero == 0) {
        return orr_gen_fail(plan->parallel, "replicas", diag,
                            "without ZeRO all data-parallel ranks are replicas; expected "
                            "parallel.zero 1 to 3");
    }
    return ORR_OK;
}

/* Whether experts have digits of their own (layout.h): they are shared by other ranks than layers
 * are, or spread over context-parallel ranks, too. */
static bool are_apart(const struct parallel_section *section, uint64_t data)
{
    const bool others = section->expert_tensor != 0 && section->expert_tensor != section->tensor;
    const bool given = section->expert_tensor != 0 && section->expert > 1;
    return others || (section->context > 1 && (given || data % (uint64_t)section->expert != 0));
}

static enum orr_status fit_experts(const struct parallel_section *section, uint64_t data,
                                   struct gen_plan *plan, struct orr_diag *diag)
{
    struct gen_layout *layout = &plan->layout;
    const int64_t sharing = section->expert_tensor != 0 ? section->expert_tensor : section->tensor;
    const uint64_t ranks = (uint64_t)section->tensor * (uint64_t)section->context * data;
    layout->experts.are_apart = are_apart(section, data);
    if (!layout->experts.are_apart) {
        if (data % (uint64_t)section->expert != 0) {
            return orr_gen_fail(plan->parallel, "expert", diag,
                                "experts are spread over data-parallel ranks, but %" PRId64
                                " does not divide the %" PRIu64 " of them%s",
                                section->expert, data,
                                section->tensor > 1 ? "; expert_tensor: 1 spreads them over "
                                                      "tensor-parallel ranks, too"
                                                    : "");
        }
        layout->size[GEN_EXPERT] = (uint32_t)section->expert;
        layout->size[GEN_DATA] = (uint32_t)(data / (uint64_t)section->expert);
        return ORR_OK;
    }
    if (ranks % (uint64_t)(section->expert * sharing) != 0) {
        return orr_gen_fail(plan->parallel, "expert", diag,
                            "experts are spread over tensor x context x data ranks, but expert "
                            "%" PRId64 " x expert_tensor %" PRId64 " does not divide the %" PRIu64
                            " of them",
                            section->expert, sharing, ranks);
    }
    layout->experts.tensor.size = (uint32_t)sharing;
    layout->experts.ranks.size = (uint32_t)section->expert;
    layout->size[GEN_EXPERT] = 1;
    layout->size[GEN_DATA] = (uint32_t)data;
    return ORR_OK;
}

enum orr_status orr_gen_parallel_fit(const struct parallel_section *section, uint32_t npus,
                                     struct gen_plan *plan, struct orr_diag *diag)
{
    uint32_t *size = plan->layout.size;
    const double given =
        (double)section->tensor * (double)section->context * (double)section->pipeline;
    const uint64_t model = given <= UINT32_MAX ? (uint64_t)given : UINT64_MAX;
    if (section->data == 0 && npus % model != 0) {
        return orr_gen_fail(plan->parallel, "data", diag,
                            "tensor %" PRId64 " x context %" PRId64 " x pipeline %" PRId64
                            " does not divide the %u NPUs of the platform; expected degrees whose "
                            "product does",
                            section->tensor, section->context, section->pipeline, npus);
    }
    const uint64_t data = section->data != 0 ? (uint64_t)section->data : npus / model;
    if ((double)data * given != (double)npus) {
        return orr_gen_fail(plan->parallel, "data", diag,
                            "tensor %" PRId64 " x context %" PRId64 " x pipeline %" PRId64
                            " x data %" PRIu64 " is %.0f NPUs, but the platform has %u; "
                            "--npus %.0f scales its outermost dimension (network.npus)",
                            section->tensor, section->context, section->pipeline, data,
                            (double)data * given, npus, (double)data * given);
    }
    size[GEN_TENSOR] = (uint32_t)section->tensor;
    size[GEN_CONTEXT] = (uint32_t)section->context;
    size[GEN_PIPELINE] = (uint32_t)section->pipeline;
    plan->expert_tensor = (uint32_t)section->expert_tensor;
    enum orr_status status = fit_context(section, plan, diag);
    if (status == ORR_OK) {
        status = fit_experts(section, data, plan, diag);
    }
    return status == ORR_OK ? fit_replicas(section, plan, diag) : status;
}

enum orr_status orr_gen_parallel_read(uint32_t npus, struct gen_plan *plan, struct orr_diag *diag)
{
    struct parallel_section section = {0};
    enum orr_status status = orr_conf_read(plan->parallel, orr_gen_parallel_table.owner,
                                           parallel_keys, COUNT(parallel_keys), &section, diag);
    if (status == ORR_OK) {
        status = orr_gen_parallel_fit(&section, npus, plan, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct orr_diag reason;
    orr_diag_init(&reason);
    if (orr_gen_layout_init(&plan->layout, section.order, &reason) != ORR_OK) {
        return orr_gen_fail(plan->parallel, "order", diag, "%s", reason.message);
    }
    plan->order = section.order;
    plan->operators = section.operators;
    status = orr_gen_dispatch_set(plan, section.dispatcher, (uint32_t)section.node, diag);
    if (status != ORR_OK) {
        return status;
    }
    plan->dispatcher = section.dispatcher;
    plan->node = (uint32_t)section.node;
    plan->sequence_is_set = section.sequence;
    plan->data_is_set = section.data != 0;
    plan->sequence_parallel = section.sequence && section.tensor > 1;
    plan->zero = (unsigned)section.zero;
    plan->pipeline_scatter = section.pipeline_scatter;
    plan->split.embedding = section.embedding_as_layer;
    plan->split.head = section.head_as_layer;
    plan->pipeline.stages = (uint32_t)section.pipeline;
    status = orr_gen_schedule_read(plan, section.schedule, (uint32_t)section.chunks, diag);
    if (status != ORR_OK) {
        return status;
    }
    return orr_gen_split_read(plan->parallel, &section.layers_per_stage, &plan->split, diag);
}
