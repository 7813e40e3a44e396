/* Normalizations. batch_norm: of the channels of an image over the batch (Ioffe and Szegedy 2015);
 * reads its input for the sums and again to apply them, backward the same for the gradient.
 * layer_norm: of the features of each token (Ba et al. 2016), or by their root mean square (Zhang
 * and Sennrich 2019); reads a token's elements once. */
#include <inttypes.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"

static const struct orr_key batch_keys[] = {MODEL_ENTRY_KEYS};

static enum orr_status fill_batch(const void *attributes, struct model_draft *draft,
                                  struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    (void)attributes, (void)diag;
    draft->op.shape = *in;
    const uint64_t channels = in->size[in->axes == 2 ? 1 : 0];
    draft->op.weights = sat_times(2, channels);
    orr_model_stream(draft, orr_model_elements(in), 3, 5);
    draft->op.keeps_inputs = true;
    orr_model_add_axis_dims(draft, MODEL_WEIGHTS_COPIED);
    draft->dim[in->axes == 2 ? 2 : 1].weights = MODEL_WEIGHTS_SLICED;
    return ORR_OK;
}

static const struct orr_key layer_keys[] = {
    MODEL_ENTRY_KEYS,
    {.name = "rms",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_layer_norm, rms),
     .default_text = "false",
     .doc = "by the root mean square: a gain for each feature, and no bias"},
    {MODEL_INTEGER(model_layer_norm, features, 1, 1e9,
                   "the first ones alone are normalized, and are its output"),
     .absent = "all"},
};

static enum orr_status fill_layer(const void *attributes, struct model_draft *draft,
                                  struct orr_diag *diag)
{
    const struct model_layer_norm *norm = attributes;
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = orr_model_check_axes(draft, 1, 2, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t come = in->size[in->axes - 1];
    const uint64_t features = norm->features != 0 ? (uint64_t)norm->features : come;
    if (features > come) {
        return orr_model_fail(draft, "features", diag, "the input has %" PRIu64 ", got %" PRIu64,
                              come, features);
    }
    draft->op.shape = *in;
    draft->op.shape.size[in->axes - 1] = features;
    draft->op.weights = sat_times(norm->rms ? 1 : 2, features);
    orr_model_stream(draft, orr_model_elements(&draft->op.shape), 2, 3);
    draft->op.keeps_inputs = true;
    if (in->axes == 2) {
        orr_model_add_axis_dim(draft, "tokens", 1, in->size[0], MODEL_WEIGHTS_COPIED);
    }
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_batch_norm = {
    .name = "batch_norm",
    .summary = "normalization of channels over the batch",
    .table = {"a batch norm", batch_keys, sizeof batch_keys / sizeof *batch_keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_batch,
};

const struct model_kind_ops orr_model_kind_layer_norm = {
    .name = "layer_norm",
    .summary = "normalization of the features of each token",
    .table = {"a layer norm", layer_keys, sizeof layer_keys / sizeof *layer_keys, NULL},
    .attributes = sizeof(struct model_layer_norm),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_layer,
};
