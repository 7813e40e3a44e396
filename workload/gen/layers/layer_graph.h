/* A transformer's graph of operators while it is built: what its layers and its ends share. Each
 * function adds operators behind the tip, which becomes the last one's output. */
#ifndef ORR_WORKLOAD_GEN_LAYERS_LAYER_GRAPH_H
#define ORR_WORKLOAD_GEN_LAYERS_LAYER_GRAPH_H

#include "workload/gen/transformer.h"
#include "workload/model/model_builder.h"

struct layer_graph {
    const struct tf_model *model;
    bool fused;
    struct model_builder *builder;
    struct orr_diag *diag;
    enum orr_status status;
    model_value tip, memory;      /* memory: the encoder's output */
    model_value words, positions; /* the first embeddings; others share their weights */
    model_value logits;           /* the head's */
    bool embedded;                /* whether embeddings exist */
    const char *layer;            /* that the next operator begins; NULL: none */
};

/* Adds an operator and makes it the tip. */
model_value orr_layer_add_spec(struct layer_graph *graph, struct model_op_spec spec,
                               const void *attributes);

/* Adds an operator with two inputs (MODEL_NO_VALUE: one), or with the tip as its input. */
model_value orr_layer_add_two(struct layer_graph *graph, const char *label,
                              const struct model_kind_ops *kind, const void *attributes,
                              const model_value input[2]);
model_value orr_layer_add(struct layer_graph *graph, const char *label,
                          const struct model_kind_ops *kind, const void *attributes);

model_value orr_layer_add_norm(struct layer_graph *graph, const char *label);
model_value orr_layer_add_dense(struct layer_graph *graph, const char *label, uint64_t out,
                                bool bias);

/* Adds the tip to the residual, with dropout. */
void orr_layer_add_residual(struct layer_graph *graph, const char *label, model_value residual);

/* Ends a part of a layer: a norm of its output if the model has these, and the residual. */
void orr_layer_end_part(struct layer_graph *graph, const char *norm, const char *label,
                        model_value residual);

/* What mixes the tokens of a layer of a kind; what it does with each token. (layer_mixers.c,
 * layer_feeds.c) */
void orr_layer_add_mixer(struct layer_graph *graph, const struct tf_kind *kind);
void orr_layer_add_feed(struct layer_graph *graph, const struct tf_kind *kind);

#endif
