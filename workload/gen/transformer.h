/* Transformers: GPT, LLaMA, BERT, T5, dense or with experts, as a list of operators per layer. The
 * forward pass, its recomputation, the backward pass, parameters, kept activations and
 * communication are all sums or walks over this list. docs/how-to/generated-transformer.md gives
 * the formulas with their sources. */
#ifndef ORR_WORKLOAD_GEN_TRANSFORMER_H
#define ORR_WORKLOAD_GEN_TRANSFORMER_H

#include "workload/experts/expert_load.h"
#include "workload/model/op_graph.h"
#include "workload/parallel/rank_ops.h"
#include "workload/trace/trace.h"

enum tf_norm { TF_LAYER_NORM, TF_RMS_NORM };

/* The elements of a pipeline stage. TF_MTP_EMBEDDING: the embedding once more, for modules of
 * multi-token prediction; TF_MTP: such a module, with its head. */
enum tf_layer { TF_EMBEDDING, TF_ENCODER, TF_DECODER, TF_CROSS, TF_HEAD, TF_MTP_EMBEDDING, TF_MTP };

/* What mixes the tokens of a layer, and what it does with each of them. */
enum tf_mixer { TF_NO_MIXER, TF_ATTENTION, TF_WINDOW, TF_CHUNK, TF_MAMBA2, TF_MIXERS };
enum tf_feed { TF_NO_FEED, TF_DENSE, TF_EXPERTS, TF_FEEDS };

/* A kind of layer: all its layers have the same operators. */
struct tf_kind {
    enum tf_layer place;
    enum tf_mixer mixer;
    enum tf_feed feed;
};

/* Numbers of kinds: those of the ends come first. */
enum { TF_KIND_EMBEDDING, TF_KIND_HEAD, TF_KIND_MTP_EMBEDDING, TF_FIRST_KIND, TF_MAX_KINDS = 32 };

