/* Convolutional networks: a list of layers, or of the residual blocks of ResNet (He et al. 2016),
 * expanded into a graph of operators. An activation function belongs to the operator before it.
 * Data-parallel. docs/how-to/generated-cnn.md gives the formulas. */
#ifndef ORR_WORKLOAD_GEN_CNN_H
#define ORR_WORKLOAD_GEN_CNN_H

#include "core/conf/keys.h"
#include "workload/model/model_builder.h"

extern const struct orr_key_table orr_cnn_key_table;

struct gen_model_ops;
extern const struct gen_model_ops orr_cnn_model;

/* ---- layers (cnn_layers.c) ---- */

enum cnn_kind { CNN_CONV, CNN_NORM, CNN_POOL, CNN_SUM, CNN_DENSE, CNN_LOSS, CNN_KINDS };

/* The network while its layers are added. */
struct cnn_build {
    struct orr_arena *arena;
    struct model_builder *builder;
    const struct orr_conf *map; /* of the layer, for the locations of errors */
    model_value tip;            /* the last operator, or the images */
    uint32_t ops, kind_count[CNN_KINDS];
    struct orr_diag *diag;
};

enum { CNN_MAX_OPS = 1000000 };

/* One entry of `layers`: a mapping with one key, the kind of layer. */
extern const struct orr_key_table orr_cnn_layer_table;

/* Adds the operators of an entry behind the tip, the last of which becomes the tip. */
enum orr_status orr_cnn_add_layer(struct cnn_build *build, const struct orr_conf *layer);

/* Adds the loss of the scores. */
enum orr_status orr_cnn_add_loss(struct cnn_build *build);

#endif
