/* State of a pipeline stage of a transformer while its nodes are emitted; shared by
 * transformer_emit.c, transformer_weights.c and transformer_messages.c. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_STAGE_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_STAGE_H

#include "workload/gen/transformer.h"
#include "workload/parallel/emitter.h"

/* A layer, or the embedding or the head, on this stage. */
struct tf_item {
    uint32_t kind;
    const struct tf_ops *ops;
    uint32_t layer;
    uint64_t parameters, expert_parameters; /* of this rank */
    struct gen_deps gradients;              /* weight gradients of the last micro-batch */
    struct gen_deps reduced;                /* their reductions */
    struct gen_deps ready;                  /* before the weights' use in the next step */
};

struct tf_stage {
    const struct tf_job *job;
    struct gen_emitter *emitter;
    uint32_t number, step, micro;
    struct tf_ops ops[TF_MAX_KINDS]; /* by kind of layer */
    struct tf_item *item;
    uint32_t items;
    const uint32_t *chunk_end; /* [chunks]: items of chunk c end there */
    struct gen_deps last;      /* of the block before */
    struct gen_deps *history;  /* ZeRO-3: [prefetch + 1] ends of the last layers, a ring */
    uint64_t worked;           /* number of layers run so far */
    uint64_t *sizes;           /* uneven loads: [2 x expert-parallel ranks], of an all-to-all */
};

/* Lists the layers of the stage, and the end of each chunk: chunk_end[chunks]. */
void orr_transformer_list_items(struct tf_stage *stage, uint32_t *chunk_end);

/* Writes "step 0 layer 3 WHAT HOW mb 1" to `text` and returns it. `item` NULL: no layer; `how` may
 * be NULL. */
const char *orr_transformer_name(const struct tf_stage *stage, const struct tf_item *item,
                                 const char *what, const char *how, char text[GEN_NAME_BYTES]);

/* Emits a collective over a buffer that every rank has at the end (gather), at the beginning
 * (scatter) or both. Returns the dependencies to wait for. */
struct gen_deps orr_transformer_emit_comm(struct tf_stage *stage, const struct tf_collective *what,
                                          const char *name, const struct gen_deps *after);

/* ---- weights (transformer_weights.c) ---- */

/* Adds to *chain the nodes that provide the layer's weights. */
void orr_transformer_gather_weights(struct tf_stage *stage, const struct tf_item *item,
                                    struct gen_deps *chain);

/* Emits the reduction of the layer's gradients after `after`, and the update of its weights. */
void orr_transformer_reduce_gradients(struct tf_stage *stage, struct tf_item *item,
                                      const struct gen_deps *after);
void orr_transformer_update(struct tf_stage *stage, struct tf_item *item);

/* ZeRO-1 and -2 with overlap_gather, at the beginning of a step: gathers the weights that the step
 * before updated (for the first step, as if there were one), layer by layer in order, one after the
 * other, each before the layer's forward pass. */
void orr_transformer_gather_updated(struct tf_stage *stage);

/* ---- messages (transformer_messages.c) ---- */

/* Emits the receive of a block's input from the neighbouring part of the model, if there is one,
 * and adds it to *chain. */
void orr_transformer_receive(struct tf_stage *stage, const struct gen_block *block,
                             struct gen_deps *chain);
/* Emits the send of the block's output to the neighbouring part, after `chain`. */
void orr_transformer_send(struct tf_stage *stage, const struct gen_block *block,
                          const struct gen_deps *chain);

#endif
