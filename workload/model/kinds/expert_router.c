/* The router of experts (Shazeer et al. 2017, section 2): a score of each expert for each token, by
 * a product. The bias of loads (DeepSeek-V3, 2024, section 2.1.2) is a number for each expert that
 * no gradient changes. Its operations are not among the model FLOPs of the literature. */
#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_router, experts, 1, 1e6, "experts, each with a score"), .required = true,
     .example = "experts: 128"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_router, bias),
     .default_text = "false",
     .doc = "a bias for each score"},
    {.name = "load_bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_router, load_bias),
     .default_text = "false",
     .doc = "a number for each expert that balances their loads"},
};

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_router *router = attributes;
    const struct model_shape *from = &draft->input[0].shape;
    struct model_op *op = &draft->op;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t tokens = from->size[0], in = from->size[1], out = (uint64_t)router->experts;
    op->op_kind = ORR_OP_GEMM;
    op->uncounted = true;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens, out}};
    op->bias = router->bias ? out : 0;
    op->weights = sat_plus(sat_times(in, out), op->bias + (router->load_bias ? out : 0));
    op->forward =
        (struct model_work){.flops = orr_model_product_flops(tokens, in, out),
                            .input_bytes = orr_model_input_bytes(draft),
                            .output_bytes = orr_model_output_bytes(draft),
                            .weight_bytes = sat_times(sat_times(in, out), draft->element_bytes)};
    orr_model_products_back(draft);
    orr_model_add_product_dims(draft, in, out);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_router = {
    .name = "router",
    .summary = "scores of experts for each token",
    .table = {"a router", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_router),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill,
};
