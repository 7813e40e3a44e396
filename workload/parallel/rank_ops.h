/* What one rank does of a model, however it was made: its operators, which are parts of the
 * model's, and its communication with the ranks of each axis, layer by layer. A stage runs it
 * (stage.h); totals and memory are sums over it. */
#ifndef ORR_WORKLOAD_PARALLEL_RANK_OPS_H
#define ORR_WORKLOAD_PARALLEL_RANK_OPS_H

#include "workload/experts/expert_load.h"
#include "workload/parallel/parallel_plan.h"
#include "workload/parallel/stage_split.h"
#include "workload/trace/trace.h"

/* Uneven all-to-alls: every rank sends to the ranks of the experts, or these send back. */
enum rank_spread { RANK_EVEN, RANK_TO_EXPERTS, RANK_FROM_EXPERTS };

struct rank_comm {
    enum gen_family family;
    enum orr_trace_comm comm;
    uint64_t bytes; /* total: the buffer of every rank after a gather or before a scatter */
    bool is_set;
    enum rank_spread spread;
    uint64_t tokens, token_bytes; /* uneven: tokens of each rank, and bytes of one */
    /* Tokens that go by nodes (GEN_EP_RAIL): what the ranks of a node exchange at the same time. */
    uint64_t node_bytes;
};

/* One operator of a layer on one rank for one micro-batch: either a computation or a communication
 * between ranks. */
struct rank_op {
    const char *name;
    enum orr_op_kind kind;
    struct gen_work forward, input_gradient, weight_gradient; /* all 0: communication */
    struct rank_comm forward_comm, backward_comm;             /* communication */
    struct rank_comm regather; /* of the input, before the weight gradient */
    /* Attention over a ring of so many ranks, in as many steps: bytes of keys and values that a
     * rank passes on; 0: none. */
    uint32_t ring;
    uint64_t ring_bytes;
    uint64_t parameters;           /* of this rank */
    bool of_experts;               /* its parameters are experts' */
    bool of_core;                  /* attention without its projections */
    bool unaligned;                /* not aligned to tensor cores */
    enum orr_product_type product; /* of a product */
    bool uncounted;                /* not among the model FLOPs */
    uint64_t kept_bytes;           /* kept until the backward pass */
    uint64_t scores_bytes;         /* also kept, unless attention is recomputed */
    uint64_t again_bytes; /* not kept but made again, and held in the layer's backward pass */
    uint32_t again_for;   /* made again before the backward pass of that operator; 0: is not */
    uint32_t first_edge, edges; /* in the block's edges: its inputs */
    /* In its layer: the first to use weights, which waits for them; comes behind such a one; no
     * other operator uses it. */
    bool waits, behind, last;
};

/* An input: an operator of this layer or of one before it. */
struct rank_edge {
    uint32_t back, op; /* layers before this one, and the operator there */
};

/* A layer of one kind, of which the model may have many. */
struct rank_block {
    const struct rank_op *op;
    uint32_t ops;
    const struct rank_edge *edge; /* NULL: each operator waits for the one before */
    uint64_t parameters, expert_parameters;
    uint64_t narrow_parameters,
        narrow_expert_parameters;                   /* of these, of products of narrow types */
    uint64_t kept_bytes, scores_bytes, again_bytes; /* sums over the operators */
    uint64_t outer_bytes;                           /* of kept_bytes, outputs of other layers */
    uint64_t input_bytes; /* kept instead if the layer is recomputed: its inputs */
    /* Rows of tables that no other rank has: with their optimizer state, and the update of those
     * that were read. */
    uint64_t row_bytes, row_state_bytes;
    struct gen_work row_update;
    bool names_are_whole; /* the operators' names do not need the layer's */
    bool recomputes;      /* with training.recompute */
    bool is_end;          /* the embedding or the head, which do not count as layers */
    bool beside;          /* its parameters are told beside the model's */
};

/* A layer of the model. */
struct rank_layer {
    const struct rank_block *block;
    const char *name; /* NULL: "layer NUMBER" */
    uint32_t number;
    uint64_t boundary_bytes;  /* that a stage sends on which ends behind it; of the gradient, too */
    uint64_t tied_parameters; /* shared with the other end of the model, on another stage */
};

struct rank_program {
    const struct gen_plan *plan;
    const struct rank_layer *layer; /* [layers] of the whole model */
    uint32_t layers;
    uint32_t behind;     /* of these, behind the row of layers: the head, and what follows it */
    uint64_t data_bytes; /* of a micro-batch, kept by the first stage */
    bool scatters;       /* tensor-parallel ranks send a share of the boundary each */
    /* Uneven loads: the rank's digit among those of experts, and the loads. */
    uint32_t expert_rank;
    const struct gen_expert_load *load;
};

/* The parameters of a block, of experts or others. */
static inline struct gen_weight_count orr_rank_weights(const struct rank_block *block, bool experts)
{
    return experts ? (struct gen_weight_count){block->expert_parameters,
                                               block->narrow_expert_parameters}
                   : (struct gen_weight_count){block->parameters, block->narrow_parameters};
}

/* The parameters of a block that a rank updates: with ZeRO its share. */
uint64_t orr_rank_updated(const struct gen_plan *plan, const struct rank_block *block);

/* Sets the sums of a block, and which operators wait for its weights. block->op points to `op`.
 * O(operators + edges). */
void orr_rank_block_finish(struct rank_block *block, struct rank_op *op);

/* The row of layers that is split over stages. */
struct gen_row orr_rank_row(const struct rank_program *program);

/* Whether a layer of a chunk is computed again as a whole; its number among those of the chunk that
 * can be. O(1). */
bool orr_rank_recomputes(const struct rank_program *program, const struct gen_range *chunk,
                         uint32_t layer);
uint32_t orr_rank_place(const struct rank_program *program, const struct gen_range *chunk,
                        uint32_t layer);

/* The layers [first, end) of a stage's chunk: indices of program->layer, with the ends. O(1);
 * O(parts) with a list of numbers. */
struct gen_range orr_rank_layers(const struct rank_program *program, uint32_t stage,
                                 uint32_t chunk);

/* Of `tokens` tokens of a rank those that go to the experts of the ranks before `rank`, of `ranks`,
 * where loads are uneven. O(1). */
static inline uint64_t rank_tokens_before(const struct gen_expert_load *load, uint32_t rank,
                                          uint32_t ranks, uint64_t tokens)
{
    return gen_expert_tokens(load, rank * (load->experts / ranks), tokens);
}

#endif
