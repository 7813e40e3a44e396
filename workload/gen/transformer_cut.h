/* How the operators of transformer layers (tf_job.blocks) are cut for a rank: by tensor-parallel
 * ranks as Megatron-LM does (Shoeybi et al. 2019, section 3), with sequence parallelism by tokens
 * (Korthikanti et al. 2022, section 4), by context-parallel ranks by tokens, by expert-parallel
 * ranks by experts. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_CUT_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_CUT_H

#include "core/saturate.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/strategy/exchange.h"

/* An operator by its label: the dimension that tensor-parallel ranks cut (NULL: none; with sequence
 * parallelism its tokens are theirs), and the names of what is exchanged in front of it. */
struct tf_rule {
    const char *label, *dim;
    const char *tensor, *context; /* NULL: nothing */
};

/* How an operator is cut, by indices of its dimensions (EXCHANGE_NO_DIM: none). */
struct tf_place {
    const struct tf_rule
        *rule; /* NULL: neither cut by tensor-parallel ranks nor behind an exchange */
    uint32_t tensor, context, tokens, experts;
    bool of_experts; /* a product of experts, or the activation between two */
};

/* Parts of a layer's operators that were asked for; of the one in front of it, too. */
struct tf_parts {
    uint64_t known; /* a bit each */
    /* A bit each: those whose output was counted as kept, in elements or in a narrow type. */
    uint64_t kept, kept_narrow;
    struct model_op part[TF_MAX_OPS + 1];
};

struct tf_cut {
    const struct tf_job *job;
    const struct tf_model *model;
    const struct model_graph *graph;
    struct tf_ops *ops;
    struct tf_parts *parts;
    uint32_t first, end;                      /* the layer's operators in the graph */
    uint32_t tensor, expert_tensor, contexts; /* expert_tensor: ranks that share an expert */
    uint32_t ulysses; /* of the contexts: ranks that have heads, not tokens, of attention */
    uint64_t shares;  /* tensor with sequence parallelism, else 1 */
    uint64_t samples, element;
    uint64_t scored; /* masked positions of a rank; 0: all */
    bool of_module;  /* of multi-token prediction */
    struct gen_misalignment misalignment;
    bool unaligned; /* products of layers, which are split */
    bool is_end;    /* the embedding or the head: no layer */
    /* Experts of this rank: how many, their tokens each, and the tokens sent by it and to it. */
    uint64_t local, each, sent, own;
    /* A bit for each operator of the layer: its output is not kept but made again, by nodes of its
     * own or in the kernel of its gradient. */
    uint64_t again, remade;
    uint32_t at[TF_MAX_OPS + 1]; /* by operator: its number in `ops` */
};

static inline uint64_t tf_cut_bit(const struct tf_cut *cut, uint32_t index)
{
    return UINT64_C(1) << (index >= cut->first ? index + 1 - cut->first : 0);
}

/* Sets cut->again and cut->remade. O(operators). (transformer_again.c) */
void orr_transformer_mark_again(struct tf_cut *cut);

/* Sets when operators are made again, and how much that holds, once all are listed. */
void orr_transformer_finish_again(struct tf_cut *cut);

/* Bytes of an operator's output that the rank holds. O(1). */
uint64_t orr_transformer_held_bytes(const struct tf_cut *cut, uint32_t index);

/* Sets blocks->place. O(operators). */
enum orr_status orr_transformer_places(struct orr_arena *arena, struct tf_blocks *blocks,
                                       struct orr_diag *diag);

static inline const struct tf_place *tf_place_of(const struct tf_cut *cut, uint32_t index)
{
    return &cut->job->blocks->place[index];
}

/* Whether it is attention without its projections. */
bool orr_transformer_is_core(const struct model_op *op);

/* Whether sequence parallelism cuts the operator's tokens. */
bool orr_transformer_is_shared(const struct tf_cut *cut, uint32_t index);

/* The part of an operator on this rank: of one sample; of experts, of all samples. Operators that
 * sequence parallelism cuts are not cut yet. O(1). */
const struct model_op *orr_transformer_part(const struct tf_cut *cut, uint32_t index);

/* Bytes of the inputs that the operator's backward pass needs, in a format: of other layers'
 * outputs the layer's first operator alone. O(1). */
uint64_t orr_transformer_kept_inputs(const struct tf_cut *cut, uint32_t index,
                                     enum gen_format format);

/* Whether the operator is a product of a layer that tensor cores compute in the precision of the
 * others; the format of what it reads. O(1). (transformer_casts.c) */
bool orr_transformer_is_product(const struct tf_cut *cut, uint32_t index);
enum gen_format orr_transformer_format(const struct tf_cut *cut, uint32_t index);

/* The casts of a product, which follow it in the list of operators: of its input (`forward`) or of
 * its output's gradient. Sets `name` and the work of *out; false: there is none. */
bool orr_transformer_cast(const struct tf_cut *cut, uint32_t index, bool forward,
                          struct rank_op *out);

/* What ranks of a family exchange along an edge to the operator. O(1). */
struct exchange_pair orr_transformer_exchange(const struct tf_cut *cut, uint32_t index,
                                              const struct model_edge *edge,
                                              enum gen_family family);

/* Sets the numbers of experts and their tokens. */
void orr_transformer_cut_experts(struct tf_cut *cut);

/* The tokens of a rank at an operator; behind masked positions, these. */
static inline uint64_t tf_cut_tokens(const struct tf_cut *cut, uint64_t length)
{
    return cut->scored > 0 ? cut->scored
                           : sat_times(cut->samples, sat_divide_up(length, cut->contexts));
}

#endif
