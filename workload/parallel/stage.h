/* A pipeline stage while its nodes are emitted: the layers of a rank (rank_ops.h), run by the
 * turns of its schedule. Shared by stage.c, stage_steps.c, stage_emit.c, stage_weights.c and
 * stage_messages.c. */
#ifndef ORR_WORKLOAD_PARALLEL_STAGE_H
#define ORR_WORKLOAD_PARALLEL_STAGE_H

#include "workload/parallel/gradients.h"
#include "workload/parallel/pipeline_turns.h"
#include "workload/parallel/rank_ops.h"

/* A layer of this stage. */
struct stage_item {
    const struct rank_layer *layer;
    uint32_t slot;       /* of its first operator */
    bool computed_again; /* as a whole, before its backward pass */
    struct gen_weights weights;
};

/* An operator of this stage. */
struct stage_slot {
    struct gen_deps out;      /* the end of its forward pass */
    struct gen_deps gradient; /* of its output, summed over the operators that use it */
    bool ends;                /* the chunk's forward pass ends and its backward pass begins here */
};

struct stage {
    const struct rank_program *program;
    struct gen_run run;
    uint32_t number;
    struct stage_item *item; /* [items], of all chunks */
    struct stage_slot *slot; /* [of all items] */
    uint32_t *chunk_end;     /* [chunks]: items of chunk c end there */
    uint32_t items, slots;
    uint32_t first;          /* item of the chunk that runs */
    enum orr_pass_kind pass; /* that runs */
    uint32_t *left;          /* [chunks] passes of this step that end gradients of weights */
    struct gen_deps start;  /* before the block that runs: the block before, and what it receives */
    struct gen_deps last;   /* of the block before */
    struct gen_deps host;   /* the host's last launch */
    struct gen_deps passed; /* the end of the last operator's backward pass */
    struct gen_deps *history; /* ZeRO-3: [prefetch + 1] ends of the last layers, a ring */
    uint64_t worked;          /* number of layers run so far */
    uint32_t ring_messages;   /* so far */
    uint64_t *sizes;          /* uneven loads: [2 x expert-parallel ranks], of an all-to-all */
};

/* The first item of a chunk. */
static inline uint32_t stage_chunk_first(const struct stage *stage, uint32_t chunk)
{
    return chunk > 0 ? stage->chunk_end[chunk - 1] : 0;
}

/* Emits the nodes of a stage. Errors: emitter->status. O(nodes). */
void orr_stage_emit(const struct rank_program *program, uint32_t number,
                    struct gen_emitter *emitter);

/* ---- for the files of the stage ---- */

/* Lists the layers of the stage and the slots of their operators. False when memory is out. */
bool orr_stage_prepare(struct stage *stage);
void orr_stage_release(struct stage *stage);

/* Writes "step 0 layer 3 WHAT HOW mb 1" to `text` and returns it. `layer` NULL: no layer; `how` may
 * be NULL. */
const char *orr_stage_name(const struct stage *stage, const struct rank_layer *layer,
                           const char *what, const char *how, char text[GEN_NAME_BYTES]);

/* Emits a collective over a buffer that every rank has at the end (gather), at the beginning
 * (scatter) or both. Returns the dependencies to wait for. */
struct gen_deps orr_stage_comm(struct stage *stage, const struct rank_comm *what, const char *name,
                               const struct gen_deps *after);

/* Emits an operator over a ring, forward ("fwd", "again") or backward ("bwd"), after `after`;
 * returns its end. (stage_ring.c) */
struct gen_deps orr_stage_ring(struct stage *stage, const struct rank_layer *layer,
                               const struct rank_op *op, const char *how,
                               const struct gen_deps *after);

/* ---- blocks (stage_emit.c) ---- */

/* A block while it is emitted, operator by operator, after stage->start. */
struct stage_walk {
    struct gen_block block;
    bool reduces;            /* the gradients behind it are whole: they are reduced */
    uint32_t first, end;     /* items of the chunk */
    uint32_t item, op;       /* forward: the next ones; backward: the last ones that have run */
    struct gen_deps weights; /* forward: that the layer waits for; backward: gradients */
    struct gen_deps last, passed; /* stage->last, passed of this block */
};

/* Of a walk whose block and reduces are set. */
void orr_stage_walk_begin(struct stage *stage, struct stage_walk *walk);
/* Emits operators up to an exchange, this included; false: all are emitted. */
bool orr_stage_walk_on(struct stage *stage, struct stage_walk *walk);
/* Behind all operators; returns the block's end. The gradients of weights alone are emitted here.
 */
struct gen_deps orr_stage_walk_end(struct stage *stage, struct stage_walk *walk);

/* ---- weights (stage_weights.c) ---- */

/* Adds to *chain the nodes that provide the layer's weights. */
void orr_stage_gather_weights(struct stage *stage, const struct stage_item *item,
                              struct gen_deps *chain);

/* With training.chain a layer is updated just before it runs in the next step. */
void orr_stage_update_chained(struct stage *stage, struct stage_item *item);

/* Reduces the layer's gradients after `after`, or adds them to the bucket. */
void orr_stage_reduce_gradients(struct stage *stage, struct stage_item *item,
                                const struct gen_deps *after);

/* Updates all weights at the end of a step. */
void orr_stage_update_all(struct stage *stage);

/* ZeRO-1 and -2 with overlap_gather, at the beginning of a step: gathers the weights that the step
 * before updated (for the first step, as if there were one), layer by layer in order, one after the
 * other, each before the layer's forward pass. */
void orr_stage_gather_updated(struct stage *stage);

/* ---- messages (stage_messages.c) ---- */

/* Emits the receive of a block's input from the neighbouring part of the model, if there is one,
 * and adds it to *chain. */
void orr_stage_receive(struct stage *stage, const struct gen_block *block, struct gen_deps *chain);
/* Emits the send of the block's output to the neighbouring part, after `chain`. */
void orr_stage_send(struct stage *stage, const struct gen_block *block,
                    const struct gen_deps *chain);

#endif
