/* Pooling: the maximum or the mean of each window; `global`: the mean of the whole input. */
#include <inttypes.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/kinds/window.h"
#include "workload/trace/trace.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_pool2d, kernel, 1, 1e4, "height and width of the window"),
     .default_text = "2"},
    {MODEL_INTEGER(model_pool2d, stride, 1, 1e4,
                   "pixels from one position of the window to the next"),
     .absent = "kernel"},
    {MODEL_INTEGER(model_pool2d, pad, 0, 1e4, "pixels added at each side of the input"),
     .default_text = "0"},
    {.name = "global",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_pool2d, global),
     .default_text = "false",
     .doc = "the mean of the whole input, instead of that of a window"},
};

static enum orr_status fill_windows(const struct model_pool2d *pool, struct model_draft *draft,
                                    uint64_t *taps, struct orr_diag *diag)
{
    const int64_t stride = pool->stride != 0 ? pool->stride : pool->kernel;
    const struct model_window window = {(uint64_t)pool->kernel, (uint64_t)stride,
                                        (uint64_t)pool->pad};
    const enum orr_status status = orr_model_window_shape(draft, &window, &draft->op.shape, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (window.pad > window.kernel / 2) {
        return orr_model_fail(draft, "pad", diag,
                              "%" PRIu64 " is more than half of the kernel, %" PRIu64, window.pad,
                              window.kernel);
    }
    *taps = window.kernel * window.kernel;
    orr_model_add_window_dims(draft, &window, MODEL_WEIGHTS_COPIED);
    return ORR_OK;
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_pool2d *pool = attributes;
    const struct model_shape *in = &draft->input[0].shape;
    struct model_op *op = &draft->op;
    uint64_t taps = 0;
    enum orr_status status = orr_model_check_axes(draft, 3, 0, diag);
    if (status == ORR_OK && pool->global) {
        op->shape = (struct model_shape){.axes = 3, .size = {in->size[0], 1, 1}};
        taps = sat_times(in->size[1], in->size[2]);
    } else if (status == ORR_OK) {
        status = fill_windows(pool, draft, &taps, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    op->op_kind = ORR_OP_ELEMENTWISE;
    op->forward = (struct model_work){.flops = sat_times(taps, orr_model_elements(&op->shape)),
                                      .input_bytes = orr_model_input_bytes(draft),
                                      .output_bytes = orr_model_output_bytes(draft)};
    orr_model_products_back(draft);
    op->keeps_inputs = !pool->global; /* to find the maximum */
    orr_model_add_axis_dim(draft, "channels", 1, in->size[0], MODEL_WEIGHTS_COPIED);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_pool2d = {
    .name = "pool2d",
    .summary = "pooling: the maximum or the mean of each window",
    .table = {"a pool", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_pool2d),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill,
};
