/* A dense layer for each of several experts (GShard, Lepikhin et al. 2021, section 3.2). Each token
 * is sent to `per_token` experts, which have `capacity` times as many slots; all experts are
 * assumed to get the same number of tokens. Later layers process the sent tokens, and the last one
 * adds up the outputs of each token.
 *
 * Split by experts, a part needs the tokens sent to its experts, and gives these, or a partial sum
 * over all tokens if they are added up. */
#include <string.h>

#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_expert_dense, experts, 1, 1e6, "experts"), .required = true,
     .example = "experts: 8"},
    {MODEL_INTEGER(model_expert_dense, out, 1, 1e9, "features of the output"), .required = true,
     .example = "out: 14336"},
    {MODEL_INTEGER(model_expert_dense, per_token, 1, 1e6, "experts that each token is sent to"),
     .absent = "its input was sent already"},
    {MODEL_INTEGER(model_expert_dense, tokens, 1, 1e9, "tokens to which the output is added up"),
     .absent = "those that were sent"},
    {.name = "capacity",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct model_expert_dense, capacity),
     .low = 0.01,
     .high = 1000,
     .default_text = "1",
     .doc = "capacity factor: token slots of the experts, per token sent to them"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_expert_dense, bias),
     .default_text = "true",
     .doc = "a bias for each output"},
};

/* Expert outputs for each token of the input or output. */
static double experts_per_token(const struct model_expert_dense *dense,
                                const struct model_shape *from)
{
    return dense->per_token != 0 ? (double)dense->per_token * dense->capacity
           : dense->tokens != 0  ? (double)from->size[0] / (double)dense->tokens
                                 : 0;
}

static void split(struct model_draft *draft, const struct model_expert_dense *dense, uint64_t in)
{
    const bool sends = dense->per_token != 0, adds = dense->tokens != 0;
    const struct model_cut tokens = sends ? orr_model_all() : orr_model_slice(1);
    orr_model_add_dim(
        draft,
        (struct model_dim){.name = "experts",
                           .cut = {tokens, tokens},
                           .gives = adds ? MODEL_GIVES_PARTIAL_SUM : MODEL_GIVES_SLICE,
                           .axis = adds ? MODEL_NO_AXIS : 1,
                           .weights = MODEL_WEIGHTS_SLICED,
                           .size = (uint64_t)dense->experts,
                           .experts_per_token = experts_per_token(dense, &draft->input[0].shape)});
    orr_model_add_dim(draft, (struct model_dim){.name = "output",
                                                .cut = {orr_model_all(), orr_model_all()},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 2,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = (uint64_t)dense->out});
    orr_model_add_dim(draft, (struct model_dim){.name = "input",
                                                .cut = {orr_model_slice(2), orr_model_slice(2)},
                                                .gives = MODEL_GIVES_PARTIAL_SUM,
                                                .axis = MODEL_NO_AXIS,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = in});
}

static int64_t all_experts(const struct model_expert_dense *dense)
{
    return dense->all_experts != 0 ? dense->all_experts : dense->experts;
}

/* Tokens of an expert. */
static uint64_t tokens_of(const struct model_expert_dense *dense, uint64_t tokens_in)
{
    const double slots_per_token = (double)dense->per_token * dense->capacity;
    if (dense->tokens_each != 0) {
        return (uint64_t)dense->tokens_each;
    }
    const uint64_t sent = (uint64_t)(slots_per_token * (double)tokens_in + 0.5);
    return dense->per_token != 0 ? sat_divide_up(sent, (uint64_t)all_experts(dense))
                                 : sat_divide_up(tokens_in, (uint64_t)dense->experts);
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_expert_dense *dense = attributes;
    struct model_op *op = &draft->op;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct model_shape *from = &draft->input[0].shape;
    const uint64_t experts = (uint64_t)dense->experts, out = (uint64_t)dense->out;
    const uint64_t in = from->size[1], tokens = tokens_of(dense, from->size[0]);
    const uint64_t all = sat_times(experts, tokens), element = draft->element_bytes;
    const uint64_t tokens_out = dense->tokens != 0 ? (uint64_t)dense->tokens : all;
    const uint64_t weights = sat_times(experts, sat_times(in, out));
    op->op_kind = ORR_OP_GEMM;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens_out, out}};
    op->bias = dense->bias ? sat_times(experts, out) : 0;
    op->weights = sat_plus(weights, op->bias);
    op->forward = (struct model_work){.flops = orr_model_product_flops(all, in, out),
                                      .input_bytes = sat_times(sat_times(all, in), element),
                                      .output_bytes = sat_times(sat_times(all, out), element),
                                      .weight_bytes = sat_times(weights, element)};
    orr_model_products_back(draft);
    op->keeps_inputs = dense->per_token == 0;
    op->kept_bytes = dense->per_token != 0 ? op->forward.input_bytes : 0; /* what was sent */
    split(draft, dense, in);
    return ORR_OK;
}

static void cut(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts)
{
    struct model_expert_dense *dense = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "output") == 0) {
        dense->out = orr_model_cut_size(dense->out, parts);
    } else if (strcmp(dim, "experts") == 0) {
        dense->all_experts = all_experts(dense);
        dense->experts = orr_model_cut_size(dense->experts, parts);
    }
}

const struct model_kind_ops orr_model_kind_expert_dense = {
    .name = "expert_dense",
    .summary = "a dense layer for each expert, on the tokens sent to it",
    .table = {"a dense layer of experts", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_expert_dense),
    .min_inputs = 1,
    .max_inputs = 2, /* which experts, from the router */
    .fill = fill,
    .cut = cut,
};
