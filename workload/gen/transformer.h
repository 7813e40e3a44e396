/* Transformers: GPT, LLaMA, BERT, T5, dense or with experts, as a list of operators per layer. The
 * forward pass, its recomputation, the backward pass, parameters, kept activations and
 * communication are all sums or walks over this list. docs/how-to/generated-transformer.md gives
 * the formulas with their sources. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_H

#include "workload/gen/expert_load.h"
#include "workload/model/op_graph.h"
#include "workload/parallel/parallel_plan.h"
#include "workload/trace/trace.h"

enum tf_norm { TF_LAYER_NORM, TF_RMS_NORM };

/* The elements of a pipeline stage, in the order of the forward pass. */
enum tf_layer { TF_EMBEDDING, TF_ENCODER, TF_DECODER, TF_CROSS, TF_HEAD };

/* A kind of layer: all its layers have the same operators. */
struct tf_kind {
    enum tf_layer place;
    bool experts; /* its feed-forward part consists of them */
};

/* Numbers of kinds: those of the ends come first. */
enum { TF_KIND_EMBEDDING, TF_KIND_HEAD, TF_FIRST_KIND, TF_MAX_KINDS = 32 };

/* The model; lengths in tokens, sizes in elements. */
struct tf_model {
    uint32_t layers, encoder_layers; /* with an encoder, `layers` is the decoder's */
    uint64_t hidden, heads, kv_heads, head_size, ffn;
    uint64_t sequence, encoder_sequence;
    uint64_t masked;                 /* positions of a sample that the head scores; 0: all */
    uint64_t vocabulary;             /* 0: neither embedding nor head */
    uint64_t positions, token_types; /* learned embeddings; 0: none */
    uint64_t experts, experts_per_token, expert_ffn; /* experts 0: dense */
    uint32_t moe_every;          /* layers moe_every - 1, 2 moe_every - 1, ... have experts */
    double capacity;             /* expert capacity: token slots per token sent to the experts */
    struct gen_expert_load load; /* of the experts */
    bool gated, tied, bias, causal, dropout, pooler;
    enum tf_norm norm;
    struct tf_kind kind[TF_MAX_KINDS]; /* those that it has, and both ends */
    uint32_t kinds;
};

struct tf_place;

/* The layers of a model as operators, one of each kind that it has. */
struct tf_blocks {
    struct model_graph graph;
    const struct tf_place *place; /* [graph.ops] (transformer_cut.h) */
    uint32_t layer[TF_MAX_KINDS]; /* by kind: the graph's layer */
};

struct tf_job {
    struct tf_model model;
    const struct tf_blocks *blocks;
    struct gen_plan plan;
    uint32_t expert_rank; /* uneven loads: the expert-parallel rank whose operators are asked for */
    const struct orr_conf *section; /* for the locations of errors */
};

extern const struct orr_key_table orr_transformer_key_table;

/* Sets job->blocks, in the arena. (transformer_graph.c) */
enum orr_status orr_transformer_blocks(struct orr_arena *arena, struct tf_job *job,
                                       struct orr_diag *diag);

/* Reads the model and checks that the plan can split it. Requires job->plan. */
enum orr_status orr_transformer_read(struct orr_arena *arena, const struct orr_conf *section,
                                     struct tf_job *job, struct orr_diag *diag);

/* Checks that the plan can split the model. */
enum orr_status orr_transformer_check_layout(const struct tf_job *job, struct orr_diag *diag);

/* ---- operators ---- */

/* Uneven all-to-alls: every rank sends to the ranks of the experts, or these send back. */
enum tf_spread { TF_EVEN, TF_TO_EXPERTS, TF_FROM_EXPERTS };

struct tf_collective {
    enum gen_family family;
    enum orr_trace_comm comm;
    uint64_t bytes; /* total: the buffer of every rank after a gather or before a scatter */
    bool is_set;
    enum tf_spread spread;
    uint64_t tokens, token_bytes; /* uneven: tokens of each rank, and bytes of one */
};

struct tf_work {
    uint64_t flops, bytes;
};

/* One operator of a layer on one rank for one micro-batch: either a computation or a communication
 * between ranks. */
