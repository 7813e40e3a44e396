/* Transformers: GPT, LLaMA, BERT, T5, with or without experts, as a list of operators per layer.
 * One list says all: the forward pass, its recomputation, the backward pass, the parameters, what
 * is kept for the backward pass and what is communicated are sums and walks over it.
 * docs/generators.md gives the formulas with their sources. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_H

#include "workload/gen/parallel_plan.h"
#include "workload/trace/trace.h"

enum tf_norm { TF_LAYER_NORM, TF_RMS_NORM };

/* The model; lengths in tokens, sizes in elements. */
struct tf_model {
    uint32_t layers, encoder_layers; /* with an encoder, `layers` are the decoder's */
    uint64_t hidden, heads, kv_heads, head_size, ffn;
    uint64_t sequence, encoder_sequence;
    uint64_t masked;                 /* positions of a sample that the head scores; 0: all */
    uint64_t vocabulary;             /* 0: neither embedding nor head */
    uint64_t positions, token_types; /* learned embeddings; 0: none */
    uint64_t experts, experts_per_token, expert_ffn; /* experts 0: dense */
    uint32_t moe_every; /* layers moe_every - 1, 2 moe_every - 1, ... have experts */
    double capacity;    /* tokens that experts make room for, per token sent to them */
    bool gated, tied, bias, causal, dropout, pooler;
    enum tf_norm norm;
};

struct tf_job {
    struct tf_model model;
    struct gen_plan plan;
    const struct orr_conf *section; /* for the places of errors */
};

extern const struct orr_key_table orr_transformer_key_table;

/* Reads the model and checks that the plan can cut it; `plan` is read already. */
enum orr_status orr_transformer_read(const struct orr_conf *section, struct tf_job *job,
                                     struct orr_diag *diag);

/* Checks that the plan can cut the model. */
enum orr_status orr_transformer_check_layout(const struct tf_job *job, struct orr_diag *diag);

/* ---- operators ---- */

/* What a pipeline stage is made of, in the order of the forward pass. */
enum tf_layer { TF_EMBEDDING, TF_ENCODER, TF_DECODER, TF_CROSS, TF_HEAD };

struct tf_collective {
    enum gen_family family;
    enum orr_trace_comm comm;
    uint64_t bytes; /* of the whole: what every rank has after a gather or before a scatter */
    bool is_set;
};

struct tf_work {
    uint64_t flops, bytes;
};

/* One operator of a layer, as one rank sees it for one micro-batch. Either a computation or an
 * exchange between ranks. */
struct tf_op {
    const char *name;
    enum orr_op_kind kind;
    struct tf_work forward, input_gradient, weight_gradient; /* all 0: an exchange */
    struct tf_collective forward_comm, backward_comm;        /* an exchange */
    struct tf_collective regather; /* of the input, before the weight gradient */
    uint64_t parameters;           /* of this rank */
    bool of_experts;               /* its parameters */
    bool of_core;                  /* attention without its projections */
    bool unaligned;                /* fits tensor cores badly */
    bool fp8;                      /* a product of fp8 */
    uint64_t kept_bytes;           /* until the backward pass */
    uint64_t scores_bytes;         /* as well, unless attention is computed again */
};

enum { TF_MAX_OPS = 40 };

struct tf_ops {
    struct tf_op op[TF_MAX_OPS];
    unsigned count;
};

/* The operators of a layer; `with_experts` where its feed-forward part is made of experts. */
void orr_transformer_layer_ops(const struct tf_job *job, enum tf_layer layer, bool with_experts,
                               struct tf_ops *ops);

/* Whether the layer (of all, the encoder's first) has experts. */
bool orr_transformer_has_experts(const struct tf_model *model, uint32_t layer);

/* The kind of a layer of all. */
enum tf_layer orr_transformer_layer_kind(const struct tf_model *model, uint32_t layer);

uint32_t orr_transformer_all_layers(const struct tf_model *model);

/* ---- stages (transformer_split.c) ---- */

/* Whether the layers can be spread as plan.split says. */
enum orr_status orr_transformer_check_split(const struct tf_job *job, struct orr_diag *diag);

/* The layers [first, end) of a stage's chunk; none where it has but an end of the model. O(1), with
 * given numbers O(parts). */
struct tf_range {
    uint32_t first, end;
    bool embedding, head;
};
struct tf_range orr_transformer_chunk_range(const struct tf_job *job, uint32_t stage,
                                            uint32_t chunk);

/* How many layers a stage has, all its chunks together, and the most that any has. O(chunks) and
 * O(parts) ranges. */
uint32_t orr_transformer_stage_layers(const struct tf_job *job, uint32_t stage);
uint32_t orr_transformer_max_layers(const struct tf_job *job);

/* Bytes that a rank's part of the model gives to the next stage, and gets back as a gradient, for a
 * micro-batch; and how many of them it sends itself: its share where tensor-parallel ranks hold the
 * same and gather it behind the message. */
uint64_t orr_transformer_boundary_bytes(const struct tf_job *job);
uint64_t orr_transformer_message_bytes(const struct tf_job *job);
bool orr_transformer_scatters(const struct gen_plan *plan);

/* ---- results ---- */

struct gen_misalignment;
void orr_transformer_misalignment(const struct tf_job *job, struct gen_misalignment *misalignment);
void orr_transformer_totals(const struct tf_job *job, struct gen_totals *totals);
/* False when memory is out. O(layers of the stage + blocks of its schedule). */
bool orr_transformer_memory(const struct tf_job *job, uint32_t stage, struct gen_memory *memory);

struct gen_speed;
/* About what a sample takes: the operations of an NPU with what is computed again, its bubble, and
 * what it exchanges, one after the other. */
double orr_transformer_sample_seconds(const struct tf_job *job, const struct gen_speed *speed);

struct model_builder;
/* The model as a graph of operators, whatever its layout. (transformer_graph.c) */
enum orr_status orr_transformer_graph(const struct tf_job *job, struct model_builder *builder,
                                      struct orr_diag *diag);

struct gen_emitter;
void orr_transformer_emit(const struct tf_job *job, uint32_t stage, struct gen_emitter *emitter);

#endif
