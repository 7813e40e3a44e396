/* A measured operator: only its times, output size and weights are known. Models that other
 * simulators publish consist of such operators (SiP-ML's profiles).
 *
 * Part i of p needs its slice of every input and gives a slice, whatever the split means: of the
 * samples, which copies the weights, or of the operator ("parts"), which slices them. If two
 * operators have the same split, each part receives from one part (SiP-ML, SIGCOMM'21, and its
 * simulator). */
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_measured, out, 0, 1e15, "numbers that a sample gives"), .required = true,
     .example = "out: 4096"},
    {.name = "forward",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct model_measured, forward_ps),
     .required = true,
     .high = 9e18,
     .example = "forward: 85 us",
     .doc = "time of one device for all samples of an iteration"},
    {.name = "backward",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct model_measured, backward_ps),
     .default_text = "0 s",
     .high = 9e18,
     .example = "backward: 170 us",
     .doc = "the same of both gradients"},
    {MODEL_INTEGER(model_measured, weights, 0, 1e15, "parameters"), .default_text = "0"},
};

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_measured *measured = attributes;
    struct model_op *op = &draft->op;
    (void)diag;
    op->op_kind = ORR_OP_DEFAULT;
    op->shape = (struct model_shape){.axes = 1, .size = {(uint64_t)measured->out}};
    op->weights = (uint64_t)measured->weights;
    op->measured = true;
    op->forward_ps = measured->forward_ps;
    op->backward_ps = measured->backward_ps;
    orr_model_add_parts_dim(draft);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_measured = {
    .name = "measured",
    .summary = "an operator with measured times",
    .table = {"a measured operator", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_measured),
    .max_inputs = UINT32_MAX,
    .fill = fill,
};
