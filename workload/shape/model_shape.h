/* The shape of a language model: what a model's configuration says of its layers, whoever wrote it.
 * Parameters and operations are counted from it in closed form. */
#ifndef ORR_WORKLOAD_SHAPE_MODEL_SHAPE_H
#define ORR_WORKLOAD_SHAPE_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { ORR_SHAPE_MAX_LAYERS = 4096, ORR_SHAPE_NAME_BYTES = 64 };

/* What mixes the tokens of a sequence in a layer. */
enum orr_mixer {
    ORR_MIXER_NONE,
    ORR_MIXER_ATTENTION, /* grouped queries; as many groups as heads: multi-head */
    ORR_MIXER_LATENT,    /* latent attention: low-rank queries, keys and values (MLA) */
    ORR_MIXER_MAMBA2     /* state-space duality */
};

/* What a layer does with each token. */
enum orr_feed_forward { ORR_FEED_NONE, ORR_FEED_DENSE, ORR_FEED_EXPERTS };

/* Which keys a query of an attention layer sees. */
enum orr_span {
    ORR_SPAN_FULL,   /* all before it */
    ORR_SPAN_ALL,    /* those behind it, too (encoders) */
    ORR_SPAN_WINDOW, /* the last `window` */
    ORR_SPAN_CHUNK   /* those before it in its chunk of `window` */
};

struct orr_layer_shape {
    enum orr_mixer mixer;
    enum orr_feed_forward feed;
    enum orr_span span;
    uint32_t window;
    bool cross; /* a second attention, to an encoder */
};

/* Sizes are numbers of elements. A bias flag means one bias for each output. */
struct orr_model_shape {
    char name[ORR_SHAPE_NAME_BYTES]; /* of the kind of model: "llama", "deepseek_v3" */
    uint64_t hidden, vocabulary;
    uint64_t embedding_size; /* of the embedding's rows, with products to and from hidden (OPT);
                                0: hidden */
    uint64_t positions;      /* learned ones; 0: none */
    uint64_t token_types;
    bool tied; /* the head is the embedding */
    bool no_head;
    uint64_t head_dense; /* a square product before the head, and a norm (BERT) */
    bool head_bias;

    uint32_t layers, encoder_layers; /* the encoder's come first */
    struct orr_layer_shape *layer;   /* [layers], owned by whoever made it */
    unsigned norms;                  /* of a layer; 2 usually */
    bool norm_per_part;              /* a layer with no feed-forward or no mixer has half of them */
    bool layer_norm;                 /* with a bias, and a weight */
    bool no_norm_weight;             /* no parameters at all */
    bool final_norm, embedding_norm;

    uint64_t heads, kv_heads, head_size;
    bool qkv_bias, out_bias;
    bool sinks;         /* a logit for each head */
    bool gated_queries; /* the output has a gate for each value, made beside the query */
    enum { ORR_QK_PLAIN, ORR_QK_NORM_HEAD, ORR_QK_NORM_ALL } qk_norm;
    uint64_t relative_buckets; /* of relative positions, a bias for each head, once a stack (T5) */

    /* latent attention */
    uint64_t query_rank; /* 0: queries are made at once */
    uint64_t kv_rank, no_position_size, rotary_size, value_size;

    /* feed-forward */
    uint64_t width; /* of dense layers */
    bool gated, feed_bias;

    /* experts */
    uint64_t experts, experts_per_token, expert_width;
    uint64_t shared_width;  /* of all shared experts together; 0: none */
    bool shared_gate;       /* a gate for the shared experts, of `hidden` */
    bool router_bias;       /* of the router's product */
    bool expert_bias;       /* a correction for each expert (bias balancing) */
    uint64_t expert_latent; /* size of a token inside the experts; 0: hidden */

    /* Mamba-2 */
    uint64_t mamba_heads, mamba_head_size, mamba_state, mamba_groups, mamba_convolution;
    bool mamba_bias, mamba_convolution_bias;

    uint32_t mtp_modules;             /* modules of multi-token prediction */
    struct orr_layer_shape mtp_layer; /* of each; without mixer and feed: as the last layer */
};

struct orr_shape_counts {
    uint64_t parameters;           /* without multi-token prediction */
    uint64_t active_parameters;    /* those that a token meets, embedding and head included */
    uint64_t embedding_parameters; /* rows of the embedding */
    uint64_t mtp_parameters;
    /* operations of a token in a training step (3 times the forward pass): products without those
     * of routers and embeddings; attention or scan, with causal attention at half */
    double product_flops, mixer_flops;
    double mtp_flops; /* of the modules, with their heads; in neither of the two */
    double kv_bytes;  /* kept keys and values of a token at 2 bytes an element; windows unbounded */
};

/* Counts at a sequence of this length, above 0. Sums that 64 bits do not hold saturate. O(layers).
 */
void orr_shape_count(const struct orr_model_shape *shape, uint64_t sequence,
                     struct orr_shape_counts *counts);

#endif
