/* Numbers of ranks of a layout (layout.h), and the families that stand for them. O(1) all. */
#ifndef ORR_WORKLOAD_PARALLEL_LAYOUT_PARTS_H
#define ORR_WORKLOAD_PARALLEL_LAYOUT_PARTS_H

#include "workload/parallel/layout.h"

/* Ranks that share the batch; ranks over which experts are spread; ranks that share an expert's
 * matrices. */
static inline uint32_t gen_data_ranks(const struct gen_layout *layout)
{
    return layout->size[GEN_EXPERT] * layout->size[GEN_DATA];
}

static inline uint32_t gen_expert_ranks(const struct gen_layout *layout)
{
    return layout->experts.are_apart ? layout->experts.ranks.size : layout->size[GEN_EXPERT];
}

static inline uint32_t gen_expert_tensor(const struct gen_layout *layout)
{
    return layout->experts.are_apart ? layout->experts.tensor.size : layout->size[GEN_TENSOR];
}

/* Context-parallel ranks that exchange tokens for heads, and their family; those of a ring, which
 * have traces of their own. */
static inline uint32_t gen_ulysses_ranks(const struct gen_layout *layout)
{
    return layout->ulysses > 1 ? layout->ulysses : 1;
}

static inline enum gen_family gen_ulysses_family(const struct gen_layout *layout)
{
    return layout->ulysses == layout->size[GEN_CONTEXT] ? GEN_CP : GEN_ULYSSES;
}

static inline uint32_t gen_ring_ranks(const struct gen_layout *layout)
{
    return layout->rings ? layout->size[GEN_CONTEXT] / gen_ulysses_ranks(layout) : 1;
}

/* The family of ranks that share an expert's matrices, and of those with equal experts. */
static inline enum gen_family gen_expert_tensor_family(const struct gen_layout *layout)
{
    return layout->experts.are_apart ? GEN_ETP : GEN_TP;
}

static inline enum gen_family gen_expert_data_family(const struct gen_layout *layout)
{
    return layout->experts.are_apart || layout->size[GEN_EXPERT] > 1 ? GEN_EDP : GEN_DP;
}

/* The families of ranks that shard equal weights, and equal experts (ZeRO). */
static inline enum gen_family gen_shard_family(const struct gen_layout *layout)
{
    return layout->replicas > 1 ? GEN_FSDP : GEN_DP;
}

static inline enum gen_family gen_expert_shard_family(const struct gen_layout *layout)
{
    const enum gen_family all = gen_expert_data_family(layout);
    return layout->replicas > 1 ? all == GEN_DP ? GEN_FSDP : GEN_EFSDP : all;
}

#endif
