/* Reshaping: flatten, reshape, take (the first tokens). Elements are copied; nothing is computed.
 */
#include <inttypes.h>

#include "workload/model/kinds/kinds.h"

static const struct orr_key plain_keys[] = {MODEL_ENTRY_KEYS};

/* Adds a split by the outermost axis if the sizes are such that slices of it are slices of the
 * input's outermost axis too. */
static void split_outermost(struct model_draft *draft)
{
    const struct model_shape *in = &draft->input[0].shape, *out = &draft->op.shape;
    const uint64_t max = in->size[0] < out->size[0] ? in->size[0] : out->size[0];
    if (in->size[0] % max == 0 && out->size[0] % max == 0) {
        orr_model_add_axis_dim(draft, orr_model_axis_name(out, 1), 1, max, MODEL_WEIGHTS_COPIED);
    }
}

static void copy_all(struct model_draft *draft)
{
    orr_model_stream(draft, 0, 2, 2);
    split_outermost(draft);
}

static enum orr_status fill_flatten(const void *attributes, struct model_draft *draft,
                                    struct orr_diag *diag)
{
    (void)attributes, (void)diag;
    draft->op.shape =
        (struct model_shape){.axes = 1, .size = {orr_model_elements(&draft->input[0].shape)}};
    copy_all(draft);
    return ORR_OK;
}

/* ---- reshape ---- */

static const struct orr_key reshape_keys[] = {
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
     .example = "shape: [8, 12, 64]",
     .doc = "sizes of the axes; their product is the number of input elements"},
};

static enum orr_status fill_reshape(const void *attributes, struct model_draft *draft,
                                    struct orr_diag *diag)
{
    const enum orr_status status = orr_model_set_shape(draft, attributes, diag);
    const uint64_t in = orr_model_elements(&draft->input[0].shape);
    const uint64_t out = orr_model_elements(&draft->op.shape);
    if (status != ORR_OK) {
        return status;
    }
    if (in != out) {
        return orr_model_fail(draft, "shape", diag,
                              "expected %" PRIu64 " numbers as the input has, got %" PRIu64, in,
                              out);
    }
    copy_all(draft);
    return ORR_OK;
}

/* ---- take ---- */

static const struct orr_key take_keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_take, tokens, 1, 1e9, "how many; 1: its features"), .default_text = "1"},
};

static enum orr_status fill_take(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const uint64_t tokens = (uint64_t)((const struct model_take *)attributes)->tokens;
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status == ORR_OK && tokens > in->size[0]) {
        return orr_model_fail(draft, "tokens", diag,
                              "expected at most the %" PRIu64 " tokens of the input", in->size[0]);
    }
    if (status == ORR_OK) {
        draft->op.shape = tokens == 1
                              ? (struct model_shape){.axes = 1, .size = {in->size[1]}}
                              : (struct model_shape){.axes = 2, .size = {tokens, in->size[1]}};
        orr_model_stream(draft, 0, 2, 2);
    }
    return status;
}

const struct model_kind_ops orr_model_kind_flatten = {
    .name = "flatten",
    .summary = "all numbers of a sample as features",
    .table = {"a flattened input", plain_keys, sizeof plain_keys / sizeof *plain_keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_flatten,
};

const struct model_kind_ops orr_model_kind_reshape = {
    .name = "reshape",
    .summary = "the same numbers in another shape",
    .table = {"a reshaped input", reshape_keys, sizeof reshape_keys / sizeof *reshape_keys, NULL},
    .attributes = sizeof(struct model_data),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_reshape,
};

const struct model_kind_ops orr_model_kind_take = {
    .name = "take",
    .summary = "the first tokens",
    .table = {"the first tokens", take_keys, sizeof take_keys / sizeof *take_keys, NULL},
    .attributes = sizeof(struct model_take),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_take,
};