struct tf_op {
    const char *name;
    enum orr_op_kind kind;
    struct tf_work forward, input_gradient, weight_gradient; /* all 0: communication */
    struct tf_collective forward_comm, backward_comm;        /* communication */
    struct tf_collective regather; /* of the input, before the weight gradient */
    uint64_t parameters;           /* of this rank */
    bool of_experts;               /* its parameters are experts' */
    bool of_core;                  /* attention without its projections */
    bool unaligned;                /* not aligned to tensor cores */
    bool fp8;                      /* an fp8 product */
    uint64_t kept_bytes;           /* kept until the backward pass */
    uint64_t scores_bytes;         /* also kept, unless attention is recomputed */
};

enum { TF_MAX_OPS = 40 };

struct tf_ops {
    struct tf_op op[TF_MAX_OPS];
    unsigned count;
};

/* The operators of a layer of a kind. */
void orr_transformer_layer_ops(const struct tf_job *job, uint32_t kind, struct tf_ops *ops);

/* Of `tokens` tokens of a rank those that go to the experts of the ranks before `rank`, where
 * loads are uneven. O(1). */
uint64_t orr_transformer_tokens_before(const struct tf_job *job, uint32_t rank, uint64_t tokens);

/* Sets the kinds of layers that the model has. (transformer_kinds.c) */
void orr_transformer_set_kinds(struct tf_model *model);

/* The kind of a layer, numbered over all, the encoder's first: an index of model.kind. O(1). */
uint32_t orr_transformer_kind_of(const struct tf_model *model, uint32_t layer);

/* Whether the model has a kind of layer: without a vocabulary it has no ends. */
static inline bool tf_has_kind(const struct tf_model *model, uint32_t kind)
{
    return kind < model->kinds && (kind >= TF_FIRST_KIND || model->vocabulary > 0);
}

uint32_t orr_transformer_all_layers(const struct tf_model *model);

/* ---- stages (transformer_split.c) ---- */

/* Checks plan.split. */
enum orr_status orr_transformer_check_split(const struct tf_job *job, struct orr_diag *diag);

/* The layers [first, end) of a stage's chunk; empty if it has only an end of the model. O(1);
 * O(parts) with a list of numbers. */
struct tf_range {
    uint32_t first, end;
    bool embedding, head;
};
struct tf_range orr_transformer_chunk_range(const struct tf_job *job, uint32_t stage,
                                            uint32_t chunk);

/* orr_transformer_stage_layers: layers of a stage, over all its chunks, in O(chunks) ranges.
 * orr_transformer_max_layers: the maximum over the stages, in O(parts) ranges. */
uint32_t orr_transformer_stage_layers(const struct tf_job *job, uint32_t stage);
uint32_t orr_transformer_max_layers(const struct tf_job *job);

/* orr_transformer_boundary_bytes: bytes of the activations that a stage passes to the next one for
 * a micro-batch; the gradient that comes back has as many. orr_transformer_message_bytes: the bytes
 * that one rank sends of these: only its share if tensor-parallel ranks hold the same activations
 * and gather them after the message (orr_transformer_scatters). */
uint64_t orr_transformer_boundary_bytes(const struct tf_job *job);
uint64_t orr_transformer_message_bytes(const struct tf_job *job);
bool orr_transformer_scatters(const struct gen_plan *plan);

/* ---- results ---- */

struct gen_misalignment;
void orr_transformer_misalignment(const struct tf_job *job, struct gen_misalignment *misalignment);
void orr_transformer_totals(const struct tf_job *job, struct gen_totals *totals);
/* Of the rank of the stage whose experts get the most tokens. False when memory is out. O(layers of
 * the stage + blocks of its schedule). */
bool orr_transformer_memory(const struct tf_job *model, uint32_t stage, struct gen_memory *memory);

struct gen_speed;
/* Approximate seconds per sample: an NPU's operations with recomputation, its pipeline bubble and
 * its communication, added up. */
double orr_transformer_sample_seconds(const struct tf_job *job, const struct gen_speed *speed);

struct model_builder;
/* The model as a graph of operators, independent of its layout. (transformer_graph.c) */
enum orr_status orr_transformer_graph(const struct tf_job *job, struct model_builder *builder,
                                      struct orr_diag *diag);

struct gen_emitter;
/* The nodes of a class of ranks (orr_gen_class). */
void orr_transformer_emit(const struct tf_job *model, uint32_t number, struct gen_emitter *emitter);

#endif
