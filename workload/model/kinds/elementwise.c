/* Elementwise operators: functions of one input, sums and products of several. They count one
 * operation an element, and the arrays that are read or written. */
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"

/* ---- of one input ---- */

static const struct orr_key activation_keys[] = {
    MODEL_ENTRY_KEYS,
    {.name = "gated",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_activation, gated),
     .default_text = "false",
     .doc = "the function of one half of the features times the other half (SwiGLU)"},
};

static enum orr_status fill_activation(const void *attributes, struct model_draft *draft,
                                       struct orr_diag *diag)
{
    const struct model_activation *activation = attributes;
    struct model_shape *shape = &draft->op.shape;
    *shape = draft->input[0].shape;
    const uint64_t last = shape->size[shape->axes - 1];
    if (activation->gated && last % 2 != 0) {
        return orr_model_fail(draft, "gated", diag, "expected an even number of features");
    }
    shape->size[shape->axes - 1] = activation->gated ? last / 2 : last;
    orr_model_stream(draft, orr_model_elements(shape), activation->gated ? 3 : 2,
                     activation->gated ? 4 : 3);
    draft->op.keeps_inputs = true;
    orr_model_add_axis_dims(draft, MODEL_WEIGHTS_COPIED);
    return ORR_OK;
}

static const struct orr_key plain_keys[] = {MODEL_ENTRY_KEYS};

/* Over the last axis, which cannot be split. */
static enum orr_status fill_softmax(const void *attributes, struct model_draft *draft,
                                    struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    (void)attributes, (void)diag;
    draft->op.shape = *in;
    orr_model_stream(draft, orr_model_elements(in), 2, 3);
    draft->op.keeps_output = true;
    for (uint8_t axis = 1; axis < in->axes; axis++) {
        orr_model_add_axis_dim(draft, orr_model_axis_name(in, axis), axis, in->size[axis - 1],
                               MODEL_WEIGHTS_COPIED);
    }
    return ORR_OK;
}

/* ---- of several ---- */

static const struct orr_key add_keys[] = {
    MODEL_ENTRY_KEYS,
    {.name = "dropout",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_add, dropout),
     .default_text = "false",
     .doc = "some numbers are dropped before the sum: a mask to read backwards"},
};

static enum orr_status fill_same_shape(struct model_draft *draft, unsigned backward_arrays,
                                       struct orr_diag *diag)
{
    const enum orr_status status = orr_model_check_same_shape(draft, diag);
    if (status == ORR_OK) {
        const uint64_t terms = draft->inputs - 1u;
        draft->op.shape = draft->input[0].shape;
        orr_model_stream(draft, sat_times(terms, orr_model_elements(&draft->op.shape)),
                         draft->inputs + 1u, backward_arrays);
        orr_model_add_axis_dims(draft, MODEL_WEIGHTS_COPIED);
    }
    return status;
}

static enum orr_status fill_add(const void *attributes, struct model_draft *draft,
                                struct orr_diag *diag)
{
    const struct model_add *add = attributes;
    const enum orr_status status =
        fill_same_shape(draft, draft->inputs + (add->dropout ? 2u : 1u), diag);
    draft->op.keeps_output = add->activated;
    draft->op.kept_bytes =
        add->dropout && !add->maskless ? orr_model_elements(&draft->op.shape) : 0; /* the mask */
    return status;
}

static enum orr_status fill_multiply(const void *attributes, struct model_draft *draft,
                                     struct orr_diag *diag)
{
    (void)attributes;
    draft->op.keeps_inputs = true;
    return fill_same_shape(draft, 2 * draft->inputs + 1u, diag);
}

/* ---- the registry ---- */

const struct model_kind_ops orr_model_kind_activation = {
    .name = "activation",
    .summary = "a function of each number: relu, gelu, dropout; gated ones",
    .table = {"an activation", activation_keys, sizeof activation_keys / sizeof *activation_keys,
              NULL},
    .attributes = sizeof(struct model_activation),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_activation,
};

const struct model_kind_ops orr_model_kind_softmax = {
    .name = "softmax",
    .summary = "normalized exponentials over the features",
    .table = {"a softmax", plain_keys, sizeof plain_keys / sizeof *plain_keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_softmax,
};

const struct model_kind_ops orr_model_kind_add = {
    .name = "add",
    .summary = "the sum of its inputs",
    .table = {"a sum", add_keys, sizeof add_keys / sizeof *add_keys, NULL},
    .attributes = sizeof(struct model_add),
    .min_inputs = 2,
    .max_inputs = 1000000,
    .fill = fill_add,
};

const struct model_kind_ops orr_model_kind_multiply = {
    .name = "multiply",
    .summary = "the product of its inputs, number by number",
    .table = {"a product", plain_keys, sizeof plain_keys / sizeof *plain_keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 2,
    .max_inputs = 1000000,
    .fill = fill_multiply,
};
