/* The layers of the `cnn` section: their keys, and the operators of each. */
#ifndef ORR_WORKLOAD_GEN_CNN_LAYERS_H
#define ORR_WORKLOAD_GEN_CNN_LAYERS_H

#include "workload/gen/cnn/cnn.h"

/* One entry of `layers`: a mapping with one key, the kind of layer. */
extern const struct orr_key_table orr_cnn_layer_table;

/* Adds the operators of an entry to the net, behind the operator *tip (CNN_IMAGE: none). *tip
 * becomes the last of them. */
enum orr_status orr_cnn_add_layer(struct orr_arena *arena, const struct orr_conf *layer,
                                  struct cnn_net *net, uint32_t *tip, struct orr_diag *diag);

#endif
