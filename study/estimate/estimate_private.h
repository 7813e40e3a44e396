/* Shared by the files of the estimate. All times are seconds. */
#ifndef ORR_STUDY_ESTIMATE_ESTIMATE_PRIVATE_H
#define ORR_STUDY_ESTIMATE_ESTIMATE_PRIVATE_H

#include <math.h>

#include "study/estimate/step_estimate.h"
#include "workload/parallel/recompute.h"

struct orr_arena;

/* Groups that communicate one after the other: those of one family, and all groups of data-parallel
 * ranks. */
enum est_lane {
    EST_TENSOR,
    EST_EXPERT_TENSOR,
    EST_CONTEXT,
    EST_EXPERT,
    EST_DATA,
    EST_REPLICA,
    EST_ENDS,
    EST_LANES
};

struct est_exchange {
    double seconds; /* 0: none */
    enum est_lane lane;
};

struct est_op {
    double forward, input, weights;         /* computation */
    double ring_forward, ring_input;        /* waiting for keys and values of a ring beside it */
    struct est_exchange to, back, regather; /* forward; backward; before the weights' gradient */
    bool exchanges, passes, has_weights, of_core, core_ends;
};

/* A kind of layer, once a layout. */
struct est_block {
    const struct rank_block *block;
    bool computed_again;   /* as a whole */
    struct est_op *op;     /* [block->ops] */
    double gather, reduce; /* its weights, its gradients, over data-parallel ranks */
    double replicate;      /* the gradients of its shards, over replicas */
    double update;
    double computes; /* forward and backward, without recomputation */
    double again;    /* recomputed */
};

/* A chunk of a stage. */
struct est_chunk {
    struct gen_range range;   /* of layers, with the ends */
    double forward, backward; /* backward: up to the gradients of the inputs of the first layer */
    double inputs, weights;   /* with an order of passes: backward of inputs, of weights */
    const double *weights_ready; /* [layers] from the beginning of that of weights */
    const double *begins;        /* [layers] of the chunk's, in the forward pass */
    const double *ready;         /* [layers] gradients, from the beginning of the backward pass */
};

struct est_job {
    const struct orr_step_costs *costs;
    const struct rank_program *program;
    const struct gen_plan *plan;
    struct orr_layout_groups groups;
    struct orr_arena *arena;
    struct est_block *block; /* [blocks] */
    uint32_t blocks;
    const struct est_block **layer; /* [program->layers] */
    struct est_chunk *chunk;        /* [stages x chunks] of stage s: from s x chunks on */
    double
        *both; /* [stages x chunks] a chunk's forward pass beside another's backward; 0: unknown */
    bool no_memory;
};

/* The clocks of a stage. */
struct est_stage {
    double free;      /* the end of its last turn */
    double busy;      /* in its turns, with an order of passes */
    uint32_t *left;   /* [chunks] passes that end gradients of weights; with an order of passes */
    double data_lane; /* the end of the last reduction */
    double replica_lane;
    double *reduced; /* [layers of the model] */
};

static inline const struct est_chunk *est_chunk_of(const struct est_job *job, uint32_t stage,
                                                   uint32_t chunk)
{
    return &job->chunk[(size_t)stage * job->plan->pipeline.chunks + chunk];
}

/* Whether an operator is computed again before its layer's backward pass, which is not as a whole.
 */
static inline bool est_is_again(const struct est_job *job, const struct est_block *block,
                                uint32_t op)
{
    return (gen_recomputes_core(job->plan) && block->op[op].of_core) ||
           block->block->op[op].again_for > 0;
}

/* The end of an exchange that may begin after a time, behind others of its lane. */
static inline double est_communicate(double lane[EST_LANES], const struct est_exchange *what,
                                     double after)
{
    return what->seconds > 0 ? (lane[what->lane] = fmax(lane[what->lane], after) + what->seconds)
                             : after;
}

/* Messages of a stage: to the next part and the one before; gathered where they arrive. */
struct est_messages {
    double next, before, gather;
};

/* Seconds of a forward pass beside a whole backward pass. O(operators). (pair_time.c) */
double orr_est_both(struct est_job *job, const struct est_chunk *forward,
                    const struct est_chunk *backward);

/* Reduces the gradients of a layer that are ready. */
static inline void est_reduce_layer(const struct est_job *job, uint32_t layer, double ready,
                                    struct est_stage *stage)
{
    const struct est_block *block = job->layer[layer];
    stage->data_lane = fmax(stage->data_lane, ready) + block->reduce;
    stage->reduced[layer] = stage->data_lane;
    if (block->replicate > 0) {
        stage->replica_lane = fmax(stage->replica_lane, stage->data_lane) + block->replicate;
        stage->reduced[layer] = stage->replica_lane;
    }
}

/* Sets the times of the layers and of all chunks. (pass_time.c) */
void orr_est_passes(struct est_job *job);
/* Of the chunks again, when times of the operators have changed. */
void orr_est_time_chunks(struct est_job *job);

/* Makes exchanges longer that share links with gradients and messages. (contention.c) */
void orr_est_contend(struct est_job *job);

/* The share of the time in which a stage reduces gradients behind its passes over a dimension:
 * ZeRO-2 does so in every pass. (contention.c) */
double orr_est_reducing(struct est_job *job, uint32_t stage, int dim);

/* The messages of a stage. O(dims). (pipeline_time.c) */
struct est_messages orr_est_messages(struct est_job *job, uint32_t stage);

/* Runs the schedule for `micros` micro-batches from the beginning of a step. Of at least three for
 * each stage returns the time of as many micro-batches as there are stages, in the middle; else 0.
 * (pipeline_time.c) */
double orr_est_pipeline(struct est_job *job, uint32_t micros, struct est_stage *stages);

/* After the blocks of all stages: reduces the gradients that are left. Then the end of a step on a
 * stage. (step_end.c) */
void orr_est_reduce_rest(struct est_job *job, struct est_stage *stages);
double orr_est_step_end(struct est_job *job, uint32_t number, struct est_stage *stage);

/* Weights gathered at the beginning of a step: whether there are, and how long it takes for a
 * layer. (step_end.c) */
bool orr_est_gathers_first(const struct gen_plan *plan);

#endif
