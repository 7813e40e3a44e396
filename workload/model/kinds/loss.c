/* The loss: one operation for each element, which is read in the forward pass and whose gradient is
 * written in the backward pass. */
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {MODEL_ENTRY_KEYS};

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    const struct model_loss *loss = attributes;
    (void)diag;
    draft->op.shape = *in;
    orr_model_stream(draft, orr_model_elements(in), 2, 3);
    draft->op.keeps_inputs = !loss->probabilities;
    draft->op.kept_bytes = loss->probabilities ? sat_times(4, orr_model_elements(in)) : 0;
    if (in->axes > 1) {
        orr_model_add_axis_dim(draft, orr_model_axis_name(in, 1), 1, in->size[0],
                               MODEL_WEIGHTS_COPIED);
    }
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_loss = {
    .name = "loss",
    .summary = "the loss of the model",
    .table = {"a loss", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_loss),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill,
};
