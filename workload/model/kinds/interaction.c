/* Products of activations: all pairs of vectors, as recommendation models combine their features
 * (DLRM, Naumov et al. 2019), followed by the last vector; or of two matrices. Both factors have
 * gradients, so the backward pass takes twice as much. */
#include <inttypes.h>

#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {MODEL_ENTRY_KEYS};

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    struct model_op *op = &draft->op;
    (void)attributes;
    enum orr_status status = orr_model_check_axes(draft, 1, 0, diag);
    if (status == ORR_OK) {
        status = orr_model_check_same_shape(draft, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t vectors = draft->inputs, width = draft->input[0].shape.size[0];
    op->op_kind = ORR_OP_GEMM;
    op->shape =
        (struct model_shape){.axes = 1, .size = {sat_plus(vectors * (vectors - 1) / 2, width)}};
    op->forward = (struct model_work){.flops = sat_times(2 * vectors, sat_times(vectors, width)),
                                      .input_bytes = orr_model_input_bytes(draft),
                                      .output_bytes = orr_model_output_bytes(draft)};
    op->backward = (struct model_work){.flops = sat_times(2, op->forward.flops),
                                       .input_bytes = sat_times(2, op->forward.input_bytes),
                                       .output_bytes = op->forward.output_bytes};
    op->keeps_inputs = true;
    return ORR_OK;
}

/* ---- matrices ---- */

static enum orr_status fill_matmul(const void *attributes, struct model_draft *draft,
                                   struct orr_diag *diag)
{
    struct model_op *op = &draft->op;
    const struct model_shape *a = &draft->input[0].shape, *b = &draft->input[1].shape;
    (void)attributes;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (a->size[1] != b->size[0]) {
        return orr_model_fail(draft, "input", diag,
                              "%" PRIu64 " columns of the first do not meet %" PRIu64
                              " rows of the second",
                              a->size[1], b->size[0]);
    }
    op->op_kind = ORR_OP_GEMM;
    op->shape = (struct model_shape){.axes = 2, .size = {a->size[0], b->size[1]}};
    op->forward =
        (struct model_work){.flops = orr_model_product_flops(a->size[0], a->size[1], b->size[1]),
                            .input_bytes = orr_model_input_bytes(draft),
                            .other_input_bytes = orr_model_other_input_bytes(draft),
                            .output_bytes = orr_model_output_bytes(draft)};
    op->backward =
        (struct model_work){.flops = sat_times(2, op->forward.flops),
                            .input_bytes = sat_times(2, op->forward.input_bytes),
                            .other_input_bytes = sat_times(2, op->forward.other_input_bytes),
                            .output_bytes = sat_times(2, op->forward.output_bytes)};
    op->keeps_inputs = true;
    orr_model_add_dim(draft, (struct model_dim){.name = "tokens",
                                                .cut = {orr_model_slice(1), orr_model_all()},
                                                .axis = 1,
                                                .size = a->size[0]});
    orr_model_add_dim(draft, (struct model_dim){.name = "output",
                                                .cut = {orr_model_all(), orr_model_slice(2)},
                                                .axis = 2,
                                                .size = b->size[1]});
    orr_model_add_dim(draft, (struct model_dim){.name = "input",
                                                .cut = {orr_model_slice(2), orr_model_slice(1)},
                                                .gives = MODEL_GIVES_PARTIAL_SUM,
                                                .axis = MODEL_NO_AXIS,
                                                .size = a->size[1]});
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_interaction = {
    .name = "interaction",
    .summary = "products of all pairs of vectors, with the last vector",
    .table = {"an interaction", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 2,
    .max_inputs = 1000000,
    .fill = fill,
};

const struct model_kind_ops orr_model_kind_matmul = {
    .name = "matmul",
    .summary = "the product of two matrices of activations",
    .table = {"a product of matrices", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 2,
    .max_inputs = 2,
    .fill = fill_matmul,
};
