/* A pipeline stage of a transformer while its nodes are emitted: what transformer_emit.c,
 * transformer_weights.c and transformer_messages.c share. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_STAGE_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_STAGE_H

#include "workload/gen/emitter.h"
#include "workload/gen/transformer.h"

/* A layer, or the embedding or the head, on this stage. */
struct tf_item {
    enum tf_layer kind;
    const struct tf_ops *ops;
    uint32_t layer;
    uint64_t parameters, expert_parameters; /* of this rank */
    struct gen_deps gradients;              /* weight gradients of the last micro-batch */
    struct gen_deps reduced;                /* their reductions */
    struct gen_deps ready;                  /* when the weights may be used in the next step */
};

struct tf_stage {
    const struct tf_job *job;
    struct gen_emitter *emitter;
    uint32_t number, step, micro;
    struct tf_ops ops[TF_HEAD + 1][2];
    struct tf_item *item;
    uint32_t items;
    const uint32_t *chunk_end; /* [chunks]: items of chunk c end there */
    struct gen_deps last;      /* of the block before */
    struct gen_deps *history;  /* ZeRO-3: [prefetch + 1] ends of the last layers, a ring */
    uint64_t worked;           /* layers passed so far */
};

/* The layers of the stage, and where its chunks end: chunk_end[chunks]. */
void orr_transformer_list_items(struct tf_stage *stage, uint32_t *chunk_end);

/* "step 0 layer 3 WHAT HOW mb 1" in `text`, which is returned; of no layer: `item` NULL; `how` may
 * be NULL. */
const char *orr_transformer_name(const struct tf_stage *stage, const struct tf_item *item,
                                 const char *what, const char *how, char text[GEN_NAME_BYTES]);

/* A collective over bytes that every rank has in the end (gather), in the beginning (scatter) or
 * both. Returns what to wait for. */
struct gen_deps orr_transformer_emit_comm(struct tf_stage *stage, const struct tf_collective *what,
                                          const char *name, const struct gen_deps *after);

/* ---- weights (transformer_weights.c) ---- */

/* Adds to *chain what a layer's pass waits for until its weights are there. */
void orr_transformer_gather_weights(struct tf_stage *stage, const struct tf_item *item,
                                    struct gen_deps *chain);

/* The layer's gradients, once `after` is there; and its weights after the step. */
void orr_transformer_reduce_gradients(struct tf_stage *stage, struct tf_item *item,
                                      const struct gen_deps *after);
void orr_transformer_update(struct tf_stage *stage, struct tf_item *item);

/* ZeRO-1 and -2 with overlap_gather, at the beginning of a step: the weights that the step before
 * updated (as if there were one before the first) come together in the order of the layers, one
 * after the other, each in front of its layer's forward pass. */
void orr_transformer_gather_updated(struct tf_stage *stage);

/* ---- messages (transformer_messages.c) ---- */

/* Adds to *chain what a block needs from the neighbouring part of the model, if there is one. */
void orr_transformer_receive(struct tf_stage *stage, const struct gen_block *block,
                             struct gen_deps *chain);
/* What the block gives to the neighbouring part, after `chain`. */
void orr_transformer_send(struct tf_stage *stage, const struct gen_block *block,
                          const struct gen_deps *chain);

#endif
