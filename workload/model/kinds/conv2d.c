/* A convolution over height and width as a matrix product (Chetlur et al. 2014), without the im2col
 * copies of its input: input, weights and output are touched once.
 *
 * Split by height or width, a part needs its slice and a halo: rows that the kernel reaches over a
 * cut. Split by output channels, it needs all of the input (SiP-ML, section 3.2). */
#include <inttypes.h>
#include <string.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/kinds/window.h"
#include "workload/trace/trace.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_conv2d, out, 1, 1e6, "channels of the output"), .required = true,
     .example = "out: 64"},
    {MODEL_INTEGER(model_conv2d, kernel, 1, 1e4, "height and width of the kernel"),
     .required = true, .example = "kernel: 3"},
    {MODEL_INTEGER(model_conv2d, stride, 1, 1e4,
                   "pixels from one position of the kernel to the next"),
     .default_text = "1"},
    {MODEL_INTEGER(model_conv2d, pad, 0, 1e4, "pixels added at each side of the input"),
     .default_text = "0"},
    {MODEL_INTEGER(model_conv2d, groups, 1, 1e6,
                   "groups of channels that are convolved separately"),
     .default_text = "1"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_conv2d, bias),
     .default_text = "true",
     .doc = "a bias for each channel of the output"},
};

static enum orr_status check_groups(const struct model_conv2d *conv,
                                    const struct model_draft *draft, struct orr_diag *diag)
{
    const uint64_t groups = (uint64_t)conv->groups, out = (uint64_t)conv->out;
    const uint64_t in = draft->input[0].shape.size[0];
    return in % groups == 0 && out % groups == 0
               ? ORR_OK
               : orr_model_fail(draft, "groups", diag,
                                "%" PRIu64 " do not divide the %" PRIu64 " channels of the %s",
                                groups, in % groups != 0 ? in : out,
                                in % groups != 0 ? "input" : "output");
}

static void split(struct model_draft *draft, const struct model_window *window)
{
    const struct model_shape *in = &draft->input[0].shape;
    orr_model_add_window_dims(draft, window, MODEL_WEIGHTS_COPIED);
    orr_model_add_dim(draft, (struct model_dim){.name = "output",
                                                .cut = {orr_model_all(), orr_model_all()},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 1,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = draft->op.shape.size[0]});
    orr_model_add_dim(draft, (struct model_dim){.name = "input",
                                                .cut = {orr_model_slice(1), orr_model_slice(1)},
                                                .gives = MODEL_GIVES_PARTIAL_SUM,
                                                .axis = MODEL_NO_AXIS,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = in->size[0]});
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_conv2d *conv = attributes;
    const struct model_window window = {(uint64_t)conv->kernel, (uint64_t)conv->stride,
                                        (uint64_t)conv->pad};
    const struct model_shape *in = &draft->input[0].shape;
    struct model_op *op = &draft->op;
    enum orr_status status = orr_model_window_shape(draft, &window, &op->shape, diag);
    if (status == ORR_OK) {
        status = check_groups(conv, draft, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t out = op->shape.size[0] = (uint64_t)conv->out;
    const uint64_t taps =
        sat_times(window.kernel * window.kernel, in->size[0] / (uint64_t)conv->groups);
    op->op_kind = ORR_OP_GEMM;
    op->bias = conv->bias ? out : 0;
    op->weights = sat_plus(sat_times(taps, out), op->bias);
    op->forward =
        (struct model_work){.flops = sat_times(2, sat_times(taps, orr_model_elements(&op->shape))),
                            .input_bytes = orr_model_input_bytes(draft),
                            .output_bytes = orr_model_output_bytes(draft),
                            .weight_bytes = sat_times(sat_times(taps, out), draft->element_bytes)};
    orr_model_products_back(draft);
    split(draft, &window);
    return ORR_OK;
}

static void cut(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts)
{
    struct model_conv2d *conv = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "output") == 0) {
        conv->out = orr_model_cut_size(conv->out, parts);
    }
}

const struct model_kind_ops orr_model_kind_conv2d = {
    .name = "conv2d",
    .summary = "a convolution over height and width",
    .table = {"a convolution", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_conv2d),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill,
    .cut = cut,
};
