/* The data of the samples, not an operator: the shape of an image, a vector of features, a row of
 * tokens. */
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {.name = "shape",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct model_data, shape),
     .required = true,
     .low = 1,
     .high = 1e12,
     .list = true,
     .min = 1,
     .max = MODEL_MAX_AXES,
     .example = "shape: [3, 224, 224]",
     .doc = "features; tokens and features; or channels, height and width of a sample"},
};

enum orr_status orr_model_set_shape(struct model_draft *draft, const struct model_data *data,
                                    struct orr_diag *diag)
{
    const int64_t *size = data->shape.values;
    struct model_shape *shape = &draft->op.shape;
    if (data->shape.count == 0 || data->shape.count > MODEL_MAX_AXES) {
        return orr_model_fail(draft, "shape", diag, "expected 1 to %d sizes", MODEL_MAX_AXES);
    }
    shape->axes = (uint32_t)data->shape.count;
    for (uint32_t i = 0; i < shape->axes; i++) {
        shape->size[i] = (uint64_t)size[i];
    }
    return ORR_OK;
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    return orr_model_set_shape(draft, attributes, diag);
}

const struct model_kind_ops orr_model_kind_data = {
    .name = "data",
    .summary = "the data of the samples; no operator",
    .table = {"data", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_data),
    .source = true,
    .fill = fill,
};
