/* A dense layer: a matrix product. m x k by k x n takes 2 m k n operations and touches each matrix
 * once; each of the two gradients takes the same.
 *
 * Split by output features, every part needs the whole input and has its columns of the weights
 * (Megatron-LM, Shoeybi et al. 2019, section 3: by columns). Split by input features, a part needs
 * its slice, and its output is a partial sum (by rows). */
#include <string.h>

#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_dense, out, 1, 1e9, "features of the output"), .required = true,
     .example = "out: 4096"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_dense, bias),
     .default_text = "true",
     .doc = "a bias for each output"},
};

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_dense *dense = attributes;
    const struct model_shape *from = &draft->input[0].shape;
    const uint64_t tokens = from->axes == 2 ? from->size[0] : 1;
    const uint64_t in = orr_model_elements(from) / tokens, out = (uint64_t)dense->out;
    struct model_op *op = &draft->op;
    (void)diag;
    op->op_kind = ORR_OP_GEMM;
    op->shape = from->axes == 2 ? (struct model_shape){.axes = 2, .size = {tokens, out}}
                                : (struct model_shape){.axes = 1, .size = {out}};
    op->bias = dense->bias ? out : 0;
    op->weights = sat_plus(sat_times(in, out), op->bias);
    op->forward =
        (struct model_work){.flops = orr_model_product_flops(tokens, in, out),
                            .input_bytes = orr_model_input_bytes(draft),
                            .output_bytes = orr_model_output_bytes(draft),
                            .weight_bytes = sat_times(sat_times(in, out), draft->element_bytes)};
    orr_model_products_back(draft);
    orr_model_add_product_dims(draft, in, out);
    return ORR_OK;
}

static void cut(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts)
{
    struct model_dense *dense = attributes;
    (void)input, (void)whole;
    const int64_t all = dense->heads + 2 * dense->kv_heads;
    if (strcmp(dim, "output") == 0 && all == 0) {
        dense->out = orr_model_cut_size(dense->out, parts);
    } else if (strcmp(dim, "output") == 0) {
        const int64_t head_size = dense->out / all;
        dense->heads = orr_model_cut_size(dense->heads, parts);
        dense->kv_heads = orr_model_cut_size(dense->kv_heads, parts);
        dense->out = (dense->heads + 2 * dense->kv_heads) * head_size;
    }
}

const struct model_kind_ops orr_model_kind_dense = {
    .name = "dense",
    .summary = "a fully connected layer",
    .table = {"a dense layer", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_dense),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill,
    .cut = cut,
};
