/* Attributes of the kinds that can also be made in memory. The tables of keys document them.
 * `entry` may stay empty. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_KINDS_H
#define ORR_WORKLOAD_MODEL_KINDS_KINDS_H

#include "core/conf/keys.h"
#include "workload/model/kinds/kind.h"

struct orr_diag;

struct model_data {
    struct model_entry entry;
    struct orr_conf_list shape; /* of int64_t: 1 to MODEL_MAX_AXES */
};

/* Sets the output's shape from an entry. Errors: no axes or too many. (data.c) */
enum orr_status orr_model_set_shape(struct model_draft *draft, const struct model_data *data,
                                    struct orr_diag *diag);

/* Applies to features, to the features of each token, or to all of channels x height x width. */
struct model_dense {
    struct model_entry entry;
    int64_t out;
    bool bias;
    /* Columns of so many heads of queries and twice as many of keys and values, which are cut by
     * heads; 0: as they come. */
    int64_t heads, kv_heads;
};

/* The output has `out` features; the times are of one device for a whole batch. */
struct model_measured {
    struct model_entry entry;
    int64_t out, weights;
    sim_time forward_ps, backward_ps;
};

/* Applies to channels x height x width; square kernels. */
struct model_conv2d {
    struct model_entry entry;
    int64_t out, kernel, stride, pad, groups;
    bool bias;
};

struct model_pool2d {
    struct model_entry entry;
    int64_t kernel, stride, pad; /* stride 0: kernel */
    bool global;
};

struct model_layer_norm {
    struct model_entry entry;
    bool rms;
    int64_t features; /* the first ones alone are normalized, and given; 0: all */
};

/* head_norm, rotary: of queries, keys and values side by side. */
struct model_heads {
    struct model_entry entry;
    int64_t heads, kv_heads; /* kv_heads 0: heads */
    bool together, rms;
};

struct model_activation {
    struct model_entry entry;
    bool gated;
};

struct model_add {
    struct model_entry entry;
    bool dropout;
    bool maskless;  /* no mask is kept for the numbers dropped */
    bool activated; /* an activation function follows, as part of it, and needs the sum's sign */
};

struct model_take {
    struct model_entry entry;
    int64_t tokens;
};

struct model_embedding {
    struct model_entry entry;
    int64_t rows, columns,
        lookups; /* lookups 0: one for each number of the input; 1 without input */
    int64_t row_state_bytes;
    bool pooled;
};

struct model_position {
    struct model_entry entry;
    int64_t rows;
    bool dropout; /* some numbers are dropped behind it: a mask is kept */
};

struct model_attention_core {
    struct model_entry entry;
    int64_t heads, kv_heads; /* kv_heads 0: heads */
    bool causal, fused;
    int64_t queries; /* tokens of the queries, of one input; 0: all of its tokens */
    int64_t window;  /* causal: keys that a query sees, or of its chunk; 0: all before it */
    bool chunked, sinks;
};

/* latent_keys, latent_attention; all heads share a rotary key. */
struct model_latent {
    struct model_entry entry;
    int64_t heads, no_position_size, rotary_size, value_size;
    bool causal;
};

struct model_causal_conv {
    struct model_entry entry;
    int64_t channels, taps;
    bool bias;
};

struct model_state_scan {
    struct model_entry entry;
    int64_t heads, head_size, state, groups;
};

struct model_router {
    struct model_entry entry;
    int64_t experts;
    bool bias, load_bias;
};

struct model_expert_dense {
    struct model_entry entry;
    int64_t experts, out, per_token, tokens;
    int64_t all_experts; /* those of which `experts` are a part; 0: the same */
    int64_t tokens_each; /* tokens of each expert; 0: what comes, spread evenly */
    double capacity;
    bool bias;
};

struct model_loss {
    struct model_entry entry;
    bool probabilities; /* kept in 4 bytes each, instead of the input */
};

/* Kinds without attributes: batch_norm, softmax, concat, flatten, gated_norm, interaction. */
struct model_plain {
    struct model_entry entry;
};

/* The kinds that are made in memory. */
extern const struct model_kind_ops orr_model_kind_activation, orr_model_kind_add,
    orr_model_kind_attention_core, orr_model_kind_batch_norm, orr_model_kind_causal_conv,
    orr_model_kind_concat, orr_model_kind_conv2d, orr_model_kind_data, orr_model_kind_dense,
    orr_model_kind_embedding, orr_model_kind_expert_dense, orr_model_kind_gated_norm,
    orr_model_kind_head_norm, orr_model_kind_interaction, orr_model_kind_latent_attention,
    orr_model_kind_latent_keys, orr_model_kind_layer_norm, orr_model_kind_loss,
    orr_model_kind_measured, orr_model_kind_multiply, orr_model_kind_pool2d,
    orr_model_kind_position, orr_model_kind_rotary, orr_model_kind_router,
    orr_model_kind_state_scan, orr_model_kind_take;

#endif
