/* The layout of a parallel job on the NPUs: the axes of parallelism, the order in which ranks run
 * through them, and the communicator groups that follow.
 *
 * A rank is a number with one digit per axis; the first axis of the order varies fastest, as in
 * Megatron-LM ("tp-cp-ep-dp-pp"). Data parallelism has two digits: the expert-parallel ranks, over
 * which a layer's experts are spread, and their replicas. Both together share the gradients of
 * parameters outside experts. A family is a set of digits; its groups are the sets of ranks that
 * differ only in these.
 *
 * Experts may have digits of their own over all ranks of a stage (Megatron-LM's
 * --expert-tensor-parallel-size; Liu et al. 2025, "MoE Parallel Folding"): expert-tensor, expert
 * and expert-data ranks in the places of tp, ep and dp of the order, without cp. The axis
 * GEN_EXPERT has one rank then. */
#ifndef ORR_WORKLOAD_PARALLEL_LAYOUT_H
#define ORR_WORKLOAD_PARALLEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

enum gen_axis { GEN_TENSOR, GEN_CONTEXT, GEN_EXPERT, GEN_DATA, GEN_PIPELINE, GEN_AXES };

enum gen_family {
    GEN_WORLD,     /* all NPUs; not a communicator group */
    GEN_TP,        /* tensor-parallel ranks */
    GEN_ETP,       /* ranks that share an expert's matrices, where experts have their own digits */
    GEN_CP,        /* context-parallel ranks */
    GEN_ULYSSES,   /* context-parallel ranks that exchange tokens for heads, some of all */
    GEN_EP,        /* ranks over which experts are spread */
    GEN_EP_NODE,   /* of these ranks those of a node, where tokens go by nodes (token_dispatch.h) */
    GEN_EP_RAIL,   /* those in the same place of their nodes */
    GEN_DP,        /* ranks with equal weights: context, expert and data */
    GEN_EDP,       /* ranks with equal experts: context and data, or expert-data */
    GEN_FSDP,      /* where there are replicas: ranks of a replica that shard equal weights, ... */
    GEN_EFSDP,     /* ... equal experts; ... */
    GEN_REPLICA,   /* ... ranks of all replicas with equal shards */
    GEN_EMBEDDING, /* the first and the last pipeline stage */
    GEN_MIRROR,    /* two stages that have copies of each other's parts of the model (DualPipe) */
    GEN_FAMILIES
};

struct gen_digit {
    uint32_t size, stride;
};

struct gen_layout {
    uint32_t npus;
    uint32_t size[GEN_AXES], stride[GEN_AXES]; /* npus = product of the sizes */
    uint32_t node;                             /* NPUs of a node; 0: tokens do not go by nodes */
    bool mirrored;       /* a second copy of the model runs from the last stage to the first */
    uint32_t replicas;   /* data-parallel ranks are so many replicas that shard apart: the outer
                            part of their digit; 0: as 1 */
    uint32_t ulysses;    /* context-parallel ranks that exchange tokens for heads: the inner part of
                            their digit; 0: as 1 */
    bool rings;          /* the outer part passes keys and values around */
    bool experts_differ; /* expert-parallel ranks have traces of their own: uneven loads */
    struct {
        bool are_apart;                       /* experts have digits of their own: */
        struct gen_digit tensor, ranks, data; /* of each; else unset */
    } experts;
};

/* Fills npus and strides from the sizes in *layout and an order such as "tp-dp-pp"; where experts
 * are apart, from experts.tensor.size and experts.ranks.size the rest of their digits. An axis that
 * the order omits must have one rank; "ep" may always be omitted and then comes before "dp". The
 * error's text is the end of "parallel.order: ...". */
enum orr_status orr_gen_layout_init(struct gen_layout *layout, const char *order,
                                    struct orr_diag *diag);

/* The rank's digit of an axis. O(1). */
uint32_t orr_gen_coordinate(const struct gen_layout *layout, enum gen_axis axis, uint32_t rank);

/* The stride of the ranks over which experts are spread; how many of them are in a node, 0: a part
 * of one. */
uint32_t orr_gen_expert_stride(const struct gen_layout *layout);
uint32_t orr_gen_expert_ranks_of_node(const struct gen_layout *layout);

/* Ranks of a class have the same trace: those of a pipeline stage, of a place in rings of keys and
 * values and, where experts differ, of an expert-parallel rank. orr_gen_class: the rank's class,
 * (expert rank x ring ranks + place in the ring) x stages + stage.
 * orr_gen_class_first: its first rank. O(1). */
uint32_t orr_gen_classes(const struct gen_layout *layout);
uint32_t orr_gen_class(const struct gen_layout *layout, uint32_t rank);
uint32_t orr_gen_class_first(const struct gen_layout *layout, uint32_t number);

/* The digits whose ranks have different traces: digit[GEN_MAX_DIGITS]; returns their number. */
enum { GEN_MAX_DIGITS = 3 };
unsigned orr_gen_differing_digits(const struct gen_layout *layout, struct gen_digit *digit);

/* A family's digits of more than one rank, the fastest first: digit[GEN_MAX_DIGITS]; returns their
 * number. Of mirrors those of the group of the first stage. */
unsigned orr_gen_family_digits(const struct gen_layout *layout, enum gen_family family,
                               struct gen_digit *digit);

/* The name of a family's groups ("tp"); "" for the world. */
const char *orr_gen_family_name(enum gen_family family);

/* Number of ranks of a group of the family. */
uint32_t orr_gen_family_size(const struct gen_layout *layout, enum gen_family family);

/* Whether a rank is the first of its group; every group has exactly one such rank. */
bool orr_gen_family_leads(const struct gen_layout *layout, enum gen_family family, uint32_t rank);

/* orr_gen_family_has: whether a rank is in a group of the family (the embedding's groups have only
 * the first and the last stage). orr_gen_family_first: the first rank of that group. */
bool orr_gen_family_has(const struct gen_layout *layout, enum gen_family family, uint32_t rank);
uint32_t orr_gen_family_first(const struct gen_layout *layout, enum gen_family family,
                              uint32_t rank);

/* The ranks of the group whose first rank is `rank`, in the order of the digits:
 * ranks[orr_gen_family_size()]. */
void orr_gen_family_ranks(const struct gen_layout *layout, enum gen_family family, uint32_t rank,
                          uint32_t *ranks);

/* A rank's place in its ring of keys and values. O(1). */
uint32_t orr_gen_ring_place(const struct gen_layout *layout, uint32_t rank);

/* The offset (modulo npus) from a rank at a place in a ring to the next or the one before. */
uint32_t orr_gen_ring_offset(const struct gen_layout *layout, uint32_t place, bool next);

/* The offset (modulo npus) from a rank of a pipeline stage to its peer in another stage. */
uint32_t orr_gen_stage_offset(const struct gen_layout *layout, uint32_t from, uint32_t to);

#endif