/* The model; lengths in tokens, sizes in elements. */
struct tf_model {
    uint32_t layers, encoder_layers; /* with an encoder, `layers` is the decoder's */
    uint64_t hidden, heads, kv_heads, head_size, ffn;
    uint64_t sequence, encoder_sequence;
    uint64_t masked;                 /* positions of a sample that the head scores; 0: all */
    uint64_t vocabulary;             /* 0: neither embedding nor head */
    uint64_t positions, token_types; /* learned embeddings; 0: none */
    uint64_t experts, experts_per_token, expert_ffn; /* experts 0: dense */
    uint64_t expert_groups,
        groups_per_token;        /* a token's experts are in so many groups; 0: in all */
    uint32_t moe_every;          /* layers moe_every - 1, 2 moe_every - 1, ... have experts */
    double capacity;             /* expert capacity: token slots per token sent to the experts */
    struct gen_expert_load load; /* of the experts */
    /* Loads that change: where they come from, and what the busiest rank and node have of the mean.
     */
    const char *counts;       /* a file; NULL: none */
    int64_t draw_seed;        /* < 0: they are not drawn */
    int64_t expert_iteration; /* < 0: none in particular */
    double given_busiest;     /* 0: not given */
    struct orr_busiest busiest;
    uint64_t expert_places; /* of experts with replicas; 0: one each */
    bool gated, tied, bias, causal, dropout, pooler;
    bool qkv_bias, out_bias, feed_bias; /* of those products; bias: of others */
    bool sinks, gated_queries, rotary;
    double attended;     /* share of the pairs under the mask that attention computes */
    bool embedding_norm; /* behind the embedding */
    bool output_norms;   /* a norm behind attention and behind the feed-forward part, too */
    enum { TF_QK_PLAIN, TF_QK_NORM_HEAD, TF_QK_NORM_ALL } qk_norm;
    uint64_t window, chunk; /* of the mixers TF_WINDOW and TF_CHUNK */
    bool latent;            /* attention is: low-rank queries (0: at once), keys and values */
    uint64_t query_rank, kv_rank, no_position_size, rotary_size, value_size;
    uint64_t shared_ffn, expert_latent; /* 0: no shared expert; experts of hidden */
    bool shared_gate, router_bias, load_bias;
    struct {
        uint64_t heads, head_size, state, groups, taps;
        bool bias, convolution_bias;
    } mamba;
    uint32_t mtp_modules;
    struct tf_kind mtp_layer; /* of such a module; without parts: as the last one */
    enum tf_norm norm;
    struct tf_kind kind[TF_MAX_KINDS]; /* those that it has, and the ends */
    uint32_t kinds;
    const uint8_t *pattern; /* [period] kinds of layers, again and again; NULL: by moe_every */
    uint32_t period, pattern_kinds, mtp_kind;
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

/* Operators of a layer, and what a rank does of one: these, exchanges and casts. */
enum { TF_MAX_OPS = 63, TF_MAX_RANK_OPS = 127 };

struct tf_ops {
    struct rank_op op[TF_MAX_RANK_OPS];
    unsigned count;
};

/* The operators of a layer of a kind. */
void orr_transformer_layer_ops(const struct tf_job *job, uint32_t kind, struct tf_ops *ops);

/* Of `tokens` tokens of a rank those that go to the experts of the ranks before `rank`, where
 * loads are uneven. O(1). */
uint64_t orr_transformer_tokens_before(const struct tf_job *job, uint32_t rank, uint64_t tokens);

/* Sets the kinds of layers that the model has, without a pattern. (transformer_kinds.c) */
void orr_transformer_set_kinds(struct tf_model *model);

struct orr_conf_list;
/* Sets model.busiest for the layout. Errors: see busiest_rank.h; places that ranks do not share, or
 * fewer than experts. (layers/expert_loads.c) */
enum orr_status orr_transformer_set_busiest(struct tf_job *job, struct orr_diag *diag);

/* Reads the key `pattern`, a list of texts, into the arena: the kinds behind the ends and their
 * order. Errors: other words; more layers than the model has. (layer_pattern.c) */
enum orr_status orr_transformer_read_pattern(struct orr_arena *arena, const struct orr_conf *map,
                                             const struct orr_conf_list *words,
                                             struct tf_model *model, struct orr_diag *diag);

/* Reads the key `mtp_layer`: "attention+experts". Errors: another word. (layer_pattern.c) */
enum orr_status orr_transformer_read_mtp_layer(const struct orr_conf *map, const char *text,
                                               struct tf_model *model, struct orr_diag *diag);

/* The kind of a layer, numbered over all, the encoder's first: an index of model.kind. O(1). */
uint32_t orr_transformer_kind_of(const struct tf_model *model, uint32_t layer);

/* How often the model has a kind, besides its layers: without a vocabulary it has no ends. */
uint32_t orr_transformer_ends(const struct tf_model *model, uint32_t kind);

/* Whether the model has a kind of layer. */
static inline bool tf_has_kind(const struct tf_model *model, uint32_t kind)
{
    return kind >= TF_FIRST_KIND || orr_transformer_ends(model, kind) > 0;
}

uint32_t orr_transformer_all_layers(const struct tf_model *model);

/* ---- on ranks ---- */

/* The row of layers that is split over stages. */
struct gen_row orr_transformer_row(const struct tf_model *model);

/* What a rank of a class does of the model, in the arena. NULL when memory is out. O(layers). */
const struct rank_program *orr_transformer_program(struct orr_arena *arena,
                                                   const struct tf_job *job);

/* ---- results ---- */

struct gen_misalignment;
void orr_transformer_misalignment(const struct tf_job *job, struct gen_misalignment *misalignment);
/* False when memory is out. */
bool orr_transformer_totals(const struct tf_job *job, struct gen_totals *totals);
struct model_builder;
/* The model as a graph of operators, independent of its layout. (transformer_graph.c) */
enum orr_status orr_transformer_graph(const struct tf_job *job, struct model_builder *builder,
                                      struct orr_diag *diag);

struct gen_model_ops;
extern const struct gen_model_ops orr_transformer_model;

#endif
