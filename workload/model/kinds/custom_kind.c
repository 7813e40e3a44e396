/* A user-defined operator, described by its operations, bytes and weights. It can be split by
 * samples. */
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"
#include "workload/trace/trace.h"

struct custom {
    struct model_entry entry;
    struct orr_conf_list shape;
    int64_t flops, backward_flops, bytes, weights;
};

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {.name = "shape",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct custom, shape),
     .low = 1,
     .high = 1e12,
     .list = true,
     .min = 1,
     .max = MODEL_MAX_AXES,
     .absent = "that of its first input",
     .example = "shape: [512]",
     .doc = "of a sample of its output"},
    {MODEL_INTEGER(custom, flops, 0, 9e18, "operations of a sample forwards"), .default_text = "0"},
    {MODEL_INTEGER(custom, backward_flops, 0, 9e18, "operations of a sample backwards"),
     .absent = "twice those forwards"},
    {MODEL_INTEGER(custom, bytes, 0, 9e18,
                   "bytes that a sample touches forwards; backwards twice as many"),
     .absent = "its inputs and its output"},
    {MODEL_INTEGER(custom, weights, 0, 9e18, "parameters"), .default_text = "0"},
};

static enum orr_status set_shape(const struct custom *custom, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const int64_t *size = custom->shape.values;
    struct model_shape *shape = &draft->op.shape;
    if (custom->shape.count == 0 && draft->inputs == 0) {
        return orr_model_fail(draft, "shape", diag, "expected a shape, because there is no input");
    }
    if (custom->shape.count == 0) {
        *shape = draft->input[0].shape;
        return ORR_OK;
    }
    shape->axes = (uint32_t)custom->shape.count;
    for (uint32_t i = 0; i < shape->axes; i++) {
        shape->size[i] = (uint64_t)size[i];
    }
    return ORR_OK;
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct custom *custom = attributes;
    struct model_op *op = &draft->op;
    const enum orr_status status = set_shape(custom, draft, diag);
    if (status != ORR_OK) {
        return status;
    }
    const bool has_bytes = custom->bytes != 0;
    op->op_kind = ORR_OP_DEFAULT;
    op->weights = (uint64_t)custom->weights;
    op->forward = (struct model_work){.flops = (uint64_t)custom->flops,
                                      .input_bytes = has_bytes ? 0 : orr_model_input_bytes(draft),
                                      .output_bytes = has_bytes ? 0 : orr_model_output_bytes(draft),
                                      .inner_bytes = (uint64_t)custom->bytes,
                                      .weight_bytes = sat_times(op->weights, draft->element_bytes)};
    op->backward =
        (struct model_work){.flops = custom->backward_flops != 0 ? (uint64_t)custom->backward_flops
                                                                 : sat_times(2, op->forward.flops),
                            .input_bytes = sat_times(2, op->forward.input_bytes),
                            .output_bytes = sat_times(2, op->forward.output_bytes),
                            .inner_bytes = sat_times(2, op->forward.inner_bytes),
                            .weight_bytes = sat_times(2, op->forward.weight_bytes)};
    op->keeps_inputs = true;
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_custom = {
    .name = "custom",
    .summary = "anything else, by its operations, bytes and weights",
    .table = {"an operator of one's own", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct custom),
    .max_inputs = 1000000,
    .fill = fill,
};
